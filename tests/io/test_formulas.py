"""Cells that a spreadsheet would run are guarded on demand, and every check undoes the guard."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize_file, attack, verify
from indistinct.io.formulas import guarded, unguarded

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")
PRIVATE = "zip,=note,sum\n02139,=1+1,-5\n02139,@x,'=2\n02141,+49 151,'q\n02141,-2+3,7\n"


def plan(**more):
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": "flat"},
            "=note": {"role": "sensitive"},
            "sum": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}],
        **more,
    }


@given(st.text(alphabet="='+-@5e.\t\r a_", max_size=6))
def test_a_guard_can_be_undone_and_leaves_nothing_to_run(text):
    assert unguarded(guarded(text)) == text
    begins = guarded(text).startswith(BEGINNINGS)
    assert not begins or float(text) is not None


def fields(path):
    with path.open(newline="") as handle:
        return {field for row in csv.reader(handle) for field in row}


@pytest.mark.parametrize("by_option", [True, False])
def test_a_guarded_release_is_verified_and_attacked_as_what_it_says(tmp_path, by_option):
    (tmp_path / "p.csv").write_text(PRIVATE)
    asked = plan() if by_option else plan(output={"guard_formulas": True})
    anonymize_file(
        tmp_path / "p.csv",
        asked,
        tmp_path / "r.csv",
        certificate=tmp_path / "c.json",
        guard_formulas=by_option or None,
    )
    told = {"'=note", "'=1+1", "'@x", "'+49 151", "'-2+3", "-5", "''=2", "'q", "7"}
    assert told <= fields(tmp_path / "r.csv")
    assert verify(tmp_path / "r.csv", certificate=tmp_path / "c.json").holds
    by_plan = plan(output={"guard_formulas": True})
    assert verify(tmp_path / "r.csv", by_plan).holds
    assert attack(tmp_path / "r.csv", plan=by_plan, only=["homogeneity"]).attacks


def test_without_the_word_cells_are_as_they_were(tmp_path):
    (tmp_path / "p.csv").write_text(PRIVATE)
    anonymize_file(tmp_path / "p.csv", plan(), tmp_path / "r.csv")
    assert {"=note", "=1+1", "@x", "+49 151", "-2+3", "'=2"} <= fields(tmp_path / "r.csv")


def test_an_empty_text_is_not_a_missing_value(tmp_path):
    (tmp_path / "p.csv").write_text("zip,note\n1,NA\n1,\n2,NA\n2,\n3,\n3,x\n")
    asked = {
        "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}, "note": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}],
        "input": {"missing": ["NA"]},
    }
    paper = tmp_path / "c.json"
    anonymize_file(tmp_path / "p.csv", asked, tmp_path / "r.csv", certificate=paper)
    assert sorted((tmp_path / "r.csv").read_text().split()) == sorted(
        ["zip,note", "1,", '1,""', "2,", '2,""', '3,""', "3,x"]
    )
    assert verify(tmp_path / "r.csv", certificate=paper).holds
    assert verify(tmp_path / "r.csv", asked).holds
