"""warmup: compile the kernels of every method beforehand, so that no later run has to."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = 2_500
FEW_ROWS = {"freeform-mip": 6, "freeform-hungarian": 60, "k-optimize": 60}
FEW_COLUMNS = ("age", "gender", "education")
PROCESSES = 2


@dataclass(frozen=True)
class Warmed:
    """What compiling beforehand came to.

    Attributes
    ----------
    jobs
        How many small jobs were run for it.
    seconds
        How long it took.
    folder
        Where the kernels are kept; None if no folder can be written, and each run compiles anew.
    """

    jobs: int
    seconds: float
    folder: Path | None


def warmup(*, progress: Progress | None = None) -> Warmed:
    """Compile the kernels of every method, and keep them on disk.

    A first run compiles what it needs, which takes some seconds. This does it for all methods at
    once, in two processes, by small jobs on invented people; for an image or a machine that is
    used later.
    """
    start, count = perf_counter(), len(jobs())
    progress = progress or Progress()
    progress.stage("compile")
    for done, _ in enumerate(_jobs_done(), start=1):
        progress.advance(done / count)
    return Warmed(count, perf_counter() - start, _folder())


def _jobs_done() -> Iterator[str]:
    """Run the jobs in processes of their own, and yield the name of each that is done."""
    read, write = os.pipe()
    parts = [_started(part, write) for part in range(PROCESSES)]
    os.close(write)  # the processes have it; without it, reading ends when they do
    try:
        with os.fdopen(read, encoding="utf-8") as names:
            yield from names
        if any(part.wait() for part in parts):
            raise RuntimeError("a process that compiles kernels has failed")
    finally:
        for part in parts:
            part.kill()
            part.wait()


def _started(part: int, out: int) -> subprocess.Popen[bytes]:
    code = f"from indistinct.verbs.warmup import work; work({part})"
    path = os.pathsep.join(name for name in sys.path if name)
    return subprocess.Popen(  # noqa: S603 - this program again
        [sys.executable, "-c", code], stdout=out, env=os.environ | {"PYTHONPATH": path}
    )


def _folder() -> Path | None:
    from indistinct.io.csv_faults_kernel import quotes_close
    from indistinct.kernels.compiled import NOWHERE

    kept = getattr(quotes_close, "stats", None)  # as of any kernel
    folder = None if kept is None else Path(kept.cache_path)
    return None if folder is None or folder.name == NOWHERE else folder


def work(part: int) -> None:
    """Run every second job, and print the name of each that is done."""
    logging.getLogger("indistinct").setLevel(logging.ERROR)  # that it compiles is known
    for place, (name, job) in enumerate(jobs().items()):
        if place % PROCESSES == part:
            job()
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()


def jobs() -> dict[str, Callable[[], Any]]:
    """Name the jobs that need, taken together, the kernels of all methods."""
    from indistinct.methods import METHODS
    from indistinct.trees.methods import TREE_METHODS

    named: dict[str, Callable[[], Any]] = {}
    for asked in ({"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}):
        for name, method in METHODS.items():
            if asked["model"] in method.keeps:
                named[f"{name}, {asked['model']}"] = partial(_release, name, [asked])
    for name in TREE_METHODS:
        named[f"tree, {name}"] = partial(_tree_release, name)
    named["files"] = _file
    return named


def _release(name: str, asked: list[dict[str, Any]]) -> Any:
    from indistinct.datasets import census
    from indistinct.verbs.anonymize import anonymize

    people = census(FEW_ROWS.get(name, ROWS))
    return anonymize(people, _plan(name, asked, few=name in FEW_ROWS))


def _plan(name: str, asked: list[dict[str, Any]], *, few: bool = False) -> dict[str, Any]:
    from indistinct.datasets import census_ladders

    quasi = {
        column: {"role": "quasi", "hierarchy": {"paths": paths}}
        for column, paths in census_ladders().items()
        if not few or column in FEW_COLUMNS
    }
    bound = {"accuracy": {"max_ncp": 0.9}} if name in {"ac", "ipcsd"} else {}
    return {
        "columns": quasi | {"occupation": {"role": "sensitive"}},
        "unlisted": "drop",
        "require": asked,
        "method": {"name": name},
        "limits": {"suppression": 0.1},
        **bound,
    }


def _tree_release(name: str) -> Any:
    from indistinct.trees import anonymize

    records: list[dict[str, Any]] = [
        {"town": "Rome", "stay": [{"value": "3", "illness": ["flu", "gout"]}]},
        {"town": "Oslo", "stay": [{"value": "4", "illness": ["flu"]}]},
        {"town": "Oslo", "stay": ["30"]},
    ]
    hierarchies = {"stay": {"intervals": [5, 20]}}
    plan = {
        "tree": {"classes": ["town", "stay", "illness"], "hierarchies": hierarchies},
        "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
        "method": {"name": name},
    }
    return anonymize(records * 4 + records[:1], plan)


def _file() -> None:
    """Go the whole way from file to file: release, report, attack, later rows."""
    from indistinct.datasets import census
    from indistinct.disk.drafts import together
    from indistinct.io.base import Rows
    from indistinct.io.files import FileSink
    from indistinct.verbs.anonymize import anonymize_file
    from indistinct.verbs.apply import apply
    from indistinct.verbs.assess import assess
    from indistinct.verbs.attack import attack

    asked = [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2}]
    plan = _plan("mondrian", asked)
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "in.csv"), Path(folder, "out.csv")
        people = FileSink(source, private=True)
        with together(people.parts):
            people.write(Rows.all_of(census(ROWS)))
        release = anonymize_file(source, plan, out, report=Path(folder, "report.html"))
        apply(release.learnt(), source)
        assess(source, plan=plan)
        attack(out, plan=plan)
