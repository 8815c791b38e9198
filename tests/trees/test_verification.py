"""The check finds the same on many records as on few: with tables, and by several walks at once."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.trees import verification
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.verification import first_violation
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, drawn_nodes, grow

VALUES = {
    "hospital": ["North", "Lake"],
    "disease": ["Flu", "Gout", "Asthma"],
    "treatment": ["Rest", "Tea", "Pills"],
}


def drawn(seed, records):
    generator = np.random.default_rng(seed)
    return grow(CARE, [drawn_nodes(generator, CARE_BELOW, VALUES) for _ in range(records)])


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_tables_and_walks_find_what_buckets_find(monkeypatch, m, n):
    held = broken = 0
    for seed in range(12):
        forest = drawn(seed, 400)
        smallest = min(oracle.counted(oracle.records_of(forest), m, n).values())
        for k in {2, smallest, smallest + 1}:
            asked = Knowledge(k, m, n)
            with monkeypatch.context() as patch:
                patch.setattr(verification, "_LARGEST_TABLE", 0)
                by_buckets = first_violation(forest, asked)
                patch.setattr(verification, "_FEW", 0)
                assert first_violation(forest, asked) == by_buckets
            assert first_violation(forest, asked) == by_buckets
            assert (by_buckets is None) == (k <= smallest)
            held, broken = held + (by_buckets is None), broken + (by_buckets is not None)
    assert min(held, broken) > 5
