"""Random command lines: whatever is asked for, the answer is an exit code that means something.

Every verb is run with random options, and values and paths that are good, odd or impossible. It
must say what is wrong (1 to 3) or do it (0), and never end in a bug (70), a trace, or a draft.
"""

from __future__ import annotations

import inspect
import json
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.models import ArgumentInfo

from indistinct.cli import app
from indistinct.disk.drafts import DRAFT
from tests.cli.conftest import MARITAL, PEOPLE, plan

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
ROUNDS = 100 if THOROUGH else 4
CASES = 50
LATER = "name,zip,age,marital,disease\nIda,22030,33,married,flu\nJoe,22030,35,married,gout\n"
TREE = {
    "tree": {"classes": ["town", "illness"]},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
}
RECORDS = [{"town": "Rome", "illness": [{"value": "flu"}]}, {"town": "Rome"}] * 3
WORDS = [
    *("zip", "age", "marital", "disease", "name", "zip,age", "zip=age", "zip=ZIP,age=years"),
    *("", ",", "=", "a b", "é☃", "\udcff", "\0", "x" * 300, "-1", "2,5", "1e9", "nan", "*", "-"),
    *("best,optimal", "mondrian", "linking", "homogeneity", "hold", "error", "cp1252", "utf-16"),
    *(";", "\t", ";;", "'", '"', "Sheet1", "../..", "{}", "%s", "[red]"),
]
NUMBERS = ["-1", "0", "1", "2", "3", "7", "10", "1000000000000000000000", "x", "", "0.5", "٣"]
SHARES = ["-1", "0", "0.2", "1", "2", "nan", "inf", "1e308", "1e-320", "x", ""]


WRITING = re.compile(
    "Where|Also (write|draw|list)|Write it|The release:|The folder to write|Buckets"
)


@dataclass(frozen=True)
class Given:
    """Something that a verb can be given: an argument, if it has no option."""

    name: str
    option: str | None
    kind: type
    required: bool
    written: bool = False


def verbs(group=app, names=()):
    """Name every verb with what it can be given."""
    for command in group.registered_commands:
        name = command.name or command.callback.__name__
        signature = inspect.signature(command.callback, eval_str=True)
        yield (*names, name), [given(parameter) for parameter in signature.parameters.values()]
    for inner in group.registered_groups:
        yield from verbs(inner.typer_instance, (*names, inner.name))


def given(parameter):
    annotated, info = parameter.annotation.__origin__, parameter.annotation.__metadata__[0]
    kinds = {annotated, *get_args(annotated), *get_args(next(iter(get_args(annotated)), None))}
    kind = next(kind for kind in (Path, bool, int, float, str) if kind in kinds)
    stated = (info.default, *(info.param_decls or ()), "--" + parameter.name.replace("_", "-"))
    option = next(name for name in stated if isinstance(name, str) and name.startswith("--"))
    is_argument = isinstance(info, ArgumentInfo)
    required = parameter.default is parameter.empty
    writes = info.help is not None and WRITING.match(info.help) is not None
    return Given(parameter.name, None if is_argument else option, kind, required, writes)


VERBS = dict(verbs())
SELDOM = {"compare": 0.3, "frontier": 0.3, "demo": 0.2, "methods": 0.2, "app": 0}
"""How often a verb is drawn, where not as often as others; `app` serves until it is stopped."""


@pytest.fixture
def house(tmp_path, indistinct):
    """A folder with everything a verb may read, sound and broken."""
    write(tmp_path, "private.csv", PEOPLE)
    write(tmp_path, "later.csv", LATER)
    write(tmp_path, "marital.csv", "".join(";".join(path) + "\n" for path in MARITAL))
    for name, more in PLANS.items():
        write(tmp_path, f"{name}.json", json.dumps(plan() | more))
    write(tmp_path, "tree.json", json.dumps(TREE))
    write(tmp_path, "trees.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))
    table = {"zip": ["1", "1", "2"], "age": [1, 1, 2], "disease": [None, "flu", "flu"]}
    pq.write_table(pa.table(table), tmp_path / "other.parquet")
    write(tmp_path, "empty.csv", "")
    write(tmp_path, "header.csv", "zip,age,marital,disease\n")
    write(tmp_path, "broken.json", '{"a": [')
    write(tmp_path, "list.json", "[1, 2]")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "private.csv")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "x")
    os.mkfifo(tmp_path / "pipe")
    certified = ("--certificate", tmp_path / "c.json", "--recoding", tmp_path / "recoding.json")
    made = ("--plan", tmp_path / "plan.json", "--out", tmp_path / "release.csv", *certified)
    assert indistinct("anonymize", tmp_path / "private.csv", *made).code == 0
    return tmp_path


