"""Levels of whole columns, of more distinct rows than may be searched: the same as in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.engine.block import BlockSearch, _pairs
from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError, PlanError
from indistinct.measures.loss import Measures
from tests.engine.conftest import ENGINES
from tests.engine.test_blocks import people, plan_of, released
from tests.profiles import examples

QUASI = ["age", "zip", "sex"]


def outcome(make):
    """Return what was chosen, what it lost and what it shows; or that there is no release."""
    try:
        release, rows = make()
    except CannotMeetError as error:
        return type(error)
    measures = [getattr(release.measures, name) for name in Measures.__dataclass_fields__]
    shown = sorted(map(str, rows.to_pylist()))
    return release.levels, release.suppressed_rows, measures, release.sizes_before, shown


def here(private, plan):
    release = anonymize(private, plan | {"engine": {"name": "local"}})
    return release, release.rows


@examples(25)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(40, 300),
    k=st.integers(2, 8),
    suppression=st.sampled_from([0.0, 0.02, 0.1, 0.3]),
    loss=st.sampled_from(["gcp", "precision"]),
    more=st.sampled_from(
        [[], [{"model": "l-diversity", "l": 2}], [{"model": "t-closeness", "t": 0.3}]]
    ),
)
def test_levels_are_those_of_one_search(
    tmp_path_factory, *, seed, rows, k, suppression, loss, more
):
    private = people(rows, seed)
    plan = plan_of(1, k, method="optimal", more=more, suppression=suppression, loss=loss)
    whole = outcome(lambda: here(private, plan))
    if isinstance(whole, type):
        most = 30
    else:  # every vector that may be suppressed enough fits, and few others do
        allowed = int(suppression * rows) + rows // k
        most = max(allowed * (3 if more else 1), 8)
    plan["engine"]["max_distinct"] = most
    folder = tmp_path_factory.mktemp("levels")
    try:
        counted = outcome(lambda: released(folder, private, plan))
    except DataError as error:
        pytest.fail(str(error))
    if isinstance(whole, type):
        assert counted == whole
    else:
        levels, suppressed, measures, sizes, shown = counted
        assert (levels, suppressed, sizes) == (whole[0], whole[1], whole[3])
        if suppressed == 0 or plan["require"] == plan_of(1, k)["require"]:
            assert shown == whole[4]
            assert measures[2:] == pytest.approx(whole[2][2:])
        else:  # a draw decides whose rows of a class are suppressed
            assert len(shown) == len(whole[4])
        assert measures[1:2] == whole[2][1:2]


@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_of_columns_force_levels_on_every_engine(engine, request, tmp_path):
    if engine == "spark":
        request.getfixturevalue("spark")
    private = people(300, 3)
    plan = plan_of(70, 4, method="optimal", suppression=0.05)
    plan["engine"]["name"] = engine
    release, written = released(tmp_path, private, plan)
    one, rows = here(private, plan)
    assert release.levels == one.levels
    assert sorted(map(str, written.to_pylist())) == sorted(map(str, rows.to_pylist()))
    assert release.measures.gcp == pytest.approx(one.measures.gcp)
    assert release.recoding.search["proven_optimal"]
    assert release.recoding.search["counts"] > 0


def test_auto_for_whole_columns_counts_coarser_rows_too(tmp_path):
    private = people(300, 3)
    plan = plan_of(70, 4) | {"method": {"name": "auto", "recoding": "global"}}
    release, _ = released(tmp_path, private, plan)
    assert release.method.name == "optimal"
    assert release.levels == here(private, plan)[0].levels


def test_papers_of_counted_levels_say_what_is_known(tmp_path):
    places = {
        name: tmp_path / name
        for name in ("certificate", "report", "report_json", "public_report", "public_json")
    }
    plan = plan_of(80, 4, method="optimal")
    release, _ = released(tmp_path, people(300, 3), plan, **places)
    assert all(place.stat().st_size for place in places.values())
    assert any("levels are those of one search" in warning for warning in release.warnings)
    assert release.summary()["levels"] == release.levels
    with pytest.raises(PlanError, match="coarser counts"):
        release.learnt()


def test_classes_that_do_not_fit_are_refused_with_their_number(tmp_path):
    with pytest.raises(DataError, match="more than 20 distinct rows are left where no level must"):
        released(tmp_path, people(300, 3), plan_of(20, 2, method="optimal", suppression=0.5))


@pytest.mark.parametrize("method", ["samarati", "k-optimize"])
def test_other_methods_for_whole_columns_are_refused(tmp_path, method):
    with pytest.raises(DataError, match="most values are in zip, age, sex"):
        released(tmp_path, people(300, 3), plan_of(50, method=method))


def test_values_that_are_taken_for_one_are_held_to_what_is_shown(tmp_path, monkeypatch):
    """A cell that is true of one value of a bin, and of another not, is refused."""
    made = BlockSearch._refuse_untrue

    def swapped(self, fetched, work):
        bins = tuple(np.roll(of_code, 7) for of_code in self.bins)
        return made(BlockSearch(self.plan, self.table, self.domains, bins), fetched, work)

    monkeypatch.setattr(BlockSearch, "_refuse_untrue", swapped)
    with pytest.raises(DoesNotHoldError, match="do not cover the private value"):
        released(tmp_path, people(300, 3), plan_of(80, 4, method="optimal"))
    assert not (tmp_path / "out.parquet").exists()


@given(st.lists(st.integers(0, 4), min_size=1), st.data())
def test_codes_are_paired_with_all_their_values(of_value, data):
    codes = data.draw(st.lists(st.sampled_from(of_value), max_size=5))
    place, value = _pairs(np.array(codes, dtype=np.int32), np.array(of_value, dtype=np.int32))
    expected = [(p, v) for p, code in enumerate(codes) for v, c in enumerate(of_value) if c == code]
    assert list(zip(place.tolist(), value.tolist(), strict=True)) == expected
