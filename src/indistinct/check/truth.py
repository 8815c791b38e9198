"""The independent check of truth: every published value is the private one or covers it.

What a cell says is read from its text alone (`cells.py`) and held to the private value of its row.
Rows of equal text and equal value are looked at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.check.cells import PLAIN_RANGE, between, covering
from indistinct.check.reading import can_be_compared, numbered_alike, read_column
from indistinct.errors import Fault, counted
from indistinct.hierarchy import TOP
from indistinct.hierarchy.order import days_since_epoch, or_nan, to_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.check.covered import Covered
    from indistinct.hierarchy import Hierarchy
    from indistinct.model.table import QuasiColumn, Table

    Reader = Callable[[Hierarchy, list[int]], Covered]

FEW_KEYS = 1 << 24
AT_ONCE = 512
_LONGEST = 64
_REMEDY = "Do not publish it. This is a bug in the method or in publishing."


def untrue_columns(
    rows: pa.Table,
    quasi: Sequence[QuasiColumn],
    became: Mapping[str, Sequence[str]],
    source: NDArray[np.intp],
) -> list[Fault]:
    """Report quasi columns some of whose cells do not cover the private value of their row.

    Parameters
    ----------
    rows
        The published rows that say something.
    became
        The published columns that each quasi column became.
    source
        The private row that each of them comes from.
    """
    faults = []
    for column in quasi:
        wrong = _uncovered(rows, column, became[column.name], column.codes[source])
        if wrong:
            problem = f"{counted(wrong, 'kind')} of published cells do not cover the private value"
            faults.append(Fault(f"column {column.name!r}", problem, _REMEDY))
    return faults


def miscoded_columns(private: pa.Table, table: Table) -> list[Fault]:
    """Report columns whose codes, by which a search knows the rows, are not what they read as.

    Everything else here rests on codes; this holds them to the private values, read once more.
    """
    own = {c.name: _places(private.column(c.name), c.values) for c in table.sensitive}
    own |= {c.name: _leaves(private.column(c.name), c.hierarchy) for c in table.quasi}
    codes = {c.name: c.codes for c in table.sensitive} | {c.name: c.codes for c in table.quasi}
    wrong = {name: int(np.count_nonzero(own[name] != codes[name])) for name in own}
    return [
        Fault(f"column {name!r}", f"{counted(count, 'value')} were confused with others", _REMEDY)
        for name, count in wrong.items()
        if count
    ]


def _leaves(private: pa.ChunkedArray, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Number private rows by the leaves of a hierarchy, which may stand for values themselves."""
    if hierarchy.raw is None:
        return _places(private, hierarchy.leaves)
    leaf_of = np.append(hierarchy.raw.nodes[1], -1).astype(np.int64)
    return leaf_of[_places(private, hierarchy.raw.leaves)]


def _places(private: pa.ChunkedArray, values: Sequence[str | None]) -> NDArray[np.int64]:
    """Number private rows by the place of their values; -1 where one has none."""
    read = read_column(private, "private table")
    place = {value: code for code, value in enumerate(values)}
    return np.array([place.get(text, -1) for text in read.texts], dtype=np.int64)[read.codes]


def changed_columns(
    rows: pa.Table, private: pa.Table, source: NDArray[np.intp], names: Sequence[str]
) -> list[Fault]:
    """Report columns released as they are some of whose values are not the private ones.

    A column is compared if it is text or whole numbers, or came back in the type it had.
    """
    faults = []
    for name in names:
        if not _alike(rows.column(name).type, private.column(name).type):
            continue
        one, two = numbered_alike(rows.column(name), private.column(name))
        wrong = int(np.count_nonzero(one != two[source]))
        if wrong:
            problem = f"{counted(wrong, 'value')} are not those of their private rows"
            faults.append(Fault(f"column {name!r}", problem, _REMEDY))
    return faults


