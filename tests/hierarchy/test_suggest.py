from __future__ import annotations

import numpy as np
import pytest

from indistinct.hierarchy import Domain, suggest
from tests.hierarchy.sound import assert_sound, build, levels


def suggested(column):
    domain = Domain.of(column)
    h = suggest(domain)
    assert_sound(h, domain)
    return [list(labels) for labels in h.labels[1:]]


def test_numbers_in_four_ranges_and_sixteen():
    column = [str(n) for n in range(100, 164)]
    fine, coarse, top = suggested(column)
    assert coarse == ["<116", "[116-131]", "[132-147]", ">=148"]
    assert len(fine) == 16
    assert top == ["*"]


def test_ranges_hold_about_as_many_rows():
    rng = np.random.default_rng(7)
    column = [str(n) for n in rng.geometric(0.02, size=4000)]
    domain = Domain.of(column)
    h = suggest(domain)
    rows = np.zeros(len(h.labels[-2]))
    for value, code in h.code_of.items():
        rows[h.nodes[-2][code]] += domain.rows_of[value]
    assert rows.size == 4
    assert rows.min() > 850
    assert rows.max() < 1150


def test_a_value_that_most_rows_hold_does_not_spoil_the_others():
    column = ["0"] * 9000 + [str(n) for n in range(1, 101)]
    fine = suggested(column)[0]
    assert fine[0] == "<1"
    assert len(fine) >= 4


def test_cuts_are_round_and_do_not_tell_extremes():
    column = [f"{x:.3f}" for x in (1.234, 2.345, 13.5, 14.25, 101.5, 102.5, 1000.125, 2000.75)]
    assert suggested(column) == [["<10", "[10, 100)", "[100, 1000)", ">=1000"], ["*"]]


def test_dates_are_cut_at_years_and_months():
    column = [f"{year}-0{month}-15" for year in range(2000, 2004) for month in (2, 3, 4, 5)]
    assert suggested(column) == [
        [
            "<2001-01-01",
            "[2001-01-01..2001-12-31]",
            "[2002-01-01..2002-12-31]",
            ">=2003-01-01",
        ],
        ["*"],
    ]


def test_times_of_one_day_stay_together():
    column = [f"2020-01-0{day} {hour:02}:00" for day in (1, 2, 3) for hour in range(8)]
    assert suggested(column) == [["2020-01-01", "2020-01-02", "2020-01-03"], ["*"]]


def test_two_spellings_of_a_number_stay_together():
    column = [text for n in range(10, 18) for text in (str(n), f"{n}.0")]
    assert suggested(column)[0] == ["<12", "[12-13]", "[14-15]", ">=16"]


def test_few_numbers_are_left_alone():
    assert suggested(["1", "2", "3"]) == [["*"]]


def test_codes_are_masked():
    assert suggested(["02138", "02139", "02140", "10001"]) == [
        ["0213*", "0214*", "1000*"],
        ["021**", "100**"],
        ["*"],
    ]
    assert suggested(["E10", "E11", "F20", "F21"]) == [["E1*", "F2*"], ["*"]]
    assert suggested(["E1*", "E1x", "F20", "F21"]) == [["E1#", "F2#"], ["*"]]


def test_words_of_equal_length_are_no_codes():
    assert suggested(["cat", "cow", "dog", "doe"]) == [["*"]]


@pytest.mark.parametrize("values", [12, 13, 300])
def test_no_label_is_made_of_the_values_of_a_text(values):
    letters = "abcdefghijklmnopqrst"
    names = [f"{a}{b}land" for a in letters for b in letters][:values]
    assert suggested(names) == [["*"]]


def test_missing_values_stay_apart():
    domain = Domain.of(["a", None])
    assert suggest(domain).paths() == [("a", "*"), (None, "*")]
    assert suggest(Domain.of([None])).paths() == [(None, "*")]


def test_a_column_of_no_rows():
    assert suggest(Domain.of([])).size == 0


def test_the_order_of_the_data_does_not_matter():
    column = [str(n % 37) for n in range(500)]
    assert suggested(column) == suggested(column[::-1])


def test_short_names():
    assert levels("flat", ["b", "a"]) == [["*"]]
    assert build("flat", ["b", "a", None]).leaves == ("a", "b", None)
    assert levels({"flat": True}, ["10", "9"]) == [["*"]]
    column = [str(n) for n in range(16)]
    assert levels("suggest", column) == levels({"suggest": True}, column) == suggested(column)
