"""read_release: a release as its recipient needs it, with numbers for ranges and sets for nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.check.columns import became
from indistinct.check.reading import read_column
from indistinct.errors import DataError, Fault, HierarchyError
from indistinct.hierarchy import Hierarchy, read_csv
from indistinct.hierarchy.spec import Cuts, Dates, Flat, Intervals, Mask, Suggested
from indistinct.io.frames import to_arrow
from indistinct.io.opening import opened_release
from indistinct.plan import Plan
from indistinct.received.cells import ANYWHERE, Labels, kind_of
from indistinct.received.columns import ReceivedColumn
from indistinct.received.release import ReceivedRelease
from indistinct.report.certificate import read_certificate, stated_left_out
from indistinct.risk.covers import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from indistinct.plan import PlanSource
    from indistinct.plan.columns import Column
    from indistinct.received.cells import Ends, Kind

    Paths = Sequence[Sequence[str]]


def read_release(
    release: Any,
    plan: PlanSource | None = None,
    *,
    certificate: str | Path | None = None,
    hierarchies: Mapping[str, Hierarchy | str | Path | Paths] | None = None,
    within: Mapping[str, Ends] | None = None,
) -> ReceivedRelease:
    """Read a release, and what its cells may stand for.

    Parameters
    ----------
    release
        The path of the file, the address of a table, or a frame.
    plan
        The plan by which it was made; or
    certificate
        the certificate that came with it.
    hierarchies
        For columns whose hierarchy is a file that the certificate only names: a `Hierarchy`, the
        path of its CSV file, or its paths from value to top.
    within
        For columns of numbers or dates (in days since 1970-01-01), two ends that values cannot lie
        beyond, such as `{"age": (0, 120)}`. Open ranges and `*` end there.

    Returns
    -------
    ReceivedRelease
        Typed columns, and counts and means with bounds.

    Raises
    ------
    DataError
        If the release cannot be read, or its sensitive values are permuted or apart: then no row
        says what one person has.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from indistinct import anonymize
    >>> ages = pa.table({"age": [21, 24, 25, 31, 33, 38]})
    >>> plan = {
    ...     "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}},
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "optimal"},
    ... }
    >>> received = read_release(anonymize(ages, plan).frame, plan)
    >>> received.count({"age": (20, 34)}), received.mean("age")
    (4.5 (3 to 6), 29.5 (25 to 34))
    """
    suppressed, promised = _promise(plan, certificate)
    if promised.in_buckets:
        problem = "its sensitive values are permuted or in a table of their own"
        raise DataError(Fault("release", problem, "Join the two by the column 'group'."))
    rows = opened_release(release, promised.output)
    back = _as_it_is if isinstance(release, str | Path) else to_arrow(release)[1]
    columns = dict(_columns(rows, promised, hierarchies or {}, within or {}))
    return ReceivedRelease(rows, columns, suppressed, back)


def _promise(plan: PlanSource | None, certificate: str | Path | None) -> tuple[int | None, Plan]:
    """Return how many rows are said to be suppressed, and the plan."""
    if (plan is None) == (certificate is None):
        problem = "a plan or a certificate must say which columns are generalized, and only one"
        remedy = "Give plan or certificate: the file that came with the release."
        raise DataError(Fault("read_release", problem, remedy))
    if plan is not None:
        return None, Plan.load(plan)
    content, promised = read_certificate(Path(str(certificate)))
    return stated_left_out(content), promised


def _as_it_is(rows: pa.Table) -> pa.Table:
    return rows


def _columns(
    rows: pa.Table,
    plan: Plan,
    hierarchies: Mapping[str, Any],
    within: Mapping[str, Ends],
) -> Iterator[tuple[str, ReceivedColumn]]:
    shown = became(plan, rows.column_names)
    parts = {part: name for name, names in shown.items() for part in names}
    for published in rows.column_names:
        name = parts.get(published, published)
        if name == published:
            yield name, _column(rows, name, plan, hierarchies, within.get(name, ANYWHERE))
        elif published == f"{name}_low":
            yield name, _of_bounds(rows, name, within.get(name, ANYWHERE))


def _column(
    rows: pa.Table, name: str, plan: Plan, hierarchies: Mapping[str, Any], within: Ends
) -> ReceivedColumn:
    read = read_column(rows.column(name), name)
    stated = plan.columns.get(name)
    quasi = stated is not None and stated.role == "quasi"
    labels, form = _labels(name, plan, hierarchies) if quasi else (Labels(), None)
    kind = _stated_kind(stated) or _kind(labels, read.texts)
    if kind == "category":
        ends = np.full((len(read.texts), 2), np.nan)
        return ReceivedColumn(name, kind, read.texts, read.codes, ends, labels)
    return ReceivedColumn.on_a_line(
        name, kind, read.texts, read.codes, within, form=form, labels=labels
    )


def _stated_kind(column: Column | None) -> Kind | None:
    """Return what a hierarchy of numbers or dates says of its column."""
    spec = None if column is None else column.hierarchy
    if isinstance(spec, Intervals | Cuts):
        return "number"
    return "date" if isinstance(spec, Dates) else None


def _kind(labels: Labels | None, texts: Sequence[str | None]) -> Kind:
    """Decide what a column holds: a hierarchy by its values, otherwise by what is published."""
    if labels is None or labels.mask is not None:
        return "category"
    return kind_of(texts if labels.hierarchy is None else labels.hierarchy.leaves)


def _of_bounds(rows: pa.Table, name: str, within: Ends) -> ReceivedColumn:
    """Read two columns of bounds as one of ranges; a null is an open end."""
    parts = [read_column(rows.column(f"{name}_{end}"), name) for end in ("low", "high")]
    pairs = np.stack([part.codes for part in parts], axis=1)
    distinct, codes = np.unique(pairs, axis=0, return_inverse=True)
    low, high = (part.texts for part in parts)
    texts = tuple(_range(low[a], high[b]) for a, b in distinct.tolist())
    kind = kind_of(texts)
    if kind == "category":
        raise DataError(Fault(name, "its bounds are neither numbers nor dates"))
    return ReceivedColumn.on_a_line(name, kind, texts, codes.reshape(-1).astype(np.int32), within)


def _range(low: str | None, high: str | None) -> str:
    if low is None:
        return "*" if high is None else f"<={high}"
    return f">={low}" if high is None else f"[{low}, {high}]"


def _labels(
    name: str, plan: Plan, hierarchies: Mapping[str, Any]
) -> tuple[Labels | None, str | None]:
    """Return how the labels of a column are read, and how its dates are written."""
    if name in hierarchies:
        return Labels(_given(hierarchies[name], name)), None
    spec = plan.columns[name].hierarchy
    if spec is None or isinstance(spec, Flat | Suggested):
        return Labels(), None
    try:
        meaning = Meaning.of(spec, place=name, base=plan.base)
    except HierarchyError:
        return None, None
    if meaning.hierarchy is not None:
        return Labels(meaning.hierarchy), None
    if isinstance(spec, Mask):
        return Labels(mask=meaning.mask, side=meaning.side), None
    return Labels(), meaning.format


def _given(hierarchy: Any, name: str) -> Hierarchy:
    if isinstance(hierarchy, Hierarchy):
        return hierarchy
    if isinstance(hierarchy, str | Path):
        return read_csv(Path(hierarchy), place=name)
    return Hierarchy.from_paths(hierarchy, place=name)
