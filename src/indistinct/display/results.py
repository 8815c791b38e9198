"""What notebooks show of each kind of result, from the plain data that the result itself gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.display.parts import bar, folded, fragment, line, notes, table, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Facts = Mapping[str, Any]

SIZES = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 20), (21, 50), (51, 100), (101, None))
_SAID = {
    True: "The release keeps its promise.",
    False: "The release breaks its promise.",
    None: "Not all can be decided from what is given.",
}
_HOLDS = {True: "holds", False: "does not hold", None: "cannot be decided"}


def assessment_html(facts: Facts) -> str:
    """Show how many rows are unique, through which columns, and the risks."""
    unique = f"{facts['unique_rows']:,} of {facts['rows']:,} rows ({facts['unique_share']:.1%})"
    over = f" are unique over {', '.join(facts['columns'])}."
    risky = [
        (" + ".join(one["columns"]), one["k"], one["unique_rows"], bar(one["unique_share"]))
        for one in facts["subsets"][:5]
    ]
    sizes = {int(size): count for size, count in facts["class_sizes"].items()}
    looks = [
        f"{one['column']} looks like an identifier: {one['reason']}"
        for one in facts["looks_like_identifier"]
    ]
    return fragment(
        line(unique + over),
        sizes_table(sizes),
        table(("columns", "smallest class", "unique rows", ""), risky, "Riskiest columns together"),
        table(("attacker", "table", "highest risk", "average risk"), _risks(facts), "Risk"),
        notes(looks),
    )


def _risks(facts: Facts) -> Iterator[tuple[object, ...]]:
    for attacker in ("prosecutor", "journalist", "marketer"):
        for name, stage in (("private", facts["risk"]), ("released", facts["released"])):
            if stage:
                risk = stage["reidentification"][attacker]
                yield attacker, name, risk.get("highest"), risk["average"]


def sizes_table(sizes: Mapping[int, int]) -> str:
    """Show how many rows are in classes of each size."""
    rows = sum(size * count for size, count in sizes.items())
    binned = []
    for low, high in SIZES:
        inside = {s: n for s, n in sizes.items() if s >= low and (high is None or s <= high)}
        held = sum(size * count for size, count in inside.items())
        label = f"{low}" if low == high else f"{low} to {high}" if high else f"{low} and more"
        if held:
            binned.append((label, sum(inside.values()), held, bar(held / rows)))
    return table(("class size", "classes", "rows", ""), binned, "Equivalence classes")


def attacks_html(facts: Facts) -> str:
    """Show which attacks succeed, how often, and how often chance would."""
    worked = facts["succeeded"]
    first = (
        f"{len(worked)} of {len(facts['attacks'])} attacks succeed: {', '.join(worked)}."
        if worked
        else f"None of {len(facts['attacks'])} attacks succeeds."
    )
    rows = [
        (
            f"{one['attack']} ({column})"
            if (column := one["details"].get("column"))
            else one["attack"],
            _outcome(one),
            bar(one["rate"]["share"]),
            f"{one['rate']['share']:.1%} ({one['rate']['low']:.1%} to {one['rate']['high']:.1%})",
            f"{one['baseline']:.1%}",
            one["story"],
        )
        for one in facts["attacks"]
    ]
    head = ("attack", "outcome", "", "rate and interval", "by chance", "what was tried")
    left_out = [f"{one['attack']}: left out, {one['problem']}" for one in facts["left_out"]]
    return fragment(line(first), table(head, rows), notes(left_out))


def _outcome(attack: Facts) -> str:
    if attack["succeeded"]:
        return verdict("succeeds", good=False)
    if attack["rate"]["hits"]:
        return verdict("no better than chance", good=None)
    return verdict("fails", good=True)


def verified_html(
    evidence: Sequence[Facts],
    limits: Sequence[Facts],
    sizes: Mapping[int, int],
    *,
    holds: bool | None,
    rows: int,
    untold: Sequence[str] = (),
) -> str:
    """Show what was promised and measured, and how large the classes are."""
    first = verdict(_SAID[holds], good=holds)
    kept = [
        (
            one["model"] + (f" ({one['column']})" if one.get("column") else ""),
            one["promised"],
            one["measured"],
            verdict(_HOLDS[one["holds"]], good=one["holds"]),
        )
        for one in evidence
    ]
    kept += [
        (
            one["limit"],
            one["allowed"],
            one["measured"],
            verdict(_HOLDS[one["holds"]], good=one["holds"]),
        )
        for one in limits
    ]
    return fragment(
        line(first),
        line(f"{rows:,} rows in {sum(sizes.values()):,} equivalence classes."),
        table(("requirement", "promised", "measured", ""), kept),
        sizes_table(sizes),
        notes(untold),
    )


def received_html(columns: Sequence[Sequence[object]], rows: int) -> str:
    """Show what each column of a received release holds."""
    head = ("column", "holds", "generalized", "distinct cells")
    return fragment(line(f"A release of {rows:,} rows."), table(head, columns))


def suggested_plan_html(facts: Facts) -> str:
    """Show the role of each column and why, and the plan itself folded."""
    rows = [
        (one["column"], one["role"], one["why"], _sure(one["sure"])) for one in facts["columns"]
    ]
    return fragment(
        table(("column", "role", "why", ""), rows, "A first plan"),
        notes(f"look at: {text}" for text in facts["look_at"]),
        folded("The plan as TOML", facts["plan"]),
    )


def _sure(sure: object) -> str:
    return "" if sure else "decide yourself"


def checked_plan_html(columns: Sequence[Sequence[object]], rows: int, texts: Sequence[str]) -> str:
    """Show how each column is published, and what to know."""
    head = ("column", "role", "levels", "published as", "finest")
    first = verdict(f"The plan fits {rows:,} rows.", good=True)
    return fragment(line(first), table(head, columns), notes(texts))
