"""Whether the quotation marks of a CSV file pair up."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import njit

QUOTE = 34


@njit
def quotes_close(data, edge):
    """Tell whether every quotation mark surely begins a field, ends one, or is doubled.

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
