"""Detail: in which form each quasi column is published, and the most that anyone will see of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from indistinct.hierarchy.exact import number_text
from indistinct.hierarchy.spec import Cuts, Dates, Intervals
from indistinct.model.forms import has_ranges
from indistinct.requirements import people_needed

if TYPE_CHECKING:
    from indistinct.methods import Method
    from indistinct.model.forms import Form
    from indistinct.model.table import QuasiColumn, Table
    from indistinct.plan import Plan

_FORMS = {
    "range": "ranges",
    "node": "labels of its hierarchy",
    "set": "sets of values",
    "star": "the value or *",
}


@dataclass(frozen=True)
class ColumnDetail:
    """What is published of a column.

    Attributes
    ----------
    published_as
        The form, in words.
    finest
        The finest detail that anyone will see, in words.
    """

    column: str
    published_as: str
    finest: str

    def as_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


def details(plan: Plan, table: Table, method: Method | None = None) -> tuple[ColumnDetail, ...]:
    """Say of each quasi column how it is published and what is the finest to be seen of it.

    Parameters
    ----------
    method
        The method that searched, where the plan lets one be chosen.
    """
    forms = plan.forms(table)
    chosen = method or plan.method
    whole = not chosen.groups_rows and chosen.name not in {"auto", "k-optimize"}
    return tuple(
        ColumnDetail(column.name, *_words(plan, column, form, whole=whole))
        for column, form in zip(table.quasi, forms, strict=True)
    )


def _words(plan: Plan, column: QuasiColumn, form: Form, *, whole: bool) -> tuple[str, str]:
    if plan.in_buckets:
        return "values as they are", "every value as it is"
    published = _FORMS["node"] if whole else _FORMS[form]
    if plan.is_exact(column.name):
        return published, "values as they are, also those that one person alone has"
    k = people_needed(plan.require)
    finest = f"values that at least {k} people have"
    if column.hierarchy.raw is not None:
        finest = _finest(plan, column)
    if form == "range" and not whole and has_ranges(column.hierarchy):
        ends = f"ranges whose ends are {_bounds(plan, column)} of at least {k} people"
        if column.hierarchy.raw is None:
            ends = f"ranges whose ends are values of at least {k} people or {_bounds(plan, column)}"
        published = ends
    elif form == "set" and not whole:
        published = f"sets of values of at least {k} people, or of labels above them"
    return published, finest


def _bounds(plan: Plan, column: QuasiColumn) -> str:
    """Name the bounds that ends of ranges move to."""
    spec = plan.columns[column.name].hierarchy
    if isinstance(spec, Dates):
        return f"bounds of {', '.join(spec.dates)}"
    if isinstance(spec, Intervals):
        return f"bounds of {', '.join(map(number_text, spec.intervals))}"
    if isinstance(spec, Cuts):
        return "its cut points"
    if column.hierarchy.scale is not None:
        return "bounds of its suggested ranges"
    return "round dates" if column.hierarchy.kind == "date" else "round numbers"


def _finest(plan: Plan, column: QuasiColumn) -> str:
    """Name the finest level of a column whose values are never shown as they are."""
    spec = plan.columns[column.name].hierarchy
    if isinstance(spec, Dates):
        return spec.dates[0]
    if isinstance(spec, Intervals):
        return f"ranges of {number_text(spec.intervals[0])}"
    if isinstance(spec, Cuts):
        return "ranges between its cut points"
    return "its finest suggested ranges"
