"""Learning a recoding from a release: what its rows are published as, and nothing about who."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct._version import __version__
from indistinct.applying.frozen import LISTS, Frozen, freeze
from indistinct.applying.learnt import Learnt
from indistinct.errors import Fault, PlanError
from indistinct.hierarchy.spec import Dates, Flat
from indistinct.io.arrow import number_array
from indistinct.io.plain import decoded
from indistinct.io.texts import as_text
from indistinct.model.forms import as_it_is, holds_its_end, interval_labels, range_ends, shown_set
from indistinct.model.recoding import Partition
from indistinct.plan.series import unnoted_by_apply

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label
    from indistinct.model.forms import Form
    from indistinct.model.recoding import ColumnIntervals, LevelVector
    from indistinct.model.table import QuasiColumn
    from indistinct.plan import Plan
    from indistinct.release import Release

    NumberedCells = tuple[NDArray[np.int32], list[dict[str, Any]]]


def learn(release: Release) -> tuple[Learnt, list[str]]:
    """Return the recoding of a release, and what to know before it is kept.

    Raises
    ------
    PlanError
        If what was published of a row depends on more than its values and a list of classes.
    """
    if faults := unnoted_by_apply(release.plan):
        raise PlanError(faults)
    refuse_unlearnable(release)
    frozen = {c.name: _frozen(release, place) for place, c in enumerate(release.table.quasi)}
    parts = [_column(release, place, frozen[c.name]) for place, c in enumerate(release.table.quasi)]
    content = {
        "version": __version__,
        "method": release.method.name,
        "recodes": release.recoding.name,
        "plan": _plan(release, frozen),
        "columns": [part.content for part in parts],
        "released": _released(release, [part.cells for part in parts]),
    }
    listed = [name for name, rule in frozen.items() if rule.of_data]
    notes = [
        f"the recoding lists released values of {name!r}: a hierarchy suggested from the data has "
        "no rule for new ones; give the column a hierarchy of its own"
        for name in listed
    ]
    return Learnt.model_validate(content), notes


def refuse_unlearnable(release: Release) -> None:
    """Raise if a release has no recoding that new rows could be put through."""
    if problem := _problem(release):
        raise PlanError(Fault("recoding", problem, "Choose another method, or write no recoding."))


def _problem(release: Release) -> str | None:
    name, recoding = release.method.name, release.recoding
    if reason := recoding.unlearnable(release.plan.forms(release.table)):
        return f"{name!r} {reason}"
    if recoding.name not in _CELLS:
        return f"{name!r} makes {recoding.name}, which cannot be learnt"
    means = [
        column
        for column in release.plan.with_role("quasi")
        if release.plan.columns[column].range_as in {"mean", "median"}
    ]
    if means and recoding.in_forms:
        return f"means of groups would change with new rows ({', '.join(means)})"
    return None


@dataclass(frozen=True, eq=False)
class _Part:
    """A column as it is in the file, and the cell of each released row."""

    content: dict[str, Any]
    cells: NDArray[np.int32]


def _frozen(release: Release, place: int) -> Frozen:
    column = release.table.quasi[place]
    spec = release.plan.columns[column.name].hierarchy
    if _form(release, place) == "range" and not isinstance(spec, LISTS):
        return Frozen(spec if isinstance(spec, Dates) else Flat())
    held = np.zeros(column.hierarchy.size, dtype=bool)
    held[column.codes[release.recoding.kept]] = True
    raw = column.hierarchy.raw
    if raw is not None:
        held = held[raw.nodes[1]]
    return freeze(raw or column.hierarchy, spec, held, f"column {column.name!r}")


def _form(release: Release, place: int) -> str:
    return release.plan.forms(release.table)[place] if release.recoding.in_forms else "level"


def _column(release: Release, place: int, frozen: Frozen) -> _Part:
    column, form = release.table.quasi[place], _form(release, place)
    of_row, covers = _CELLS[release.recoding.name](release, release.recoding, place)
    numbers, first = np.unique(of_row, return_index=True)
    names = release.published.became[column.name]
    texts = _texts(release, names, np.flatnonzero(release.recoding.kept)[first])
    cells: dict[tuple[str | None, ...], int] = {}
    written: list[dict[str, Any]] = []
    of_number = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.int32)
    for number, text in zip(numbers.tolist(), texts, strict=True):
        if text not in cells:
            cells[text] = len(written)
            silent = len(names) > 1 and set(text) == {None}
            written.append({"texts": text, **({"everything": True} if silent else covers[number])})
        of_number[number] = cells[text]
    content: dict[str, Any] = {
        "name": column.name,
        "publishes": names,
        "form": form,
        "kind": column.hierarchy.kind,
        "reach": _reach(column),
        "hierarchy": frozen.stated(),
        "pins": frozen.pins,
        "cells": written,
    }
    if (levels := release.recoding.column_levels) is not None:
        content["level"] = levels[place] + _raised(column)
    return _Part(content, of_number[of_row])


def _raised(column: QuasiColumn) -> int:
    """Return how many levels of the hierarchy lie below what is published at the finest."""
    return int(column.hierarchy.raw is not None)


def _reach(column: QuasiColumn) -> str:
    if column.hierarchy.kind == "date" and column.ends is not None:
        return "calendar"
    return "value" if holds_its_end(column) else "before"


def _texts(
    release: Release, names: tuple[str, ...], rows: NDArray[np.intp]
) -> list[tuple[str | None, ...]]:
    """Read what some rows are published as."""
    some = release.published.columns.select(list(names)).take(number_array(rows.astype(np.int64)))
    columns = [as_text(column.combine_chunks()) for column in decoded(some).columns]
    return list(zip(*columns, strict=True))


def _levelled(release: Release, recoding: LevelVector, place: int) -> NumberedCells:
    """Number what released rows are published as at a level; what that covers, the rule says."""
    column = release.table.quasi[place]
    nodes = column.hierarchy.nodes[recoding.levels[place]]
    return nodes[column.codes[recoding.kept]], [{}] * (int(nodes.max(initial=0)) + 1)


def _grouped(release: Release, recoding: Partition, place: int) -> NumberedCells:
    """Number the groups of released rows, and say what each covers in a column."""
    column = release.table.quasi[place]
    form = release.plan.forms(release.table)[place]
    bounds = release.plan.columns[column.name].range_as == "bounds"
    return recoding.groups[recoding.kept], _covers(column, recoding, form, bounds=bounds)


def _cut(release: Release, recoding: ColumnIntervals, place: int) -> NumberedCells:
    """Number the intervals of released rows, and say what each covers in a column."""
    column = release.table.quasi[place]
    form = release.plan.forms(release.table)[place]
    intervals = recoding.intervals(place, column.codes)
    groups, _, labels = interval_labels(column, intervals, recoding.kept, form)
    alone = Partition(groups)
    bounds = release.plan.columns[column.name].range_as == "bounds"
    covers = _covers(column, alone, "range" if form == "range" else "set", bounds=bounds)
    if form == "node":
        nodes = _nodes_named(column.hierarchy)
        covers = [
            {"level": nodes[label][0] + _raised(column), "label": label}
            if len(cover["values"]) > 1 and label in nodes
            else cover
            for cover, label in zip(covers, labels, strict=True)
        ]
    return groups[recoding.kept], covers


def _nodes_named(hierarchy: Hierarchy) -> dict[Label, tuple[int, int]]:
    """Find the lowest node above the ground values of each label."""
    lowest: dict[Label, tuple[int, int]] = {}
    for level in range(1, hierarchy.height + 1):
        for number, label in enumerate(hierarchy.labels[level]):
            lowest.setdefault(label, (level, number))
    return lowest


_CELLS: dict[str, Callable[[Release, Any, int], NumberedCells]] = {
    "levels": _levelled,
    "groups": _grouped,
    "intervals": _cut,
}


def _covers(
    column: QuasiColumn, recoding: Partition, form: Form, *, bounds: bool
) -> list[dict[str, Any]]:
    from indistinct.kernels.spans import bounds_of

    if form == "set":
        return _sets(column, recoding)
    low, high = bounds_of(column.codes[:, None], recoding.groups, recoding.count)
    spans = zip(low[:, 0].tolist(), high[:, 0].tolist(), strict=True)
    write = _node if form != "range" else _range if bounds else _value_or_range
    of_span: dict[tuple[int, int], dict[str, Any]] = {}
    covers = []
    for span in spans:
        if span not in of_span:
            of_span[span] = write(column, *span)
        covers.append(of_span[span])
    return covers


def _value_or_range(column: QuasiColumn, low: int, high: int) -> dict[str, Any]:
    """Say what a text covers: a single value that is published as it is, itself alone."""
    value = column.hierarchy.leaves[low]
    if low == high and column.hierarchy.raw is None and as_it_is(column, low):
        return {"low": value, "high": value}
    return _range(column, low, high)


def _range(column: QuasiColumn, low: int, high: int) -> dict[str, Any]:
    missing = low == high and column.hierarchy.leaves[low] is None
    ends = range_ends(column, low, high)
    if ends is None or (ends == (None, None) and not missing):
        return {"everything": True}
    return {"low": ends[0], "high": ends[1]}


def _node(column: QuasiColumn, low: int, high: int) -> dict[str, Any]:
    hierarchy = column.hierarchy
    level = next(n for n, nodes in enumerate(hierarchy.nodes) if nodes[low] == nodes[high])
    label = hierarchy.labels[level][int(hierarchy.nodes[level][low])]
    return {"level": level + _raised(column), "label": label}


def _sets(column: QuasiColumn, recoding: Partition) -> list[dict[str, Any]]:
    """List the values that each set covers, those of the data where it names something coarser."""
    kept = recoding.kept
    pairs = np.unique(np.stack([recoding.groups[kept], column.codes[kept]]), axis=1)
    starts = np.searchsorted(pairs[0], np.arange(recoding.count + 1))
    raw, leaves = column.hierarchy.raw, column.hierarchy.leaves
    covers = []
    for start, end in pairwise(starts.tolist()):
        _, runs = shown_set(column, pairs[1, start:end])
        covered = np.concatenate([np.arange(first, last + 1) for first, last in runs])
        if raw is None:
            values = [leaves[code] for code in covered]
        else:
            values = [raw.leaves[code] for code in np.flatnonzero(np.isin(raw.nodes[1], covered))]
        covers.append({"values": values})
    return covers


def _released(release: Release, cells: list[NDArray[np.int32]]) -> dict[str, Any]:
    """Count the released rows that are alike in what is judged."""
    judged = set(release.plan.judged_columns())
    kept = release.recoding.kept
    sensitive = [
        (column.name, column.values, column.codes[kept])
        for column in release.table.sensitive
        if column.name in judged
    ]
    return counted_rows(cells, sensitive)


def counted_rows(
    cells: list[NDArray[np.int32]],
    sensitive: list[tuple[str, tuple[str | None, ...], NDArray[np.int32]]],
) -> dict[str, Any]:
    """Count rows that are alike, given their cells, and names, values and codes of the others."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    codes = [*cells, *(part for _, _, part in sensitive)]
    keys, _ = row_keys(codes, [int(part.max(initial=0)) + 1 for part in codes])
    numbers, first = rank_keys(keys)
    order = np.argsort(keys[first])
    kinds = [part[first[order]] for part in codes]
    return {
        "counts": np.bincount(numbers)[order].tolist(),
        "cells": [part.tolist() for part in kinds[: len(cells)]],
        "sensitive": [
            _counted(name, values, part)
            for (name, values, _), part in zip(sensitive, kinds[len(cells) :], strict=True)
        ],
    }


