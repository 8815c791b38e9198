"""The codebook: what each generalized text of a release means, for whoever reads the file.

It holds texts that the release itself shows, with how many rows have each, and the values below
a node if the plan itself lists them, whoever has them. Values of a hierarchy file are not named:
such a file may be made from the data, and list what a single person has.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from indistinct.hierarchy import TOP
from indistinct.hierarchy.calendar import stretch
from indistinct.hierarchy.spec import FromPaths, FromTree, Mask, Ordinal
from indistinct.risk.counted import released_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.hierarchy.core import Label
    from indistinct.model.table import QuasiColumn
    from indistinct.plan import Plan
    from indistinct.release import Release

MOST = 12
"""How many texts of a column are explained one by one, those of most rows first."""
NAMED = 12
"""How many values of a node are named."""
_RANGES = (
    (re.compile(r"\[(\S+?)(?:-|, |\.\.)(\S+)\]"), "from {} to {}, both included"),
    (re.compile(r"\[(\S+), (\S+)\)"), "at least {}, and below {}"),
    (re.compile(r"<=(.+)"), "{} or less"),
    (re.compile(r"<(.+)"), "below {}"),
    (re.compile(r">=(.+)"), "{} or more"),
)


@dataclass(frozen=True)
class Entry:
    """A published text: what it means, and how many released rows have it, if at least k do."""

    text: str
    meaning: str
    rows: int | str

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class ColumnCodes:
    """The texts of one column that are not plain values.

    Attributes
    ----------
    entries
        Those that are explained, most rows first.
    others
        How many more there are, which mean the like.
    """

    column: str
    entries: tuple[Entry, ...]
    others: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        entries = [entry.as_json() for entry in self.entries]
        return {"column": self.column, "entries": entries, "others": self.others}


def codebook(release: Release, k: int) -> tuple[ColumnCodes, ...]:
    """Explain the published texts of every quasi column of a release of nobody else's rows."""
    if release.plan.in_buckets:
        return ()
    return tuple(_of_columns(release, k))


def _of_columns(release: Release, k: int) -> Iterator[ColumnCodes]:
    released = released_rows(release)
    for column in release.table.quasi:
        if column.name not in released.rows.column_names:
            yield ColumnCodes(column.name, (_bounds(column.name, released.number),))
            continue
        coded = pc.dictionary_encode(released.rows.column(column.name).combine_chunks())
        texts = [None if one is None else str(one) for one in coded.dictionary.to_pylist()]
        codes = coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
        rows = np.bincount(codes, weights=released.row_counts, minlength=len(texts) + 1)
        speaker = _Speaker(release.plan, column)
        yield _explained(speaker, [*texts, None], rows.astype(np.int64), k)


def _explained(speaker: _Speaker, texts: list[str | None], rows: Any, k: int) -> ColumnCodes:
    said = [
        (speaker.meaning(text), text or "", int(n)) for text, n in zip(texts, rows, strict=True)
    ]
    general = sorted(
        ((meaning, text, n) for meaning, text, n in said if meaning and n),
        key=lambda one: (-one[2], one[1]),
    )
    exact = sum(n for meaning, _, n in said if not meaning)
    entries = [Entry(text, meaning, _count(n, k)) for meaning, text, n in general[:MOST]]
    if exact:
        entries.append(Entry("any other text", "the value itself", _count(exact, k)))
    return ColumnCodes(speaker.column.name, tuple(entries), max(len(general) - MOST, 0))


def _count(rows: int, k: int) -> int | str:
    return rows if rows >= k else f"fewer than {k}"


def _bounds(name: str, rows: int) -> Entry:
    text = f"{name}_low, {name}_high"
    meaning = "the smallest and the largest value possible; an empty field is an open end"
    return Entry(text, meaning, rows)


class _Speaker:
    """Says what the texts of one column mean."""

    def __init__(self, plan: Plan, column: QuasiColumn) -> None:
        self.column = column
        self.spec = plan.columns[column.name].hierarchy

    def meaning(self, text: str | None) -> str:
        """Say what a text means; nothing of a plain value."""
        if text is None:
            return "missing in the original data"
        if text == TOP:
            return "any value: fully generalized or suppressed"
        under = self.column.hierarchy.leaves_under.get(text, [])
        if text in self.column.hierarchy.code_of and under in ([], [text]):
            return _on_a_line(text) if self.column.hierarchy.kind != "category" else ""
        if text[:1] == "{" and text[-1:] == "}":
            return f"one of: {text[1:-1]}"
        if isinstance(self.spec, Mask) and self.spec.char in text:
            return self._masked(text, self.spec)
        return _on_a_line(text) or self._node(under)

    def _masked(self, text: str, spec: Mask) -> str:
        where = "begin" if spec.mask == "right" else "end"
        return f"codes that {where} with {text.strip(spec.char)}"

    def _node(self, under: list[Label]) -> str:
        if not under:
            return ""
        if not isinstance(self.spec, FromTree | FromPaths | Ordinal):
            return f"a group of {len(under):,} values of the column's hierarchy"
        named = ["missing" if leaf is None else str(leaf) for leaf in under]
        rest = f" and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
        return f"one of: {', '.join(named[:NAMED])}{rest}"


def _on_a_line(text: str) -> str:
    """Say what a range of numbers or dates means; nothing of what is no range.

    >>> _on_a_line("[17-25]"), _on_a_line("[0.5, 2)"), _on_a_line(">=85"), _on_a_line("39")
    ('from 17 to 25, both included', 'at least 0.5, and below 2', '85 or more', '')
    >>> _on_a_line("2020-Q1")
    'any day of 2020-Q1'
    """
    for pattern, words in _RANGES:
        if found := pattern.fullmatch(text):
            return words.format(*found.groups())
    days = stretch(text) if not text.isdigit() or len(text) == 4 else None
    return f"any day of {text}" if days and days[1] - days[0] > 1 else ""
