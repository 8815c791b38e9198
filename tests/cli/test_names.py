"""What the command calls an option, Python calls a parameter."""

from __future__ import annotations

import inspect

import pytest
import typer

import indistinct
from indistinct import trees
from indistinct.cli import app

TWINS = {
    "anonymize": indistinct.anonymize_file,
    "apply": indistinct.apply_file,
    "assess": indistinct.assess,
    "attack": indistinct.attack,
    "bound": indistinct.bound,
    "compare": indistinct.compare,
    "frontier": indistinct.frontier,
    "plan check": indistinct.check_plan,
    "plan suggest": indistinct.suggest_plan,
    "verify": indistinct.verify,
    "warmup": indistinct.warmup,
    "tree anonymize": trees.anonymize_file,
    "tree apply": trees.apply_file,
    "tree assess": trees.assess,
    "tree check": trees.check_plan,
    "tree attack": trees.attack,
    "tree compare": trees.compare,
    "tree suggest": trees.suggest_plan,
    "tree verify": trees.verify,
}
SHOWN = {"--json", "--top", "--help"}
OF_THE_PLAN = {
    "tree anonymize": {"--seed"},
}
OF_THE_RESULT = {verb: {"--out", "--chart"} for verb in ("compare", "frontier", "tree compare")}


@pytest.mark.parametrize("verb", TWINS)
def test_options_and_parameters_have_the_same_names(verb):
    command = typer.main.get_command(app)
    for name in verb.split():
        command = command.commands[name]
    options = {name for p in command.params for name in p.opts if name.startswith("--")}
    asked = options - SHOWN - OF_THE_PLAN.get(verb, set()) - OF_THE_RESULT.get(verb, set())
    known = {f"--{name.replace('_', '-')}" for name in inspect.signature(TWINS[verb]).parameters}
    assert asked <= known
