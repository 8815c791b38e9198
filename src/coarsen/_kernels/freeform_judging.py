"""Which published rows cover which original rows, for the check of a freeform release alone.

`covers` tells for each column, cell and value whether the cell covers the value: those of column c
from `first[c]` on, `width[c]` values for each cell. `cells` holds the cell of each published row in
each column, `codes` the value of each original row.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _fits(covers, first, width, cells, codes, box, row):
    for column in range(first.size):
        cell, code = cells[box, column], codes[row, column]
        if not covers[first[column] + cell * width[column] + code]:
            return False
    return True


@njit(cache=True, nogil=True)
def count_covered(covers, first, width, cells, codes, boxes, rows, counts):
    """Count the rows, of some, that each of some boxes covers."""
    for place in range(boxes.size):
        for row in rows:
            counts[place] += _fits(covers, first, width, cells, codes, boxes[place], row)


@njit(cache=True, nogil=True)
def list_covered(covers, first, width, cells, codes, boxes, rows, counts, most, found):
    """List those rows by their places, box after box; at most so many of a box, from all over."""
    end = 0
    for place in range(boxes.size):
        seen = 0
        for number in range(rows.size):
            if seen == counts[place]:
                break
            if not _fits(covers, first, width, cells, codes, boxes[place], rows[number]):
                continue
            if counts[place] <= most or seen * most % counts[place] < most:
                found[end] = number
                end += 1
            seen += 1
