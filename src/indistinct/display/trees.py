"""What notebooks show of tree records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.display.parts import bar, folded, fragment, line, notes, table, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    Facts = Mapping[str, Any]


def tree_risk_html(facts: Facts) -> str:
    """Show how many records some knowledge singles out."""
    records = facts["records"]
    rows = [
        (one["labels"], one["relations"], one["records"], bar(one["records"] / (records or 1)))
        for one in facts["singled_out"]
    ]
    first = f"{records:,} records, {facts['distinct_records']:,} of them distinct."
    head = ("labels known", "relations known", f"records among fewer than {facts['k']}", "")
    return fragment(line(first), table(head, rows))


def tree_release_html(facts: Facts) -> str:
    """Show what is kept, and how much each class lost."""
    first = verdict("The release keeps its promise.", good=True)
    kept = [(one["model"], one["promised"]) for one in facts["requirements"]]
    lost = facts["loss_by_class"].items()
    losses = [(name, f"{share:.1%}", bar(share)) for name, share in lost]
    counts = f"{facts['released_records']:,} of {facts['input_records']:,} records"
    return fragment(
        line(first),
        line(f"{counts}, {facts['released_nodes']:,} of {facts['input_nodes']:,} nodes."),
        table(("requirement", "promised"), kept),
        table(("class", "information lost", ""), losses),
        notes(facts["warnings"]),
    )


def tree_verified_html(facts: Facts) -> str:
    """Show what was checked."""
    first = verdict("The release keeps its promise.", good=True)
    counts = f"{facts['released_records']:,} records with {facts['released_nodes']:,} nodes."
    kept = [(one["model"], one["promised"]) for one in facts["requirements"]]
    return fragment(line(first), line(counts), table(("requirement", "promised"), kept))


def suggested_tree_plan_html(facts: Facts) -> str:
    """Show what becomes of each place with values, and the plan itself folded."""
    rows = [(one["path"], f"class {one['class']}") for one in facts["classes"]]
    rows += [(one["path"], f"left out: {one['why']}") for one in facts["left_out"]]
    return fragment(
        table(("value", "becomes"), rows, f"A first plan for {facts['records']:,} records"),
        notes(f"look at: {text}" for text in facts["look_at"]),
        folded("The plan as TOML", facts["plan"]),
    )


def checked_tree_plan_html(facts: Facts) -> str:
    """Show the classes of the records as a plan takes them."""
    first = verdict(f"The plan fits {facts['records']:,} records.", good=True)
    head = ("class", "records", "nodes", "values", "levels")
    classes = [tuple(one.values()) for one in facts["classes"]]
    return fragment(line(first), table(head, classes), notes(facts["warnings"]))
