"""Forms: how generalized values of a column are published, as ranges, nodes, sets or stars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.model.ends import range_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.model.names import RangeAs
    from indistinct.model.table import QuasiColumn

    Run = tuple[int, int]
    WrittenSet = tuple[str | None, list[Run]]

Form = Literal["node", "range", "set", "star"]
PublishAs = Literal["auto", "range", "node", "set", "star", "exact", "permutation"]


def form_of(hierarchy: Hierarchy, asked: PublishAs) -> Form:
    """Choose a column's form: as is asked, or as is natural."""
    if asked == "auto" or asked == "permutation":  # noqa: PLR1714 - narrows the type
        return natural_form(hierarchy)
    if asked == "exact":
        return "range" if has_ranges(hierarchy) else "node"
    return asked


def natural_form(hierarchy: Hierarchy) -> Form:
    """Numbers and dates by rule are published as ranges; codes and categories as nodes.

    Codes are values under labels that somebody wrote (csv, tree, paths), masks, and flat columns,
    also if they are made of digits.
    """
    return "range" if hierarchy.scale is not None and has_ranges(hierarchy) else "node"


def has_ranges(hierarchy: Hierarchy) -> bool:
    """Return whether values are numbers or dates, in their order."""
    return hierarchy.kind != "category" and in_line(hierarchy)


def in_line(hierarchy: Hierarchy) -> bool:
    """Return whether the order of leaves is that of their numbers or dates."""
    place = hierarchy.position[~np.isnan(hierarchy.position)]
    return bool((np.diff(place) >= 0).all()) and place.size > 0


def form_problem(hierarchy: Hierarchy, form: Form, range_as: RangeAs) -> str | None:
    """Say why a column cannot be published in a form, or None."""
    if form != "range":
        return None if range_as == "text" else f"range_as = {range_as!r} is for ranges, not {form}s"
    if not has_ranges(hierarchy):
        return "only numbers and dates, in their order, can be published as ranges"
    if range_as in {"mean", "median"} and hierarchy.kind != "number":
        return f"a {range_as} is for numbers"
    return None


