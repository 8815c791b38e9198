"""Forms: how generalized values of a column are published, as ranges, nodes, sets or stars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.hierarchy import TOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.measures.ncp import Form
    from indistinct.table import QuasiColumn

PublishAs = Literal["auto", "range", "node", "set", "star", "permutation"]
RangeAs = Literal["text", "bounds", "mean", "median"]
_PARTS = {
    "text": ("",),
    "bounds": ("_low", "_high"),
    "mean": ("", "_mean"),
    "median": ("", "_median"),
}


def published_names(name: str, range_as: RangeAs) -> tuple[str, ...]:
    """Name the columns that a column of ranges is published as.

    >>> published_names("age", "bounds"), published_names("age", "mean")
    (('age_low', 'age_high'), ('age', 'age_mean'))
    """
    return tuple(name + part for part in _PARTS[range_as])


def form_of(hierarchy: Hierarchy, asked: PublishAs) -> Form:
    """Choose a column's form: as is asked, or as is natural."""
    return natural_form(hierarchy) if asked == "auto" or asked == "permutation" else asked  # noqa: PLR1714 - narrows the type


def natural_form(hierarchy: Hierarchy) -> Form:
    """Numbers and dates are published as ranges, categories as nodes."""
    return "range" if hierarchy.kind != "category" and in_line(hierarchy) else "node"


def in_line(hierarchy: Hierarchy) -> bool:
    """Tell whether the order of leaves is that of their numbers or dates."""
    place = hierarchy.position[~np.isnan(hierarchy.position)]
    return bool((np.diff(place) >= 0).all()) and place.size > 0


def form_problem(hierarchy: Hierarchy, form: Form, range_as: RangeAs) -> str | None:
    """Say why a column cannot be published in a form, or None."""
    if form != "range":
        return None if range_as == "text" else f"range_as = {range_as!r} is for ranges, not {form}s"
    if natural_form(hierarchy) != "range":
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
    write = {"range": _range, "star": _star}.get(form, _node)
    labels = tuple(write(column.hierarchy, int(s // size), int(s % size)) for s in spans)
    return numbers.astype(np.int32), labels


def _range(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    """Write a closed range; a range that would hold a missing value says nothing.

    >>> from indistinct.hierarchy import Hierarchy
    >>> ages = Hierarchy.from_paths([["17", "*"], ["20", "*"], ["31", "*"]])
    >>> _range(ages, 0, 1), _range(ages, 2, 2)
    ('[17-20]', '31')
    """
    first, last = hierarchy.leaves[low], hierarchy.leaves[high]
    if low == high:
        return first
    if first is None or last is None:
        return TOP
    plain = first.isdigit() and last.isdigit()
    return f"[{first}-{last}]" if plain else f"[{first}, {last}]"


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
    """Write each group's distinct values as a set; return also how many they are.

    A set of a single value is that value.
    """
    size = column.hierarchy.size
    within = groups >= 0
    pairs = np.unique(groups[within].astype(np.int64) * size + column.codes[within])
    group, code = np.divmod(pairs, size)
    starts = np.searchsorted(group, np.arange(count + 1))
    leaves = column.hierarchy.leaves
    labels = tuple(_set([leaves[c] for c in code[starts[g] : starts[g + 1]]]) for g in range(count))
    return np.diff(starts), labels


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
    The number of the label of each row, how many values each row's set holds, and the labels.
    """
    ordered = np.sort(covered, axis=1)
    again = np.zeros(ordered.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    ordered[again] = column.hierarchy.size
    ordered.sort(axis=1)
    distinct, numbers = np.unique(ordered, axis=0, return_inverse=True)
    leaves = column.hierarchy.leaves
    labels = tuple(
        _set([leaves[code] for code in codes if code < len(leaves)]) for codes in distinct.tolist()
    )
    return numbers.ravel().astype(np.int32), (~again).sum(axis=1), labels


def interval_labels(
    column: QuasiColumn, intervals: NDArray[np.int32], kept: NDArray[np.bool_], form: Form
) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[str | None, ...]]:
    """Write each interval of categories as a node, where it is one, or as a set.

    An interval is a node if it holds all values of the column that lie under the node, and no
    other. Otherwise, and in the form `set`, the values of released rows are listed; one value is
    written as it is. Returns also the interval of each row, numbered among those that are released
    (-1 for rows left out), and how many values each label stands for.
    """
    used, numbers = np.unique(np.where(kept, intervals, -1), return_inverse=True)
    groups = (numbers - (used[0] == -1)).astype(np.int32)
    used = used[used >= 0]
    held, labels = set_labels(column, groups, used.size)
    if form == "set":
        return groups, held, labels
    named = list(labels)
    codes, first = np.unique(column.codes, return_index=True)
    nodes = node_spans(column.hierarchy, codes)
    of_code = intervals[first]
    for place, interval in enumerate(used.tolist()):
        inside = np.flatnonzero(of_code == interval)
        node = nodes.get((int(inside[0]), int(inside[-1])))
        if node is not None and held[place] > 1:
            named[place] = column.hierarchy.labels[node[0]][node[1]]
            held[place] = node[2]
    return groups, held, tuple(named)


def node_spans(
    hierarchy: Hierarchy, codes: NDArray[np.int32]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Find which runs of some of a hierarchy's values are all of them under a node.

    Returns for each run of two values or more, by the places of its first and last, the lowest
    such node: its level, its number, and how many leaves it has.
    """
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    for level in range(1, hierarchy.height + 1):
        nodes, sizes = hierarchy.nodes[level][codes], hierarchy.node_sizes(level)
        first = np.flatnonzero(np.append(True, np.diff(nodes) != 0))
        last = np.append(first[1:], nodes.size) - 1
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            node = int(nodes[low])
            if high > low:
                found.setdefault((low, high), (level, node, int(sizes[node])))
    return found


def _set(values: list[str | None]) -> str | None:
    if len(values) == 1:
        return values[0]
    return "{" + ", ".join("" if value is None else value for value in values) + "}"
