"""Files around the code that must agree with it: versions, dependencies, what is locked."""

from __future__ import annotations

import re
import tomllib

from indistinct import __version__
from tests.docs.blocks import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = re.compile(r"[\w.-]+")


def locked():
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    return {plain(line.partition("==")[0]) for line in lines if not line.startswith("#")}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_file_pins_all_that_development_needs():
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["dev"], *extras["docs"]]
    assert {plain(NAME.match(one).group()) for one in asked} - locked() == set()


def test_the_citation_and_the_changelog_name_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_dependency_has_a_lower_bound_that_the_matrix_can_try():
    assert [one for one in PROJECT["dependencies"] if not re.search(r">=[\d.]+$", one)] == []
