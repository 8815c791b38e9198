"""Homogeneity: everybody in a class has the same value, so whoever is in the class has it.

References
----------
A. Machanavajjhala, J. Gehrke, D. Kifer, "l-diversity", ICDE 2006; Ciriani et al., "k-Anonymity",
section 5, Figure 18.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import counted
from indistinct.risk.attacks.base import Attacker
from indistinct.risk.attacks.classes import ReleasedClasses, attack_classes
from indistinct.risk.attacks.job import lacks_classes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.risk.attacks.base import Attack


def homogeneity(classes: ReleasedClasses, *, certainty: float = 1.0) -> Attack:
    """Find the classes of which at least the share `certainty` has one value."""

    def flag(seen: ReleasedClasses) -> NDArray[np.bool_]:
        flagged: NDArray[np.bool_] = (
            seen.largest(seen.pairs[2].astype(float)) >= certainty * seen.sizes - 1e-9
        )
        return flagged

    def story(rows: int, number: int) -> str:
        start = f"Somebody knows which class a person is in, and reads {classes.column} there. "
        if not rows:
            return start + "No class has one value for all: the attack fails."
        share = "all" if certainty == 1 else f"at least {certainty:.0%}"
        return (
            f"{start}In {counted(number, 'class', 'classes')} {share} have the same value, so it "
            f"is known of everyone there: {counted(rows, 'row')}."
        )

    return attack_classes(
        "homogeneity",
        classes,
        flag,
        badness=classes.sizes.astype(float),
        learnt=lambda c: f"{classes.column} is {next(iter(classes.held(c)))}",
        story=story,
        details={"certainty": certainty},
    )


HOMOGENEITY = Attacker(
    "homogeneity", lambda job: map(homogeneity, job.classes), lacks_classes, on_classes=True
)
