"""Places where somebody may live: one for every overlap of classes of two releases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.hierarchy.calendar import day_text, reader_of, stretch
from indistinct.hierarchy.exact import exact, number_text
from indistinct.hierarchy.order import days_since_epoch, or_nan, to_number
from indistinct.model.table import frequency_set
from indistinct.risk.covers import Covers, looks_like_a_day, range_ends
from indistinct.risk.fit import column_order, cover_of, covers_between, trie_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label
    from indistinct.risk.covers import Meaning
    from indistinct.risk.fit import Side

_Sides = list[tuple["NDArray[np.int32]", "NDArray[np.int32]"]]

MOST_PAIRS = 500_000
PLACES = 4
DENSE = 30_000_000
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct points, each somewhere in an overlap.

    Attributes
    ----------
    codes
        Per point and column, which of the column's ground values it has.
    covers
        For either release and each column, which texts cover which ground values.
    new_class, of_pair
        For each overlap and place in it, the class of the new release, and the point.
    looked_at
        The share of the old release's classes that was looked at.
    """

    codes: NDArray[np.int32]
    covers: tuple[list[Covers], list[Covers]]
    new_class: NDArray[np.int64]
    of_pair: NDArray[np.int32]
    looked_at: float


@dataclass(frozen=True, eq=False)
class _Meeting:
    """Which texts of two releases overlap in one column, and at which ground value.

    Attributes
    ----------
    keys
        Number of the new text times `width` plus that of the old, rising.
    at
        Some ground values that both cover, drawn at random; a row for each draw.
    """

    keys: NDArray[np.int64]
    at: NDArray[np.int32]
    width: int

    def covers(self) -> Covers:
        """Return for each old text which new ones overlap it."""
        new, old = np.divmod(self.keys, self.width)
        order = np.argsort(old, kind="stable")
        starts = np.searchsorted(old[order], np.arange(self.width + 1)).astype(np.int64)
        count = int(new.max(initial=-1)) + 1
        return Covers(starts, new[order].astype(np.int32), count)

    def places(self, new: NDArray[np.int32], old: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for pairs of overlapping texts the ground values, one draw after the other."""
        place = np.searchsorted(self.keys, new.astype(np.int64) * self.width + old)
        return self.at[:, place].ravel()


def points_of(
    one: Side, two: Side, meanings: Sequence[Meaning], old_meanings: Sequence[Meaning]
) -> Points:
    """Find a few points in every overlap of two classes; of some classes if there are many."""
    ground = [
        ground_values([*a, *b], [m, n])
        for a, b, m, n in zip(one.texts, two.texts, meanings, old_meanings, strict=True)
    ]
    new, old = covers_between(one, ground, meanings), covers_between(two, ground, old_meanings)
    meetings = [_meeting(a, b) for a, b in zip(new, old, strict=True)]
    pairs, looked_at = _overlaps(one, two, [meeting.covers() for meeting in meetings])
    mine, theirs = one.codes[pairs[:, 1]], two.codes[pairs[:, 0]]
    codes = [m.places(mine[:, c], theirs[:, c]) for c, m in enumerate(meetings)]
    distinct = frequency_set(codes, [len(values) for values in ground])
    return Points(
        np.ascontiguousarray(np.stack(distinct.codes, axis=1), dtype=np.int32),
        (new, old),
        np.tile(pairs[:, 1], PLACES),
        distinct.inverse,
        looked_at,
    )


def _overlaps(one: Side, two: Side, covers: Sequence[Covers]) -> tuple[NDArray[np.int64], float]:
    """List pairs of an old and a new class that overlap in every column."""
    from indistinct.risk.fit_kernel import fitting, fitting_pairs

    order = column_order(one)
    mine, theirs = one.distinct.sorted_by(order), two.distinct.sorted_by(order)
    trie = trie_of(np.ascontiguousarray(one.codes[mine][:, order]))
    cover = cover_of([covers[c] for c in order])
    asked = np.ascontiguousarray(two.codes[theirs][:, order])
    ones = np.ones(asked.shape[0], dtype=np.int64)
    _, overlaps, _, _ = fitting(trie, cover, asked, ones, one.distinct.counts[mine])
    drawn = np.random.default_rng(0).permutation(overlaps.size)
    chosen = np.sort(drawn[np.cumsum(overlaps[drawn]) <= MOST_PAIRS])
    pairs = fitting_pairs(
        trie, cover, np.ascontiguousarray(asked[chosen]), int(overlaps[chosen].sum())
    )
    listed = np.stack([theirs[chosen[pairs[:, 0]]], mine[pairs[:, 1]]], axis=1)
    return listed.astype(np.int64), chosen.size / max(overlaps.size, 1)


def _meeting(new: Covers, old: Covers) -> _Meeting:
    """Find for each pair of texts a few ground values that both cover."""
    values = np.arange(new.starts.size - 1)
    sides = [
        (new.texts[new.starts[v] : new.starts[v + 1]], old.texts[old.starts[v] : old.starts[v + 1]])
        for v in values
    ]
    draw = _dense if new.count * old.count <= DENSE else _sparse
    random = np.random.default_rng(0)
    draws = [draw(sides, random.permutation(values), (new.count, old.count)) for _ in range(PLACES)]
    return _Meeting(draws[0][0], np.stack([at for _, at in draws]), old.count)


def _dense(
    sides: _Sides, order: NDArray[np.int64], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Take for each pair of texts the last value of an order that both cover, in a matrix."""
    last = np.full(shape, -1, dtype=np.int32)
    for v in order:
        last[np.ix_(*sides[v])] = v
    keys = np.flatnonzero(last.ravel() >= 0)
    return keys, last.ravel()[keys]


def _sparse(
    sides: _Sides, order: NDArray[np.int64], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Do the same where texts are many, and each covers little."""
    backwards = order[::-1]
    parts = [(a[:, None].astype(np.int64) * shape[1] + b).ravel() for a, b in sides]
    value = np.repeat(backwards.astype(np.int32), [parts[v].size for v in backwards])
    keys, place = np.unique(np.concatenate([parts[v] for v in backwards]), return_index=True)
    return keys, value[place]


def ground_values(texts: Sequence[Label], meanings: Sequence[Meaning]) -> list[Label]:
    """List values enough that two texts which overlap have one of them in common.

    These are the values themselves, leaves of nodes, members of sets, ends of ranges, and what
    masks keep.

    >>> from indistinct.risk.covers import Meaning
    >>> ground_values(["[20-24]", "<18", "220**", "{a, b}", None], [Meaning()])
    ['20', '24', '17', '18', '220', 'a', 'b', None]
    >>> ground_values(["1970-Q2", "1971"], [Meaning()])
    ['1970-04-01', '1971-01-01']
    >>> ground_values(["<=50K", ">50K"], [Meaning()])
    ['<=50K', '>50K']
    """
    values: dict[Label, None] = {}
    leaves: dict[Label, list[Label]] = {}
    for hierarchy in (m.hierarchy for m in meanings if m.hierarchy is not None):
        leaves |= hierarchy.leaves_under
    masks = {meaning.mask for meaning in meanings}
    for text in dict.fromkeys(texts):
        if text in leaves:
            values.update(dict.fromkeys(leaves[text]))
        elif text is None:
            values[None] = None
        elif text != TOP:
            values.update(dict.fromkeys(_within(text, masks)))
    return _one_calendar(list(values) or ["?"], meanings)


def _one_calendar(values: list[Label], meanings: Sequence[Meaning]) -> list[Label]:
    """Write days as ISO dates, and years beside days as their first day, so that all compare."""
    days = [value for value in values if value is not None and looks_like_a_day(value)]
    form = next((meaning.format for meaning in meanings if meaning.format), None)
    read = reader_of([day for day in days if not _ISO.match(day)], form)
    if not days:
        return values
    written: dict[Label, None] = {}
    for value in values:
        if read is not None and value in days and not _ISO.match(value):
            written[day_text(int(read(value)))] = None
        elif value is not None and re.fullmatch(r"\d{4}", value):
            written[f"{value}-01-01"] = None
        else:
            written[value] = None
    return list(written)


def _within(text: str, masks: set[str]) -> list[Label]:
    """List the values that a text names; itself where it is neither set, range nor mask."""
    if text[:1] == "{" and text[-1:] == "}":
        return [part or None for part in text[1:-1].split(", ")]
    ends = _ends(text)
    if ends is not None:
        return list(ends) if all(map(_is_on_a_line, ends)) else [text]
    if text[4:5] == "-" and (days := stretch(text)):
        return [day_text(int(days[0]))]
    return [next((kept for m in masks if (kept := text.strip(m)) and kept != text), text)]


def _ends(text: str) -> tuple[str, ...] | None:
    """Return the ends of a range; with an open end, one value in it and the other end."""
    if text.startswith(">="):
        return (_first_day(text[2:]),)
    if text.startswith("<=") and _is_on_a_line(_last_day(text[2:])):
        return (_last_day(text[2:]),)
    if text.startswith("<"):
        below = _below(text[1:])
        return (text[1:],) if below is None else (below, text[1:])
    ends = range_ends(text)
    return None if ends is None else (_first_day(ends[0]), _last_day(ends[1]))


def _first_day(end: str) -> str:
    """Write a month, quarter or half-year that begins a range as its first day."""
    days = stretch(end) if end[4:5] == "-" else None
    return end if days is None else day_text(int(days[0]))


def _last_day(end: str) -> str:
    days = stretch(end) if end[4:5] == "-" else None
    return end if days is None else day_text(int(days[1]) - 1)


def _below(end: str) -> str | None:
    if np.isfinite(number := or_nan(to_number, end)):
        return number_text(exact(number) - 1)
    day = or_nan(days_since_epoch, end)
    return None if np.isnan(day) else day_text(int(day) - 1)


def _is_on_a_line(text: str) -> bool:
    return not np.isnan(or_nan(to_number, text)) or looks_like_a_day(text)
