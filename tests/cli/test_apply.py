from __future__ import annotations

import csv
import json

import pytest

PLAN = """\
[columns]
name = { role = "identifier" }
zip = { role = "quasi", hierarchy = { mask = "right" } }
age = { role = "quasi", hierarchy = { intervals = [10, 20] } }
disease = { role = "sensitive" }
[[require]]
model = "k-anonymity"
k = 3
[method]
name = "METHOD"
[limits]
suppression = 0.2
"""


def people(start, count, more=()):
    rows = [f"P{n},{22030 + n % 3},{20 + n % 25},flu" for n in range(start, start + count)]
    return "\n".join(["name,zip,age,disease", *rows, *more]) + "\n"


@pytest.fixture(params=["optimal", "best"])
def learnt(request, indistinct, tmp_path):
    (tmp_path / "in.csv").write_text(people(0, 90))
    (tmp_path / "plan.toml").write_text(PLAN.replace("METHOD", request.param))
    ran = indistinct(
        "anonymize", tmp_path / "in.csv", "--plan", tmp_path / "plan.toml",
        "--out", tmp_path / "release.csv", "--recoding", tmp_path / "r.json",
    )  # fmt: skip
    assert ran.code == 0
    (tmp_path / "next.csv").write_text(people(90, 60, ["X1,22030,97,flu", "X2,22030,old,flu"]))
    return tmp_path


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_apply_writes_rows_that_the_old_plan_verifies(indistinct, learnt):
    out, held = learnt / "out.csv", learnt / "held.csv"
    ran = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", out,
                  "--held-back", held, "--json")  # fmt: skip
    assert ran.code == 0
    assert ran.json["released_rows"] == len(rows_of(out))
    assert ran.json["held_back"]["unknown value"] == [62]
    assert indistinct("verify", out, "--plan", learnt / "plan.toml").code == 0
    numbers = sorted(n for some in ran.json["held_back"].values() for n in some)
    assert [int(row["row"]) for row in rows_of(held)] == numbers
    assert 61 in numbers, "97 is in a class of its own, or in none"
    both = rows_of(learnt / "release.csv") + rows_of(out)
    union = [{key: row[key] for key in ("zip", "age")} for row in both]
    assert min(union.count(kind) for kind in union) >= 3
    assert ran.json["union"]["rows"] == len(both)


def test_the_next_recoding_counts_the_new_rows(indistinct, learnt):
    first = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv",
                    "--recoding-out", learnt / "r2.json", "--json")  # fmt: skip
    third = indistinct("apply", learnt / "r2.json", learnt / "next.csv", "--out", learnt / "p.csv")
    assert third.code == 0
    given = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "p.csv",
                    "--others", learnt / "o.csv", "--json")  # fmt: skip
    assert given.json["union"]["rows"] == first.json["union"]["rows"] + len(
        rows_of(learnt / "p.csv")
    )


def test_the_file_holds_no_name_and_says_that_it_is_private(learnt):
    text = (learnt / "r.json").read_text()
    assert "P1" not in text
    assert "Keep this file with the private data" in json.loads(text)["private"]


def test_text_for_people_tells_what_was_held_back(indistinct, learnt):
    ran = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv")
    assert "held back, unknown value: 1" in ran.out
    assert "all together" in ran.out
    assert "'old'" not in ran.out
    one = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv",
                  "--as-one")  # fmt: skip
    assert "can separate them" in one.out


@pytest.mark.parametrize(
    "case",
    [
        (None, ["--unknown", "error"], 2, "value 'old' (1 row) is unknown to the recoding"),
        (None, ["--unknown", "perhaps"], 2, "Say hold or error"),
        (None, ["--others", "release.csv"], 2, "counted in the recoding already"),
        (None, ["--others", "in.csv.gone"], 2, "there is no such file"),
        (("r.json", "{"), [], 2, "it is not JSON"),
        (("r.json", "[1]"), [], 2, "it is not a recoding"),
        (("r.json", '{"kind": "indistinct recoding"}'), [], 2, "columns: Field required"),
        (("next.csv", "zip,age\n22030,20\n"), [], 2, "no column 'name'"),
        (("next.csv", people(0, 1)), [], 1, "every new row would have to be held back"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(indistinct, learnt, monkeypatch, case):
    spoil, more, code, told = case
    monkeypatch.chdir(learnt)
    if spoil:
        (learnt / spoil[0]).write_text(spoil[1])
    before = sorted(learnt.iterdir())
    ran = indistinct("apply", "r.json", "next.csv", "--out", "o.csv", "--held-back", "h.csv", *more)
    assert ran.code == code
    assert told in ran.err
    assert sorted(learnt.iterdir()) == before


MAIL = people(90, 60).replace("flu", "P{}@example.org")


def mailed():
    """New rows whose disease has become an address."""
    return "".join(line.format(n) for n, line in enumerate(MAIL.splitlines(keepends=True)))


def test_a_column_that_has_become_an_identifier_is_refused(indistinct, learnt):
    (learnt / "next.csv").write_text(mailed())
    before = sorted(learnt.iterdir())
    ran = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv",
                  "--held-back", learnt / "h.csv", "--recoding-out", learnt / "s.json")  # fmt: skip
    assert ran.code == 1
    assert "column 'disease': it holds e-mail addresses, and the plan publishes it" in ran.err
    assert sorted(learnt.iterdir()) == before


def test_a_plan_may_accept_it_and_the_reason_is_told(indistinct, learnt):
    content = json.loads((learnt / "r.json").read_text())
    content["plan"]["accept"] = [{"column": "disease", "reason": "addresses of wards"}]
    (learnt / "r.json").write_text(json.dumps(content))
    (learnt / "next.csv").write_text(mailed())
    ran = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv",
                  "--json")  # fmt: skip
    assert ran.code == 0
    assert ran.json["accepted"][0]["reason"] == "addresses of wards"
    assert "addresses of wards" in ran.json["warnings"][0]


@pytest.mark.parametrize("change", ["cells", "counts", "plan"])
def test_a_file_that_was_changed_is_refused(indistinct, learnt, change):
    content = json.loads((learnt / "r.json").read_text())
    if change == "cells":
        content["released"]["cells"][0][0] = 10**6
    elif change == "counts":
        content["released"]["counts"].pop()
    else:
        content["plan"]["columns"].pop("zip")
    (learnt / "r.json").write_text(json.dumps(content))
    ran = indistinct("apply", learnt / "r.json", learnt / "next.csv", "--out", learnt / "o.csv")
    assert ran.code == 2
    assert "Give the file that anonymize --recoding wrote" in ran.err


def test_a_method_that_teaches_nothing_is_refused_before_anything_is_written(indistinct, tmp_path):
    (tmp_path / "in.csv").write_text("zip,disease\n1,a\n1,b\n2,a\n2,b\n")
    (tmp_path / "plan.toml").write_text(
        '[columns]\nzip = { role = "quasi" }\ndisease = { role = "sensitive" }\n'
        '[[require]]\nmodel = "l-diversity"\nl = 2\n[method]\nname = "anatomy"\n'
    )
    ran = indistinct(
        "anonymize", tmp_path / "in.csv", "--plan", tmp_path / "plan.toml",
        "--out", tmp_path / "o.csv", "--recoding", tmp_path / "r.json",
    )  # fmt: skip
    assert ran.code == 2
    assert "there is no generalization to learn" in ran.err
    assert not (tmp_path / "o.csv").exists()
    assert not (tmp_path / "r.json").exists()
