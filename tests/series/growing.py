"""Private tables that follow each other: people come, leave, move and fall ill."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from indistinct import Ledger, anonymize

QUASI = ["age", "sex"]


def plan_of(k=2, require=(), *, cohort=None, method="mondrian", suppression=1.0, **more):
    """A plan whose releases show a tag for everybody, by which rows can be followed."""
    series = {"person": "id"} | ({"cohort": cohort} if cohort else {})
    return {
        "columns": {
            "id": {"role": "identifier"},
            "tag": {"role": "other"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}, "publish": "range"},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "disease": {"role": "sensitive"},
        },
        "accept": [{"column": "tag", "reason": "rows are to be followed"}],
        "require": [{"model": "k-anonymity", "k": k}, *require],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        "publish": "exact",
        "series": series,
        "seed": 1,
        **more,
    }


def table_of(people):
    """People by number, with age, sex and disease, as a private table."""
    rows = [
        {"id": f"id {name}", "tag": f"tag {name}", "age": age, "sex": sex, "disease": disease}
        for name, (age, sex, disease) in people.items()
    ]
    return pa.Table.from_pylist(rows)


def series_of(tables, plan):
    """Release after release, and the ledger of the last."""
    ledger, releases = Ledger(), []
    for table in tables:
        release = anonymize(table, plan, series=ledger)
        ledger = release.ledger
        releases.append(release)
    return releases


def one_by_one(tables, plan):
    """The same releases, none of which knows of the others."""
    alone = {key: value for key, value in plan.items() if key != "series"}
    return [anonymize(table, alone) for table in tables]


def rows_of(releases):
    """What each release shows, row by row."""
    return [release.rows.to_pylist() for release in releases]


def monthly(people, months, *, change, seed=0):
    """Tables of as many months: of everybody a share leaves, is replaced, or moves, every month."""
    draw = np.random.default_rng(seed)
    now = {name: _somebody(draw) for name in range(people)}
    tables, came = [], people
    for _ in range(months):
        tables.append(table_of(now))
        some = draw.permutation(list(now))[: int(change * people)]
        for place, name in enumerate(some.tolist()):
            if place % 2:
                age, sex, _ = now[name]
                now[name] = (min(age + int(draw.integers(1, 9)), 89), sex, _ill(draw))
            else:
                del now[name]
                now[came], came = _somebody(draw), came + 1
    return tables


def _somebody(draw):
    return int(draw.integers(20, 90)), "fm"[int(draw.integers(2))], _ill(draw)


def _ill(draw):
    return ["flu", "asthma", "gastritis", "bronchitis"][int(draw.integers(4))]
