"""The walk of one `anonymize_file` call through the packages, as somebody who reads along meets it.

The medical example (`indistinct.datasets.medical`) is run twice, so that everything is imported and
compiled, and the second run is followed, on all its threads. Each function counts when it is first
called: its reader goes there once. A change is from one package, right below `indistinct`, to
another; with `--rooms` each subpackage of `methods/` is one of its own. `--steps` prints the way.

Run: .venv/bin/python benchmarks/walk.py [method] [--rooms] [--steps]
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path

from pyarrow import csv

import indistinct
from indistinct import anonymize_file
from indistinct.datasets import medical, medical_plan

SOURCE = Path(indistinct.__file__).parent


class Walk:
    """The functions that were called, thread by thread, each once."""

    def __init__(self):
        self.ways = {}
        self.met = set()

    def follow(self, frame, event, _):
        """Note a call, unless it leads to a function that was met before or has no name."""
        code = frame.f_code
        ours = event == "call" and code.co_filename.startswith(str(SOURCE))
        if ours and code not in self.met and not code.co_name.startswith("<"):
            self.met.add(code)
            way = self.ways.setdefault(threading.get_ident(), [])
            way.append(Path(code.co_filename).relative_to(SOURCE))

    @property
    def files(self):
        """The files that were come to."""
        return {path for way in self.ways.values() for path in way}

    def packages(self, *, rooms):
        """List the packages on the way of each thread, each as often as it was come to."""
        ways = ([package_of(path, rooms=rooms) for path in way] for way in self.ways.values())
        return [[package for package, _ in groupby(way)] for way in ways]


def package_of(path, *, rooms):
    """Name the folder or module below indistinct that a file is in, or the room of a method."""
    parts = path.with_suffix("").parts
    return "/".join(parts[:2]) if rooms and parts[0] == "methods" and parts[2:] else parts[0]


def followed(method=None):
    """Follow the second of two runs."""
    walk = Walk()
    plan = {**medical_plan(), **({"method": {"name": method}} if method else {})}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.csv"
        csv.write_csv(medical(), source)
        anonymize_file(source, plan, Path(folder) / "once.csv")
        threading.setprofile(walk.follow)
        sys.setprofile(walk.follow)
        anonymize_file(source, plan, Path(folder) / "again.csv")
        sys.setprofile(None)
        threading.setprofile(None)
    return walk


def main():
    """Print how often the walk changes from one package to another, and between which."""
    asked = [word for word in sys.argv[1:] if not word.startswith("-")]
    walk = followed(*asked)
    ways = walk.packages(rooms="--rooms" in sys.argv)
    pairs = Counter(" <-> ".join(sorted(pair)) for way in ways for pair in pairwise(way))
    met = f"{len(walk.met)} functions in {len(walk.files)} files"
    print(f"{sum(pairs.values())} changes of package, {met}")
    for pair, count in pairs.most_common(10):
        print(f"{count:5}  {pair}")
    if "--steps" in sys.argv:
        print(*(" ".join(way) for way in ways), sep="\n")


if __name__ == "__main__":
    main()
