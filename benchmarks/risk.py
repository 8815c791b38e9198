"""Risks and attacks on generated census rows: in seconds and in S.

S is one np.lexsort of the coded quasi columns. Times are hot, the better of two.

Run: .venv/bin/python benchmarks/risk.py [rows]
"""

from __future__ import annotations

import sys

from _common import census_quasi, lexsort_seconds, seconds
from indistinct import anonymize, attack
from indistinct.datasets import census
from indistinct.io.encoding import encode
from indistinct.model.table import frequency_set
from indistinct.plan import Plan
from indistinct.risk import population_uniques, release_risk
from indistinct.risk.attacks.composition import composed
from indistinct.risk.before_after import Attackers, table_risk
from indistinct.risk.uniques import minimal_uniques


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    data = census(rows=rows, seed=1)
    quasi = list(census_quasi())
    sensitive = next(name for name in data.column_names if name not in quasi)
    eight = data.column_names[:8]
    coded = [encode(data.column(name), name) for name in eight]
    sizes = [len(column.domain.values) for column in coded]
    unit = lexsort_seconds([column.codes for column in coded[: len(quasi)]])
    print(f"{rows:,} rows; S = {unit * 1e3:.0f} ms; columns: {', '.join(eight)}")
    distinct = frequency_set([column.codes for column in coded], sizes)

    plan = Plan.load(
        {
            "columns": census_quasi() | {sensitive: {"role": "sensitive"}},
            "require": [{"model": "k-anonymity", "k": 10}],
            "method": {"name": "mondrian"},
            "unlisted": "drop",
        }
    )
    release = anonymize(data, plan)
    optimal = plan.overridden({"method": {"name": "optimal"}, "limits": {"suppression": 0.02}})
    whole = anonymize(data, optimal)
    people = data.slice(0, rows // 10)
    on = {name: name for name in quasi}
    jobs = {
        "distinct rows of 8 columns": lambda: frequency_set([c.codes for c in coded], sizes),
        "minimal uniques, 8 columns, sets of up to 4": lambda: minimal_uniques(
            distinct, eight, sizes
        ),
        "risk of the private table": lambda: table_risk(data, quasi, Attackers(plan=plan)),
        "risk before and after": lambda: release_risk(release),
        "population uniques, two estimators": lambda: population_uniques(distinct.counts, 0.1),
        "homogeneity, background knowledge, skewness": lambda: attack(release.rows, plan=plan),
        f"linking {rows // 10:,} people to groups (mondrian)": lambda: attack(
            release.rows, people, on=on, plan=plan, only=["linking"]
        ),
        f"linking {rows // 10:,} people to whole columns (optimal)": lambda: attack(
            whole.rows, people, on=on, plan=plan, only=["linking"]
        ),
        f"composition of the two, {rows // 10:,} people": lambda: composed(
            whole.rows, release.rows, plan, k=10, people=people
        ),
        "composition of the two, releases alone": lambda: composed(
            whole.rows, release.rows, plan, k=10
        ),
    }
    for name, job in jobs.items():
        job()
        took, _ = seconds(job, repeat=2)
        print(f"{name}: {took:.2f} s, {took / unit:.1f} S", flush=True)


if __name__ == "__main__":
    main()