def changed_groups(
    rows: pa.Table,
    private: pa.Table,
    group: str,
    groups: pa.ChunkedArray,
    names: Sequence[str],
    *,
    counts: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None] = (None, None),
) -> list[Fault]:
    """Report columns whose values are not those of the private rows, group by group.

    Parameters
    ----------
    group, groups
        The column of `rows` that numbers groups, and the number of each row of `private`.
    counts
        How many rows each row of the two tables stands for; None where each is one.
    """
    ours, theirs = numbered_alike(rows.column(group), groups)
    faults = []
    for name in names:
        if not _alike(rows.column(name).type, private.column(name).type):
            continue
        one, two = numbered_alike(rows.column(name), private.column(name))
        size = int(max(one.max(initial=0), two.max(initial=0))) + 1
        if not _as_often(ours * size + one, theirs * size + two, *counts):
            problem = "groups do not hold the values of their private rows"
            faults.append(Fault(f"column {name!r}", problem, _REMEDY))
    return faults


def _as_often(
    one: NDArray[np.int64],
    two: NDArray[np.int64],
    times_one: NDArray[np.int64] | None,
    times_two: NDArray[np.int64] | None,
) -> bool:
    """Return whether each key is as often among the one as among the other."""
    if times_one is None and times_two is None:
        return np.array_equal(np.sort(one), np.sort(two))
    distinct, place = np.unique(np.concatenate([one, two]), return_inverse=True)
    ours = np.bincount(place[: one.size], times_one, minlength=distinct.size)
    theirs = np.bincount(place[one.size :], times_two, minlength=distinct.size)
    return np.array_equal(ours, theirs)


def _alike(published: pa.DataType, private: pa.DataType) -> bool:
    """Return whether equal values of two types are written alike."""
    one, two = (t.value_type if pa.types.is_dictionary(t) else t for t in (published, private))
    plain = pa.types.is_integer(two) or pa.types.is_string(two) or pa.types.is_large_string(two)
    return plain or (one == two and can_be_compared(two))


