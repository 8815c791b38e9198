"""What each piece of numba's inside is worth: methods timed with it, and with plain code instead.

- `lanes`: sixteen columns at once (methods/freeform/lanes_kernel.py), against loops over columns.
- `pointer_to`: named tuples handed on as one pointer (kernels/borrowed.py), against the tuples.
- `lent`: arrays whose references are not counted (kernels/borrowed.py), against usual ones.

Each line is a process of its own, with an empty folder to keep kernels in. Times are processor
seconds of the search, the least of three, once kernels are compiled; `first` is what the process
took before, most of which is compiling. Groups are the same with and without.

Run: .venv/bin/python benchmarks/plumbing.py [method ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from zlib import crc32

ROWS = {"freeform": 8_000, "best": 20_000, "k-member": 6_000, "topdown": 3_000}
ROWS["freeform-greedy"] = 3_000
PIECES = {
    "freeform": ("lanes", "pointer_to", "lent"),
    "best": ("lent",),
    "k-member": ("lent",),
    "topdown": ("lent",),
    "freeform-greedy": ("lent",),
}
USUAL = "as it is"


def without(piece):
    """Put plain code in the place of a piece, before anything imports it."""
    from indistinct.kernels import borrowed, compiled

    as_given = compiled.inner(lambda held: held)
    if piece == "lanes":
        compiled.intrinsic = lambda plain: lambda _: compiled.inner(plain)
    elif piece != USUAL:
        setattr(borrowed, piece, as_given)


def timed(method, piece):
    """Print a number that tells groups apart, the time of a search, and that of all before it."""
    without(piece)
    from _common import census_plan, task_of
    from indistinct.datasets import census
    from indistinct.methods import METHODS

    plan = census_plan(require=[{"model": "k-anonymity", "k": 5}])
    _, task = task_of(census(rows=ROWS[method], seed=1), plan, grouping=True)
    search = METHODS[method]().search
    search(task)
    first, took = process_time(), []
    for _ in range(3):
        start = process_time()
        recoding = search(task)
        took.append(process_time() - start)
    rows = recoding.sources if hasattr(recoding, "sources") else recoding.groups
    print(crc32(rows.tobytes()), min(took), first)


def measured(method, piece):
    """What a process of its own prints."""
    with TemporaryDirectory() as kept:
        ran = subprocess.run(
            [sys.executable, __file__, "--timed", method, piece],
            env=os.environ | {"NUMBA_CACHE_DIR": kept},
            cwd=Path(__file__).parent,
            check=True,
            capture_output=True,
            text=True,
        )
    return tuple(float(word) for word in ran.stdout.split()[-3:])


def main(methods):
    print("method           without        search   times   first")
    for method in methods or PIECES:
        usual = measured(method, USUAL)
        for piece in (USUAL, *PIECES[method]):
            groups, took, first = usual if piece == USUAL else measured(method, piece)
            assert groups == usual[0], (method, piece)
            left_out = "-" if piece == USUAL else piece
            print(
                f"{method:16} {left_out:12} {took:8.2f} s {took / usual[1]:6.2f} {first:7.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--timed"]:
        timed(*sys.argv[2:])
    else:
        main(sys.argv[1:])
