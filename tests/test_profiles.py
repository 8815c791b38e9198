"""The number of examples: as much larger in the thorough profile as the profile is, everywhere."""

from __future__ import annotations

import ast
from math import ceil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.profiles import ORDINARY, examples

TESTS = Path(__file__).parent
PROFILES = {TESTS / "conftest.py", TESTS / "profiles.py", Path(__file__)}


@pytest.fixture(params=["quick", "thorough"])
def profile(request):
    before = settings.get_current_profile_name()
    settings.load_profile(request.param)
    yield settings.get_profile(request.param)
    settings.load_profile(before)


@pytest.mark.parametrize("count", [1, 8, ORDINARY, 60])
def test_the_number_of_examples_follows_the_profile(profile, count):
    assert examples(count).max_examples == ceil(count * profile.max_examples / ORDINARY)


def test_other_settings_are_those_of_the_profile_unless_they_are_given(profile):
    assert examples(5).deadline == profile.deadline
    assert examples(5).suppress_health_check == profile.suppress_health_check
    ours = [HealthCheck.function_scoped_fixture]
    assert list(examples(5, suppress_health_check=ours).suppress_health_check) == ours


def own_numbers(tree):
    """Give the lines where a number of examples is set."""
    for node in ast.walk(tree):
        named = isinstance(node, ast.keyword) and node.arg == "max_examples"
        if named or (isinstance(node, ast.Constant) and node.value == "max_examples"):
            yield node.lineno


def test_a_number_that_is_set_is_seen():
    text = "A = settings(deadline=None, max_examples=5)\nB = settings(**{'max_examples': 5})"
    assert list(own_numbers(ast.parse(text))) == [1, 2]


def test_no_test_sets_its_number_of_examples_itself():
    """Such a number is the same in each profile: `tests.profiles.examples` is to be used."""
    paths = set(TESTS.rglob("*.py")) - PROFILES
    assert len(paths) > 100
    lines = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(paths)
        if "max_examples" in (text := path.read_text("utf-8"))
        for line in own_numbers(ast.parse(text))
    ]
    assert lines == []
