"""`ac` for l with groups seeded hardest first, beside the paper's groups and what none can exceed.

Run: .venv/bin/python benchmarks/hardest_first.py [rows]

On a generated census, for every choice of three quasi columns, age and education as ranges: in how
many cases l of 2 or more is reached within a bound, and processor seconds of all searches.
"""

from __future__ import annotations

import sys
from itertools import combinations
from time import process_time

from _common import task_of
from indistinct.datasets import census, census_ladders
from indistinct.errors import CannotMeetError
from indistinct.methods.common.orders import mapped
from indistinct.methods.partition.accuracy import AccuracyBound
from indistinct.methods.partition.hardest_first import HardestFirst

LIMITS, LEAST = (0.2, 0.3, 0.4), 2


def posed(people, columns, limit, *, hardest_first):
    """`ac` and its problem, of some columns."""
    ladders = census_ladders()
    ranges = {"age", "education"}
    quasi = {
        name: {"role": "quasi", "hierarchy": {"paths": ladders[name]}}
        | ({"publish": "range"} if name in ranges else {})
        for name in columns
    }
    plan = {
        "columns": quasi | {"occupation": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": LEAST}],
        "accuracy": {"max_ncp": limit, "maximize": "l"},
        "method": {"name": "ac", "hardest_first": hardest_first},
    }
    return task_of(people.select([*columns, "occupation"]), plan, grouping=True)


def reached(method, problem):
    """The l that a method reaches; 1 where it fails."""
    try:
        return method.search(problem).search["reached"]
    except CannotMeetError:
        return 1


def at_most(problem):
    """The l that no grouping can exceed."""
    bound = AccuracyBound.of(problem)
    return HardestFirst(problem, bound, mapped(problem, "hilbert").order, bound.column().codes).most


def main():
    people = census(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, seed=1)
    choices = list(combinations(census_ladders(), 3))
    for limit in LIMITS:
        start = process_time()
        jobs = {
            first: [posed(people, columns, limit, hardest_first=first) for columns in choices]
            for first in (False, True)
        }
        along, first = (sum(reached(*job) >= LEAST for job in jobs[f]) for f in (False, True))
        most = sum(at_most(problem) >= LEAST for _, problem in jobs[True])
        print(
            f"max_ncp {limit}: l >= {LEAST} along the order {along}, hardest first {first}, "
            f"at most {most} of {len(choices)}; {process_time() - start:.1f} s"
        )


if __name__ == "__main__":
    main()
