"""An attacker who knows at most L columns (LKC-privacy, k^m): each L of them stated as a set."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, verify

NAMES = list("abcd")


def plan_of(method, known, k):
    """A plan in which every so many columns are a quasi-identifier of their own."""
    paths = [[value, "low" if value < "3" else "high", "*"] for value in "12345"]
    return {
        "columns": {n: {"role": "quasi", "hierarchy": {"paths": paths}} for n in NAMES},
        "sets": {"".join(some): {"columns": list(some)} for some in combinations(NAMES, known)},
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        "publish": "node",
        "limits": {"suppression": 0.1},
    }


def table(seed, size=40):
    drawn = np.random.default_rng(seed)
    return pa.table({name: drawn.choice(list("12345"), size) for name in NAMES})


def rarest(rows, known):
    """How many rows hold the rarest combination of values of at most so many columns."""
    found = []
    for size in range(1, known + 1):
        for some in combinations(NAMES, size):
            found += Counter(tuple(row[name] for name in some) for row in rows).values()
    return min(found)


@pytest.mark.parametrize("method", ["optimal", "samarati", "mondrian", "best", "levels-and-stars"])
@pytest.mark.parametrize("known", [1, 2, 3])
def test_every_combination_of_so_many_columns_is_held_by_k(method, known):
    for seed in range(2):
        plan = plan_of(method, known, 3)
        release = anonymize(table(seed), plan)
        assert rarest(release.rows.to_pylist(), known) >= 3
        assert len(release.evidence) == len(plan["sets"])
        assert all(evidence.holds for evidence in verify(release.frame, plan).evidence)


def test_it_costs_less_than_hiding_from_one_who_knows_all():
    lost = [anonymize(table(1), plan_of("optimal", known, 3)).measures.gcp for known in (1, 2, 4)]
    assert lost == sorted(lost)
    assert lost[0] < lost[2]
