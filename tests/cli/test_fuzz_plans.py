"""Whatever a plan says: exit code 0, 1 or 2; never an internal error, and never a traceback."""

from __future__ import annotations

import copy
import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.cli import app
from indistinct.cli.running import run as run_app

PRIVATE = """\
name;zip;born;cost;marital;disease
Ann;22030;31.12.1999;262,13;married;flu
Bob;22030;01.02.1950;1.234,5;married;asthma
Cyd;22032;31.12.1999;8,5;single;flu
Dan;22032;01.02.1950;262,13;single;
Eve;22045;15.07.1960;1.234,5;k.A.;flu
Fay;22047;15.07.1960;8,5;widow;gout
"""
PLANS = [
    {
        "columns": {
            "name": {"role": "identifier", "pseudonym": {"kind": "random"}},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right", "keep": 1}, "weight": 2.0},
            "born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
            "cost": {"role": "quasi", "hierarchy": {"intervals": [10, 100], "top": 1000}},
            "marital": {
                "role": "quasi",
                "hierarchy": {"tree": {"been": ["married", "widow"], "never": ["single"]}},
            },
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}],
        "method": {"name": "datafly"},
        "limits": {"suppression": 0.5},
        "input": {"missing": ["", "k.A."], "dates": "dmy", "decimal": ",", "thousands": "."},
        "output": {"guard_formulas": True},
        "suppressed": "blank",
        "seed": 7,
    },
    {
        "columns": {
            "name": {"role": "respondent"},
            "zip": {"role": "quasi", "hierarchy": "flat", "publish": "node"},
            "born": {"role": "quasi", "hierarchy": {"dates": ["year"], "format": "%d.%m.%Y"}},
            "cost": {"role": "quasi", "hierarchy": {"cuts": [[10, 1000]]}, "range_as": "bounds"},
            "marital": {"role": "other"},
            "disease": {
                "role": "sensitive",
                "hierarchy": {"paths": [[d, "any", "*"] for d in ("flu", "asthma", "gout")]},
            },
        },
        "require": [{"model": "t-closeness", "t": 0.9, "distance": "hierarchical"}],
        "method": {"name": "mondrian", "strict": False},
        "sets": {"one": {"columns": ["zip", "born", "cost"], "respondent": "name"}},
        "publish": "auto",
        "loss": "gcp",
    },
    {
        "columns": {
            "zip": {
                "role": "quasi",
                "hierarchy": {"ordinal": ["22030", "22032", "22045", "22047"], "widths": [2]},
            },
            "cost": {"role": "quasi"},
            "disease": {"role": "sensitive"},
        },
        "unlisted": "drop",
        "preset": "cell5",
        "require": [
            {"model": "alpha-k", "alpha": 0.9, "k": 2, "values": ["flu"]},
            {"model": "p-sensitive", "p": 2, "k": 2},
        ],
        "method": {"name": "samarati"},
    },
]
FAST = {"auto", "datafly", "mondrian", "samarati", "optimal", "incognito", "mu-argus", "topdown"}
ODD = [
    None,
    True,
    0,
    -1,
    1,
    2,
    10**30,
    -(2**63),
    1e308,
    5e-324,
    float("nan"),
    float("inf"),
    0.5,
    "",
    " ",
    "*",
    "\0",
    "\ud800",
    "\u202e\U0001f600",
    "x" * 5_000,
    "../../etc/passwd",
    "/dev/null",
    "%d%%",
    "quasi",
    "flat",
    "best",
    "k-anonymity",
    [],
    [[]],
    [1, "a", None],
    {},
    {"": {}},
    {"name": "mondrian"},
    {"csv": "/dev/zero"},
    {"csv": "no\0where.csv"},
    {"mask": "right", "char": "xy"},
    {"intervals": [0, -1]},
    {"intervals": [1e-320]},
    {"dates": ["fortnight"]},
    {"tree": {"a": {"b": {"c": []}}}},
    {"model": "k-anonymity", "k": 3},
]


def deep(levels):
    content = []
    for _ in range(levels):
        content = [content]
    return content


def places(content, path=()):
    """Name every place in a plan."""
    yield path
    if isinstance(content, dict | list):
        keys = content if isinstance(content, dict) else range(len(content))
        for key in keys:
            yield from places(content[key], (*path, key))


def holder(content, path):
    for key in path[:-1]:
        content = content[key]
    return content


