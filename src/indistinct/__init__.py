"""indistinct makes personal microdata safe to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct._lazy import lazily
from indistinct._version import __version__

if TYPE_CHECKING:
    from indistinct.errors import IndistinctError
    from indistinct.hierarchy import Hierarchy
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.running.bars import progress_bar
    from indistinct.verbs.anonymize import anonymize, anonymize_file
    from indistinct.verbs.apply import apply, apply_file
    from indistinct.verbs.assess import assess
    from indistinct.verbs.attack import attack
    from indistinct.verbs.bound import bound
    from indistinct.verbs.check_plan import check_plan
    from indistinct.verbs.compare import compare, frontier
    from indistinct.verbs.read_release import read_release
    from indistinct.verbs.suggest_plan import suggest_plan
    from indistinct.verbs.verify import verify
    from indistinct.verbs.warmup import warmup

__all__ = [
    "Hierarchy",
    "IndistinctError",
    "Plan",
    "Release",
    "__version__",
    "anonymize",
    "anonymize_file",
    "apply",
    "apply_file",
    "assess",
    "attack",
    "bound",
    "check_plan",
    "compare",
    "frontier",
    "progress_bar",
    "read_release",
    "suggest_plan",
    "verify",
    "warmup",
]

__getattr__ = lazily(
    __name__,
    {
        "anonymize": ".verbs.anonymize",
        "anonymize_file": ".verbs.anonymize",
        "apply": ".verbs.apply",
        "apply_file": ".verbs.apply",
        "assess": ".verbs.assess",
        "attack": ".verbs.attack",
        "bound": ".verbs.bound",
        "check_plan": ".verbs.check_plan",
        "compare": ".verbs.compare",
        "frontier": ".verbs.compare",
        "progress_bar": ".running.bars",
        "read_release": ".verbs.read_release",
        "suggest_plan": ".verbs.suggest_plan",
        "verify": ".verbs.verify",
        "warmup": ".verbs.warmup",
        "IndistinctError": ".errors",
        "Hierarchy": ".hierarchy",
        "Plan": ".plan",
        "Release": ".release",
    },
)
