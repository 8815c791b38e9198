"""The notebooks of examples/ run from top to bottom, show their results, and are kept without."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import indistinct
from tests.docs.blocks import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
SHOWN = {"survey": 5, "hospital": 3, "numbers": 2, "trees": 4}


def test_there_are_the_four_that_the_guides_name():
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_shows_tables_and_charts(path, tmp_path, monkeypatch):
    source = str(Path(indistinct.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "kept with outputs"
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    done = client.execute()
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    rich = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(rich) >= SHOWN[path.stem]
    complaints = [one["text"] for one in outputs if one.get("name") == "stderr"]
    assert [text for text in complaints if "Warning" in text] == []
