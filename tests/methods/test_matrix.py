"""Every method under requirements, people and sets: it works, or is refused with a reason.

The matrix itself is made by docs/method_matrix.py. In the ordinary profile each method is run once
for every setting, under a requirement that moves on; in the thorough one under all.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import settings

from indistinct.requirements import MODELS
from tests.profiles import ORDINARY

MATRIX = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "method_matrix.py"))
REQUIREMENTS, SETTINGS = MATRIX["REQUIREMENTS"], MATRIX["SETTINGS"]
VARIANTS = MATRIX["variants"]()
EVERYTHING = settings.default.max_examples > ORDINARY


def test_every_model_has_an_example():
    assert {asked["model"] for asked in REQUIREMENTS.values()} == set(MODELS)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_method_works_or_is_refused_with_a_reason(name):
    method = list(VARIANTS).index(name)
    asked = list(REQUIREMENTS.values())
    for place, options in enumerate(SETTINGS.values()):
        some = asked if EVERYTHING else [asked[(3 * place + method) % len(asked)]]
        for one in some:
            plan = MATRIX["plan_of"](VARIANTS[name], one, method + place, **options)
            run = MATRIX["run"](plan, method + place)
            assert run.outcome != "broken", (one, options, run.reasons)
            assert bool(run.reasons) is (run.outcome != "works")


def test_a_broken_release_is_seen(monkeypatch):
    """The test can fail: an error that is not on purpose, and a failed check."""

    def broken(error):
        def anonymize(*_):
            raise error

        monkeypatch.setitem(MATRIX["run"].__globals__, "anonymize", anonymize)
        plan = MATRIX["plan_of"]({"name": "best"}, REQUIREMENTS["k"], 0)
        return MATRIX["run"](plan, 0)

    assert broken(IndexError("out of bounds")).outcome == "broken"
    error = MATRIX["DoesNotHoldError"]
    assert broken(error([])).outcome == "broken"
