"""The site: every page has its place, commands are all told, and nothing loads from elsewhere."""

from __future__ import annotations

import re
import runpy

import pytest
import typer.main

from indistinct.cli import app
from tests.docs.blocks import DOCS, ROOT

SITE = ROOT / "docs" / "site"
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]


def commands_below(command, path):
    yield path
    for name, one in getattr(command, "commands", {}).items():
        yield from commands_below(one, f"{path} {name}")


def test_the_page_of_commands_has_all_of_them():
    page = runpy.run_path(str(SITE / "commands.py"))["commands_page"]()
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == list(commands_below(typer.main.get_command(app), "indistinct"))
    assert "--plan" in page


def test_every_page_has_its_place_on_the_site():
    placed = re.findall(r"([\w./-]+\.md)$", NAV, re.MULTILINE)
    assert len(placed) == len(set(placed))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in DOCS}
    assert pages - set(placed) == set()


@pytest.mark.parametrize(
    ("text", "suffix", "loaded"),
    [
        ('<script src="https://a.example/x.js"></script>', ".html", ["https://a.example/x.js"]),
        ('<link href="//b.example/y.css" rel="stylesheet">', ".html", ["//b.example/y.css"]),
        (
            "@import 'https://c.example/z.css'; a { color: red }",
            ".css",
            ["https://c.example/z.css"],
        ),
        ("a { background: url(//d.example/i.png) }", ".css", ["//d.example/i.png"]),
        ('<a href="https://e.example">may be followed</a><img src="i.png">', ".html", []),
        ("a { background: url(i.png) }", ".css", []),
    ],
)
def test_what_a_page_loads_from_other_hosts_is_found(text, suffix, loaded):
    assert runpy.run_path(str(SITE / "outside.py"))["loaded_by"](text, suffix) == loaded


def test_figures_of_concepts_are_what_the_code_draws():
    drawn = runpy.run_path(str(ROOT / "docs" / "concept_figures.py"))
    for name in ("linking", "diversity", "loss", "limits"):
        text = drawn["to_svg"](drawn["CHARTS"][name]())
        assert (drawn["FOLDER"] / f"{name}.svg").read_text(encoding="utf-8") == text
