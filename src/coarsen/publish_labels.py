"""Text columns of numbered labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from coarsen.frames.arrow import number_array, text_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def labelled(numbers: NDArray[np.int32], labels: tuple[str | None, ...]) -> pa.Array:
    """Make a text column of numbered labels; a label None is a null."""
    missing = np.array([label is None for label in labels], dtype=bool)
    mask = missing[numbers] if missing.any() else None
    texts = text_array([label or "" for label in labels])
    return pa.DictionaryArray.from_arrays(number_array(numbers, mask), texts)
