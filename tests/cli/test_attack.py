"""`indistinct attack`, what `assess` tells of attackers, and `verify --against`."""

from __future__ import annotations

import json
import sys

import pytest

VOTERS = """\
who,ZIP,years
Ann,22030,31
Zoe,22031,90
"""


@pytest.fixture
def released(workshop):
    assert workshop.anonymize("--keep-order").code == 0
    workshop.path("voters.csv").write_text(VOTERS)
    return workshop


def attack(released, *more, table="release.csv"):
    return released.command("attack", released.path(table), *more)


def test_linking(released):
    on = ["--on", "zip=ZIP, age=years", "--plan", released.plan_path]
    voters = released.path("voters.csv")
    ran = attack(
        released, voters, *on, "--private", released.path("private.csv"), "--only", "linking"
    )
    assert (ran.code, ran.err) == (0, "")
    assert "linking: fails" in ran.out
    assert "In the private table 1 of them would fit exactly one row" in ran.out
    raw = attack(released, voters, *on[:2], "--json", table="private.csv").json
    [found] = raw["attacks"]
    assert found["details"]["release"]["singled_out"] == 1


def test_people_come_in_files_of_their_own_kind(released):
    voters = released.path("latin.csv")
    voters.write_bytes("who;ZIP;years\nZoë;22030;31\n".encode("latin-1"))
    on = ["--on", "zip=ZIP,age=years", "--only", "linking"]
    ran = attack(released, voters, *on)
    assert ran.code == 2
    assert "is not utf-8" in ran.err
    ran = attack(released, voters, *on, "--encoding", "latin-1", "--delimiter", ";", "--json")
    assert ran.code == 0
    assert ran.json["attacks"][0]["rate"]["of"] == 1
    wrong = attack(released, voters, *on, "--delimiter", ";;")
    assert wrong.code == 2
    assert "cannot separate fields" in wrong.err


def test_assess_refuses_what_cannot_separate_fields(released):
    private = released.path("private.csv")
    ran = released.command("assess", private, "--columns", "zip", "--delimiter", ";;")
    assert ran.code == 2
    assert "cannot separate fields" in ran.err


def test_attacks_on_sensitive_values(released):
    told = attack(released, "--plan", released.plan_path, "--json").json
    names = [found["attack"] for found in told["attacks"]]
    assert names == ["homogeneity", "background knowledge", "skewness"]
    shown = attack(released, "--quasi", "zip,age,marital", "--sensitive", "disease").out
    assert "background knowledge (disease): " in shown
    assert "interval" in shown


def test_an_attack_whose_library_is_missing_is_left_out_with_a_word(released, monkeypatch):
    given = ["--plan", released.plan_path, "--private", released.path("private.csv")]
    for name in ("sklearn", "sklearn.ensemble"):
        monkeypatch.setitem(sys.modules, name, None)
    ran = attack(released, *given)
    assert (ran.code, ran.err) == (0, "")
    assert "homogeneity (disease): " in ran.out
    assert ran.out.endswith(
        "inference: left out, it needs scikit-learn. Install it with: pip install scikit-learn.\n"
    )
    told = attack(released, *given, "--json").json
    assert told["attacks"][0]["attack"] == "homogeneity"
    assert [missing["attack"] for missing in told["left_out"]] == ["inference"]
    assert attack(released, *given, "--only", "homogeneity", "--json").json["left_out"] == []
    ran = attack(released, *given, "--only", "inference")
    assert (ran.code, ran.out) == (2, "")
    assert "inference: it needs scikit-learn" in ran.err


def test_what_is_known_by_chance_is_not_told_as_nothing(released):
    released.path("release.csv").write_text("zip,disease\n" + "a,flu\n" * 4)
    told = attack(released, "--quasi", "zip", "--sensitive", "disease").out
    assert "homogeneity (disease): no better than guessing\n" in told
    released.path("release.csv").write_text("zip,disease\n" + "a,flu\na,gout\n" * 2)
    told = attack(released, "--quasi", "zip", "--sensitive", "disease").out
    assert "homogeneity (disease): fails\n" in told


