"""Pages that are followed from top to bottom: each block works on what those before it left.

They can be followed after a plain `pip install .`: each command runs without the libraries of the
extras. What it says to have left out for want of one is shown by running it again with them.
"""

from __future__ import annotations

import doctest
import shlex
import sys

import pytest
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.errors import IndistinctError
from indistinct.publishing.randomness import Randomness
from tests.docs.blocks import ON_SPARK, WALKTHROUGHS, blocks

EXTRAS = ("sklearn", "sklearn.ensemble", "fastexcel", "pyreadstat")
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", WALKTHROUGHS, ids=lambda page: page.name)
def test_page_can_be_followed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(Randomness, "__init__", drawn_alike)
    walk = Walk()
    for block in blocks("python", "sh", "csv", "toml", "text", pages=[page]):
        if block.file != ON_SPARK:  # run by tests/engine/test_spark_guide.py
            getattr(walk, f"take_{block.language}")(block)
    assert walk.ran >= 1
    assert walk.told >= (5 if page.name == "tutorial.md" else 0)


_drawn = Randomness.__init__


def drawn_alike(self, seed, purpose, *data):
    """Draw the same each time where a reader would draw anew: what is printed must not vary."""
    _drawn(self, 1 if seed is None else seed, purpose, *data)


class Walk:
    """What a reader does block by block: write files, run code and commands, compare outputs."""

    def __init__(self):
        self.names = {}
        self.output = ""
        self.files = set()
        self.told = self.ran = 0

    def take_python(self, block):
        exec(compile(block.text, str(block), "exec"), self.names)  # noqa: S102 - our own pages

    def take_file(self, block):
        """Write a file; a later block of the same name adds to it."""
        with open(block.file, "a" if block.file in self.files else "w", encoding="utf-8") as out:  # noqa: PTH123
            out.write(block.text)
        self.files.add(block.file)

    take_csv = take_toml = take_file

    def take_sh(self, block):
        for line in block.text.splitlines():
            self.ran += 1
            command, _, note = line.partition("  # exit ")
            [program, *arguments] = shlex.split(command)
            assert program == "indistinct", str(block)
            with pytest.MonkeyPatch.context() as plain:
                for library in EXTRAS:
                    plain.setitem(sys.modules, library, None)
                self.run(line, arguments, int(note or 0))
            if "left out, it needs" in self.output:
                self.run(line, arguments, int(note or 0))

    def run(self, line, arguments, code):
        result = CliRunner().invoke(app, arguments)
        assert exit_code(result) == code, (line, result.output, result.exception)
        self.output = result.output or str(result.exception)

    def take_text(self, block):
        """Hold what the page shows against what the last command printed."""
        agrees = doctest.OutputChecker().check_output(block.text, self.output, LOOSELY)
        assert agrees, f"{block} shows\n{block.text}\nbut this was printed:\n{self.output}"
        self.told += 1


def exit_code(result):
    error = result.exception
    return error.exit_code if isinstance(error, IndistinctError) else result.exit_code