@st.composite
def mutated(draw):
    """Take a sound plan and change it in one to three places."""
    content = copy.deepcopy(draw(st.sampled_from(PLANS)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(sorted(places(content), key=repr)))
        odd = copy.deepcopy(draw(st.sampled_from([*ODD, deep(40)])))  # it may be changed later
        if not path:
            content[draw(st.sampled_from(["input", "seed", "methods", "", "tree"]))] = odd
            continue
        held = holder(content, path)
        match draw(st.sampled_from(["replace", "replace", "remove", "add", "rename"])):
            case "replace":
                held[path[-1]] = odd
            case "remove":
                del held[path[-1]]
            case "add" if isinstance(held, dict):
                held[draw(st.sampled_from(["k", "csv", "role", "column", "unknown"]))] = odd
            case "rename" if isinstance(held, dict):
                held[f"{path[-1]}2"] = held.pop(path[-1])
            case _:
                held.append(odd) if isinstance(held, list) else held.update(x=odd)
    return content


@pytest.fixture
def ran(tmp_path, monkeypatch, capsys):
    """Run a command in this process; return its code and what it said."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["indistinct", *map(str, args)])
        try:
            run_app(app)
        except SystemExit as stop:
            code = stop.code or 0
        said = "".join(capsys.readouterr())
        return code, said

    (tmp_path / "in.csv").write_text(PRIVATE)
    return run


@pytest.mark.parametrize("sound", PLANS, ids=lambda plan: plan["method"]["name"])
def test_what_is_changed_was_sound(ran, tmp_path, sound):
    (tmp_path / "plan.json").write_text(json.dumps(sound))
    out, data = tmp_path / "out.csv", tmp_path / "in.csv"
    code, said = ran("anonymize", data, "--plan", tmp_path / "plan.json", "--out", out)
    assert code == 0, said


def method_of(content):
    method = content.get("method", {})
    return method.get("name", "auto") if isinstance(method, dict) else None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(content=mutated(), options=st.sampled_from([(), ("--k", "2"), ("--method", "mondrian")]))
def test_any_plan_ends_in_a_release_or_in_faults(ran, tmp_path, content, options):
    plan, data = tmp_path / "plan.json", tmp_path / "in.csv"
    plan.write_text(json.dumps(content), encoding="utf-8")
    code, said = ran("plan", "check", plan, data)
    assert code in {0, 1, 2}, said
    if code == 0 and method_of(content) in FAST:
        out = tmp_path / "out.csv"
        code, said = ran("anonymize", data, "--plan", plan, "--out", out, *options)
        assert code in {0, 1, 2}, said


@given(
    cut=st.integers(0, 400),
    text=st.text(max_size=8) | st.sampled_from(["[[", '"""', "= = ", "\0", "[a]\n[a]\n", "'"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_as_a_plan_ends_in_faults_or_is_one(ran, tmp_path, cut, text):
    sound = (
        '[columns.zip]\nrole = "quasi"\nhierarchy = { mask = "right" }\n'
        '[columns.disease]\nrole = "sensitive"\n[[require]]\nmodel = "k-anonymity"\nk = 2\n'
        'unlisted = "drop"\n'
    )
    plan = tmp_path / "plan.toml"
    written = (sound[:cut] + text + sound[cut:]).encode("utf-8", errors="surrogatepass")
    plan.write_bytes(written)
    code, said = ran("plan", "check", plan, tmp_path / "in.csv")
    assert code in {0, 1, 2}, said


@pytest.mark.parametrize(
    "options",
    [
        ("--k", "0"),
        ("--k", "x"),
        ("--k", str(10**30)),
        ("--method", ""),
        ("--method", "bset"),
        ("--delimiter", ""),
        ("--delimiter", "\0"),
        ("--encoding", "utf-16"),
        ("--encoding", "\ud800"),
        ("--sheet", "x"),
        ("--seed", str(10**40)),
        ("--seed", "-1"),
    ],
    ids=repr,
)
def test_any_option_over_a_plan_ends_in_a_release_or_in_faults(ran, tmp_path, options):
    (tmp_path / "plan.json").write_text(json.dumps(PLANS[0]))
    out = tmp_path / "out.csv"
    code, said = ran(
        "anonymize", tmp_path / "in.csv", "--plan", tmp_path / "plan.json", "--out", out, *options
    )
    assert code in {0, 1, 2}, said