def span_labels(
    column: QuasiColumn,
    form: Form,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> tuple[NDArray[np.int32], tuple[str | None, ...]]:
    """Number the distinct spans of a column and write each as a range, a node or a star.

    A span of a single value is that value.
    """
    size = column.hierarchy.size
    spans, numbers = np.unique(low.astype(np.int64) * size + high, return_inverse=True)
    pairs = [(int(s // size), int(s % size)) for s in spans]
    if form == "range":
        labels = tuple(_range(column, *pair) for pair in pairs)
    else:
        write = _star if form == "star" else _node
        labels = tuple(write(column.hierarchy, *pair) for pair in pairs)
    return numbers.astype(np.int32), labels


def _range(column: QuasiColumn, low: int, high: int) -> str | None:
    """Write a range; one that would hold a missing value says nothing.

    >>> from indistinct.hierarchy import Hierarchy
    >>> from indistinct.model.table import QuasiColumn
    >>> ages = Hierarchy.from_paths([["17", "*"], ["20", "*"], ["31", "*"]])
    >>> column = QuasiColumn("age", np.arange(3, dtype=np.int32), ages)
    >>> _range(column, 0, 1), _range(column, 2, 2)
    ('[17-20]', '31')
    """
    ends = range_ends(column, low, high)
    if ends is None:
        return TOP
    if low == high and as_it_is(column, low):
        return column.hierarchy.leaves[low]
    return range_text(*ends, closed=holds_its_end(column))


def range_ends(column: QuasiColumn, low: int, high: int) -> tuple[str | None, str | None] | None:
    """Return the two ends of a published range, None where it is open; None if it says nothing."""
    leaves = column.hierarchy.leaves
    if low != high and (leaves[low] is None or leaves[high] is None):
        return None
    if column.ends is None:
        return leaves[low], leaves[high]
    return column.ends.low[low], column.ends.high[high]


def as_it_is(column: QuasiColumn, code: int) -> bool:
    """Return whether a single value of a column is published as its leaf."""
    missing = column.hierarchy.leaves[code] is None
    return column.ends is None or missing or column.ends.alone(code)


def holds_its_end(column: QuasiColumn) -> bool:
    """Return whether ranges of a column hold their upper end."""
    scale = column.hierarchy.scale
    return column.ends is None or column.hierarchy.raw is None or scale is None or scale.closed


def _star(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    return hierarchy.leaves[low] if low == high else TOP


def _node(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    if low == high:
        return hierarchy.leaves[low]
    meets = [bool(nodes[low] == nodes[high]) for nodes in hierarchy.nodes]
    level = meets.index(True)
    return hierarchy.labels[level][int(hierarchy.nodes[level][low])]


def set_labels(
    column: QuasiColumn, groups: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], tuple[str | None, ...]]:
    """Write each group's distinct values as a set; return also how many leaves it stands for."""
    return _held_and_labels(grouped_sets(column, groups, count))


def _held_and_labels(
    sets: Sequence[WrittenSet],
) -> tuple[NDArray[np.int64], tuple[str | None, ...]]:
    held = np.array([leaves_in(runs) for _, runs in sets], dtype=np.int64)
    return held, tuple(label for label, _ in sets)


def grouped_sets(column: QuasiColumn, groups: NDArray[np.int32], count: int) -> list[WrittenSet]:
    """Write each group's distinct values as a set, with the runs of leaves that it stands for.

    A set of a single value is that value. A value that few people have is named by the lowest node
    above it that holds enough.
    """
    size = column.hierarchy.size
    within = groups >= 0
    pairs = np.unique(groups[within].astype(np.int64) * size + column.codes[within])
    group, code = np.divmod(pairs, size)
    starts = np.searchsorted(group, np.arange(count + 1))
    return [shown_set(column, code[starts[g] : starts[g + 1]]) for g in range(count)]


def shown_set(column: QuasiColumn, codes: NDArray[np.integer]) -> WrittenSet:
    """Write some values, in order, as a set; return also the runs of leaves that it stands for."""
    hierarchy = column.hierarchy
    if column.ends is None:
        return _set([hierarchy.leaves[c] for c in codes]), [(int(c), int(c)) for c in codes]
    runs: list[Run] = []
    labels: list[str | None] = []
    for code, level in zip(codes.tolist(), column.ends.level[codes].tolist(), strict=True):
        node = int(hierarchy.nodes[level][code])
        first, last = (int(ends[node]) for ends in column.node_runs[level])
        while runs and first <= runs[-1][0]:
            del runs[-1], labels[-1]
        if not runs or runs[-1][1] < first:
            runs.append((first, last))
            labels.append(hierarchy.labels[level][node])
    return _set(labels), runs


def leaves_in(runs: list[Run]) -> int:
    """Count the leaves of some runs."""
    return sum(last - first + 1 for first, last in runs)


def cover_labels(
    column: QuasiColumn, covered: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[str | None, ...]]:
    """Write the distinct values that each published row covers as a set.

    Parameters
    ----------
    covered
        For each published row, the codes that it covers.

    Returns
    -------
    The number of the label of each row, how many leaves each row's set holds, and the labels.
    """
    numbers, sets = covered_sets(column, covered)
    held, labels = _held_and_labels(sets)
    return numbers, held[numbers], labels


def covered_sets(
    column: QuasiColumn, covered: NDArray[np.int32]
) -> tuple[NDArray[np.int32], list[WrittenSet]]:
    """Number the sets of values that rows cover; write each, with the runs it stands for."""
    ordered = np.sort(covered, axis=1)
    again = np.zeros(ordered.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    ordered[again] = column.hierarchy.size
    ordered.sort(axis=1)
    distinct, numbers = np.unique(ordered, axis=0, return_inverse=True)
    sets = [shown_set(column, codes[codes < column.hierarchy.size]) for codes in distinct]
    return numbers.ravel().astype(np.int32), sets


def interval_labels(
    column: QuasiColumn, intervals: NDArray[np.int32], kept: NDArray[np.bool_], form: Form
) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[str | None, ...]]:
    """Write each interval of categories as a node, where it is one, or as a set.

    Returns also the interval of each row, numbered among those that are released (-1 for rows left
    out), and how many values each label stands for.
    """
    groups, sets = interval_sets(column, intervals, kept, form)
    return groups, *_held_and_labels(sets)


def interval_sets(
    column: QuasiColumn, intervals: NDArray[np.int32], kept: NDArray[np.bool_], form: Form
) -> tuple[NDArray[np.int32], list[WrittenSet]]:
    """Number the released intervals of rows, and write each as a node, where it is one, or a set.

    An interval is a node if it holds all values of the column that lie under the node, and no
    other; it then stands for all leaves of the node. Otherwise, and in the form `set`, the values
    of released rows are listed; one value is written as it is. Rows left out are in -1.
    """
    groups, used = released_intervals(intervals, kept)
    sets = grouped_sets(column, groups, used.size)
    if form == "set":
        return groups, sets
    codes, first = np.unique(column.codes, return_index=True)
    nodes = node_spans(column.hierarchy, codes)
    of_code = intervals[first]
    for place, interval in enumerate(used.tolist()):
        inside = np.flatnonzero(of_code == interval)
        node = nodes.get((int(inside[0]), int(inside[-1])))
        if node is not None and leaves_in(sets[place][1]) > 1:
            level, number, _ = node
            begin, end = (int(ends[number]) for ends in column.node_runs[level])
            sets[place] = column.hierarchy.labels[level][number], [(begin, end)]
    return groups, sets


def released_intervals(
    intervals: NDArray[np.int32], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the intervals of rows among those that are released, -1 for rows left out."""
    used, numbers = np.unique(np.where(kept, intervals, -1), return_inverse=True)
    return (numbers - (used[0] == -1)).astype(np.int32), used[used >= 0]


def node_spans(
    hierarchy: Hierarchy, codes: NDArray[np.int32]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Find which runs of some of a hierarchy's values are all of them under a node.

    Returns for each run of two values or more, by the places of its first and last, the lowest
    such node: its level, its number, and how many leaves it has.
    """
    spans: dict[tuple[int, int], tuple[int, int, int]] = {}
    for level in range(1, hierarchy.height + 1):
        nodes, sizes = hierarchy.nodes[level][codes], hierarchy.node_sizes(level)
        first = np.flatnonzero(np.append(True, np.diff(nodes) != 0))
        last = np.append(first[1:], nodes.size) - 1
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            node = int(nodes[low])
            if high > low:
                spans.setdefault((low, high), (level, node, int(sizes[node])))
    return spans


def _set(values: list[str | None]) -> str | None:
    if len(values) == 1:
        return values[0]
    return "{" + ", ".join("" if value is None else value for value in values) + "}"
