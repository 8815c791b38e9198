"""Reading tree records from lines of JSON, byte by byte, as `jsonl_writing.py` writes them.

A line is taken only if it is plain: classes as keys, each once in an object and in their order on
the way down; values as strings without escapes, `value` first in an object; no equal siblings. The
first line that is not is left to Python, which reads all that JSON can be, or says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIX = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0x100000001B3)
_QUOTE, _BACKSLASH, _SPACE = np.uint8(34), np.uint8(92), np.uint8(32)
_TAB, _RETURN, _LINE = np.uint8(9), np.uint8(13), np.uint8(10)
_COMMA, _COLON, _LIST, _END = np.uint8(44), np.uint8(58), np.uint8(91), np.uint8(93)
_OPEN, _CLOSE, _NOT_ASCII = np.uint8(123), np.uint8(125), np.uint8(128)
_ZERO, _NINE, _DIGITS = np.uint8(48), np.uint8(57), 15
_KEY, _ITEM, _AFTER_ITEM, _AFTER_MEMBER, _CLOSED = 0, 1, 2, 3, 4
ALL, ODD, FULL = 0, 1, 2
"""Why reading ended: all was read; a line is not plain; there is no place for more labels."""


class Names(NamedTuple):
    """The names of classes as bytes, and after them the key of a node's value.

    Attributes
    ----------
    text, at
        The names, and where each begins.
    skips
        Whether keys of a record that are no classes are passed over; their values are texts or
        numbers.
    """

    text: NDArray[np.uint8]
    at: NDArray[np.int64]
    skips: bool


class Words(NamedTuple):
    """The labels met so far, in a hash table.

    Attributes
    ----------
    slots
        The code of a label, counted from 1, where its hash value says; a power of two of them.
    text, at, kind
        The values as bytes, where each begins, and the class of each.
    last
        Scratch, zeros: the last family that each label was met in.
    so_far
        How many labels and families there were, and where to go on in the text to be read.
    """

    slots: NDArray[np.int32]
    text: NDArray[np.uint8]
    at: NDArray[np.int64]
    kind: NDArray[np.int32]
    last: NDArray[np.int64]
    so_far: NDArray[np.int64]


class Nodes(NamedTuple):
    """Where nodes go: labels and parents, and where each record ends."""

    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    ends: NDArray[np.int64]


class Way(NamedTuple):
    """Scratch: for each node on the way down to where we read, what is known of it.

    Attributes
    ----------
    node, kind
        Itself, -1 for the record, and its class.
    keys
        A bit for each class that it has had as a key.
    member, listed, family
        The class of the key at hand, whether its nodes stand in an array, and their number.
    """

    node: NDArray[np.int64]
    kind: NDArray[np.int64]
    keys: NDArray[np.uint64]
    member: NDArray[np.int64]
    listed: NDArray[np.bool_]
    family: NDArray[np.int64]


@inner
def _past_space(text, at):
    while text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
        at += 1
    return at


@inner
def _string_end(text, at):
    """Return where a string ends that begins at a place; -1 if it is not plain."""
    while text[at] != _QUOTE:
        if text[at] == _BACKSLASH or text[at] < _SPACE:
            return np.int64(-1)
        at += 1
    return at


@inner
def _same(one, at, other, begin, size):
    i = np.int64(0)
    while i < size and one[at + i] == other[begin + i]:
        i += 1
    return i == size


@inner
def _named(text, first, last, name_text, name_at):
    """Return the class that a key names; their number for the key of a value, -1 for none."""
    for name in range(name_at.size - 1):
        begin, size = name_at[name], name_at[name + 1] - name_at[name]
        if size == last - first and _same(text, first, name_text, begin, size):
            return np.int64(name)
    return np.int64(-1)


@inner
def _code_of(text, first, last, kind, slots, word_text, word_at, kinds, count):
    """Return the code of a label, a new one if need be; -1 if there is no place for it."""
    mixed = np.uint64(kind + 1) * _MIX
    for i in range(first, last):
        mixed = (mixed ^ np.uint64(text[i])) * _PRIME
    mask = slots.size - 1
    place = np.int64((mixed * _MIX) >> np.uint64(32)) & mask
    while slots[place]:
        code = np.int64(slots[place] - 1)
        begin, size = word_at[code], word_at[code + 1] - word_at[code]
        if (
            kinds[code] == kind
            and size == last - first
            and _same(text, first, word_text, begin, size)
        ):
            return code
        place = (place + 1) & mask
    code = count[0]
    begin = word_at[code]
    if code >= kinds.size or begin + last - first > word_text.size:
        return np.int64(-1)
    for i in range(last - first):
        word_text[begin + i] = text[first + i]
    word_at[code + 1] = begin + last - first
    kinds[code] = kind
    slots[place] = code + 1
    count[0] += 1
    return code


@njit
def enter_words(
    words: Words, kind: NDArray[np.int32], text: NDArray[np.uint8], at: NDArray[np.int64]
) -> None:
    """Give new labels their codes, in order; there is place for them."""
    slots, word_text, word_at, kinds, _, count = words
    for word in range(kind.size):
        _code_of(
            text, at[word], at[word + 1], np.int64(kind[word]), slots, word_text, word_at, kinds,
            count,
        )  # fmt: skip


@inner
def _past_number(text, at):
    """Return what comes after a whole number of few digits, or -1 if none stands here."""
    first = at
    while _ZERO <= text[at] <= _NINE:
        at += 1
    if at == first or at - first > _DIGITS or (text[first] == _ZERO and at > first + 1):
        return np.int64(-1)
    return at


@inner
def _past_text(text, at):
    """Return what comes after a plain text of ASCII or a number, or -1 if none stands here."""
    if text[at] != _QUOTE:
        return _past_number(text, at)
    last = _string_end(text, at + 1)
    for i in range(at + 1, last):
        if text[i] >= _NOT_ASCII:
            return np.int64(-1)
    return last + 1 if last >= 0 else last


@inner
def _stands_before(text, first, last, skipped, count):
    """Return whether a key was passed over before; it is remembered, -1 if there are too many."""
    for i in range(count):
        size = skipped[i, 1] - skipped[i, 0]
        if size == last - first and _same(text, first, text, skipped[i, 0], size):
            return True
    if count < skipped.shape[0]:
        skipped[count, 0], skipped[count, 1] = first, last
    return count >= skipped.shape[0]


@inner
def _key(text, at, depth, name_text, name_at, skips, kinds, keys, member, skipped, count):
    """Read a key and its colon; return where its nodes begin, and how many keys were passed over.

    -1 if it is not plain; with another number of keys passed over, its value was, too.
    """
    odd = np.int64(-1)
    if text[at] != _QUOTE:
        return odd, count
    last = _string_end(text, at + 1)
    if last < 0:
        return odd, count
    kind = _named(text, at + 1, last, name_text, name_at)
    first, at = at + 1, _past_space(text, last + 1)
    if text[at] != _COLON:
        return odd, count
    at = _past_space(text, at + 1)
    if kind < 0 or kind == name_at.size - 2:
        for i in range(first, last):
            if text[i] >= _NOT_ASCII:
                return odd, count
        if depth or not skips or _stands_before(text, first, last, skipped, count):
            return odd, count
        return _past_text(text, at), count + 1
    bit = np.uint64(1) << np.uint64(kind)
    if kind <= kinds[depth] or keys[depth] & bit:
        return odd, count
    keys[depth] |= bit
    member[depth] = kind
    return at, count


@inner
def _value(text, at, name_text, name_at):
    """Return where the value of an object begins that was opened; -1 if it is not there."""
    at = _past_space(text, at)
    if text[at] != _QUOTE:
        return np.int64(-1)
    last = _string_end(text, at + 1)
    if last < 0 or _named(text, at + 1, last, name_text, name_at) != name_at.size - 2:
        return np.int64(-1)
    at = _past_space(text, last + 1)
    if text[at] != _COLON:
        return np.int64(-1)
    return _past_space(text, at + 1)


@inner
def _record(text, at, base, filled, names, words, nodes, way, skipped):
    """Read a record; return where its line ends, and the end of its nodes: ODD or FULL below 0."""
    name_text, name_at, skips = names  # taken out here: in the loop that would cost more than all
    slots, word_text, word_at, word_kind, seen, count = words
    new_label, new_parent, _ = nodes
    own, kinds, keys, member, listed, family = way
    odd, full = (np.int64(-ODD), filled), (np.int64(-FULL), filled)
    at = _past_space(text, at)
    if text[at] != _OPEN:
        return odd
    at, depth, state, passed = at + 1, 0, _KEY, np.int64(0)
    own[0], kinds[0], keys[0] = -1, -1, np.uint64(0)
    begun = True
    while True:
        at = _past_space(text, at)
        if state == _KEY:
            if begun and text[at] == _CLOSE:
                state = _CLOSED
                continue
            begun = False
            at, before = _key(
                text, at, depth, name_text, name_at, skips, kinds, keys, member, skipped, passed
            )
            if at < 0:
                return odd
            state = _ITEM
            if before != passed:
                passed, state = before, _AFTER_MEMBER
                continue
            count[1] += 1
            family[depth] = count[1]
            listed[depth] = text[at] == _LIST
            if listed[depth]:
                at = _past_space(text, at + 1)
                if text[at] == _END:
                    at, state = at + 1, _AFTER_MEMBER
        elif state == _ITEM:
            opens = text[at] == _OPEN
            if opens:
                at = _value(text, at + 1, name_text, name_at)
                if at < 0:
                    return odd
            if text[at] != _QUOTE:
                return odd
            last = _string_end(text, at + 1)
            if last < 0:
                return odd
            code = _code_of(
                text, at + 1, last, member[depth], slots, word_text, word_at, word_kind, count
            )
            if code < 0:
                return full
            if seen[code] == family[depth]:
                return odd
            seen[code] = family[depth]
            new_label[filled] = code
            new_parent[filled] = own[depth]
            filled += 1
            at, state = last + 1, _AFTER_ITEM
            if opens:
                depth += 1
                own[depth], kinds[depth] = base + filled - 1, member[depth - 1]
                keys[depth] = np.uint64(0)
                state = _AFTER_MEMBER
        elif state == _AFTER_ITEM:
            state = _AFTER_MEMBER
            if listed[depth]:
                if text[at] == _COMMA:
                    state = _ITEM
                elif text[at] != _END:
                    return odd
                at += 1
        elif state == _AFTER_MEMBER:
            if text[at] == _COMMA:
                at, state = at + 1, _KEY
            else:
                state = _CLOSED
        else:
            if text[at] != _CLOSE:
                return odd
            at += 1
            if depth == 0:
                at = _past_space(text, at)
                return (at, filled) if text[at] == _LINE else odd
            depth, state = depth - 1, _AFTER_ITEM


@njit
def read_records(
    text: NDArray[np.uint8],
    base: int,
    names: Names,
    words: Words,
    nodes: Nodes,
    way: Way,
    skipped: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Read lines from where `words` says on, up to the first that is not plain.

    The text ends with a line feed. `base` is the number of the first node. Returns how many
    records and nodes were read, and why that was all; `words` says where to go on.
    """
    at, filled, records = words.so_far[2], np.int64(0), np.int64(0)
    while at < text.size:
        known = words.so_far[0]
        last, end = _record(text, at, base, filled, names, words, nodes, way, skipped)
        if last < 0:
            _forget(words, known)
            return int(records), int(filled), int(-last)
        filled, at = end, last + 1
        nodes.ends[records] = base + filled
        records += 1
        words.so_far[2] = at
    return int(records), int(filled), ALL


@inner
def _forget(words, known):
    """Take labels back that were first met in a line which is not taken."""
    for place in range(words.slots.size if words.so_far[0] > known else 0):
        if words.slots[place] > known:
            words.slots[place] = 0
    words.so_far[0] = known
