"""The check as a plan asks for it: which columns, whose rows, which values, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, DoesNotHoldError, Fault, HierarchyError, closest
from indistinct.forms import published_names
from indistinct.frames.encoding import encode
from indistinct.frames.opening import opened
from indistinct.frames.tables import encode_table, respondent_columns
from indistinct.hierarchy.order import in_natural_order
from indistinct.publish.buckets import GROUP
from indistinct.requirements import SensitiveRequirement
from indistinct.verification.freeform import cells_of, numbered_alike, verify_alone, verify_found
from indistinct.verification.rows import ValueFacts, Verified, verify_rows, without_blanks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from indistinct.plan import Plan
    from indistinct.table import Table
    from indistinct.verification.freeform import Cells


def check_rows(
    rows: pa.Table, plan: Plan, suppressed: float | None = None, *, private: Any = None
) -> Verified:
    """Hold published rows to a plan, by what they alone tell or beside the private table.

    Parameters
    ----------
    suppressed
        The share of rows left out, where it is known; otherwise what the plan allows.
    private
        For a freeform release, the private table: a data frame, or the path of a file.
    """
    known = rows.column_names
    sets = column_sets(plan, _became(plan, known))
    promised = [*(c for columns in sets.values() for c in columns), *judged_columns(plan)]
    missing = [column for column in dict.fromkeys(promised) if column not in known]
    if missing:
        other = "Give --sensitive-table with the other file." if _halved(plan, known) else ""
        raise DataError(
            Fault(
                "release", f"no column {name!r}, which was promised", other or closest(name, known)
            )
            for name in missing
        )
    if plan.method.matches_rows:
        if private is None:
            return verify_alone(rows.num_rows, plan.require, list(sets))
        return _check_matching(rows, plan, private)
    if private is not None:
        problem = f"a release by {plan.method.name!r} is checked by itself"
        raise DataError(Fault("verify", problem, "Leave the private table out."))
    shown = without_blanks(rows) if plan.suppressed == "blank" else rows
    people = {
        name: encode(rows.column(column), column).codes if column in known else None
        for name, column in respondent_columns(plan).items()
    }
    return verify_rows(
        rows,
        plan.require,
        sets,
        people,
        {name: _released_values(shown, plan, name) for name in judged_columns(plan)},
        blanks=plan.suppressed == "blank",
        most_suppressed=plan.limits.suppression if suppressed is None else suppressed,
    )


def _halved(plan: Plan, known: Sequence[str]) -> bool:
    """Tell whether these may be the rows of buckets whose sensitive values are in another file."""
    return plan.in_buckets and GROUP in known


def _check_matching(rows: pa.Table, plan: Plan, private: Any) -> Verified:
    """Find who covers whom from the private table and a freeform release."""
    data, _ = opened(private, plan.input)
    table = encode_table(data, plan)
    carried = [
        numbered_alike(rows.column(name), data.column(name))
        for name in plan.with_role("sensitive", "other")
        if name in rows.column_names
    ]
    cells = quasi_cells(plan, table, rows, _became(plan, rows.column_names))
    return verify_found(cells, plan.require, carried)


def _became(plan: Plan, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Tell by the columns of a release which of them each quasi column became."""
    if plan.in_buckets:
        return dict.fromkeys(plan.with_role("quasi"), (GROUP,))
    found = {}
    for name in plan.with_role("quasi"):
        parts = published_names(name, plan.columns[name].range_as)
        found[name] = parts if set(parts) <= set(known) else (name,)
    return found


def _released_values(rows: pa.Table, plan: Plan, name: str) -> ValueFacts:
    """Tell of a sensitive column what the release alone tells."""
    domain = encode(rows.column(name), name).domain
    spec = plan.columns[name].hierarchy
    if spec is None:
        values = in_natural_order(domain.values)
        return ValueFacts(values, None, np.arange(len(values), dtype=np.int32)[None, :])
    try:
        hierarchy = spec.build(domain, place=f"column {name!r}", base=plan.base)
    except HierarchyError:
        return ValueFacts(in_natural_order(domain.values), None, None)
    return ValueFacts(hierarchy.leaves, None, np.array(hierarchy.nodes, dtype=np.int32))


def quasi_cells(
    plan: Plan, table: Table, rows: pa.Table, became: Mapping[str, Sequence[str]]
) -> dict[str, list[Cells]]:
    """Read the published columns of each quasi-identifier beside the private ones."""
    cells = {c.name: cells_of(rows, c, became[c.name]) for c in table.quasi}
    sets = {name: group.columns for name, group in plan.sets.items()}
    return {
        name: [cells[column] for column in columns]
        for name, columns in (sets or {"all": plan.with_role("quasi")}).items()
    }


def column_sets(plan: Plan, became: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Name the published columns of each quasi-identifier, given what each column became."""
    sets = {name: group.columns for name, group in plan.sets.items()}
    return {
        name: list(dict.fromkeys(part for column in columns for part in became[column]))
        for name, columns in (sets or {"all": plan.with_role("quasi")}).items()
    }


def judged_columns(plan: Plan) -> list[str]:
    """Name the sensitive columns that some requirement is about, directly or joined."""
    asked = [r for r in plan.require if isinstance(r, SensitiveRequirement)]
    everything = any(r.joined or r.column is None for r in asked)
    named = {r.column for r in asked}
    return [c for c in plan.with_role("sensitive") if everything or c in named]


def refuse_failing(verified: Verified) -> None:
    """Raise, naming the class that breaks each promise, unless nothing was found broken."""
    faults = []
    for found in verified.evidence:
        if found.holds is False:
            worst = ", ".join(f"{name}={value}" for name, value in found.worst_class.items())
            about = f", column {found.column!r}" if found.column else ""
            where = f"in the class ({worst}), " if worst else f"({found.note}), " * bool(found.note)
            faults.append(
                Fault(
                    f"requirement {found.requirement.model!r}{about}",
                    f"it measures {found.measured:g} {where}"
                    f"where {found.requirement.asked()} was promised",
                    "Do not publish it.",
                )
            )
    if faults:
        raise DoesNotHoldError(faults)
