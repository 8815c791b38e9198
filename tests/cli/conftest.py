from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from indistinct.cli import app
from indistinct.cli.running import run as run_app

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def indistinct(monkeypatch, capsys):
    """Run the real entry point in this process."""

    def run(*args: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["indistinct", *map(str, args)])
        try:
            run_app(app)
        except SystemExit as stop:
            code = 0 if stop.code is None else stop.code
        else:
            code = 0
        assert isinstance(code, int)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


PEOPLE = """\
name,zip,age,marital,disease
Ann,22030,31,married,flu
Bob,22030,34,married,asthma
Cyd,22032,36,single,flu
Dan,22032,38,single,gout
Eve,22045,52,divorced,flu
Fay,22047,55,widow,gout
"""

MARITAL = [
    ["married", "been", "*"],
    ["divorced", "been", "*"],
    ["widow", "been", "*"],
    ["single", "never", "*"],
]


def plan() -> dict[str, Any]:
    """A sound plan for PEOPLE."""
    return {
        "columns": {
            "name": {"role": "identifier"},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "marital": {"role": "quasi", "hierarchy": {"csv": "marital.csv"}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "limits": {"suppression": 0.2},
        "seed": 7,
    }


@dataclass
class Workshop:
    """A folder with data, a plan and a hierarchy, to be spoilt one by one."""

    folder: Path
    command: Any
    data: str | bytes
    plan: Any
    marital: list[list[str]]

    def path(self, name: str) -> Path:
        return self.folder / name

    def prepare(self) -> None:
        raw = self.data if isinstance(self.data, bytes) else self.data.encode()
        self.path("private.csv").write_bytes(raw)
        text = self.plan if isinstance(self.plan, str) else json.dumps(self.plan)
        suffix = "toml" if isinstance(self.plan, str) else "json"
        self.plan_path = self.path(f"plan.{suffix}")
        self.plan_path.write_text(text, encoding="utf-8")
        lines = "".join(";".join(path) + "\n" for path in self.marital)
        self.path("marital.csv").write_text(lines, encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def anonymize(self, *more: object, out: str = "release.csv", source: str = "private.csv"):
        self.prepare()
        return self.command(
            "anonymize",
            self.path(source),
            "--plan",
            self.plan_path,
            "--out",
            self.path(out),
            *more,
        )


@pytest.fixture
def workshop(tmp_path, indistinct):
    return Workshop(tmp_path, indistinct, PEOPLE, plan(), [list(path) for path in MARITAL])