def continued(
    learnt: Learnt,
    reads: list[list[tuple[str | None, ...]]],
    codes: list[NDArray[np.int32]],
    kept: NDArray[np.bool_],
    sensitive: list[tuple[str, tuple[str | None, ...], NDArray[np.int32]]],
) -> Learnt:
    """Return the recoding with other rows counted, for the next time.

    Parameters
    ----------
    reads, codes
        For each quasi column, what can be read in it, and which of that each row shows.
    kept
        Which rows are released.
    sensitive
        Names, values and codes of the sensitive columns that are judged.
    """
    content = learnt.model_dump(mode="json", exclude_unset=True, exclude={"released"})
    cells = []
    for column, written, seen, part in zip(
        learnt.columns, content["columns"], reads, codes, strict=True
    ):
        if learnt.recodes == "levels":
            written["cells"] = [{"texts": texts} for texts in seen]
            cells.append(part)
            continue
        place_of: dict[tuple[str | None, ...], int] = {}
        for place, cell in enumerate(column.cells):
            place_of.setdefault(cell.texts, place)
        places = np.array([place_of.get(texts, -1) for texts in seen], dtype=np.int32)
        cells.append(places[part])
    stays = np.logical_and.reduce([kept, *(part >= 0 for part in cells)])
    content["released"] = counted_rows(
        [part[stays] for part in cells],
        [(name, values, part[stays]) for name, values, part in sensitive],
    )
    return Learnt.model_validate(content)


