"""Many texts searched for patterns at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.io.arrow import text_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEP = 10_000


def is_measured(column: pa.ChunkedArray) -> bool:
    """Return whether a column holds floating point numbers that are not all whole.

    >>> import pyarrow as pa
    >>> is_measured(pa.chunked_array([[1.5, 2.0]])), is_measured(pa.chunked_array([[1.0, None]]))
    (True, False)
    """
    if not pa.types.is_floating(column.type):
        return False
    return not pc.all(pc.equal(pc.floor(column), column)).as_py()


class Texts:
    """Texts that are searched for several patterns, each in the syntax of RE2.

    >>> list(Texts.of(["a@b", "c"]).matching("@"))
    ['a@b']
    """

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Take texts of Python."""
        return cls(text_array(texts))

    def __len__(self) -> int:
        return len(self._array)

    def only(self, pattern: str) -> Texts:
        """Keep those that hold a match."""
        return Texts(self._array.filter(pc.match_substring_regex(self._array, pattern)))

    def matching(self, pattern: str) -> Iterator[str]:
        """Go through those that hold a match."""
        texts = self.only(pattern)._array  # noqa: SLF001 - its own kind
        for start in range(0, len(texts), _STEP):
            yield from texts[start : start + _STEP].to_pylist()
