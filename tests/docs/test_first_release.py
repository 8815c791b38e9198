"""A newcomer gets from the README to an own release in less than five minutes of reading."""

from __future__ import annotations

import re

from tests.docs.blocks import FENCE, FIRST, ROOT

WORDS_A_MINUTE = 200
STEPS = ["Install", "Let it suggest a plan", "Correct the roles", "Make the release"]
STEPS += ["Read the report", "Check it, and hand it over"]


def words(text):
    """Count what is read: prose, tables and commands, but not the code that invents a file."""
    prose = FENCE.sub(lambda found: found[3] if found[1] == "sh" else "", text)
    plain = re.sub(r"\]\([^)]*\)|[#|*`\[\]-]", " ", prose)
    return len(plain.split())


def test_words_are_counted_without_addresses_and_marks():
    page = "# One two\n\n[three](a/b.md) `four`\n\n```python\nx = 1\n```\n\n```sh\nrun it\n```\n"
    assert words(page) == 6


def test_the_way_from_readme_to_a_first_release_is_read_in_five_minutes():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = readme.partition("## In Python")[0]
    assert "docs/first-release.md" in start
    read = words(start) + words(FIRST.read_text(encoding="utf-8"))
    assert 500 < read < 5 * WORDS_A_MINUTE


def test_every_step_has_its_name():
    text = FIRST.read_text(encoding="utf-8")
    named = re.findall(r"^## (\d)\. (.*)$", text, re.MULTILINE)
    assert named == [(str(number), step) for number, step in enumerate(STEPS, 1)]
