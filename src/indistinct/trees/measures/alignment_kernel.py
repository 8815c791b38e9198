"""What became of each node and relation of a private record in the published one."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.arrays import doubled
from indistinct.kernels.compiled import inner, njit


@njit
def versions(label, starts, new_label, new_starts, above):
    """Return for each node the most special published label of its record that generalizes it.

    -1 where there is none. A label's parents are walked up until one is in the published record.
    """
    found = np.full(label.size, -1, dtype=np.int32)
    seen = np.full(above.size, -1, dtype=np.int64)
    for record in range(starts.size - 1):
        for node in range(new_starts[record], new_starts[record + 1]):
            seen[new_label[node]] = record
        for node in range(starts[record], starts[record + 1]):
            code = label[node]
            while code >= 0 and seen[code] != record:
                code = above[code]
            found[node] = code
    return found


@inner
def relation_count(parent):
    """Count the ancestor-descendant relations."""
    depth = np.zeros(parent.size, dtype=np.int32)
    total = np.int64(0)
    for node in range(parent.size):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
            total += depth[node]
    return total


@njit
def relations_kept(parent, starts, version, new_label, new_parent, new_starts, width):
    """Return all relations (upper node, lower node), and whether the published record has each."""
    total = relation_count(parent)
    upper = np.empty(total, dtype=np.int32)
    lower = np.empty(total, dtype=np.int32)
    kept = np.zeros(total, dtype=np.bool_)
    said = np.empty(64, dtype=np.int64)
    at = 0
    for record in range(starts.size - 1):
        count = 0
        for node in range(new_starts[record], new_starts[record + 1]):
            over = new_parent[node]
            while over >= 0:
                if count == said.size:
                    said = doubled(said)
                said[count] = np.int64(new_label[over]) * width + new_label[node]
                count += 1
                over = new_parent[over]
        ordered = np.sort(said[:count])
        for node in range(starts[record], starts[record + 1]):
            over = parent[node]
            while over >= 0:
                upper[at] = over
                lower[at] = node
                if version[over] >= 0 and version[node] >= 0:
                    key = np.int64(version[over]) * width + version[node]
                    place = np.searchsorted(ordered, key)
                    kept[at] = place < count and ordered[place] == key
                at += 1
                over = parent[over]
    return upper, lower, kept
