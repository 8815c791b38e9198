"""Tree-shaped records: k^(m,n)-anonymity (Gkountouna and Terrovitis)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indistinct.trees.api import anonymize, anonymize_file, assess, verify
    from indistinct.trees.plan import TreePlan

_HOMES = {
    "TreePlan": "indistinct.trees.plan",
    "anonymize": "indistinct.trees.api",
    "anonymize_file": "indistinct.trees.api",
    "assess": "indistinct.trees.api",
    "verify": "indistinct.trees.api",
}

__all__ = ["TreePlan", "anonymize", "anonymize_file", "assess", "verify"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'indistinct.trees' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
