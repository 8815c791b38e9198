"""Import fences: who may know data-frame libraries, and what must not be loaded to say hello."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

import indistinct
from tests.import_graph import SOURCE, cycles, edges, imports_of, modules, reached_from

FRAME_LIBRARIES = {"pandas", "polars", "duckdb", "narwhals", "pyspark"}


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


ARROW_FILES = re.compile(r"pyarrow(\.| import (\w+, )*)(csv|parquet|ipc|feather|dataset|orc)\b")


def test_only_io_knows_file_formats_of_arrow():
    users = [p for p in SOURCE.rglob("*.py") if ARROW_FILES.search(p.read_text("utf-8"))]
    assert {path.parent.name for path in users} == {"io"}


WEB = {"starlette", "uvicorn", "tomlkit"}


def test_only_the_app_knows_a_web_server_and_only_the_command_knows_the_app():
    users = {p for p in SOURCE.rglob("*.py") if WEB & {n.split(".")[0] for n in imported(p)}}
    assert {path.relative_to(SOURCE).parts[0] for path in users} == {"app"}
    assert {a for a, b in edges(top_part) if b == "app"} == {"cli"}


KERNELS = sorted(path for path in SOURCE.rglob("*.py") if is_kernel(path))


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_only_io_and_engines_know_data_frame_libraries(path):
    package = path.relative_to(SOURCE).parts[0]
    libraries = {name.split(".")[0] for name in imported(path)}
    if package == "engine":
        its_own = {path.stem.split("_")[0], f"py{path.parent.name}"}
        assert not (libraries & FRAME_LIBRARIES) - its_own
    elif package != "io":
        assert not libraries & FRAME_LIBRARIES
    if package in {"methods", "measures", "requirements", "model", "kernels"}:
        assert not libraries & {"pyarrow", "json", "csv", "rich", "typer"}
        assert not {name for name in imported(path) if name.startswith("indistinct.io")}
    if not is_kernel(path):
        assert "numba" not in libraries
    if package != "cli":
        assert not libraries & {"typer", "rich"} or path.name == "bars.py"  # a bar on the terminal


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda p: p.stem)
def test_no_kernel_is_compiled_before_it_is_known_where_to_keep_it(kernel):
    text = kernel.read_text("utf-8")
    if kernel.stem != "compiled":
        assert "from numba import" not in text
        assert ("from numba." in text) == ("\nimport numba " in text)


def top_part(module):
    """Name the package or module right below indistinct; the package itself is the outermost."""
    return module.removeprefix("indistinct").lstrip(".").split(".")[0] or "indistinct"


def room_of_methods(module):
    """Name the subpackage or module right below methods."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["methods"] and len(parts) > 2 else None


def part_of_trees(module):
    """Name the subpackage of trees that a module is in."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["trees"] and len(parts) > 3 else None


@pytest.mark.parametrize("part_of", [top_part, room_of_methods, part_of_trees])
def test_no_packages_import_each_other_in_a_circle(part_of):
    pairs = edges(part_of)
    told = [f"{a} -> {b}: {', '.join(sorted(pairs[a, b]))}" for a, b in cycles(pairs)]
    assert not told, "imports on a circle:\n" + "\n".join(told)


def test_modules_are_named_in_imports_only():
    """What a string names is in no graph."""
    users = {p for p in SOURCE.rglob("*.py") if "import_module" in p.read_text("utf-8")}
    assert users == {SOURCE / "_lazy.py", SOURCE / "io" / "foreign.py"}


SHARED_WITH_THE_CHECK = {
    "indistinct.errors": "words for what is wrong",
    "indistinct.display": "how a verdict looks in a notebook, once it is given",
    "indistinct._parts": "how a plan states anything",
    "indistinct.hierarchy": "what labels and notations mean: the promise itself is put in them",
    "indistinct.disk.documents": "hierarchies in files",
    "indistinct.disk.drafts": "hierarchies in files",
    "indistinct.requirements": "how privacy models are defined, and what is measured for them",
    "indistinct.model.names": "how published columns are called",
    "indistinct.io.plain": "values that nobody can read are refused",
    "indistinct.kernels.compiled": "where compiled loops are kept",
    "indistinct.running.compiling": "who is told of compiling",
}
EMPTY = {f"indistinct.{name}" for name in ("disk", "io", "kernels", "model", "running")}
CHECK = sorted(name for name in modules() if top_part(name) == "check")


def outside(ways, allowed):
    """Tell the ways to modules that are not in an allowed package."""
    return [
        " -> ".join(way)
        for name, way in ways.items()
        if name not in EMPTY and not any(f"{name}.".startswith(f"{one}.") for one in allowed)
    ]


@pytest.mark.parametrize("module", CHECK)
def test_the_check_leads_to_nothing_that_makes_a_release(module):
    assert not outside(reached_from(module), {"indistinct.check", *SHARED_WITH_THE_CHECK})


def test_what_the_check_shares_is_needed():
    reached = {name for module in CHECK for name in reached_from(module)}
    unneeded = {"indistinct.running.compiling"} - modules().keys()
    assert SHARED_WITH_THE_CHECK.keys() - unneeded <= reached


@pytest.mark.parametrize("package", sorted(EMPTY))
def test_packages_on_the_way_of_the_check_hold_nothing(package):
    assert not imports_of(package)


def test_the_check_of_trees_leads_to_nothing_that_makes_a_release():
    ways = reached_from("indistinct.trees.verification", but={"indistinct.trees"})
    loops = ("items", "judging", "knowledge", "same_path", "tallies")
    kernels = {f"{name}_kernel" for name in loops}
    own = {"verification", "alike", "same_path", *kernels}
    shared = {"indistinct.kernels.compiled", "indistinct.running.compiling"}
    assert not outside(ways, {*(f"indistinct.trees.{name}" for name in own), *shared})


def test_the_kernel_of_the_check_serves_the_check_only():
    users = {name for name in modules() if "indistinct.check.freeform_kernel" in imports_of(name)}
    assert users == {"indistinct.check.freeform"}


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
from indistinct.cli.running import run
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


def test_a_release_of_a_file_loads_no_frame_library(tmp_path):
    """`pyarrow.array` would import pandas, which takes longer than a small release."""
    code = f"""
from pathlib import Path
from indistinct import anonymize_file
folder = Path({str(tmp_path)!r})
(folder / "people.csv").write_text("zip,age\\n1,20\\n1,20\\n2,30\\n2,31\\n")
plan = {{
    "columns": {{
        "zip": {{"role": "quasi", "hierarchy": "flat"}},
        "age": {{"role": "quasi", "hierarchy": "flat"}},
    }},
    "require": [{{"model": "k-anonymity", "k": 2}}],
    "method": {{"name": "optimal"}},
}}
anonymize_file(folder / "people.csv", plan, folder / "release.csv", certificate=folder / "c.json")
"""
    assert not loaded_by(code) & FRAME_LIBRARIES


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
