"""How results look in notebooks: tables and bars of plain data, as HTML that loads nothing."""

from indistinct.display.results import (
    assessment_html,
    attacks_html,
    checked_plan_html,
    received_html,
    suggested_plan_html,
    verified_html,
)
from indistinct.display.trees import (
    checked_tree_plan_html,
    suggested_tree_plan_html,
    tree_release_html,
    tree_risk_html,
    tree_verified_html,
)

__all__ = [
    "assessment_html",
    "attacks_html",
    "checked_plan_html",
    "checked_tree_plan_html",
    "received_html",
    "suggested_plan_html",
    "suggested_tree_plan_html",
    "tree_release_html",
    "tree_risk_html",
    "tree_verified_html",
    "verified_html",
]
