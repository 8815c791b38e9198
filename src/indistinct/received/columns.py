"""A column of a release as its reader sees it: what each row may hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.hierarchy import TOP
from indistinct.received.cells import ANYWHERE, Labels, day_ends, number_ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.received.cells import Ends, Kind

    Floats = NDArray[np.float64]
    Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ReceivedColumn:
    """What the rows of a column may hold.

    Attributes
    ----------
    name, kind
        What it is called, and whether it holds numbers, dates or categories.
    texts, codes
        The distinct published texts, None for a missing value, and the text of each row. Of a
        column that is published as two bounds, both in one.
    ends
        Of numbers and dates (in days since 1970-01-01), where each text begins and ends, within
        what the reader knows; NaN for a missing value.
    labels
        How labels are read; None where their hierarchy is not at hand, or there are none.
    """

    name: str
    kind: Kind
    texts: tuple[str | None, ...]
    codes: NDArray[np.int32]
    ends: Floats
    labels: Labels | None = None

    @classmethod
    def on_a_line(
        cls,
        name: str,
        kind: Kind,
        texts: tuple[str | None, ...],
        codes: NDArray[np.int32],
        within: Ends,
        *,
        form: str | None = None,
        labels: Labels | None = None,
    ) -> ReceivedColumn:
        """Read a column of numbers or dates, their ranges, and nodes that stand for them."""
        read: Callable[[str], Ends | None] = (
            number_ends if kind == "number" else lambda text: day_ends(text, form)
        )
        ends = [_ends(text, read, within, labels) for text in texts]
        array = np.array(ends, dtype=np.float64).reshape(-1, 2)
        return cls(name, kind, texts, codes, array, labels)

    @property
    def low(self) -> Floats:
        """The lower end of each row; minus infinity where it is open, NaN where it is missing."""
        ends: Floats = self.ends[self.codes, 0]
        return ends

    @property
    def high(self) -> Floats:
        """The upper end of each row."""
        ends: Floats = self.ends[self.codes, 1]
        return ends

    @property
    def middle(self) -> Floats:
        """The middle of each row's range; NaN where it is open or missing."""
        middles = np.full(len(self.texts), np.nan)
        closed = np.isfinite(self.ends).all(axis=1)
        middles[closed] = self.ends[closed].mean(axis=1)
        rows: Floats = middles[self.codes]
        return rows

    @cached_property
    def generalized(self) -> bool:
        """Whether some row shows more than one value."""
        if self.kind == "category":
            return self.labels is None or any(
                (leaves := self.labels.leaves(text)) is None or len(leaves) != 1
                for text in self.texts
            )
        return bool(np.any(self.ends[:, 0] != self.ends[:, 1], where=~np.isnan(self.ends[:, 0])))

    @property
    def missing(self) -> tuple[Truths, Truths]:
        """For each row whether its value is missing for certain, and whether it may be."""
        surely = np.array([text is None for text in self.texts], dtype=bool)
        maybe = np.array([self._may_be_missing(text) for text in self.texts], dtype=bool)
        return surely[self.codes], maybe[self.codes]

    def _may_be_missing(self, text: str | None) -> bool:
        leaves = self._leaves(text)
        if leaves is not None:
            return None in leaves or "" in leaves
        return text in {None, TOP} or "" in (text or "")[1:-1].split(", ")

    def _leaves(self, text: str | None) -> frozenset[str | None] | None:
        """Return the values that a text stands for, where a hierarchy lists them."""
        if self.labels is None or self.labels.hierarchy is None:
            return None
        return self.labels.leaves(text)

    def agreeing(self, wanted: Any) -> tuple[Truths, Truths, Floats]:
        """Tell for each row whether it agrees with a condition: surely, maybe, and how likely.

        How likely counts all values of a range, or all values of a node, the same.
        """
        answers = [self._agrees(code, wanted) for code in range(len(self.texts))]
        surely, maybe, likely = (list(part) for part in zip(*answers, strict=True))
        return (
            np.array(surely, dtype=bool)[self.codes],
            np.array(maybe, dtype=bool)[self.codes],
            np.array(likely, dtype=np.float64)[self.codes],
        )

    def _agrees(self, code: int, wanted: Any) -> tuple[bool, bool, float]:
        if self.kind == "category":
            return self._among(self.texts[code], wanted)
        text = self.texts[code]
        if text is None:
            return False, False, 0.0
        spans = [self._span(one) for one in _listed(wanted)]
        if leaves := self._leaves(text):
            inside = sum(self._lies_in(leaf, spans) for leaf in leaves)
            return inside == len(leaves), inside > 0, inside / len(leaves)
        low, high = self.ends[code].tolist()
        known = not self._may_be_missing(text)
        surely = known and any(first <= low and high <= last for first, last in spans)
        maybe = any(first <= high and low <= last for first, last in spans)
        likely = min(sum(_overlap(low, high, *span) for span in spans), 1.0) if maybe else 0.0
        return surely, maybe, 1.0 if surely else likely

    def _lies_in(self, leaf: str | None, spans: list[Ends]) -> bool:
        if leaf is None:
            return False
        low, high = self._span(leaf)
        return any(first <= low and high <= last for first, last in spans)

    def _among(self, text: str | None, wanted: Any) -> tuple[bool, bool, float]:
        if self.labels is None:
            raise DataError(_no_hierarchy(self.name))
        values = {None if one is None else str(one) for one in _listed(wanted)}
        leaves = self.labels.leaves(text)
        if leaves is None:
            maybe = any(self.labels.may_be(text, value) for value in values)
            return False, maybe, 0.5 * maybe
        shared = len(leaves & values)
        return shared == len(leaves), shared > 0, shared / len(leaves)

    def _span(self, wanted: Any) -> Ends:
        """Read one condition: a value, or a pair of ends."""
        if isinstance(wanted, tuple) and len(wanted) == 2:
            (low, _), (_, high) = (self._span(end) for end in wanted)
            return low, high
        ends = number_ends(str(wanted)) if self.kind == "number" else day_ends(str(wanted))
        if ends is None:
            what = "a number" if self.kind == "number" else "a date"
            raise DataError(Fault(self.name, f"{wanted!r} is not {what}", "Compare it with one."))
        return ends

    def typed(self) -> dict[str, pa.Array]:
        """Return the columns that say what each row may hold."""
        if not self.generalized:
            return {}
        if self.kind == "category":
            return {} if self.labels is None else {f"{self.name}_leaves": self._listed_leaves()}
        parts = {"low": self.low, "high": self.high, "mid": self.middle}
        return {f"{self.name}_{part}": self._typed(ends) for part, ends in parts.items()}

    def _listed_leaves(self) -> pa.Array:
        labels = self.labels or Labels()
        leaves = [labels.leaves(text) for text in self.texts]
        listed = [None if one is None else sorted(one, key=lambda v: v or "") for one in leaves]
        return pa.array(listed, pa.list_(pa.string())).take(pa.array(self.codes))

    def _typed(self, ends: Floats) -> pa.Array:
        """Make numbers or days of ends; an open one is missing."""
        known = np.isfinite(ends)
        if self.kind == "number":
            return pa.array(np.where(known, ends, 0.0), pa.float64(), mask=~known)
        days = np.where(known, np.floor(ends), 0).astype(np.int32)
        return pa.array(days, pa.int32(), mask=~known).cast(pa.date32())


