"""`indistinct verify` as an attacker meets it: a genuine release with one thing changed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os

import pytest

from indistinct.io.content import content_hash
from indistinct.io.opening import opened_release


class Made:
    """A genuine release with its certificate, to be tampered with one thing at a time."""

    def __init__(self, workshop, *more):
        self.workshop = workshop
        self.release, self.certificate = workshop.path("release.csv"), workshop.path("c.json")
        ran = workshop.anonymize("--certificate", self.certificate, *more)
        assert ran.code == 0, ran.err
        self.header, *self.rows = csv.reader(io.StringIO(self.release.read_text()))

    def write(self):
        """Write the rows again, and the certificate that an attacker would write with them."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.header, *self.rows])
        self.release.write_text(out.getvalue())
        self.restate()

    def restate(self, change=dict):
        content = json.loads(self.certificate.read_text())
        content["output"]["sha256"] = hashlib.sha256(self.release.read_bytes()).hexdigest()
        content["output"]["content"] = content_hash(opened_release(self.release))
        change(content)
        self.certificate.write_text(json.dumps(content))

    def add(self, name, values):
        self.header = [*self.header, name]
        self.rows = [[*row, value] for row, value in zip(self.rows, values, strict=True)]

    def take_out(self, name):
        place = self.header.index(name)
        self.header, *self.rows = ([*r[:place], *r[place + 1 :]] for r in [self.header, *self.rows])

    def by_plan(self, *more):
        return self.workshop.command(
            "verify", self.release, "--plan", self.workshop.plan_path, *more
        )

    def by_certificate(self, *more):
        return self.workshop.command(
            "verify", self.release, "--certificate", self.certificate, *more
        )

    def both(self):
        return self.by_plan(), self.by_certificate()


@pytest.fixture
def made(workshop):
    return Made(workshop)


