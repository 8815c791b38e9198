"""Data, methods and measured runs for benchmarks/ghinita_2009.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter

import numpy as np
import pyarrow as pa

from _common import as_shown, lexsort_seconds
from indistinct.datasets import census, census_ladders
from indistinct.encode.table import encode_table
from indistinct.errors import CannotMeetError
from indistinct.measures.catalogue import class_losses
from indistinct.measures.classes import classes_of, classification
from indistinct.measures.cube import cube_errors
from indistinct.methods.posing import pose_problem
from indistinct.model.recoding import Buckets, Partition
from indistinct.plan import Plan
from indistinct.requirements import KAnonymity

QUASI = tuple(census_ladders())
SENSITIVE = "occupation"
SEED = 1
BETA = (1, 2, 3, 4)  # the paper leaves the coefficients open

METHODS = {
    "mondrian": {"name": "mondrian"},
    "hilbert": {"name": "hilbert"},
    "hilbert fast": {"name": "hilbert", "fast": True},
    "idistance": {"name": "idistance"},
    "idistance fast": {"name": "idistance", "fast": True},
    "topdown": {"name": "topdown"},
    "best": {"name": "best"},
    "best, first answer": {"name": "best", "local_search": False},
    "diversify hilbert": {"name": "diversify"},
    "diversify idistance": {"name": "diversify", "mapping": "idistance"},
    "anatomy": {"name": "anatomy"},
    "ac": {"name": "ac", "hardest_first": False},
    "ipcsd diversify": {"name": "ipcsd"},
    "ipcsd mondrian": {"name": "ipcsd", "direct": "mondrian"},
}


@dataclass(frozen=True)
class Job:
    """One table, and what is asked of it."""

    rows: int
    columns: tuple[str, ...] = QUASI
    k: int | None = None
    l: float | None = None  # noqa: E741 - the paper's name
    max_ncp: float | None = None
    alpha: float | None = None

    def plan(self, method):
        columns = {name: _quasi(name, self.alpha) for name in self.columns}
        columns[SENSITIVE] = {"role": "sensitive"}
        if self.max_ncp is None and self.alpha is None:
            columns["salary"] = {"role": "sensitive"}
        require = [{"model": "k-anonymity", "k": self.k}] if self.k else []
        if not self.k:
            asked = {"kind": "frequency", "l": self.l or 2, "column": SENSITIVE}
            require = [{"model": "l-diversity", **asked}]
        more = {}
        if self.max_ncp is not None:
            more["accuracy"] = {"max_ncp": self.max_ncp, "maximize": "l", "column": SENSITIVE}
        return Plan.load(
            {
                "columns": columns,
                "unlisted": "drop",
                "require": require,
                "method": method,
                **more,
            }
        )

    def data(self):
        return _census(self.rows) if self.alpha is None else _synthetic(self.rows, self.alpha)


def _quasi(name, alpha):
    if alpha is not None:
        paths = [[str(value), "*"] for value in range(10)]
    else:
        paths = census_ladders()[name]
    return {"role": "quasi", "hierarchy": {"paths": paths}}


@cache
def _census(rows):
    return census(rows=rows, seed=SEED)


def _synthetic(rows, alpha):
    """Four random columns 0 to 9, and a sensitive one that is linear in them with chance alpha."""
    random = np.random.default_rng(SEED)
    quasi = random.integers(0, 10, (rows, 4))
    linear = quasi @ np.array(BETA) % 10
    secret = np.where(random.random(rows) < alpha, linear, random.integers(0, 10, rows))
    columns = {f"a{place}": column for place, column in enumerate(quasi.T, start=1)}
    return pa.table({**columns, SENSITIVE: secret})


def problem_of(job, options):
    """The plan, the problem that a method is given, and S of the rows as they came."""
    plan = job.plan(options)
    table = encode_table(job.data(), plan)
    unit = lexsort_seconds([column.codes for column in table.quasi])
    problem = as_shown(pose_problem(table, plan), plan)
    if job.max_ncp is None:
        return plan, problem, unit
    # The paper's dual problem asks for the bound only. A plan must ask for more than one row.
    nothing = KAnonymity.model_construct(model="k-anonymity", k=1)
    return plan, replace(problem, requirements=(nothing,)), unit


def run(job, name, *, levels=(), permuted=False):
    """Run a method once, and measure time (with S beside it), losses and, on levels, the cube."""
    local = {"median mondrian": median_mondrian, "anatomy at random": anatomy_at_random}
    plan, problem, unit = problem_of(job, METHODS.get(name, {"name": "mondrian"}))
    start = perf_counter()
    try:
        found = local[name](job, problem) if name in local else plan.method.search(problem)
    except CannotMeetError:
        return [{"method": name, "reached": 1.0, "seconds": perf_counter() - start, "unit": unit}]
    took = {"seconds": perf_counter() - start, "unit": unit} if name not in local else {}
    if job.max_ncp is not None:
        return [{"method": name, "reached": found.search["reached"], **took}]
    told = [{"method": name, **took, **_losses(problem, found), **_cube(problem, found, levels)}]
    if permuted:
        kind = name.removeprefix("diversify ")
        told.append({"method": f"permuted {kind}", **_cube(problem, Buckets(found.groups), levels)})
    return told


def _losses(problem, found):
    classes = classes_of(problem.table, found, problem.spans.forms)
    told = {**class_losses(classes), "groups": found.count}
    salary = [column for column in problem.table.sensitive if column.name == "salary"]
    if salary:
        codes = salary[0].codes
        told["classification"] = classification(
            classes, (codes > np.median(codes)).astype(np.int32)
        )
    return told


def _cube(problem, found, levels):
    if not levels:
        return {}
    errors = cube_errors(
        problem.table, found, problem.spans.forms, levels=levels, sensitive=SENSITIVE
    )
    told = {f"kl_{level}": error.kl_divergence for level, error in errors.items()}
    return told | {f"error_{level}": error.relative_error for level, error in errors.items()}


def anatomy_at_random(job, problem):
    """Anatomy as its paper has it: rows of a sensitive value join groups at random.

    So does ours in a release; here nobody mixes the rows, and it takes them in their order.
    """
    found = job.plan(METHODS["anatomy"]).method.search(problem)
    held = next(c.codes for c in problem.table.sensitive if c.name == SENSITIVE)
    groups = found.groups.copy()
    random = np.random.default_rng(SEED)
    for value in np.unique(held):
        rows = np.flatnonzero(held == value)
        groups[rows] = groups[random.permutation(rows)]
    return Buckets(groups)


def median_mondrian(job, problem):
    """Mondrian with cuts at the median only: of the widest column whose median may be cut.

    Ours tries other cuts of a column before it goes to the next.
    """
    held = next(c.codes for c in problem.table.sensitive if c.name == SENSITIVE)
    codes = problem.codes
    domains = np.array([max(c.hierarchy.size - 1, 1) for c in problem.table.quasi])
    groups = np.empty(problem.table.rows, dtype=np.int32)
    waiting, count = [np.arange(problem.table.rows)], 0
    while waiting:
        rows = waiting.pop()
        halves = _median_cut(job, codes[rows], held[rows], domains)
        if halves is None:
            groups[rows] = count
            count += 1
        else:
            waiting += [rows[halves], rows[~halves]]
    return Partition(groups)


def _median_cut(job, codes, held, domains):
    """Mark the rows below the median of the widest column that may be cut; None if none may."""
    width = (codes.max(axis=0) - codes.min(axis=0)) / domains
    for column in np.argsort(-width, kind="stable"):
        if width[column] == 0:
            return None
        values = codes[:, column]
        middle = np.partition(values, values.size // 2)[values.size // 2]
        below = values < middle
        if not below.any():
            below = values <= middle
        if _allowed(job, held[below]) and _allowed(job, held[~below]):
            return below
    return None


def _allowed(job, held):
    if job.k:
        return held.size >= job.k
    return held.size > 0 and np.bincount(held).max() * job.l <= held.size


def warm_up():
    """Compile every kernel on a small table."""
    small = Job(2_000)
    for name in METHODS:
        if name == "ac" or name.startswith("ipcsd"):
            run(replace(small, max_ncp=0.6, columns=QUASI[:3]), name)
        elif name.startswith("diversify") or name == "anatomy":
            run(replace(small, l=2), name, levels=(1, 2, 3), permuted=True)
        else:
            run(replace(small, k=10), name)
    for name in ("mondrian", "best"):
        run(replace(small, l=2), name)
