"""Writing tree records as JSON, byte by byte.

Nodes come in preorder, siblings in the order of their classes: then each class of a node's children
is one list, opened at its first and closed after its last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VALUE = np.frombuffer(b'{"value":', dtype=np.uint8)
_COMMA, _OPEN, _CLOSE = np.uint8(44), np.uint8(123), np.uint8(125)
_LIST, _END, _COLON, _LINE = np.uint8(91), np.uint8(93), np.uint8(58), np.uint8(10)


@njit
def siblings_are_grouped(
    label: NDArray[np.int32],
    parent: NDArray[np.int32],
    starts: NDArray[np.int64],
    of_class: NDArray[np.int32],
) -> bool:
    """Return whether siblings stand in the order of their classes, in every record."""
    last = np.empty(label.size + 1, dtype=np.int32)
    for record in range(starts.size - 1):
        last[label.size] = -1
        for node in range(starts[record], starts[record + 1]):
            last[node] = -1
            above = parent[node] if parent[node] >= 0 else label.size
            kind = of_class[label[node]]
            if kind < last[above]:
                return False
            last[above] = kind
    return True


@inner
def _put(out, at, text, first, last):
    for i in range(first, last):
        out[at] = text[i]
        at += 1
    return at


@inner
def _most_bytes(label, text_at, key_at, of_class):
    """Bound how many bytes nodes take: their texts, keys, and the signs around them."""
    total = np.int64(0)
    for node in range(label.size):
        kind = of_class[label[node]]
        total += text_at[label[node] + 1] - text_at[label[node]]
        total += key_at[kind + 1] - key_at[kind] + 20
    return total


@njit
def json_lines(
    label: NDArray[np.int32],
    parent: NDArray[np.int32],
    base: int,
    starts: NDArray[np.int64],
    of_class: NDArray[np.int32],
    text: NDArray[np.uint8],
    text_at: NDArray[np.int64],
    keys: NDArray[np.uint8],
    key_at: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Return records as lines of JSON; their siblings stand in the order of their classes.

    `text` and `keys` hold the JSON of labels and of class names, each from its place in `text_at`
    or `key_at`. `parent` counts from `base`, the number of the first node given here; so does
    `starts`.
    """
    records = starts.size - 1
    out = np.empty(_most_bytes(label, text_at, key_at, of_class) + 4 * records, dtype=np.uint8)
    last = np.empty(label.size, dtype=np.int32)
    way = np.empty(of_class.max() + 2 if of_class.size else 2, dtype=np.int64)
    at = 0
    for record in range(records):
        begin, end = starts[record] - base, starts[record + 1] - base
        out[at] = _OPEN
        at += 1
        depth, top = 0, np.int32(-1)
        for node in range(begin, end):
            above = parent[node] - base if parent[node] >= 0 else np.int64(-1)
            while depth and way[depth - 1] != above:
                out[at], out[at + 1] = _END, _CLOSE
                at += 2
                depth -= 1
            kind = of_class[label[node]]
            before = last[above] if above >= 0 else top
            if before == kind:
                out[at] = _COMMA
                at += 1
            else:
                if before >= 0:
                    out[at], out[at + 1] = _END, _COMMA
                    at += 2
                at = _put(out, at, keys, key_at[kind], key_at[kind + 1])
                out[at], out[at + 1] = _COLON, _LIST
                at += 2
            if above >= 0:
                last[above] = kind
            else:
                top = kind
            last[node] = -1
            inner = node + 1 < end and parent[node + 1] - base == node
            if inner:
                at = _put(out, at, _VALUE, 0, _VALUE.size)
            at = _put(out, at, text, text_at[label[node]], text_at[label[node] + 1])
            if inner:
                out[at] = _COMMA
                at += 1
                way[depth] = node
                depth += 1
        while depth:
            out[at], out[at + 1] = _END, _CLOSE
            at += 2
            depth -= 1
        if end > begin:
            out[at] = _END
            at += 1
        out[at], out[at + 1] = _CLOSE, _LINE
        at += 2
    return out[:at]
