"""Cells that a spreadsheet would take for formulas, and a guard before them that can be undone.

A CSV file has no types: a program that opens `=HYPERLINK(...)` from one runs it. The usual guard is
an apostrophe before the cell.
"""

from __future__ import annotations

import re

import pyarrow as pa

from indistinct.hierarchy.order import to_number

GUARD = "'"
_RISKY = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guarded(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet might run; numbers are left alone.

    >>> [guarded(text) for text in ("=1+1", "-5", "-2+3", "'=x", "plain")]
    ["'=1+1", '-5', "'-2+3", "''=x", 'plain']
    """
    return GUARD + text if _RISKY.match(text) and not _is_number(text) else text


def unguarded(text: str) -> str:
    """Undo `guarded`.

    >>> all(unguarded(guarded(text)) == text for text in ("=1", "'=1", "-5", "'5", "@", ""))
    True
    """
    return text[1:] if _GUARDED.match(text) else text


def _is_number(text: str) -> bool:
    try:
        to_number(text)
    except ValueError:
        return False
    return True


def without_guards(table: pa.Table) -> pa.Table:
    """Undo the guards of a table that was read as dictionary-encoded text."""
    columns = [_unguarded_column(column) for column in table.columns]
    return pa.table(columns, names=[unguarded(name) for name in table.column_names])


def _unguarded_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    chunks = [_unguarded_chunk(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, type=column.type)


def _unguarded_chunk(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    texts = [unguarded(text) for text in chunk.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(chunk.indices, pa.array(texts, pa.string()))
