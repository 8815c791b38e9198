"""Public figures solved for the people who were left out: nothing follows.

Whoever has the release can compute every figure for every guess at the rows that are missing, and
keep the guesses that fit. So two private tables that differ only in few rows left out, and are
released alike, must give the same public figures, to the last digit.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import IndistinctError
from tests.profiles import examples

K = 5
DISEASES = ["flu", "gout", "HIV", "asthma"]
METHODS = ["optimal", "k-optimize", "cell-suppression"]
HIERARCHIES = ["flat", {"mask": "right"}, {"intervals": [10, 50]}, {"paths": [
    [str(code), str(code)[:2], "*"] for code in range(1000, 1130)
]}]  # fmt: skip


def asked(hierarchy, method):
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": hierarchy},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "disease": {"role": "sensitive"},
        },
        "require": [
            {"model": "k-anonymity", "k": K},
            {"model": "t-closeness", "t": 0.9, "column": "disease"},
        ][: 2 if method == "optimal" else 1],
        "method": {"name": method},
        "limits": {"suppression": 0.2},
        "seed": 7,
    }


def made(people, hierarchy, method):
    columns = zip(*people, strict=True)
    table = pa.table(dict(zip(("zip", "sex", "disease"), columns, strict=True)))
    return anonymize(table, asked(hierarchy, method))


def told(release):
    return release.report_facts(audience="public").as_json()


def shown(release, people):
    """Count the published rows, each with the private row behind it."""
    behind = (people[row] for row in release.published.source)
    return Counter(zip(map(str, release.rows.to_pylist()), behind, strict=True))


crowd = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from("fm"), st.integers(5, 8)), min_size=2, max_size=4
)
strangers = st.lists(
    st.tuples(st.integers(1100, 1129), st.sampled_from("fm"), st.sampled_from(DISEASES)),
    min_size=1,
    max_size=K - 1,
)


@pytest.mark.parametrize("method", METHODS)
@examples(20)
@given(crowd, st.tuples(strangers, strangers), st.sampled_from(HIERARCHIES), st.randoms())
def test_tables_that_differ_in_rows_left_out_tell_the_same(method, crowd, left, hierarchy, draw):
    known = [
        (1000 + 7 * zip_code, sex, draw.choice(DISEASES))
        for zip_code, sex, count in crowd
        for _ in range(count)
    ]
    tables = [[*known, *few] for few in left]
    try:
        first, second = (made(people, hierarchy, method) for people in tables)
    except IndistinctError:
        return
    few_left_out = all(0 < release.suppressed_rows < K for release in (first, second))
    if few_left_out and shown(first, tables[0]) == shown(second, tables[1]):
        assert told(first) == told(second)


def test_levels_of_a_hierarchy_made_of_the_data_are_not_told():
    """Whether `10**` is a level of its own depends on a value that only a left-out row has."""
    known = [(1000, "f", "flu")] * 10
    few = [(1101, "f", "flu"), (1101, "m", "flu"), (1110, "f", "flu"), (1110, "f", "flu")]
    other = [(1100, "m", "flu"), (1101, "f", "flu"), (1110, "f", "flu"), (1110, "f", "flu")]
    releases = [made([*known, *left], {"mask": "right"}, "optimal") for left in (few, other)]
    assert [release.levels["zip"] for release in releases] == [2, 3]
    assert told(releases[0]) == told(releases[1])
    assert told(releases[0])["levels"]["zip"] == "withheld"


def kept_by(release, column, extra):
    """Compute how much of a column's distribution is kept if some more people had been there."""
    after = Counter(row[column] for row in release.rows.to_pylist())
    before = after + Counter(extra)
    n, m = sum(after.values()), sum(before.values())
    gone = 0.5 * sum(abs(after[v] / n - before[v] / m) for v in before)
    return float(f"{1 - gone:.3g}")


def test_the_solver_finds_every_guess_as_good_as_the_truth():
    known = [(22030 + i % 3, "fm"[i % 2], DISEASES[i % 4]) for i in range(90)]
    few = [(94110, "f", "HIV"), (94111, "m", "HIV"), (94112, "m", "asthma")]
    release = made([*known, *few], "flat", "optimal")
    assert release.suppressed_rows == len(few)
    public = told(release)
    n = public["released_rows"]
    numbers = [x for x in range(K) if float(f"{x / (n + x):.3g}") == public["measures"]["gcp"]]
    assert numbers == [0], "as if nobody had been left out"
    figures = {found["column"]: found["kept"] for found in public["distributions"]}
    guesses = [
        guess
        for count in range(K)
        for guess in combinations_with_replacement([*DISEASES, "(new)"], count)
        if kept_by(release, "disease", guess) == figures["disease"]
    ]
    assert (guesses[0], figures["disease"]) == ((), 1.0)
    assert release.measures.gcp > 0.03
    inner = next(c for c in release.findings.distributions if c.column == "disease")
    assert inner.kept < 1, "the house keeps the full figure"
