"""No kernel lends an array that it has made: numba frees it at once, and others write there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import indistinct

SOURCES = Path(indistinct.__file__).parent
LENDING = {"lent", "pointer_to"}
MAKING = {"copy", "astype", "doubled"}


def names_in(expression):
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def called(node):
    """Return what a call calls, without where it is from."""
    return getattr(node.func, "id", getattr(node.func, "attr", None))


def makes_an_array(expression):
    """Return whether numpy, or a method of an array, makes one somewhere in an expression."""
    return any(
        isinstance(node, ast.Call)
        and (called(node) in MAKING or ast.unparse(node.func).startswith("np."))
        and not ast.unparse(node.func).startswith(("np.int", "np.uint", "np.float"))
        for node in ast.walk(expression)
    )


def made_names(function):
    """Return the names of a function that hold arrays made in it, also as parts of tuples."""
    assignments = [
        (target, node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    made = set()
    while True:
        more = set()
        for target, value in assignments:
            if makes_an_array(value) or names_in(value) & made:
                more |= names_in(target) if isinstance(target, ast.Name | ast.Tuple) else set()
        if more <= made:
            return made
        made |= more


def lent_though_made(source):
    """List what functions lend of their own making."""
    return [
        f"{function.name}: {ast.unparse(node)}"
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and called(node) in LENDING
        if makes_an_array(node.args[0]) or names_in(node.args[0]) & made_names(function)
    ]


def test_no_kernel_lends_what_it_has_made():
    kernels = [*SOURCES.rglob("*_kernel.py"), *SOURCES.glob("kernels/*.py")]
    texts = {path.name: path.read_text() for path in kernels}
    assert any("pointer_to(" in text for text in texts.values())
    assert {name: wrong for name, text in texts.items() if (wrong := lent_though_made(text))} == {}


@pytest.mark.parametrize(
    "body",
    [
        "made = np.zeros(3); held = lent(made)",
        "held = lent(np.zeros(3))",
        "held = pointer_to(Pair(given, given.copy()))",
        "made = np.empty(3); pair = Pair(made, given); held = pointer_to(pair)",
        "one, other = np.zeros((2, 3)); held = lent(other)",
    ],
)
def test_what_is_made_and_lent_is_found(body):
    assert len(lent_though_made(f"def kernel(given): {body}")) == 1


def test_arguments_and_their_parts_may_be_lent():
    body = "number = np.int64(3); held, pair = lent(given), pointer_to(Pair(given[0], number))"
    assert lent_though_made(f"def kernel(given): {body}") == []
