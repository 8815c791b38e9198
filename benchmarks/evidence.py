"""What the evidence of a release costs: risk, measures, attacks and the report, in units of S.

A million generated census rows (seven quasi and two sensitive columns), released by `mondrian` for
k = 5. The data cube is that of two quasi columns with the first sensitive one.

Run: .venv/bin/python benchmarks/evidence.py [rows]
"""

from __future__ import annotations

import sys

from _common import lexsort_seconds, seconds
from indistinct import anonymize
from indistinct.datasets import census, census_ladders
from indistinct.measures.associations import associations
from indistinct.measures.marginals import released_counts
from indistinct.report import facts_of, find, for_public, render
from indistinct.report.findings import _attacks, _cube, _losses
from indistinct.risk import release_risk


def released(rows):
    ladders = census_ladders()
    data = census(rows, seed=1)
    quasi = {n: {"role": "quasi", "hierarchy": {"paths": paths}} for n, paths in ladders.items()}
    sensitive = {n: {"role": "sensitive"} for n in data.column_names if n not in ladders}
    require = [{"model": "k-anonymity", "k": 5}]
    asked = {"columns": quasi | sensitive, "require": require, "method": {"name": "mondrian"}}
    return anonymize(data, asked)


def report(release):
    release.__dict__.pop("associations", None)  # it is kept once measured
    facts = facts_of(release, "Release", findings=find(release))
    return render(facts), render(for_public(facts))


def main(rows=1_000_000):
    release = released(int(rows))
    unit = lexsort_seconds([column.codes for column in release.table.quasi])
    forms = release.plan.forms(release.table)
    parts = {
        "risk": lambda: release_risk(release),
        "losses of classes": lambda: _losses(release),
        "data cube, level 2": lambda: _cube(release),
        "attacks": lambda: list(_attacks(release)),
        "distributions": lambda: released_counts(release.table, release.recoding, forms),
        "associations": lambda: associations(release.table, release.recoding, forms),
        "all, and both reports": lambda: report(release),
    }
    print(f"{release}\nS = {unit:.3f} s")
    for name, job in parts.items():
        job()
        took = seconds(job)[0]
        print(f"{name:22} {took:6.2f} s  {took / unit:5.1f} S")


if __name__ == "__main__":
    main(*sys.argv[1:])
