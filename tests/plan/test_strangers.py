"""A first plan, used as it is on files of strangers, releases nothing that leads to a person."""

from __future__ import annotations

import csv
import re
from collections import defaultdict

import pytest

from indistinct import anonymize_file, suggest_plan
from tests.plan.strangers import FILES, file_of

K = 5
ADDRESS = re.compile(r"@|://|\b0\d{2,4}[-/ ]\d{4,}|\b(?:\d{1,3}\.){3}\d{1,3}\b|\bDE\d\d ")


def written(path, table):
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def people_of(table, number, column):
    """For each value of a column, who has it."""
    found = defaultdict(set)
    for who, value in zip(table[number], table[column], strict=True):
        found[value].add(who)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_first_plan_lets_nobody_out(name, tmp_path):
    table, secret = file_of(name)
    source = written(tmp_path / "in.csv", table)
    suggestion = suggest_plan(source, out=tmp_path / "plan.toml")
    told = (tmp_path / "plan.toml").read_text("utf-8")
    assert not [text for text in secret if text in told]
    anonymize_file(source, tmp_path / "plan.toml", tmp_path / "out.csv")
    released = (tmp_path / "out.csv").read_text("utf-8")
    assert not [text for text in secret if text in released]
    assert ADDRESS.search(released) is None
    number, visits, kinds = FILES[name]
    roles = {column.name: column.role for column in suggestion.columns}
    if visits > 1:
        assert roles[number] == "respondent"
    rows = list(csv.DictReader(released.splitlines()))
    for column in set(kinds) & set(rows[0]):
        if kinds[column] in {"town", "job", "zip", "sex"}:
            rare = {v for v, who in people_of(table, number, column).items() if len(who) < K}
            assert not rare & {row[column] for row in rows}
        if kinds[column] == "born" or roles[column] == "quasi":
            rare = {v for v, who in people_of(table, number, column).items() if len(who) < K}
            shown = set(re.findall(r"[\d.-]+", " ".join(row[column] for row in rows)))
            assert not rare & shown, "neither as a value nor as the end of a range"