PLANS = {
    "plan": {},
    "best": {"method": {"name": "best"}},
    "star": {"method": {"name": "best"}, "publish": "star"},
    "cells": {"method": {"name": "cell-suppression"}},
    "freeform": {"method": {"name": "freeform-greedy"}, "limits": {}},
    "greedy": {"require": [{"model": "k-anonymity", "k": 999}]},
    "typo": {"limit": {}},
}
GOOD = ["private.csv", "later.csv", "release.csv", "c.json", "recoding.json", "marital.csv"]
GOOD += [f"{name}.json" for name in PLANS] + ["tree.json", "trees.jsonl", "other.parquet", "folder"]
ODD = ["empty.csv", "header.csv", "broken.json", "list.json", "binary.csv", "link.csv", "loop"]
ODD += ["dangling", "pipe", "missing.csv", "private.csv/x", "folder/../private.csv", "no/where.csv"]
ODD += ["x" * 300, "x" * 255, "é" * 127 + ".csv", "a\0b", "\udcff.csv", ".", "..", "-", "", "/"]
ODD += ["/dev/null", "/dev/full", "/proc/self/mem", "/dev/stdout", "~", "*", "a\nb.csv"]
USUAL = {
    "column": ["zip", "age", "marital", "disease"],
    "columns": ["zip,age", "zip,age,marital"],
    "delimiter": [","],
    "encoding": ["utf-8", "latin-1"],
    "on": ["zip,age", "zip"],
    "quasi": ["zip", "zip,age"],
    "sensitive": ["disease"],
    "only": ["homogeneity", "skewness,linking", "inference"],
    "truth": ["name"],
    "method": ["mondrian", "optimal", "datafly"],
    "methods": ["best", "mondrian,hilbert", "optimal,samarati", "anatomy"],
    "k": ["2", "2,3", "3"],
    "points": ["2", "3"],
    "frontier": ["2,3"],
    "respondent": ["name"],
    "household": ["zip"],
    "rows": ["100"],
}
OUT = ["o.csv", "o.csv.gz", "o.csv.bz2", "o.tsv", "o.parquet", "o.html", "o.json", "o.jsonl"]
OUT += ["o.svg", "o.png", "o.toml", "o.xml", "o", "o.xlsx", "o.zip", "folder/o.csv", ".o.csv"]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


FITTING = {
    "source": ["private.csv", "private.csv", "later.csv", "trees.jsonl", "other.parquet"],
    "release": ["release.csv"],
    "plan": [f"{name}.json" for name in PLANS],
    "certificate": ["c.json"],
    "recoding": ["recoding.json"],
    "path": ["marital.csv"],
    "people": ["later.csv"],
}


def some_path(draw: random.Random, house: Path, asked: Given) -> str:
    chance = draw.random()
    if chance < 0.85:
        name = draw.choice(OUT if asked.written else FITTING.get(asked.name, GOOD))
    else:
        name = draw.choice(ODD if chance < 0.95 else GOOD)
    return name if name.startswith(("/", "-", "~")) or not name else f"{house}/{name}"


def some_value(draw: random.Random, house: Path, asked: Given) -> str:
    if asked.kind is Path:
        return some_path(draw, house, asked)
    odd = draw.choice({int: NUMBERS, float: SHARES, str: WORDS}[asked.kind])
    return odd if draw.random() < 0.3 else draw.choice(USUAL.get(asked.name, [odd]))


def some_command(draw: random.Random, house: Path) -> list[str]:
    """Draw a verb, what it must be given, mostly, and some of what it may."""
    [names] = draw.choices(list(VERBS), [SELDOM.get(names[0], 1) for names in VERBS])
    line: list[str] = list(names)
    for asked in VERBS[names]:
        if draw.random() < (0.97 if asked.required else 0.25):
            value = [] if asked.kind is bool else [some_value(draw, house, asked)]
            line += ([] if asked.option is None else [asked.option]) + value
    if names == ("demo",) and "--rows" not in line:
        line += ["--rows", "100"]
    if draw.random() < 0.05:
        line.insert(draw.randrange(len(line) + 1), draw.choice([*WORDS, "--nosuch", "--json"]))
    return line


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_no_command_line_ends_in_a_bug(house, indistinct, seed, monkeypatch):
    monkeypatch.chdir(house)
    monkeypatch.setattr("indistinct.verbs.warmup.PROCESSES", 0)  # or every draw runs all methods
    draw = random.Random(seed)
    codes = set()
    for _ in range(CASES):
        line = some_command(draw, house)
        ran = indistinct(*line)
        codes.add(ran.code)
        assert ran.code in {0, 1, 2, 3}, (line, ran)
        assert "Traceback" not in ran.err, line
        left = [path.name for path in house.rglob("*") if DRAFT.fullmatch(path.name)]
        assert left == [], line
        assert (house / "private.csv").read_text(encoding="utf-8") == PEOPLE, line
    assert {0, 2} <= codes
