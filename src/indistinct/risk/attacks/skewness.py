"""Skewness: a value is far more frequent in a class than among all, so it becomes likely there.

References
----------
N. Li, T. Li, S. Venkatasubramanian, "t-closeness", ICDE 2007; Ciriani et al., "k-Anonymity",
section 5, Figure 19: 67 % diabetes in a class, 30 % in the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.risk.attacks.base import Attacker
from indistinct.risk.attacks.classes import ReleasedClasses, attack_classes, value_text
from indistinct.risk.attacks.job import lacks_classes

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from indistinct.risk.attacks.base import Attack


def skewness(
    classes: ReleasedClasses, *, gain: float = 0.25, watched: Collection[str] | None = None
) -> Attack:
    """Find the classes in which a value's share is above that in the table by more than `gain`.

    Parameters
    ----------
    watched
        The values that it is about; all of them if not given.
    """
    asked = np.array([watched is None or value in watched for value in classes.values], dtype=bool)

    def gains(seen: ReleasedClasses) -> NDArray[np.float64]:
        of_class, value, count = seen.pairs
        risen = count / seen.sizes[of_class] - seen.shares[value]
        return np.where(asked[value], risen, -1.0)

    def flag(seen: ReleasedClasses) -> NDArray[np.bool_]:
        flagged: NDArray[np.bool_] = seen.largest(gains(seen)) > gain
        return flagged

    risen = gains(classes)

    def learnt(number: int) -> str:
        start = classes.starts[number]
        place = start + int(np.argmax(risen[start : start + classes.kinds[number]]))
        value = classes.pairs[1][place]
        here = classes.pairs[2][place] / classes.sizes[number]
        return (
            f"{classes.column} is {value_text(classes.values[value])} with {here:.0%} probability, "
            f"where it is {classes.shares[value]:.0%} in the whole table"
        )

    def story(rows: int, number: int) -> str:
        start = f"Somebody compares the values of {classes.column} in a class with those of all. "
        if not rows:
            return f"{start}No value gains more than {gain:.0%}: the attack fails."
        return (
            f"{start}In {counted(number, 'class', 'classes')} a value is more likely by over "
            f"{gain:.0%}: {counted(rows, 'row')}."
        )

    return attack_classes(
        "skewness",
        classes,
        flag,
        badness=classes.largest(risen),
        learnt=learnt,
        story=story,
        details={"gain": gain, "largest_gain": float(classes.largest(risen).max(initial=0.0))},
    )


SKEWNESS = Attacker(
    "skewness",
    lambda job: (skewness(classes, gain=job.gain) for classes in job.classes),
    lacks_classes,
    on_classes=True,
)
