"""Sorting by keys: one loop for all kernels, where numpy's takes a second to compile."""

from __future__ import annotations

from indistinct.kernels.compiled import inner


@inner
def sort_by_key(keys, chosen, count):
    """Sort the first `count` of some that are chosen by their keys, all different (a heap sort)."""
    for i in range(1, count):  # every parent (at // 2) beyond its children
        at, held = i, chosen[i]
        while at > 0 and keys[chosen[(at - 1) // 2]] < keys[held]:
            chosen[at] = chosen[(at - 1) // 2]
            at = (at - 1) // 2
        chosen[at] = held
    for end in range(count - 1, 0, -1):
        held = chosen[end]
        chosen[end] = chosen[0]
        at, child = 0, 1
        while child < end:
            if child + 1 < end and keys[chosen[child]] < keys[chosen[child + 1]]:
                child += 1
            if keys[chosen[child]] <= keys[held]:
                break
            chosen[at] = chosen[child]
            at, child = child, 2 * child + 1
        chosen[at] = held
