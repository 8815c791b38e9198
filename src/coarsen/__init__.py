"""coarsen makes personal microdata safe to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coarsen._lazy import lazily
from coarsen._version import __version__

if TYPE_CHECKING:
    from coarsen.errors import CoarsenError
    from coarsen.hierarchy import Hierarchy
    from coarsen.plan import Plan
    from coarsen.release import Release
    from coarsen.verbs.anonymize import anonymize, anonymize_file
    from coarsen.verbs.apply import apply, apply_file
    from coarsen.verbs.assess import assess
    from coarsen.verbs.attack import attack
    from coarsen.verbs.check_plan import check_plan
    from coarsen.verbs.compare import compare, frontier
    from coarsen.verbs.suggest_plan import suggest_plan
    from coarsen.verbs.verify import verify

__all__ = [
    "CoarsenError",
    "Hierarchy",
    "Plan",
    "Release",
    "__version__",
    "anonymize",
    "anonymize_file",
    "apply",
    "apply_file",
    "assess",
    "attack",
    "check_plan",
    "compare",
    "frontier",
    "suggest_plan",
    "verify",
]

__getattr__ = lazily(
    __name__,
    {
        "anonymize": "verbs.anonymize",
        "anonymize_file": "verbs.anonymize",
        "apply": "verbs.apply",
        "apply_file": "verbs.apply",
        "assess": "verbs.assess",
        "attack": "verbs.attack",
        "check_plan": "verbs.check_plan",
        "compare": "verbs.compare",
        "frontier": "verbs.compare",
        "suggest_plan": "verbs.suggest_plan",
        "verify": "verbs.verify",
        "CoarsenError": "errors",
        "Hierarchy": "hierarchy",
        "Plan": "plan",
        "Release": "release",
    },
)