def _counted(name: str, values: tuple[str | None, ...], codes: NDArray[np.int32]) -> dict[str, Any]:
    """Describe a sensitive column by the values that are released."""
    held, places = np.unique(codes, return_inverse=True)
    return {"name": name, "values": [values[c] for c in held], "codes": places.tolist()}


def _plan(release: Release, frozen: dict[str, Frozen]) -> dict[str, Any]:
    """Return the plan without what only the search read, with every hierarchy in it.

    Of ranges it keeps the rule that the plan states: new values are read by it, and looked at.
    """
    content = release.plan.public()
    for key in ("method", "accuracy", "loss"):
        content.pop(key, None)
    ranged = {c.name for n, c in enumerate(release.table.quasi) if _form(release, n) == "range"}
    for name, column in content["columns"].items():
        listed = isinstance(release.plan.columns[name].hierarchy, LISTS)
        if name in frozen and (listed or name not in ranged):
            column["hierarchy"] = frozen[name].stated()
        if listed and name not in frozen:
            column["hierarchy"] = {"paths": _sensitive_paths(release, name)}
        pseudonym = release.plan.columns[name].pseudonym
        if pseudonym is not None and pseudonym.key is not None:
            column["pseudonym"]["key"] = str(_absolute(release.plan, str(pseudonym.key)))
    return content


def _sensitive_paths(release: Release, name: str) -> list[list[str | None]]:
    column = next(column for column in release.table.sensitive if column.name == name)
    return [list(path) for path in column.hierarchy.paths()] if column.hierarchy else []


def _absolute(plan: Plan, path: str) -> Any:
    return (plan.base / path).resolve()
