"""What an attacker finds in a freeform release of Adult, beside one in groups by `best`.

Seven quasi columns, occupation and salary class sensitive. The attacker knows everybody's quasi
values and the k matchings, and is given naive Bayes fitted on the private table; then also the rows
of 100 people. Rates are of people found, those alike in all quasi columns counted in part, and in
brackets of people whose quasi values were named rightly; means of so many draws. Then the entropy
of the shifts that drew the matching, and whether every pair is drawn once in k.

Run: .venv/bin/python benchmarks/freeform_attack.py [k] [draws]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from math import lgamma, log

import numpy as np
from scipy.stats import chi2

from _common import ADULT, adult, adult_plan
from indistinct import anonymize
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.publishing.matching import drawn_sources
from indistinct.risk.attacks.candidates import Candidates
from indistinct.risk.attacks.likelihood import Target
from indistinct.risk.attacks.matched import people_of, target_in_groups

SENSITIVE = ("occupation", "salary-class")
KNOWN, MANY_DRAWS = 100, 300


def rates(target, named, rows):
    """People found, and people whose quasi values were named rightly, among some rows."""
    alike = target.people.alike
    right = alike[named] == alike[target.truth]
    return 100 * target.credit(named)[rows].mean(), 100 * right[rows].mean()


def attacked(target, random):
    """Rates of a guess, of the attacker, and among the others with and without known rows."""
    pairs, weights = target.candidates, target.fitted_on_people()
    every = np.ones(pairs.rows, dtype=bool)
    others = every.copy()
    known = random.permutation(pairs.rows)[:KNOWN]
    others[known] = False
    guess = pairs.likeliest(np.zeros(weights.size), random)
    alone = pairs.likeliest(pairs.beliefs(weights), random)
    told = pairs.likeliest(pairs.beliefs(pairs.known(weights, known, target.truth)), random)
    found = [rates(target, guess, every), rates(target, alone, every)]
    whole = pairs.likeliest_matchings(weights, random)
    found += [] if whole is None else [rates(target, whole, every)]
    found += [rates(target, alone, others), rates(target, told, others)]
    return np.array(found)


def table(title, names, found):
    print(title)
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    for name, (people, values), (spread, _) in zip(names, means, errors, strict=True):
        print(f"  {name:45} {people:6.2f} % +- {spread:.2f}   ({values:.2f} %)")


def main():
    k, draws = (int(word) for word in [*sys.argv[1:], "5", "20"][:2]) if sys.argv[2:] else (5, 20)
    quasi = [name for name in ADULT if name not in SENSITIVE]
    content = adult_plan(
        quasi, require=[{"model": "k-anonymity", "k": k}], method={"name": "freeform"}
    )
    content["columns"] |= {name: {"role": "sensitive"} for name in SENSITIVE}
    release = anonymize(adult(), content | {"unlisted": "drop"})
    matching, people = release.recoding, people_of(release.table)
    pairs = Candidates.of_matching(matching.sources, matching.components())
    plan, random = Plan.load(content | {"unlisted": "drop"}), np.random.default_rng(1)
    found, spent, counts = [], [], np.zeros(matching.sources.shape)
    for number in range(max(draws, MANY_DRAWS)):
        truth, told = drawn_sources(matching, plan, ())
        counts += matching.sources == truth[:, None]
        spent.append(told["entropy_of_shifts"])
        if number < draws:
            values = tuple(column[truth] for column in people.sensitive)
            found.append(attacked(Target(people, pairs, values, truth), random))
    groups = target_in_groups(release.table, pose_problem(release.table, plan))
    beside = [attacked(replace(groups, random=random), random) for _ in range(3)]
    names = ["a guess", "likelihood", "others, likelihood", f"others, {KNOWN} rows known"]
    print(f"k = {k}, {matching.rows} rows, loss {release.measures.gcp:.4f}, {draws} draws")
    table("freeform", [*names[:2], "likeliest matching of components", *names[2:]], found)
    table("groups by best", names, beside)
    entropy(k, spent)
    marginals(counts, max(draws, MANY_DRAWS))


def entropy(k, spent):
    fewest = log((k - 1) ** (k - 1) / k ** (k - 2))
    print(
        f"nats a row: shifts {np.mean(spent):.3f}; all matchings alike at least {fewest:.3f}, at "
        f"most {lgamma(k + 1) / k:.3f} as in groups of k"
    )


def marginals(counts, draws):
    k = counts.shape[1]
    statistic = ((counts - draws / k) ** 2 / (draws / k)).sum(axis=1)
    print(
        f"marginals of {draws} draws: chi-square of a row {statistic.mean():.3f} on average, "
        f"{k - 1} expected; p < 0.01 for {np.mean(chi2.sf(statistic, k - 1) < 0.01):.2%} of rows; "
        f"rates of a pair vary by {(counts / draws).std():.5f}, "
        f"expected {np.sqrt((1 / k) * (1 - 1 / k) / draws):.5f}"
    )


if __name__ == "__main__":
    main()
