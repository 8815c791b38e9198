"""Cautions: what a steward should know before publishing, though every requirement holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.report.lookalikes import lookalikes_of
from indistinct.requirements import least_respondents, people_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.measures.loss import Measures
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
    from indistinct.plan import Plan

MUCH_LOST = 0.9
_ALL = 1 - 1e-12


def warnings_of_plan(
    plan: Plan, table: Table, recoding: Recoding, repeated: list[str]
) -> Iterator[str]:
    """Warn of what a plan leaves open; `repeated` names identifiers that repeat."""
    yield from _of_roles(plan)
    suggested = [
        name
        for name in plan.with_role("quasi")
        if plan.columns[name].hierarchy is None and not _starred(plan, name)
    ]
    if suggested:
        yield f"hierarchies were suggested from the data for: {', '.join(suggested)}"
    yield from map(str, lookalikes_of(table, people_needed(plan.require)))
    yield from _of_exact(plan, table)
    yield from _of_recoding(plan, recoding)
    for name in repeated if not table.has_respondents else []:
        yield (
            f"identifier {name!r} repeats: where one person has several rows, k counts rows, not "
            'people; set role = "respondent" to count people'
        )
    for name, column in plan.respondent_columns().items():
        if plan.columns[column].pseudonym is not None:
            yield (
                f"the pseudonym in {column!r} links all rows of one person (set {name!r}); "
                "what one class reveals about a person is known in all of them"
            )


def _of_roles(plan: Plan) -> Iterator[str]:
    if least_respondents(plan.require) == 1:
        yield (
            "no requirement counts people: a class may be one person, published with exact values; "
            "require k-anonymity too"
        )
    if not plan.with_role("sensitive"):
        yield (
            "no column is sensitive: nothing limits what a person's class reveals; set "
            'role = "sensitive" for what must not be learnt'
        )


def _of_exact(plan: Plan, table: Table) -> Iterator[str]:
    exact = [c.name for c in table.quasi if plan.is_exact(c.name)]
    if exact and not plan.in_buckets:
        yield (
            f'publish = "exact" for: {", ".join(exact)}: ends of ranges and members of sets are '
            "values as they are, also those that one person alone has, and dates and amounts show "
            "all their detail; leave it out to show only what enough people have"
        )


def _of_recoding(plan: Plan, recoding: Recoding) -> Iterator[str]:
    yield from recoding.cautions()
    written = [n for n, c in plan.columns.items() if c.range_as != "text"]
    if written and not recoding.in_forms:
        yield f"range_as has no effect on whole columns: {', '.join(written)}"
    if _ended_by_time(recoding):
        yield "the time limit ended the search; with more time the release may lose less"


def _ended_by_time(recoding: Recoding) -> bool:
    """Return whether a search says that time was over before it was."""
    return bool(recoding.search.get("timed_out")) or not recoding.search.get("proven_optimal", True)


def _starred(plan: Plan, name: str) -> bool:
    """Return whether a column is published as it is or starred, and needs no hierarchy."""
    return plan.method.groups_rows and plan.form_asked(name) == "star"


def warnings_of_result(
    recoding: Recoding, class_sizes: NDArray[np.int64], measures: Measures
) -> Iterator[str]:
    """Warn of a release that keeps its promise by saying next to nothing."""
    if class_sizes.size == 1 and recoding.has_classes:
        yield (
            "the release is a single class: all its rows have the same published values, which say "
            "nothing about any other column; allow more suppression, a smaller k or finer "
            "hierarchies"
        )
    empty = [name for name, lost in measures.ncp.items() if lost >= _ALL]
    if empty:
        yield f"nothing remains of: {', '.join(empty)} (every row covers the whole column)"
    if measures.gcp > MUCH_LOST:
        yield (
            f"{measures.gcp:.0%} of the detail in the quasi-identifiers is lost; try another "
            "method, fewer quasi-identifiers or finer hierarchies"
        )