def test_a_genuine_release_holds(made):
    made.write()
    for ran in made.both():
        assert (ran.code, ran.err) == (0, "")
    assert "limits.suppression (0.2): holds" in made.by_certificate().out
    told = made.by_plan("--json").json
    assert (told["holds"], told["limits"]) == (True, [])
    assert "the number of suppressed rows is not in the release" in told["untold"][0]
    [limit] = made.by_certificate("--json").json["limits"]
    assert limit == {
        "limit": "limits.suppression", "allowed": 0.2, "measured": 0.0, "holds": True,
        "note": "0 of 6 rows",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("name", "column 'name', which the plan calls an identifier"),
        ("phone", "column 'phone', which the plan does not know"),
        ("zip ", "column 'zip ', which the plan does not know"),
    ],
)
def test_an_added_column(made, name, told):
    made.add(name, ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"])
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert told in ran.err
        assert "Do not publish it" in ran.err


@pytest.mark.parametrize("role", ["respondent", "drop"])
def test_a_secret_column(workshop, role):
    workshop.plan["columns"]["name"]["role"] = role
    made = Made(workshop)
    made.add("name", "abcdef")
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert "column 'name', which the plan" in ran.err


def test_a_pseudonym_may_stand_there(workshop):
    workshop.plan["columns"]["name"]["pseudonym"] = {}
    made = Made(workshop)
    assert "name" in made.header
    assert [ran.code for ran in made.both()] == [0, 0]


def test_a_column_of_its_own_where_the_plan_lets_others_through(workshop):
    workshop.plan["unlisted"] = "other"
    made = Made(workshop)
    made.add("phone", "123456")
    made.write()
    assert [ran.code for ran in made.both()] == [0, 0]
    made.add("name", "abcdef")
    made.write()
    assert [ran.code for ran in made.both()] == [1, 1]


@pytest.mark.parametrize("name", ["zip", "disease"])
def test_a_missing_column(made, name):
    made.take_out(name)
    made.write()
    for ran in made.both():
        assert ran.code == 2
        assert f"no column {name!r}, which was promised" in ran.err


def test_a_renamed_column(made):
    made.header = ["plz" if name == "zip" else name for name in made.header]
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert "column 'plz', which the plan does not know" in ran.err
        assert "no column 'zip', which was promised" in ran.err


def bounds(workshop):
    workshop.plan["columns"]["age"]["range_as"] = "bounds"
    workshop.plan["method"] = {"name": "mondrian"}
    return Made(workshop)


def test_the_raw_column_beside_its_bounds(workshop):
    made = bounds(workshop)
    assert {"age_low", "age_high"} < set(made.header)
    made.add("age", ["31", "34", "36", "38", "52", "55"])
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert "column 'age', beside age_low and age_high" in ran.err


def test_the_raw_column_in_place_of_one_bound(workshop):
    made = bounds(workshop)
    made.header = ["age" if name == "age_low" else name for name in made.header]
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert "column 'age_high', of which only a part is there" in ran.err


def test_raw_rows_instead_of_recoded_ones(made):
    made.release.write_text(made.workshop.path("private.csv").read_text())
    made.restate()
    assert [ran.code for ran in made.both()] == [1, 1]
    made.header, *made.rows = csv.reader(io.StringIO(made.release.read_text()))
    made.take_out("name")
    made.write()
    for ran in made.both():
        assert ran.code == 1
        assert "measures 1" in ran.err


def test_one_raw_row_among_recoded_ones(made):
    made.rows[0] = ["22030", "31", "married", "flu"]
    made.write()
    assert [ran.code for ran in made.both()] == [1, 1]


def test_rows_taken_out_or_stated_to_be(made):
    made.restate(lambda content: content["release"].update(suppressed_rows=4, input_rows=10))
    content = json.loads(made.certificate.read_text())
    ran = made.by_certificate()
    assert ran.code == 1
    assert "limit 'limits.suppression': it measures 0.4 (4 of 10 rows), where 0.2" in ran.err
    content["release"].update(suppressed_rows=-1, input_rows=5)
    made.certificate.write_text(json.dumps(content))
    assert made.by_certificate().code == 2


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        (("plan", "require", 0, "k"), 50, "k = 50 was promised"),
        (("release", "requirements", 0, "k"), 50, "k = 50, but its plan says 2"),
        (("release", "requirements", 0, "promised"), "k = 50", "k = 50, but its plan says k = 2"),
        (("release", "requirements", 0, "holds"), False, "holds = False, but its plan says True"),
        (("release", "requirements", 0, "holds"), 1, "holds = 1, but its plan says True"),
        (("release", "requirements", 0, "model"), "t-closeness", "says k-anonymity"),
        (("release", "requirements", 0, "set"), "some", "but its plan says all"),
        (("release", "requirements"), [], "the number of requirements = 0"),
        (("release", "suppressed_rows"), 1, "input_rows = 6, but the release shows 7"),
        (("release", "method"), "mondrian", "method = mondrian, but its plan says optimal"),
        (("plan", "columns", "name", "role"), "other", "no column 'name', which was promised"),
        (("plan", "columns", "zip"), {"role": "other"}, "levels = ["),
        (("plan", "limits", "suppression"), 2, "limits.suppression"),
    ],
)
def test_a_certificate_that_contradicts_itself(made, key, value, told):
    def change(content):
        for part in key[:-1]:
            content = content[part]
        content[key[-1]] = value

    made.restate(change)
    ran = made.by_certificate()
    assert ran.code in (1, 2)
    assert told in ran.err


def blanks(workshop):
    workshop.plan["suppressed"] = "blank"
    return Made(workshop)


def test_rows_blanked_where_the_limit_is_none(workshop):
    workshop.plan["limits"]["suppression"] = 0.0
    made = blanks(workshop)
    assert [ran.code for ran in made.both()] == [0, 0]
    made.rows = [made.rows[0], made.rows[0], *[["*"] * len(made.header)] * 4]
    made.write()
    ran = made.by_plan()
    assert ran.code == 1
    assert "it measures 0.6667 (4 of 6 rows), where 0 is allowed" in ran.err
    ran = made.by_certificate()
    assert ran.code == 1
    assert "suppressed_rows = 0, but the release shows 4" in ran.err
    made.restate(lambda content: content["release"].update(
        suppressed_rows=4, released_rows=2, classes=1))  # fmt: skip
    ran = made.by_certificate()
    assert ran.code == 1
    assert "where 0 is allowed" in ran.err


def test_a_false_number_of_blanks(workshop):
    workshop.plan["require"][0]["k"] = 3
    workshop.plan["limits"]["suppression"] = 0.5
    made = blanks(workshop)
    blank = sum(set(row) == {"*"} for row in made.rows)
    assert blank > 0
    assert [ran.code for ran in made.both()] == [0, 0]
    for false in (0, blank - 1, blank + 1):
        made.restate(lambda content, false=false: content["release"].update(suppressed_rows=false))
        assert made.by_certificate().code == 1