def _uncovered(
    rows: pa.Table, column: QuasiColumn, parts: Sequence[str], codes: NDArray[np.int32]
) -> int:
    """Count the different pairs of a cell and a private value that it does not cover."""
    hierarchy = column.hierarchy
    first = read_column(rows.column(parts[0]), parts[0])
    if len(parts) == 1 or parts[1] != f"{column.name}_high":
        return _uncovered_texts(hierarchy, first.codes, first.texts, codes)
    last = read_column(rows.column(parts[1]), parts[1])
    size = max(len(last.texts), 1)
    both, number = np.unique(first.codes.astype(np.int64) * size + last.codes, return_inverse=True)
    ends = [(first.texts[pair // size], last.texts[pair % size]) for pair in both.tolist()]
    text, code = _pairs(number.ravel(), both.size, codes, hierarchy.size)

    def read(part: Hierarchy, some: list[int]) -> Covered:
        return between(part, [ends[place] for place in some])

    return int(np.count_nonzero(~_covered(hierarchy, text, code, read, ends)))


def _uncovered_texts(
    hierarchy: Hierarchy,
    numbers: NDArray[np.int32],
    texts: Sequence[str | None],
    codes: NDArray[np.int32],
) -> int:
    """Count pairs of a cell that is one text, and a value that it does not cover."""
    runs = _runs(hierarchy)
    text, code = _pairs(numbers, len(texts), codes, hierarchy.size)
    ends = np.array([runs.get(t, (1, 0)) for t in texts], dtype=np.int64).reshape(-1, 2)
    left = (code < ends[text, 0]) | (code > ends[text, 1])
    text, code = text[left], code[left]

    def read(part: Hierarchy, some: list[int]) -> Covered:
        return covering(part, [texts[place] for place in some])

    covered = _covered(hierarchy, text, code, read, [_range_ends(t) for t in texts])
    return sum(
        not (_in_set(runs, texts[t], c) or _reads_same(hierarchy, texts[t], c))
        for t, c in zip(text[~covered].tolist(), code[~covered].tolist(), strict=True)
    )


def _runs(hierarchy: Hierarchy) -> dict[str | None, tuple[int, int]]:
    """Return the first and last value under every label, which is a run in their order."""
    runs: dict[str | None, tuple[int, int]] = {}
    for level in range(hierarchy.height, -1, -1):
        if hierarchy.size:
            first, last = (ends.tolist() for ends in hierarchy.node_runs(level))
            runs.update(zip(hierarchy.labels[level], zip(first, last, strict=True), strict=True))
    runs[TOP] = 0, hierarchy.size - 1
    return runs


def _range_ends(text: str | None) -> tuple[str | None, ...]:
    """List the texts that may be the ends of a range."""
    if text is None or text[:1] != "[":
        return ()
    if plain := PLAIN_RANGE.fullmatch(text):
        return plain.groups()
    parts = text[1:-1].split(", ")
    places = range(1, len(parts))
    return (*(", ".join(parts[:i]) for i in places), *(", ".join(parts[i:]) for i in places))


def _in_set(runs: Mapping[str | None, tuple[int, int]], text: str | None, code: int) -> bool:
    """Return whether a set names a value, or a node above it; a label may hold a comma itself."""
    if text is None or text[:1] != "{" or text[-1:] != "}":
        return False
    parts = text[1:-1].split(", ")
    members: list[str | None] = [
        ", ".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, min(start + _LONGEST, len(parts)) + 1)
    ]
    members += [None] if "" in parts else []
    return any(low <= code <= high for m in members if m in runs for low, high in [runs[m]])


def _pairs(
    numbers: NDArray[np.integer], count: int, codes: NDArray[np.int32], size: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List the different pairs of a cell and a value, by cell."""
    keys = numbers.astype(np.int64) * size + codes
    if count * size <= FEW_KEYS:
        seen = np.zeros(count * size, dtype=bool)
        seen[keys] = True
        distinct = np.flatnonzero(seen)
    else:
        distinct = np.unique(keys)
    text, code = np.divmod(distinct, size)
    return text, code


def _covered(
    hierarchy: Hierarchy,
    text: NDArray[np.intp],
    code: NDArray[np.intp],
    read: Reader,
    ends: Sequence[Sequence[str | None]],
) -> NDArray[np.bool_]:
    """Return which pairs are of a range and a value it covers, some at a time.

    Ranges are read beside the values that are asked about and those that their `ends` name, unless
    values stand for ranges themselves.
    """
    covered = np.zeros(text.size, dtype=bool)
    whole = getattr(hierarchy, "raw", None) is not None
    code_of = hierarchy.code_of
    for start in range(0, text.size, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        texts, t = np.unique(text[some], return_inverse=True)
        named = [code_of[end] for place in texts for end in ends[place] if end in code_of]
        codes = np.union1d(code[some], np.array(named, dtype=np.intp))
        part = hierarchy if whole else _only(hierarchy, codes)
        covers = read(part, texts.tolist())
        at = code[some] if whole else np.searchsorted(codes, code[some])
        covered[some] = covers.has(t.ravel(), at)
    return covered


def _only(hierarchy: Hierarchy, codes: NDArray[np.intp]) -> Hierarchy:
    """Return a hierarchy of some values alone, without the levels between them and the top."""
    leaves = tuple(hierarchy.leaves[code] for code in codes)
    nodes = np.arange(codes.size, dtype=np.int32), np.zeros(codes.size, dtype=np.int32)
    return replace(
        hierarchy,
        leaves=leaves,
        nodes=nodes,
        labels=(leaves, (TOP,)),
        position=hierarchy.position[codes],
    )


def _reads_same(hierarchy: Hierarchy, text: str | None, code: int) -> bool:
    """Return whether a text is a value in another spelling, as 1.0 is 1."""
    if text is None or hierarchy.kind == "category":
        return False
    read = to_number if hierarchy.kind == "number" else days_since_epoch
    return bool(or_nan(read, text) == hierarchy.position[code])
