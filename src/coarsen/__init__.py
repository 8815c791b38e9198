"""coarsen makes personal microdata safe to publish."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from coarsen.verbs.compare import compare, frontier
    from coarsen.verbs.verify import verify

_HOMES = {
    "anonymize": "coarsen.verbs.anonymize",
    "anonymize_file": "coarsen.verbs.anonymize",
    "apply": "coarsen.verbs.apply",
    "apply_file": "coarsen.verbs.apply",
    "assess": "coarsen.verbs.assess",
    "attack": "coarsen.verbs.attack",
    "compare": "coarsen.verbs.compare",
    "frontier": "coarsen.verbs.compare",
    "verify": "coarsen.verbs.verify",
    "CoarsenError": "coarsen.errors",
    "Hierarchy": "coarsen.hierarchy",
    "Plan": "coarsen.plan",
    "Release": "coarsen.release",
}

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
    "compare",
    "frontier",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import coarsen` is fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'coarsen' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