def test_rows_of_stars_in_a_release_of_quasi_columns_alone(workshop):
    for name in ("name", "disease"):
        workshop.plan["columns"][name] = {"role": "drop"}
    workshop.plan["limits"]["suppression"] = 0.0
    made = blanks(workshop)
    assert [ran.code for ran in made.both()] == [0, 0]
    made.rows = [made.rows[0], made.rows[0], *[["*"] * len(made.header)] * 4]
    made.write()
    ran = made.by_plan()
    assert ran.code == 3
    assert "limits.suppression (0): cannot be decided: 4 of 6 rows are * throughout" in ran.out
    assert made.by_certificate().code == 1


def test_what_cannot_be_decided_has_an_exit_code_of_its_own(workshop):
    workshop.plan["method"] = {"name": "freeform-greedy"}
    workshop.plan["limits"]["suppression"] = 0.0
    made = Made(workshop)
    for ran in made.both():
        assert ran.code == 3
        assert "cannot be decided" in ran.out
    assert made.by_plan("--json").json["holds"] is None
    assert made.by_plan("--private", workshop.path("private.csv")).code == 0


def test_a_preset_is_held_to_by_a_certificate_too(workshop):
    made = Made(workshop)
    place = made.header.index("disease")
    for row in made.rows:
        row[place] = "somebody@example.org"
    made.write()
    assert made.by_certificate().code == 0
    made.restate(lambda content: content["plan"].update(preset="hipaa-safe-harbor"))
    ran = made.by_certificate()
    assert ran.code == 1
    assert "Safe Harbor" in ran.err


@pytest.mark.parametrize("out", ["release.tsv", "release.csv"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_one_column_alone(workshop, out, delimiter):
    workshop.data = "place\n" + "".join(f'"{place}"\n' for place in ("a, b", "c; d", "a, b"))
    workshop.plan["columns"] = {"place": {"role": "quasi", "hierarchy": "flat"}}
    workshop.plan["method"] = {"name": "mondrian"}
    workshop.plan["publish"] = "set"
    workshop.plan["input"] = {"delimiter": delimiter}
    ran = workshop.anonymize("--certificate", workshop.path("c.json"), out=out)
    assert ran.code == 0, ran.err
    for told in (["--plan", workshop.plan_path], ["--certificate", workshop.path("c.json")]):
        ran = workshop.command("verify", workshop.path(out), *told)
        assert (ran.code, ran.err) == (0, "")


def by_hierarchy(workshop):
    """A release whose check needs the hierarchy of its sensitive column."""
    workshop.plan["columns"]["disease"]["hierarchy"] = {"csv": "disease.csv"}
    asked = {"model": "t-closeness", "t": 0.9, "distance": "hierarchical"}
    workshop.plan["require"].append(asked)
    lines = "flu;lung;*\nasthma;lung;*\ngout;joint;*\n"
    workshop.path("disease.csv").write_text(lines)
    return Made(workshop)


@pytest.mark.parametrize("kind", ["absolute", "above", "linked", "device", "pipe"])
def test_a_certificate_reads_nothing_outside_its_folder(workshop, tmp_path_factory, kind):
    made = by_hierarchy(workshop)
    assert [ran.code for ran in made.both()] == [0, 0]
    other = tmp_path_factory.mktemp("elsewhere") / "disease.csv"
    workshop.path("disease.csv").rename(other)
    if kind == "linked":
        workshop.path("disease.csv").symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(workshop.path("disease.csv"))
    named = {
        "absolute": str(other), "above": f"../{other.parent.name}/disease.csv",
        "linked": "disease.csv", "device": "/dev/zero", "pipe": "disease.csv",
    }[kind]  # fmt: skip
    made.restate(lambda content: content["plan"]["columns"]["disease"].update(
        hierarchy={"csv": named}))  # fmt: skip
    ran = made.by_certificate()
    assert ran.code == 3
    assert "the hierarchy of 'disease' is not available" in ran.out
    ran = made.by_certificate("--allow-outside")
    assert ran.code == (3 if kind in {"device", "pipe"} else 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delimiter", ""), ("delimiter", '"'), ("delimiter", "\n"), ("delimiter", "\0"),
        ("delimiter", "é"), ("delimiter", ",,"), ("format", "spreadsheet"), ("format", "sas"),
    ],
)  # fmt: skip
def test_odd_forms_in_a_certificate(made, key, value):
    made.restate(lambda content: content["output"].update({key: value}))
    ran = made.by_certificate()
    assert ran.code == 2
    assert "it lacks the form of output" in ran.err


def test_another_delimiter_in_a_certificate(made):
    made.restate(lambda content: content["output"].update(delimiter=";"))
    assert made.by_certificate().code == 2
    made.restate(lambda content: content["output"].update(delimiter=",", format="parquet"))
    assert made.by_certificate().code == 2