def test_bad_input(released):
    ran = attack(released)
    assert ran.code == 2
    assert "nothing to attack with" in ran.err
    ran = attack(released, "--quasi", "zipp", "--sensitive", "disease")
    assert ran.code == 2
    assert "no column 'zipp'. Closest: 'zip'" in ran.err
    assert attack(released, "--plan", released.path("none.toml")).code == 2


def test_numbers_that_mean_nothing_are_refused_all_at_once(released):
    wrong = {"--k": 1, "--excluded": -3, "--gain": -1, "--width": 7}
    options = [part for pair in wrong.items() for part in pair]
    ran = attack(released, "--plan", released.plan_path, *options)
    assert (ran.code, ran.out) == (2, "")
    assert "k: 1 is not possible. Give 2 or more." in ran.err
    assert "excluded: -3 is not possible. Give 0 or more." in ran.err
    assert "gain: -1 is not possible. Give a number from 0 to 1." in ran.err
    assert "width: 7 is not possible. Give a number from 0 to 1." in ran.err
    assess = ["assess", released.path("private.csv"), "--columns", "zip"]
    ran = released.command(*assess, "--threshold", "nan")
    assert (ran.code, ran.out) == (2, "")
    assert "threshold: nan is not possible. Give a number from 0 to 1." in ran.err
    assert released.command(*assess, "--top", "-3").code == 2


def test_columns_missing_on_both_sides_are_told_at_once(released):
    ran = attack(released, released.path("voters.csv"), "--on", "zipp=ZIP,age=yeers")
    assert ran.code == 2
    assert "release: no column 'zipp'. Closest: 'zip'" in ran.err
    assert "people: no column 'yeers'. Closest: 'years'" in ran.err


def test_assess_tells_risks_before_and_after(released):
    asked = [released.path("private.csv"), "--plan", released.plan_path]
    more = ["--release", released.path("release.csv"), "--sampling", "0.1"]
    told = released.command("assess", *asked, *more, "--json").json
    assert told["risk"]["reidentification"]["prosecutor"]["highest"] == 1
    assert told["released"]["reidentification"]["prosecutor"]["highest"] == 0.5
    assert len(told["risk"]["population_uniques"]) == 2
    shown = released.command("assess", *asked, *more).out
    assert "prosecutor" in shown
    assert "Zayatz 1991" in shown
    ran = released.command("assess", released.path("private.csv"), "--safe-harbor")
    assert "'name', Safe Harbor paragraph A" in ran.out


def test_verify_against_an_older_release(released):
    lines = released.path("private.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    by_zip = ["zip,age,marital,disease", *(f"220**,[30-49],*,{r[4]}" for r in rows)]
    fine = [{"22030": "2203*", "22032": "2203*"}.get(r[1], "2204*") for r in rows]
    by_area = [
        "zip,age,marital,disease",
        *(f"{z},*,*,{r[4]}" for z, r in zip(fine, rows, strict=True)),
    ]
    released.path("old.csv").write_text("\n".join(by_zip) + "\n")
    released.path("new.csv").write_text("\n".join(by_area) + "\n")
    plan = ["--plan", released.plan_path]
    ran = released.command("verify", released.path("new.csv"), *plan)
    assert ran.code == 0
    same = ["--against", released.path("new.csv")]
    ran = released.command("verify", released.path("new.csv"), *plan, *same)
    assert (ran.code, "leaves enough rows for everybody" in ran.out) == (0, True)
    columns = json.loads(released.plan_path.read_text())["columns"]
    assert columns["age"]["role"] == "quasi"
    halves = ["zip,age,marital,disease"]
    halves += [f"*,{'<35' if int(r[2]) < 35 else '>=35'},*,{r[4]}" for r in rows]
    released.path("halves.csv").write_text("\n".join(halves) + "\n")
    bad = ["--against", released.path("halves.csv")]
    ran = released.command("verify", released.path("new.csv"), *plan, *bad)
    assert ran.code == 1
    assert "fewer than 2 rows that fit both" in ran.err
