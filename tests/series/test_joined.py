"""Joined by somebody who has all releases and follows every row, nobody falls below the promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Ledger, anonymize
from indistinct.errors import CannotMeetError, DataError, PlanError
from tests.oracle_series import fewest_alike, possible_people, shares_in_histories
from tests.series.growing import QUASI, monthly, one_by_one, plan_of, rows_of, series_of, table_of

DISTINCT = {"model": "l-diversity", "l": 2}
FREQUENT = {"model": "l-diversity", "kind": "frequency", "l": 2}

a_person = st.tuples(
    st.integers(20, 40), st.sampled_from("fm"), st.sampled_from(["flu", "asthma", "gastritis"])
)


@st.composite
def tables_in_a_row(draw):
    """Three private tables: people leave, come, and are other than before."""
    known, tables = {}, []
    for _ in range(3):
        now = {name: who for name, who in known.items() if draw(st.integers(0, 3))}
        for name in list(now):
            if not draw(st.integers(0, 4)):
                now[name] = draw(a_person)
        came = draw(st.lists(a_person, min_size=0 if now else 4, max_size=8))
        now |= {len(known) + place: who for place, who in enumerate(came)}
        if not now:
            now[len(known)] = draw(a_person)
        known |= now
        tables.append(table_of(now))
    return tables


@given(
    tables_in_a_row(),
    st.sampled_from([(), (DISTINCT,), (FREQUENT,)]),
    st.sampled_from([2, 4, None]),
    st.sampled_from(["mondrian", "best", "k-member"]),
)
def test_every_history_has_k_people_and_is_diverse_by_brute_force(tables, require, cohort, method):
    releases = _made(tables, plan_of(2, require, cohort=cohort, method=method))
    rows = rows_of(releases)
    if not rows:
        return
    assert fewest_alike(rows, "tag", QUASI) >= 2
    for values in shares_in_histories(rows, "tag", QUASI, "disease"):
        if DISTINCT in require:
            assert len(values) >= 2
        if FREQUENT in require:
            assert max(values.values()) <= sum(values.values()) / 2


@given(tables_in_a_row(), st.sampled_from([2, 3]))
def test_every_followed_row_may_be_one_of_k_people_in_some_world(tables, k):
    releases = _made(tables, plan_of(k))
    shown = tables[: len(releases)]
    known = [table.to_pylist() for table in shown]
    possible = possible_people(rows_of(releases), known, "tag", "id", QUASI)
    assert all(len(names) >= k for names in possible.values())


def _made(tables, plan):
    """Make the series; where nothing can be published of a table it ends before that."""
    releases = []
    for table in tables:
        ledger = releases[-1].ledger if releases else Ledger()
        try:
            releases.append(anonymize(table, plan, series=ledger))
        except (CannotMeetError, DataError, PlanError):  # nobody is left, or one value
            break
    return releases


@pytest.mark.parametrize("require", [(), (DISTINCT,), (FREQUENT,)])
def test_six_months_with_a_tenth_of_change_stand_and_fall_one_by_one(require):
    tables = monthly(600, 6, change=0.1)
    plan = plan_of(5, require, cohort=100, suppression=0.3)
    together, alone = rows_of(series_of(tables, plan)), rows_of(one_by_one(tables, plan))
    assert fewest_alike(together, "tag", QUASI) >= 5
    assert fewest_alike(alone, "tag", QUASI) == 1
    diverse = [len(values) for values in shares_in_histories(together, "tag", QUASI, "disease")]
    betrayed = [len(values) for values in shares_in_histories(alone, "tag", QUASI, "disease")]
    assert min(diverse) >= (2 if require else 1)
    assert min(betrayed) == 1
    assert [len(rows) for rows in together][-1] > 400


def test_one_by_one_somebody_is_the_only_one_who_could_have_produced_a_row():
    tables = monthly(60, 4, change=0.1)
    known = [table.to_pylist() for table in tables]
    plan = plan_of(3, cohort=30)
    alone = possible_people(rows_of(one_by_one(tables, plan)), known, "tag", "id", QUASI)
    together = possible_people(rows_of(series_of(tables, plan)), known, "tag", "id", QUASI)
    assert min(map(len, alone.values())) == 1
    assert min(map(len, together.values())) >= 3
