"""Long work in a process of its own, so that cancelling it is ending it.

It reads one line of JSON that says what to do, calls the verbs, and writes a line of JSON for each
thing that happens. It ends when the app does: then its standard input closes.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.app.project import CURVE, LATTICE, LOOK
from indistinct.disk.drafts import write_text
from indistinct.errors import IndistinctError
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

SUMMARY, ATTACKS, VERDICT = "summary.json", "attacks.json", "verdict.json"
QUICK = ("mondrian", "hilbert", "optimal")
BOUND_PAIRS = 2 * 10**6


class Wire:
    """Says what happens, a line each; it listens to progress."""

    def say(self, kind: str, **content: Any) -> None:
        """Write one line."""
        sys.stdout.write(json.dumps({"kind": kind, **content}) + "\n")
        sys.stdout.flush()

    def stage(self, name: str) -> None:
        """Say that a stage of the work begins."""
        self.say("stage", name=name)

    def advance(self, done: float) -> None:
        """Say which share of the stage is done."""
        self.say("advance", done=round(done, 4))


def release(asked: dict[str, Any], wire: Wire) -> None:
    """Make a release with all its papers, and check the files once more."""
    from indistinct.app.before_after import seen
    from indistinct.applying.recoding_file import as_text
    from indistinct.errors import PlanError
    from indistinct.verbs.anonymize import anonymize_file
    from indistinct.verbs.verify import verify

    folder = Path(asked["folder"])
    out, certificate = folder / asked["out"], folder / "certificate.json"
    made = anonymize_file(
        asked["source"],
        asked["plan"],
        out,
        report=folder / "report.html",
        public_report=folder / "public-report.html",
        certificate=certificate,
        progress=Progress(wire),
    )
    wire.stage("check")
    verify(out, certificate=certificate)
    facts = made.summary()
    try:
        write_text(folder / "recoding.json", as_text(made.learnt()), private=True)
    except PlanError as error:
        facts["no_recoding"] = error.faults[0].problem
    _save(folder.parent / LOOK, {**seen(made), "plan": asked["text"]})
    _save(folder / SUMMARY, {**facts, "file": asked["out"], "plan": asked["text"]})


def attack(asked: dict[str, Any], wire: Wire) -> None:
    """Attack the release that was made, by all that the steward has."""
    from indistinct.verbs.attack import attack

    folder = Path(asked["folder"])
    played = attack(
        folder / asked["out"],
        plan=asked["plan"],
        private=asked["source"],
        progress=Progress(wire),
    )
    _save(folder / ATTACKS, played.as_json())


def explore(asked: dict[str, Any], wire: Wire) -> None:
    """Run methods for ever larger k, the quick ones first, and say each point when it is known."""
    from indistinct.comparing.grid import Grid
    from indistinct.io.opening import opened
    from indistinct.plan import Plan

    plan = Plan.load(asked["plan"])
    rows = opened(asked["source"], plan.input)[0]
    grid = Grid(rows, plan, Progress(), jobs=1, pairs=BOUND_PAIRS)
    methods = sorted(asked["methods"], key=lambda method: method not in QUICK)
    trials = [(method, k) for method in methods for k in asked["k"]]
    points: list[dict[str, Any]] = []
    wire.stage("frontier")
    for done, trial in enumerate(trials, start=1):
        points.append(grid.run([trial])[0].as_json())
        wire.say("point", **points[-1])
        wire.advance(done / len(trials))
    _save(Path(asked["folder"]) / CURVE, {"points": points, "basis": asked["basis"]})


def lattice(asked: dict[str, Any], wire: Wire) -> None:
    """Count the level vectors of whole columns."""
    from indistinct.comparing.lattice import count_lattice
    from indistinct.io.opening import opened
    from indistinct.plan import Plan

    plan = Plan.load(asked["plan"])
    counted = count_lattice(opened(asked["source"], plan.input)[0], plan, progress=Progress(wire))
    _save(Path(asked["folder"]) / LATTICE, {**counted.as_json(), "basis": asked["basis"]})


def table(asked: dict[str, Any], wire: Wire) -> None:
    """Copy a table of a database into a file; its address is kept nowhere."""
    from indistinct.disk.drafts import together
    from indistinct.io.base import Rows
    from indistinct.io.files import FileSink
    from indistinct.io.opening import opened
    from indistinct.plan import Input

    wire.stage("read")
    sink = FileSink(Path(asked["out"]), private=True)
    with together(sink.parts):
        sink.write(Rows.all_of(opened(asked["address"], Input())[0]))


def look(asked: dict[str, Any], wire: Wire) -> None:
    """Make a release in memory, and keep of it what its columns look like."""
    from indistinct.app.before_after import seen
    from indistinct.verbs.anonymize import anonymize

    made = anonymize(asked["source"], asked["plan"], progress=Progress(wire))
    _save(Path(asked["folder"]) / LOOK, {**seen(made), "plan": asked["text"]})


def check(asked: dict[str, Any], wire: Wire) -> None:
    """Hold a release to its certificate."""
    from indistinct.verbs.verify import verify

    wire.stage("check")
    verified = verify(asked["release"], certificate=asked["certificate"])
    verdict = {
        "holds": verified.holds,
        "released_rows": verified.released_rows,
        "classes": int(verified.class_sizes.size),
        "same_file": verified.same_file,
        "requirements": [evidence.as_json() for evidence in verified.evidence],
        "untold": list(verified.untold),
    }
    _save(Path(asked["folder"]) / VERDICT, verdict)


WORK: dict[str, Callable[[dict[str, Any], Wire], None]] = {
    "release": release,
    "attack": attack,
    "explore": explore,
    "lattice": lattice,
    "look": look,
    "table": table,
    "check": check,
}


def main() -> None:
    """Do what the first line of standard input asks for."""
    asked, wire = json.loads(sys.stdin.readline()), Wire()
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    try:
        WORK[asked["work"]](asked, wire)
    except IndistinctError as error:
        faults = [[fault.place, fault.problem, fault.remedy] for fault in error.faults]
        wire.say("failed", faults=faults, met=error.exit_code)
    except Exception as error:  # noqa: BLE001 - a trace would show data
        problem = f"internal error ({type(error).__name__})"
        wire.say("failed", faults=[["indistinct", problem, "This is a bug."]], met=70)
    else:
        wire.say("done")
    sys.stdout.flush()
    os._exit(0)


def _end_with_the_app() -> None:
    sys.stdin.read()
    os._exit(1)


def _save(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=1), private=True)


if __name__ == "__main__":
    main()
