"""Plans: read from TOML, JSON or a mapping, with all faults at once under their settings."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from indistinct import Plan, anonymize
from indistinct.errors import IndistinctError, PlanError

TOML = """\
[columns.name]
role = "identifier"
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.age]
role = "quasi"
hierarchy = { intervals = [5, 10, 20] }
[columns.marital]
role = "quasi"
hierarchy = { csv = "marital.csv" }
[columns.disease]
role = "sensitive"
[[require]]
model = "k-anonymity"
k = 5
[method]
name = "optimal"
[limits]
suppression = 0.02
"""


def mapping():
    return {
        "columns": {
            "name": {"role": "identifier", "pseudonym": {"kind": "keyed", "key": "secret.key"}},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "land": {
                "role": "quasi",
                "hierarchy": {"tree": {"Europe": ["Italy"], "Asia": ["Japan"]}},
            },
            "sex": {"role": "quasi", "hierarchy": "flat", "weight": 2},
            "job": {"role": "quasi", "hierarchy": {"csv": "job.csv"}},
        },
        "require": [{"model": "k-anonymity", "k": 3}],
    }


def faults(content):
    with pytest.raises(PlanError) as caught:
        Plan.load(content)
    return [str(fault) for fault in caught.value.faults]


def test_the_plan_of_the_readme(tmp_path):
    (tmp_path / "plan.toml").write_text(TOML)
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.with_role("quasi") == ["zip", "age", "marital"]
    assert plan.with_role("identifier", "sensitive") == ["name", "disease"]
    assert plan.require[0].k == 5
    assert (plan.method.name, plan.limits.suppression) == ("optimal", 0.02)
    assert (plan.unlisted, plan.suppressed, plan.loss, plan.seed) == ("error", "drop", "gcp", None)
    assert plan.base == tmp_path
    assert plan.paths() == [tmp_path / "marital.csv"]
    assert Plan.load(plan) is plan


def test_toml_json_and_mapping_are_one(tmp_path):
    import tomllib

    content = tomllib.loads(TOML)
    (tmp_path / "plan.toml").write_text(TOML)
    (tmp_path / "plan.json").write_text(json.dumps(content))
    from_toml, from_json = (Plan.load(tmp_path / f"plan.{kind}") for kind in ("toml", "json"))
    assert from_toml.model_dump() == from_json.model_dump() == Plan.load(content).model_dump()
    assert Plan.load(str(tmp_path / "plan.toml")).model_dump() == from_toml.model_dump()


def test_a_mapping_is_left_alone():
    content = mapping()
    before = json.dumps(content)
    Plan.load(content)
    assert json.dumps(content) == before


def test_a_plan_cannot_be_changed():
    plan = Plan.load(mapping())
    with pytest.raises(ValueError, match="frozen"):
        plan.limits.suppression = 1.0


def test_overriding_keeps_everything_else(tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps(mapping()))
    plan = Plan.load(tmp_path / "plan.json")
    other = plan.overridden({"delimiter": ";", "encoding": "latin-1", "seed": 3})
    assert (other.input.delimiter, other.input.encoding, other.seed) == (";", "latin-1", 3)
    assert other.base == tmp_path
    assert plan.seed is None
    same = {"input", "seed"}
    assert other.model_dump(exclude=same) == plan.model_dump(exclude=same)
    assert plan.overridden({}).model_dump() == plan.model_dump()
    with pytest.raises(PlanError, match=r"input\.delimiter"):
        plan.overridden({"delimiter": ";;"})


def test_the_public_plan_keeps_the_seed_back_and_can_be_loaded():
    plan = Plan.load(mapping() | {"seed": 12345})
    public = plan.public()
    assert "12345" not in json.dumps(public)
    assert Plan.load(public).model_dump(exclude={"seed"}) == plan.model_dump(exclude={"seed"})


@pytest.mark.parametrize(
    ("delimiter", "found"), [(";", ";"), ("\t", "\t"), (r"\t", "\t"), ("tab", "\t"), (" ", " ")]
)
def test_delimiters(delimiter, found):
    assert Plan.load(mapping() | {"input": {"delimiter": delimiter}}).input.delimiter == found


def with_sets(sets, **columns):
    content = mapping()
    quasi = {name: {"role": "quasi", "hierarchy": "flat"} for name in ("zip", "sex")}
    return content | {"columns": quasi | columns, "sets": sets}


WHO, DOC = {"who": {"role": "respondent"}}, {"doc": {"role": "respondent"}}

FAULTS = {
    "nothing at all": ({}, ["plan, columns: it is required but absent", "plan, require: it is"]),
    "a column without a role": (
        mapping() | {"columns": {"zip": {}}},
        ["plan, columns.zip.role: it is required but absent. Add it."],
    ),
    "a column that is a word": (
        mapping() | {"columns": {"zip": "quasi"}},
        ["columns.zip: it should be a table of settings (got 'quasi'). ", '{ role = "quasi" }.'],
    ),
    "a method that is a word": (
        mapping() | {"method": "optimal"},
        ["method: it should be a table of settings (got 'optimal'). ", '{ name = "optimal" }.'],
    ),
    "a requirement that is a word": (
        mapping() | {"require": ["k-anonymity"]},
        ["require[1]: it should be a table", 'Write { model = "k-anonymity" }.'],
    ),
    "limits that are a number": (
        mapping() | {"limits": 5},
        ["plan, limits: it should be a table of settings (got 5). Write { key = value }."],
    ),
    "a role that does not exist": (
        mapping() | {"columns": {"zip": {"role": "quasy"}}},
        ["plan, columns.zip.role: there is no 'quasy'. Closest: 'quasi'. Known: identifier, quasi"],
    ),
    "a weight below zero": (
        mapping() | {"columns": {"zip": {"role": "quasi", "weight": -1}}},
        ["plan, columns.zip.weight: it should be greater than or equal to 0 (got -1). Give 0 or"],
    ),
    "an infinite weight": (
        mapping() | {"columns": {"zip": {"role": "quasi", "weight": float("inf")}}},
        ["plan, columns.zip.weight: it should be a finite number (got inf)."],
    ),
    "a weight beside which nothing else counts": (
        mapping() | {"columns": {"zip": {"role": "quasi", "weight": 1e308}}},
        ["plan, columns.zip.weight: ", "a weight is 0, or from 0.000001 to 1,000,000"],
    ),
    "a weight that counts for nothing": (
        mapping() | {"columns": {"zip": {"role": "quasi", "weight": 1e-9}}},
        ["plan, columns.zip.weight: ", "a weight is 0, or from 0.000001 to 1,000,000"],
    ),
    "a sensitive column with a weight": (
        mapping() | {"columns": {"zip": {"role": "quasi"}, "ill": {"role": "other", "weight": 2}}},
        ["plan, columns.ill: "],
    ),
    "unlisted": (
        mapping() | {"unlisted": "keep"},
        ["plan, unlisted: there is no 'keep'. ", "Known: error, drop, other."],
    ),
    "suppressed": (
        mapping() | {"suppressed": "blnk"},
        ["plan, suppressed: there is no 'blnk'. Closest: 'blank'. Known: drop, blank."],
    ),
    "loss": (mapping() | {"loss": "ncp"}, ["plan, loss: there is no 'ncp'."]),
    "seed": (mapping() | {"seed": "x"}, ["plan, seed: it should be a valid integer (got 'x')."]),
    "an option that a method lacks": (
        mapping() | {"method": {"name": "optimal", "nam": 1}},
        ["plan, method: unknown key 'nam'. Closest: 'name'."],
    ),
    "a method without a name": (
        mapping() | {"method": {}},
        ['plan, method: it does not say which name. Add name = "...".'],
    ),
    "an option that a requirement lacks": (
        mapping() | {"require": [{"model": "k-anonymity", "k": 2, "kk": 3}]},
        ["plan, require[1]: unknown key 'kk'. Closest: 'k'. Known: k, model."],
    ),
    "one requirement without a list around it": (
        mapping() | {"require": {"model": "k-anonymity", "k": 2}},
        ["plan, require: it should be a list. Write [...], or [[...]] above a table"],
    ),
    "a key of the plan further down": (
        mapping() | {"require": [{"model": "k-anonymity", "k": 2, "seed": 3}]},
        ["plan, require[1]: unknown key 'seed'. It is a key of the whole plan: write it above all"],
    ),
    "a limit of no time": (
        mapping() | {"method": {"name": "optimal", "time_limit": 0}},
        ["plan, method.time_limit: it should be greater than 0 (got 0). Give more than 0."],
    ),
    "a number for a text": (
        mapping() | {"input": {"encoding": 8}},
        ["plan, input.encoding: it should be a text (got 8). Write it in quotes."],
    ),
    "a word for yes or no": (
        mapping() | {"method": {"name": "mondrian", "strict": "maybe"}},
        ["plan, method.strict: ", "Write true or false, without quotes."],
    ),
    "two faulty requirements": (
        mapping() | {"require": [{"model": "k-anonymity", "k": 1}, {"model": "k-anonymity"}]},
        ["plan, require[1].k: ", "plan, require[2].k: it is required but absent"],
    ),
    "a hierarchy of a wrong width": (
        mapping() | {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": ["x"]}}}},
        ["plan, columns.age.hierarchy.intervals[1]: 'x' is not a finite number"],
    ),
    "a set of a column that is none": (
        with_sets({"a": {"columns": ["zip", "sex", "sx"]}}),
        ["plan, sets.a: 'sx' is not a quasi column. Closest: 'sex'. Known: zip, sex."],
    ),
    "a quasi column in no set": (
        with_sets({"a": {"columns": ["zip"]}}),
        ["plan, sets: quasi columns in no set: sex."],
    ),
    "an empty set": (
        with_sets({"a": {"columns": []}}),
        ["plan, sets.a.columns: it is empty. Give at least one."],
    ),
    "a respondent that is none": (
        with_sets({"a": {"columns": ["zip", "sex"], "respondent": "sex"}}, **WHO),
        ["plan, sets.a: respondent 'sex' is not a column with role", "Known: who."],
    ),
    "two respondents and no sets": (
        with_sets({}, **WHO, **DOC),
        ["plan, columns: 2 columns are respondents (who, doc). Keep one, or"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_faults_stand_under_their_settings(kind):
    content, fragments = FAULTS[kind]
    told = "\n".join(faults(content))
    for fragment in fragments:
        assert fragment in told


def test_a_rule_between_settings_has_place_problem_and_remedy():
    with pytest.raises(PlanError) as raised:
        Plan.load(with_sets({"a": {"columns": ["zip", "sex", "sx"]}}))
    [fault] = raised.value.faults
    assert fault.place == "plan, sets.a"
    assert fault.problem == "'sx' is not a quasi column"
    assert fault.remedy == "Closest: 'sex'. Known: zip, sex."


@pytest.mark.parametrize(
    ("hierarchy", "told"),
    [
        ({"intervals": [5, 10**30]}, "too many digits"),
        ({"intervals": [5, 10**400]}, "is not a finite number"),
        ({"paths": [[]]}, "a path is empty. Give one line per value"),
        ({"paths": [[], ["1", "*"], ["2", "*"]]}, "a path is empty"),
    ],
)
def test_hierarchies_of_odd_sizes_are_refused(hierarchy, told):
    columns = {"age": {"role": "quasi", "hierarchy": hierarchy}}
    asked = {"columns": columns, "require": [{"model": "k-anonymity", "k": 2}]}
    with pytest.raises(IndistinctError, match=told):
        anonymize(pa.table({"age": ["1", "1", "2"]}), asked)


def test_a_width_larger_than_the_order_is_all_of_it():
    ordered = {"role": "quasi", "hierarchy": {"ordinal": ["1", "2", "3"], "widths": [10**30]}}
    asked = {
        "columns": {"age": ordered},
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "optimal"},
    }
    release = anonymize(pa.table({"age": ["1", "2", "3"]}), asked)
    assert set(release.frame["age"].to_pylist()) == {"1..3"}


@pytest.mark.parametrize("delimiter", [[], {}, ["tab"], 5])
def test_a_delimiter_is_a_text(delimiter):
    assert any("input.delimiter" in fault for fault in faults({"input": {"delimiter": delimiter}}))


def test_all_faults_at_once():
    content = mapping() | {"limits": {"suppression": 2, "supression": 1}, "sede": 1, "loss": "x"}
    content["columns"]["zip"]["hierarchy"] = {"mask": "up"}
    content["require"][0]["k"] = 0
    told = faults(content)
    assert len(told) == 6
    places = ["columns.zip", "require[1].k", "limits.suppression", "'supression'", "'sede'", "loss"]
    for place in places:
        assert any(place in fault for fault in told)


def test_faults_of_a_file_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TOML.replace("k = 5", "k = = 5"))
    [fault] = faults(path)
    assert fault.startswith(f"{path}: it is not valid TOML: ")
    assert "line 16" in fault
    path = tmp_path / "plan.json"
    path.write_text('{\n"columns": \n}')
    [fault] = faults(path)
    assert "it is not valid JSON" in fault
    assert "line 3" in fault
    path.write_text('{"columns": {}, "columns": {}}')
    assert "key 'columns' occurs twice" in faults(path)[0]
    path.write_text("[]")
    assert "no table of settings" in faults(path)[0]
    assert "no such file" in faults(tmp_path / "none.toml")[0]
    assert "it is a folder" in faults(tmp_path)[0]
    path.write_bytes(b'{"\xff": 1}')
    assert "byte 2 is not UTF-8" in faults(path)[0]
