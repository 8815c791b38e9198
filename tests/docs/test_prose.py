"""What users read has none of the words that `.ci/words.toml` lists."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.docs.blocks import ROOT

PROSE = runpy.run_path(str(ROOT / ".ci" / "prose"))
WORDS = PROSE["words"]()
Text = PROSE["Text"]


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.example)
def test_every_word_is_found_in_its_example(word):
    assert list(PROSE["faults"](Text("here", 1, word.example), [word]))
    assert not list(PROSE["faults"](Text("here", 1, f"{word.instead}: nothing"), [])), "no words"


@pytest.mark.parametrize("word", [word for word in WORDS if word.but], ids=lambda word: word.find)
def test_a_word_is_let_alone_where_it_is_right(word):
    for right in word.but:
        assert not list(word.places_in(f"so it {right} it")), right


def test_code_is_not_read_and_lines_are_counted():
    page = PROSE["CODE"].sub(PROSE["blanked"], "one\n```sh\ntold\n```\n`told`\nit is told\n")
    (fault,) = PROSE["faults"](Text("page.md", 1, page), WORDS)
    assert fault.startswith("page.md:6: ")


def test_times_in_sorts_are_explained_on_their_page():
    (sorts,) = [word for word in WORDS if word.unless_page]
    assert list(sorts.places_in("it takes 320 S"))
    assert not list(sorts.places_in("S is the time of one sort\nof the table; it takes 320 S"))
    assert not list(sorts.places_in("it takes 3 s"))


@pytest.mark.parametrize(
    "source", ["pages", "templates", "messages", "help_of_commands", "public_docstrings"]
)
def test_what_users_read_has_none_of_these_words(source):
    texts = list(PROSE[source]())
    assert len(texts) > 10
    assert [fault for text in texts for fault in PROSE["faults"](text, WORDS)] == []


def test_messages_help_and_docstrings_are_among_what_is_read():
    read = " ".join(text.words for text in PROSE["everything"]())
    for told in (
        "Do not publish it.",  # a message
        "Make a release that satisfies a plan",  # --help
        "Internal report",  # a template
        "# Requirements",  # a page
    ):
        assert told in re.sub(r"\s+", " ", read)
