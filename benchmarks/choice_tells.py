"""What the choice of groups tells beyond the groups, where a rule reads sensitive values.

The attacker knows the code, the plan without its seed, the quasi-identifier table and how many
people have each sensitive value, but not who. For eight people he runs a method on every way to
deal the values out and in every order of equal rows, so he knows exactly how likely each way makes
each release. His best guess of a person's value by that is set against the best guess by the
shares of the person's class. Without a rule on sensitive values nothing can be gained.

Run: .venv/bin/python benchmarks/choice_tells.py [method ...]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pyarrow as pa

from indistinct.encode.table import encode_table
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.publishing.showing import shown

AGES = np.array([20, 20, 21, 21, 24, 24, 30, 31])
ILL = 3
K = {"model": "k-anonymity", "k": 2}
RULES = {
    "k = 2": [K],
    "l = 2, distinct": [K, {"model": "l-diversity", "l": 2}],
    "alpha = 0.5": [{"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["yes"]}],
    "t = 0.25": [K, {"model": "t-closeness", "t": 0.25}],
}
USUAL = ("best", "mondrian", "hilbert", "diversify", "topdown", "k-member", "alpha-k-topdown")
WIDTH = 18


class RowByRow:
    """A method that is given each row by itself: orders of rows are dealt out, not of entries."""

    groups_rows = True

    def __init__(self, method):
        self.method = method

    def copies_for(self, _):
        return "apart"


class Given:
    """Draws that are given, not drawn."""

    def __init__(self, ties, numbering):
        self.ties, self.numbering = ties, numbering

    def order(self, _):
        return self.ties

    def stream(self, _):
        return GivenStream(self.numbering)


class GivenStream:
    def __init__(self, numbering):
        self.numbering = numbering

    def order(self, _):
        return self.numbering


def all_ties():
    """Every order of the people of each age."""
    blocks = [np.flatnonzero(age == AGES) for age in np.unique(AGES)]
    for orders in product(*(permutations(block) for block in blocks)):
        yield np.concatenate(orders)


def plan_of(method, rule):
    return Plan.load(
        {
            "columns": {
                "age": {"role": "quasi", "hierarchy": {"intervals": [2, 4, 16]}},
                "ill": {"role": "sensitive"},
            },
            "require": RULES[rule],
            "method": {"name": method},
        }
    )


def releases(plan, ill):
    """The group of everyone, in each order of ties and with each numbering of the values."""
    table = encode_table(pa.table({"age": AGES, "ill": ["yes" if i else "no" for i in ill]}), plan)
    problem = pose_problem(table, plan)
    needed = plan.judged_columns()
    for ties, numbering in product(all_ties(), ([0, 1], [1, 0]) if needed else ([0, 1],)):
        rows = RowByRow(plan.method)
        entries = shown(problem, rows, needed, Given(ties, np.array(numbering)))
        found = plan.method.search(replace(problem, table=entries.table))
        yield found.of_entries(entries.of_row).groups


def told(groups, ill):
    """What the release shows: for each published range how many people and how many are ill."""
    found = defaultdict(lambda: np.zeros(2, dtype=int))
    of_row = []
    for row, group in enumerate(groups):
        ages = AGES[groups == group]
        of_row.append((int(ages.min()), int(ages.max())))
        found[of_row[-1]] += (1, ill[row])
    shares = np.array([found[span][1] / found[span][0] for span in of_row])
    return tuple(sorted((span, *counts.tolist()) for span, counts in found.items())), shares


def attacked(method, rule):
    """Return how often the guess by shares and the guess by the choice are right."""
    plan = plan_of(method, rule)
    weight = defaultdict(float)
    by_shares = defaultdict(lambda: np.zeros(AGES.size))
    by_choice = defaultdict(lambda: np.zeros(AGES.size))
    for chosen in combinations(range(AGES.size), ILL):
        ill = np.isin(np.arange(AGES.size), chosen)
        for groups in releases(plan, ill):
            release, shares = told(groups, ill)
            weight[release] += 1
            by_shares[release] += shares
            by_choice[release] += ill
    total = sum(weight.values()) * AGES.size
    right = [
        sum(np.maximum(c, weight[r] - c).sum() for r, c in counted.items()) / total
        for counted in (by_shares, by_choice)
    ]
    certain = max(
        np.max(by_choice[r][by_shares[r] < weight[r]] / weight[r], initial=0.0) for r in weight
    )
    return (*right, certain)


def main():
    print(f"{'':{WIDTH}}", *(f"{rule:>24}" for rule in RULES))
    print("right by shares, by the choice; the surest that somebody is ill whose class is mixed")
    for method in sys.argv[1:] or USUAL:
        cells = [
            f"{shares:.1%} {choice:.1%} {sure:.2f}"
            for shares, choice, sure in (attacked(method, rule) for rule in RULES)
        ]
        print(f"{method:{WIDTH}}", *(f"{cell:>24}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
