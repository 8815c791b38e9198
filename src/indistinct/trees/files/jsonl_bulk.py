"""Many lines of plain records read at once, without a Python object for each node.

`lines_kernel.py` reads lines as long as they are plain. The first that is not is left to the
reader of `jsonl.py`, which knows all that JSON can be; then the kernel goes on.
"""

from __future__ import annotations

from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.files.lines_kernel import Words
    from indistinct.trees.forest import ForestBuilder

    Odd = Callable[[bytes, int], bool]

LEAST_BYTES = 1 << 20
"""From what size on a file is read at once: the kernel takes time to load."""
AT_ONCE = 1 << 24
"""How many bytes are read at once."""
MOST_CLASSES = 64
MOST_ODD = 64
"""After how many lines in a row that are not plain the rest of a piece is left to Python."""
_SKIPPED = 16
_OF_A_WORD = 16
_OF_A_NODE, _OF_A_RECORD = 3, 3
"""How many bytes these take at least: quotes and a sign after them, brackets and a line feed."""


def _pieces(handle: Any) -> Iterator[bytes]:
    """Yield what a file holds in pieces of whole lines, each with its line feed."""
    rest = b""
    while more := handle.read(AT_ONCE):
        whole, feed, after = more.rpartition(b"\n")
        if feed:
            yield rest + whole + feed
            rest = after
        else:
            rest += more
    if rest:
        yield rest + b"\n"


class BulkReader:
    """Reads plain lines into a forest that is built.

    Parameters
    ----------
    builder
        Where records go; others may add to it, too.
    value
        The key of a node's value.
    skips
        Whether keys of records that are no classes are left out, or are not plain.
    """

    def __init__(self, builder: ForestBuilder, value: str, *, skips: bool) -> None:
        from indistinct.trees.files.lines_kernel import Names, Way

        self._builder = builder
        self._names = Names(*_laid_out([*builder.classes, value]), skips)
        depth = len(builder.classes) + 2
        node, kind, member, family = np.empty((4, depth), dtype=np.int64)
        keys, listed = np.empty(depth, dtype=np.uint64), np.empty(depth, dtype=np.bool_)
        self._way = Way(node, kind, keys, member, listed, family)
        self._skipped = np.empty((_SKIPPED, 2), dtype=np.int64)
        self._room = 1 << 12
        self._words = _vocabulary([], self._room)

    def read_all(self, handle: Any, odd: Odd) -> None:
        """Add the records of all lines of a file; give each line that is not plain away.

        Parameters
        ----------
        odd
            Is given the line and its number, from 1 on, and says whether to go on.
        """
        before = 0
        for piece in _pieces(handle):
            if not self._read(piece, before, odd):
                return
            before += piece.count(b"\n")

    def _read(self, piece: bytes, before: int, odd: Odd) -> bool:
        """Read whole lines that come after so many others; return whether to go on."""
        at = in_a_row = 0
        while at < len(piece) and in_a_row < MOST_ODD:
            records, at, is_odd = self._run(piece, at)
            before += records
            in_a_row = 0 if records else in_a_row + 1
            if is_odd:
                end = piece.index(b"\n", at) + 1
                before += 1
                if not odd(piece[at:end], before):
                    return False
                at = end
        rest = enumerate(BytesIO(piece[at:]), start=before + 1)
        return all(odd(line, number) for number, line in rest)

    def _run(self, piece: bytes, at: int) -> tuple[int, int, bool]:
        """Read on; return how many records, up to where, and whether an odd line follows."""
        from indistinct.trees.files.lines_kernel import FULL, ODD, Nodes, read_records

        builder, left = self._builder, len(piece) - at
        self._learn()
        words, known = self._words, len(builder.known)
        words.so_far[2] = at
        label, parent = np.empty((2, left // _OF_A_NODE + 1), dtype=np.int32)
        ends = np.empty(left // _OF_A_RECORD + 1, dtype=np.int64)
        records, filled, why = read_records(
            np.frombuffer(piece, dtype=np.uint8), builder.nodes, self._names, words,
            Nodes(label, parent, ends), self._way, self._skipped,
        )  # fmt: skip
        try:
            new = _since(words, known)
        except UnicodeDecodeError:  # a line is not UTF-8, and Python finds out which
            self._words = _vocabulary(list(builder.known), self._room)
            return 0, at, True
        builder.take(label[:filled].copy(), parent[:filled].copy(), ends[:records].copy(), new)
        if why == FULL:
            self._room *= 4
            self._words = _vocabulary(list(builder.known), self._room)
        return records, int(words.so_far[2]), why == ODD

    def _learn(self) -> None:
        """Enter the labels that others have met."""
        known = int(self._words.so_far[0])
        new = list(islice(self._builder.known, known, None))
        if new and not _enter(self._words, new):
            self._words = _vocabulary(list(self._builder.known), self._room)


def _since(words: Words, known: int) -> list[tuple[int, str]]:
    """Return the labels that were met after the first so many."""
    return [
        (int(words.kind[code]), words.text[words.at[code] : words.at[code + 1]].tobytes().decode())
        for code in range(known, int(words.so_far[0]))
    ]


def _vocabulary(known: list[tuple[int, str]], room: int) -> Words:
    """Return a table of the labels met so far, with room for some more."""
    from indistinct.trees.files.lines_kernel import Words

    most = len(known) + room
    words = Words(
        np.zeros(1 << (4 * most).bit_length(), dtype=np.int32),
        np.empty(sum(len(value.encode()) for _, value in known) + _OF_A_WORD * room, np.uint8),
        np.zeros(most + 1, dtype=np.int64),
        np.empty(most, dtype=np.int32),
        np.zeros(most, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
    )
    _enter(words, known)
    return words


def _enter(words: Words, new: list[tuple[int, str]]) -> bool:
    """Enter labels into a table, and return whether there was place for them."""
    from indistinct.trees.files.lines_kernel import enter_words

    first = int(words.so_far[0])
    text, at = _laid_out([value for _, value in new])
    if first + len(new) > words.kind.size or words.at[first] + at[-1] > words.text.size:
        return False
    enter_words(words, np.array([kind for kind, _ in new], dtype=np.int32), text, at)
    return True


def _laid_out(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts in one row of bytes, and where each begins."""
    parts = [text.encode() for text in texts]
    at = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.frombuffer(b"".join(parts) or b" ", dtype=np.uint8), at
