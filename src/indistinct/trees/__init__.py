"""Tree-shaped records: k^(m,n)-anonymity (Gkountouna and Terrovitis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct._lazy import lazily

if TYPE_CHECKING:
    from indistinct.trees.api import anonymize, anonymize_file, assess, verify
    from indistinct.trees.applying.verbs import apply, apply_file
    from indistinct.trees.attacks.verbs import attack
    from indistinct.trees.comparing.verbs import compare
    from indistinct.trees.plan import TreePlan
    from indistinct.trees.planning import check_plan, suggest_plan

__all__ = [
    "TreePlan",
    "anonymize",
    "anonymize_file",
    "apply",
    "apply_file",
    "assess",
    "attack",
    "check_plan",
    "compare",
    "suggest_plan",
    "verify",
]

__getattr__ = lazily(
    __name__,
    {
        "TreePlan": ".plan",
        "anonymize": ".api",
        "anonymize_file": ".api",
        "apply": ".applying.verbs",
        "apply_file": ".applying.verbs",
        "assess": ".api",
        "check_plan": ".planning",
        "attack": ".attacks.verbs",
        "compare": ".comparing.verbs",
        "suggest_plan": ".planning",
        "verify": ".api",
    },
)
