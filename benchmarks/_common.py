"""What the benchmarks share: the best of a few runs, and the unit S."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

SHARED = Path(__file__).parents[2] / "shared" / "data"


def seconds(job, repeat=3):
    """Return the least time of a few runs, and the last result."""
    least, result = float("inf"), None
    for _ in range(repeat):
        start = perf_counter()
        result = job()
        least = min(least, perf_counter() - start)
    return least, result


def lexsort_seconds(columns):
    """S: one np.lexsort of the coded quasi columns."""
    stacked = np.array(columns, dtype=np.int32)
    return seconds(lambda: np.lexsort(stacked), repeat=7)[0]


def adult_plan(quasi, **more):
    """A plan for the Adult extract with the hierarchies beside it."""
    columns = {
        name: {
            "role": "quasi",
            "hierarchy": {"csv": str(SHARED / "adult" / f"adult_hierarchy_{name}.csv")},
        }
        for name in quasi
    }
    return {"columns": columns, **more}


ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
