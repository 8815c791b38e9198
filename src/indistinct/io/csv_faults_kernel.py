"""Whether the quotation marks of a CSV file pair up (RFC 4180, section 2).

The fast reader is trusted with a file only where every quotation mark surely begins a field, ends
one or is doubled; any doubt is a no, and the file is then read slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUOTE = 34


@njit
def quotes_close(
    data: NDArray[np.uint8],
    edge: NDArray[np.bool_],
) -> bool:
    """Return whether every quotation mark surely begins a field, ends one, or is doubled.

    Parameters
    ----------
    data
        The bytes of the file.
    edge
        For each byte, whether it may stand before an opening or after a closing quotation mark.
    """
    inside = False
    before = np.uint8(10)
    for place in range(data.size):
        byte = data[place]
        if byte == QUOTE:
            if not inside and not edge[before]:
                return False
            inside = not inside
        elif before == QUOTE and not inside and not edge[byte]:
            return False
        before = byte
    return not inside