def _ends(
    text: str | None,
    read: Callable[[str], Ends | None],
    within: Ends,
    labels: Labels | None,
) -> Ends:
    if text is None:
        return np.nan, np.nan
    under = labels.under if labels else {}
    if text != TOP and text in under:
        parts = [read(leaf) for leaf in under[text] if leaf is not None]
        known = [part for part in parts if part is not None]
        if not known:
            return np.nan, np.nan
        return _within((min(a for a, _ in known), max(b for _, b in known)), within)
    return _within(read(text) or ANYWHERE, within)


def _listed(wanted: Any) -> list[Any]:
    return list(wanted) if isinstance(wanted, list | set | frozenset) else [wanted]


def _within(ends: Ends, within: Ends) -> Ends:
    return max(ends[0], within[0]), min(ends[1], within[1])


def _overlap(low: float, high: float, first: float, last: float) -> float:
    """Return the share of a range that lies in another; whole numbers are counted one by one."""
    if not np.isfinite(high - low):
        return 0.5
    step = 1.0 if low == int(low) and high == int(high) else 0.0
    shared = min(high, last) - max(low, first) + step
    return max(shared, 0.0) / (high - low + step) if high - low + step else 1.0


def _no_hierarchy(name: str) -> Fault:
    problem = "its hierarchy is not available, so it is not known what its labels cover"
    return Fault(name, problem, f"Give it as hierarchies={{{name!r}: 'its file.csv'}}.")
