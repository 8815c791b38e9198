"""Six releases about the same people, as a series and one by one: loss, suppression, what is left.

Every month 10 % change: 4 % leave, 4 % come, and 2 % have other marital status, work class and
schooling than before. Arguments: how many people (20,000), and cohorts (100,200,400).
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from time import perf_counter

import numpy as np
import pyarrow as pa

from _common import census_quasi
from indistinct import Ledger, anonymize
from indistinct.datasets import census
from indistinct.errors import CannotMeetError

PEOPLE = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
COHORTS = [int(part) for part in (sys.argv[2] if len(sys.argv) > 2 else "100,200,400").split(",")]
MONTHS = 6
K, L = 5, 3
MOVING = ("marital", "work_class", "education")


def tables():
    """The private table of each month."""
    draw = np.random.default_rng(1)
    drawn = census(PEOPLE * 2, seed=3)
    everybody = {name: np.array(drawn[name].to_pylist()) for name in drawn.column_names}
    inside, came = np.arange(PEOPLE), PEOPLE
    for _ in range(MONTHS):
        now = {name: pa.array(values[inside]) for name, values in everybody.items()}
        yield pa.table({"id": pa.array([f"person {n}" for n in inside.tolist()]), **now})
        inside = draw.permutation(inside)[PEOPLE * 4 // 100 :]
        movers = inside[: PEOPLE * 2 // 100]
        others = draw.permutation(PEOPLE)[: movers.size]
        for name in MOVING:
            everybody[name][movers] = everybody[name][others]
        inside = np.append(inside, np.arange(came, came + PEOPLE * 4 // 100))
        came += PEOPLE * 4 // 100


def plan_of(**more):
    others = {"id": {"role": "identifier"}, "occupation": {"role": "sensitive"}}
    return {
        "columns": census_quasi() | others | {"salary": {"role": "drop"}},
        "require": [{"model": "k-anonymity", "k": K}, {"model": "l-diversity", "l": L}],
        "limits": {"suppression": 0.15},
        **more,
    }


def joined(releases, months):
    """Follow everybody through all releases: how many people have too few of their history."""
    history, values = defaultdict(lambda: [None] * MONTHS), {}
    for number, (release, table) in enumerate(zip(releases, months, strict=False)):
        names = table["id"].to_pylist()
        cells = release.rows.drop_columns(["occupation"]).to_pylist()
        ills = release.rows["occupation"].to_pylist()
        for row, cell, ill in zip(release.published.source.tolist(), cells, ills, strict=True):
            history[names[row]][number] = tuple(cell.values())
            values[names[row]] = ill
    alike = Counter(map(tuple, history.values()))
    diverse = defaultdict(set)
    for name, cells in history.items():
        diverse[tuple(cells)].add(values[name])
    few = sum(alike[tuple(cells)] < K for cells in history.values())
    told = sum(len(diverse[tuple(cells)]) < L for cells in history.values())
    return (
        f"fewest alike {min(alike.values())}, below k {few:,}, below l {told:,} of {len(history):,}"
    )


def main():
    months = list(tables())
    start = perf_counter()
    releases = [anonymize(table, plan_of()) for table in months]
    tell("one by one", releases, months, start)
    for cohort in COHORTS:
        start, ledger, releases = perf_counter(), Ledger(), []
        for table in months:
            asked = plan_of(series={"person": "id", "cohort": cohort})
            try:
                releases.append(anonymize(table, asked, series=ledger))
            except CannotMeetError as error:
                print(f"cohorts of {cohort}, month {len(releases) + 1}: {error}")
                break
            ledger = releases[-1].ledger
        tell(f"cohorts of {cohort}", releases, months, start)


def tell(name, releases, months, start):
    losses = ", ".join(f"{release.measures.gcp:.3f}" for release in releases)
    left_out = ", ".join(f"{release.suppressed_rows / PEOPLE:.1%}" for release in releases)
    took = perf_counter() - start
    print(f"{name}: GCP {losses}; suppressed {left_out}; {joined(releases, months)}; {took:.0f} s")


if __name__ == "__main__":
    main()
