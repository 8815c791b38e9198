"""Papers are called by author and year, in names of files and in every text."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT

NUMBERED = re.compile(r"\bpapers?[\s_-]+00\d", re.IGNORECASE)
CITED = re.compile(r"(?<![\w.,:\"'-])00[0-4](?:, (?:section|Figure|Definition|equation)|'s )")
TEXTS = {".py", ".md", ".toml", ".j2", ".yml", ".ipynb", ".cff"}
PLACES = [ROOT / name for name in ("src", "docs", "benchmarks", "tests", "examples")]


def texts():
    files = [path for place in PLACES for path in place.rglob("*") if path.suffix in TEXTS]
    return [*files, *ROOT.glob("*.md"), *ROOT.glob("*.toml"), ROOT / "Makefile"]


def test_the_patterns_find_numbers_of_papers():
    assert NUMBERED.search("see paper" + "-002.md")
    assert NUMBERED.search("of Paper\n" + "001")
    assert CITED.search("(" + "001, section 6)")


def test_no_file_is_named_by_the_number_of_a_paper():
    assert [
        path for place in PLACES for path in place.rglob("*") if NUMBERED.search(path.name)
    ] == []


def test_no_text_calls_a_paper_by_its_number():
    read = {path: path.read_text(encoding="utf-8") for path in texts()}
    numbered = {path: NUMBERED.findall(text) + CITED.findall(text) for path, text in read.items()}
    assert {path: found for path, found in numbered.items() if found} == {}
