"""Import fences: who may know data-frame libraries, and what must not be loaded to say hello."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import indistinct

SOURCE = Path(indistinct.__file__).parent
FRAME_LIBRARIES = {"pandas", "polars", "duckdb", "narwhals"}


def imported(path):
    """Name the top modules that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def is_kernel(path):
    """Tell whether a file holds hot loops, or what they share."""
    return path.stem.endswith("_kernel") or path.parent == SOURCE / "kernels"


KERNELS = sorted(path for path in SOURCE.rglob("*.py") if is_kernel(path))


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_only_io_knows_data_frame_libraries(path):
    package = path.relative_to(SOURCE).parts[0]
    libraries = {name.split(".")[0] for name in imported(path)}
    if package != "io":
        assert not libraries & FRAME_LIBRARIES
    if package in {"methods", "measures", "requirements", "model", "kernels"}:
        assert not libraries & {"pyarrow", "json", "csv", "rich", "typer"}
        assert not {name for name in imported(path) if name.startswith("indistinct.io")}
    if not is_kernel(path):
        assert "numba" not in libraries
    if package != "cli":
        assert not libraries & {"typer", "rich"}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda p: p.stem)
def test_no_kernel_is_compiled_before_it_is_known_where_to_keep_it(kernel):
    text = kernel.read_text("utf-8")
    if kernel.stem != "compiled":
        assert "from numba import" not in text
        assert ("from numba." in text) == ("\nimport numba " in text)


OF_PLANS = {"of_plan", "columns"}


@pytest.mark.parametrize("check", sorted(SOURCE.glob("check/*.py")), ids=lambda p: p.stem)
def test_the_check_shares_nothing_with_the_search(check):
    ours = {name for name in imported(check) if name.startswith("indistinct.")}
    packages = {name.split(".")[1] for name in ours - {"indistinct.kernels.compiled"}}
    if check.stem in OF_PLANS:
        assert not packages & {"methods", "measures", "risk", "kernels"}
    else:
        assert packages <= {"errors", "io", "hierarchy", "requirements", "model", "check"}


def test_the_kernel_of_the_check_shares_nothing_with_the_search():
    names = imported(SOURCE / "check" / "freeform_kernel.py")
    ours = {name for name in names if name.startswith("indistinct")}
    assert ours == {"indistinct.kernels.compiled"}  # where to cache it, and nothing of a search
    users = {p for p in SOURCE.rglob("*.py") if "check.freeform_kernel" in p.read_text("utf-8")}
    assert users == {SOURCE / "check" / "freeform.py"}


def test_the_check_of_trees_shares_nothing_with_the_search():
    names = set(imported(SOURCE / "trees" / "verification.py"))
    own = {
        "indistinct.trees.items_kernel",
        "indistinct.trees.judging_kernel",
        "indistinct.trees.knowledge_kernel",
        "indistinct.trees.forest",
        "indistinct.trees.knowledge",
    }
    assert {name for name in names if name.startswith("indistinct")} == own
    kernels = ("items_kernel", "judging_kernel", "knowledge_kernel")
    own = {"indistinct.kernels.compiled", *(f"indistinct.trees.{kernel}" for kernel in kernels)}
    for kernel in kernels:
        used = set(imported(SOURCE / "trees" / f"{kernel}.py"))
        assert {name for name in used if name.startswith("indistinct")} <= own


def loaded_by(code):
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in ran.stderr.split()}


def test_importing_indistinct_loads_next_to_nothing():
    loaded = loaded_by("import indistinct")
    heavy = {"numba", "numpy", "pyarrow", "pydantic", "typer", "rich", *FRAME_LIBRARIES}
    assert not loaded & heavy


def test_help_loads_no_numba():
    code = """
import sys
sys.argv = ["indistinct", "--help"]
from indistinct.cli import app
from indistinct.cli.frame import run
try:
    run(app)
except SystemExit as stop:
    assert stop.code in (0, None)
"""
    assert not loaded_by(code) & {"numba", "pyarrow", *FRAME_LIBRARIES}


def test_a_plan_loads_no_numba():
    code = """
from indistinct import Plan
Plan.load({
    "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}},
    "require": [{"model": "k-anonymity", "k": 2}],
})
"""
    assert not loaded_by(code) & {"numba", *FRAME_LIBRARIES}


def test_a_plan_for_trees_loads_no_numba():
    code = """
from indistinct.trees import TreePlan
TreePlan.load({
    "tree": {"classes": ["a"]},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2}],
})
"""
    assert not loaded_by(code) & {"numba", *FRAME_LIBRARIES}


def test_arrow_needs_neither_pandas_nor_polars():
    code = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import pyarrow as pa
from indistinct import anonymize, verify
plan = {
    "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}},
    "require": [{"model": "k-anonymity", "k": 2}],
}
assert verify(anonymize(pa.table({"zip": ["1", "1"]}), plan).frame, plan).holds
"""
    assert not loaded_by(code) & {"pandas", "polars"}


def test_the_public_names_are_what_they_say():
    """A module must not take the place of a verb, in whichever order they are imported."""
    code = """
import indistinct.check.rows, indistinct.verbs.verify, indistinct.risk.assessment
import indistinct.plan
import indistinct.release, indistinct.risk.attacks.run, indistinct.risk.hipaa
import indistinct
for name in ("anonymize", "anonymize_file", "verify", "assess", "attack"):
    assert callable(getattr(indistinct, name)), name
for room in (indistinct, indistinct.risk):
    for name in room.__all__:
        assert type(getattr(room, name)).__name__ != "module", name
"""
    loaded_by(code)
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = indistinct.anonymise
