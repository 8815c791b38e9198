"""Background knowledge: somebody rules out a few of a class's values, and one remains.

References
----------
A. Machanavajjhala, J. Gehrke, D. Kifer, "l-diversity", ICDE 2006; Ciriani et al., "k-Anonymity",
section 5: Bob is thin, so it is not obesity.
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


def background_knowledge(classes: ReleasedClasses, *, excluded: int = 1) -> Attack:
    """Find the classes in which ruling out at most `excluded` values leaves one."""

    def flag(seen: ReleasedClasses) -> NDArray[np.bool_]:
        few: NDArray[np.bool_] = seen.kinds <= excluded + 1
        return few

    def learnt(number: int) -> str:
        held = list(classes.held(number))
        if len(held) == 1:
            return f"{classes.column} is {held[0]}, with nothing ruled out"
        return f"{classes.column} is {held[-1]}, once {' and '.join(held[:-1])} can be ruled out"

    def story(rows: int, number: int) -> str:
        start = (
            f"Somebody knows which class a person is in, and can rule out up to "
            f"{counted(excluded, 'value')} of {classes.column}. "
        )
        if not rows:
            return start + "Every class leaves more than one: the attack fails."
        return (
            f"{start}In {counted(number, 'class', 'classes')} a single value can remain: "
            f"{counted(rows, 'row')}."
        )

    return attack_classes(
        "background knowledge",
        classes,
        flag,
        badness=-classes.kinds + classes.sizes / (classes.rows + 1),
        learnt=learnt,
        story=story,
        details={"excluded": excluded},
    )


BACKGROUND_KNOWLEDGE = Attacker(
    "background knowledge",
    lambda job: (background_knowledge(c, excluded=job.excluded) for c in job.classes),
    lacks_classes,
    on_classes=True,
)
