"""coarsen makes personal microdata safe to publish."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coarsen._version import __version__

if TYPE_CHECKING:
    from coarsen.api import anonymize, anonymize_file, assess, verify
    from coarsen.errors import CoarsenError
    from coarsen.hierarchy import Hierarchy
    from coarsen.plan import Plan
    from coarsen.release import Release
    from coarsen.reuse.verbs import apply, apply_file
    from coarsen.risk.attacks.run import attack
    from coarsen.tradeoff.verbs import compare, frontier

_HOMES = {
    "anonymize": "coarsen.api",
    "anonymize_file": "coarsen.api",
    "apply": "coarsen.reuse.verbs",
    "apply_file": "coarsen.reuse.verbs",
    "assess": "coarsen.api",
    "attack": "coarsen.risk.attacks.run",
    "compare": "coarsen.tradeoff.verbs",
    "frontier": "coarsen.tradeoff.verbs",
    "verify": "coarsen.api",
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
