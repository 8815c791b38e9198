"""mu-Argus: Figure 12 of 001, what it tests and what it misses, and cells published as stars."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.errors import DoesNotHoldError, PlanError
from indistinct.measures.loss import measure_loss
from indistinct.methods import METHODS
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.rows import publish
from tests import oracle
from tests.build import plan_of, problem_of
from tests.examples import FIGURE_12
from tests.methods.full_domain import tasks
from tests.rows import records

K = 2
COLUMNS = FIGURE_12["columns"]
ACCEPTED = [{"column": "ssn", "reason": "the figure publishes it, as a star"}]


def figure_12(**options):
    options = {"ranks": FIGURE_12["ranks"]} | options
    return METHODS["mu-argus"](**options).search(tasks.example_problem(FIGURE_12, K, 0))


def data():
    return pa.table({name: [row[name] for row in FIGURE_12["rows"]] for name in COLUMNS})


def plan(**options):
    method = {"name": "mu-argus", "ranks": FIGURE_12["ranks"]} | options
    return plan_of(COLUMNS, FIGURE_12["ladders"], K) | {"method": method, "accept": ACCEPTED}


def shown(rows, columns, ladders, found):
    """The published rows, None where a cell is starred."""
    published = oracle.generalize(rows, columns, ladders, found.levels)
    return [
        tuple(None if star else label for label, star in zip(row, stars, strict=True))
        for row, stars in zip(published, found.starred.tolist(), strict=True)
    ]


def test_the_release_of_figure_12():
    """As printed, except that its DOB of row 8 is starred too: race alone meets the tests."""
    found = figure_12()
    assert dict(zip(COLUMNS, found.levels, strict=True)) == {
        "ssn": 1, "race": 0, "dob": 2, "sex": 0, "zip": 0,
    }  # fmt: skip
    assert np.argwhere(found.starred).tolist() == [[7, COLUMNS.index("race")]]
    assert found.kept.all()
    rows = shown(FIGURE_12["rows"], COLUMNS, FIGURE_12["ladders"], found)
    assert not oracle.rare_combinations(rows, [FIGURE_12["ranks"][c] for c in COLUMNS], K)


def test_what_it_misses():
    """001: a single white man of 1964 in 94138, and a single woman in 94139."""
    rows = shown(FIGURE_12["rows"], COLUMNS, FIGURE_12["ladders"], figure_12())
    assert Counter(row[1:] for row in rows)["white", "1964", "male", "94138"] == 1
    assert Counter(row[3:] for row in rows)["female", "94139"] == 1


def test_it_is_refused_with_the_class_that_breaks_the_promise(tmp_path):
    with pytest.raises(DoesNotHoldError) as raised:
        anonymize(data(), plan())
    [fault] = raised.value.faults
    assert fault.place == "requirement 'k-anonymity'"
    assert "it measures 1 in the class (ssn=*, race=" in fault.problem
    assert "where k = 2 was promised" in fault.problem
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    data().to_pandas().to_csv(source, index=False)
    with pytest.raises(DoesNotHoldError):
        anonymize_file(source, plan(), out)
    assert not out.exists()


def test_the_data_holder_may_decide_the_levels():
    found = figure_12(generalize_until={"dob": 3, "zip": 2})
    assert found.levels == (1, 0, 3, 0, 2)
    assert np.argwhere(found.starred).tolist() == [[7, COLUMNS.index("race")]]


def test_columns_that_are_not_identifying_stay_as_they_are():
    found = figure_12(ranks={"ssn": 0, "dob": 0, "sex": 2, "race": 1})
    assert found.levels == (0, 0, 0, 0, 0)
    assert np.argwhere(found.starred).tolist() == [[7, COLUMNS.index("sex")]]
    assert found.search["combinations_tested"] == 3 + 2  # each alone; sex with race, with zip


def test_rare_values_are_starred_or_generalized_by_their_share():
    rows = [{"c": c} for c in "aaaaaaaabc"]
    ladders = {"c": [["a", "x", "*"], ["b", "y", "*"], ["c", "y", "*"]]}
    problem = problem_of(rows, ["c"], ladders, 2, 0)
    starring = METHODS["mu-argus"](rare=0.2).search(problem)
    assert (starring.levels, np.flatnonzero(starring.starred).tolist()) == ((0,), [8, 9])
    raising = METHODS["mu-argus"](rare=0.1).search(problem)
    assert (raising.levels, raising.starred.any()) == ((1,), False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"ranks": {"dobs": 2}}, "no quasi column 'dobs'. Closest: 'dob'"),
        ({"generalize_until": {"birth": 2}}, "no quasi column 'birth'"),
        ({"generalize_until": {"dob": 4}}, "level 4 is above the hierarchy, whose highest is 3"),
    ],
)
def test_options_that_do_not_fit_the_table(options, told):
    with pytest.raises(PlanError, match=told):
        figure_12(**options)


@pytest.mark.parametrize("ranks", [{"dob": 4}, {"dob": -1}, {"dob": 1.5}])
def test_ranks_are_0_to_3(ranks):
    with pytest.raises(PlanError, match=r"method\.ranks\.dob"):
        Plan.load(plan(ranks=ranks))


RANKS = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@given(tasks.row_jobs(), RANKS, st.sampled_from([0, 0.3, 1]))
def test_no_tested_combination_is_rare(job, ranks, rare):
    rows, columns, ladders, k, _ = job
    ranks = ranks[: len(columns)]
    named = dict(zip(columns, ranks, strict=True))
    found = METHODS["mu-argus"](ranks=named, rare=rare).search(problem_of(*job))
    assert not oracle.rare_combinations(shown(rows, columns, ladders, found), ranks, k)
    assert not found.starred[:, [rank == 0 for rank in ranks]].any()
    assert found.kept.all()


@given(tasks.row_jobs(), RANKS)
def test_a_table_without_rare_combinations_has_no_stars(job, ranks):
    rows, columns, ladders, k, _ = job
    ranks = ranks[: len(columns)]
    named = dict(zip(columns, ranks, strict=True))
    ground = dict.fromkeys(columns, 0)
    found = METHODS["mu-argus"](ranks=named, generalize_until=ground).search(problem_of(*job))
    published = oracle.generalize(rows, columns, ladders, found.levels)
    rare = oracle.rare_combinations(published, ranks, k)
    assert bool(rare) == bool(found.starred.any())


# Cells that are starred, published: (*, y) has enough rows, so this release holds.
NUMBERS = [1] * 5 + [3] * 5 + [2] * 5 + [1, 1, 3, 3]
LETTERS = list("xxxxxzzzzzyyyyyyyyy")
STARRED = {
    "columns": {
        "number": {"role": "quasi", "hierarchy": "flat"},
        "letter": {"role": "quasi", "hierarchy": "flat"},
    },
    "require": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "mu-argus", "ranks": {"number": 2}},
}
EXPECTED = Counter({("1", "x"): 5, ("3", "z"): 5, ("2", "y"): 5, ("*", "y"): 4})


def test_a_starred_number_column_becomes_text(make_frame):
    release = anonymize(make_frame({"number": NUMBERS, "letter": LETTERS}), STARRED)
    assert Counter(records(release.frame)) == EXPECTED
    assert release.measures.ncp == {"number": pytest.approx(4 / 19), "letter": 0}
    assert release.recoding.search["starred_cells"] == 4
    assert verify(release.frame, STARRED).holds


def test_stars_in_files(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    lines = [f"{n},{c}" for n, c in zip(NUMBERS, LETTERS, strict=True)]
    source.write_text("\n".join(["number,letter", *lines, ""]))
    anonymize_file(source, STARRED, out)
    written = Counter(tuple(line.split(",")) for line in out.read_text().splitlines()[1:])
    assert written == EXPECTED


def test_stars_beside_generalized_and_missing_values():
    """A star on a higher level, and beside a null, is not another label twice."""
    words = ["ab", "ab", "ab", "ac", None, None, None, None]
    marks = list("xxxxyyyx")
    table = pa.table({"word": words, "mark": marks})
    content = {
        "columns": {
            "word": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "mark": {"role": "quasi", "hierarchy": "flat"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "mu-argus", "ranks": {"word": 2}, "generalize_until": {"word": 1}},
    }
    with pytest.raises(DoesNotHoldError, match=r"word=\*, mark=x"):
        anonymize(table, content)
    at_top = content | {"method": content["method"] | {"generalize_until": {"word": 2}}}
    release = anonymize(table, at_top)
    assert set(release.frame.column("word").to_pylist()) == {"*"}


def test_a_starred_cell_loses_everything():
    problem = tasks.example_problem(FIGURE_12, K, 0)
    found = figure_12()
    measured = measure_loss(problem.table, found, np.ones(1, dtype=np.int64))
    assert measured.ncp["race"] == pytest.approx(1 / 12)
    assert measured.ncp["sex"] == 0
    assert measured.ncp["ssn"] == 1


def test_published_columns_without_stars_keep_their_type():
    table = pa.table({"number": NUMBERS, "letter": LETTERS})
    release = anonymize(table, STARRED | {"method": {"name": "mu-argus"}, "require": [
        {"model": "k-anonymity", "k": 2}]})  # fmt: skip
    assert release.frame.schema.field("number").type == pa.int64()
    assert release.recoding.starred.sum() == 0
    draws = Draws(None, table.num_rows)
    published = publish(table, release.table, release.recoding, release.plan, draws)
    assert published.rows.column("letter").to_pylist() == LETTERS
