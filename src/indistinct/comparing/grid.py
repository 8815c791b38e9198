"""A grid of methods and parameters, run on one encoded table."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indistinct.comparing.trials import Trial, run_trial
from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table, with_ends
from indistinct.errors import Fault, PlanError, closest
from indistinct.measures.bound import EXACT_PAIRS, lower_bound
from indistinct.methods import METHODS
from indistinct.model.spans import Spans
from indistinct.plan.overrides import method_settings, require_with_k

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    import pyarrow as pa

    from indistinct.comparing.trials import Bounding
    from indistinct.measures.bound import Bound
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.plan.overrides import MethodAsked
    from indistinct.running.progress import Progress

Asked = TypeVar("Asked")
Ran = TypeVar("Ran")

LEAST_K = 2
MOST_EXACT = 4


class Grid:
    """Runs trials on one table, which is encoded once.

    Each trial is searched, published and checked on its published rows, as `anonymize` does.
    Several run at the same time on threads: the loops that take time let go of the interpreter.

    Parameters
    ----------
    pairs
        How many pairs of rows a bound may compare, before it is sampled.
    """

    def __init__(
        self,
        data: pa.Table,
        plan: Plan,
        progress: Progress,
        *,
        jobs: int | None = None,
        pairs: int = EXACT_PAIRS,
    ) -> None:
        self.plan = plan
        self._pairs = pairs
        self._progress = progress
        self._jobs = jobs
        self._bounds: dict[Bounding, Bound] = {}
        progress.stage("encode")
        self._data, _, unread = in_notation(data, plan)
        self.table: Table = encode_table(self._data, plan, unread)
        _ = self.table.frequency_set

    @property
    def largest_k(self) -> int:
        """The most people that a class can have."""
        people = [group.respondents for group in self.table.sets]
        return min(self.table.rows if p is None else int(np.unique(p).size) for p in people)

    def run(self, asked: Sequence[tuple[MethodAsked, int]], stage: str = "compare") -> list[Trial]:
        """Run trials and return them in the order asked."""
        self._progress.stage(stage)
        ran = all_run(self._one, asked, self._jobs, self._progress)
        self._progress.stage("bound")
        trials = []
        bounds = {bounding for _, bounding in ran}
        pairs = self._pairs * MOST_EXACT // max(len(bounds), MOST_EXACT)
        for done, result in enumerate(ran, 1):
            trials.append(self._bounded(*result, pairs))
            self._progress.advance(done / len(asked))
        return trials

    def _one(self, asked: tuple[MethodAsked, int]) -> tuple[Trial, Bounding | None]:
        method, k = asked
        plan = _variant(self.plan, method, k)
        return run_trial(label_of(method), k, plan, self._data, self.table)

    def _bounded(self, trial: Trial, bounding: Bounding | None, pairs: int) -> Trial:
        """Add the bound; it is computed on both cores itself, and once for methods of one form.

        Where many are asked for, each compares fewer pairs of rows, and is sampled sooner.
        """
        if bounding is None:
            return trial
        if bounding not in self._bounds:
            table = with_ends(self.table, self.plan, bounding.forms, bounding.people)
            spans = Spans(table.quasi, bounding.forms, at_least=True)
            self._bounds[bounding] = lower_bound(table, spans, bounding.require, pairs=pairs)
        return trial.with_bound(self._bounds[bounding])


def all_run(
    run: Callable[[Asked], Ran], asked: Sequence[Asked], jobs: int | None, progress: Progress
) -> list[Ran]:
    """Run all that is asked for, several at a time, and return what came of each in order."""
    workers = min(jobs or os.cpu_count() or 1, max(len(asked), 1))
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        running = [pool.submit(run, one) for one in asked]
        for done, future in enumerate(as_completed(running), 1):
            future.result()
            progress.advance(done / len(asked))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [future.result() for future in running]


def _variant(plan: Plan, method: MethodAsked, k: int) -> Plan | PlanError:
    """Return the plan with another method and k; suppressed rows, never shown here, are dropped."""
    options = {
        "method": method_settings(plan, method),
        "require": require_with_k(plan, k),
        "suppressed": "drop",
    }
    try:
        return plan.overridden(options)
    except PlanError as error:
        return error


def check_jobs(jobs: int | None) -> None:
    """Raise if so many trials cannot run at a time."""
    if jobs is not None and jobs < 1:
        raise PlanError(Fault("jobs", f"{jobs!r} trials cannot run at a time", "Give 1 or more."))


def label_of(method: MethodAsked) -> str:
    """Name a method with its options.

    >>> label_of({"name": "mondrian", "strict": False})
    'mondrian (strict=False)'
    """
    if isinstance(method, str):
        return method
    options = ", ".join(f"{key}={value}" for key, value in method.items() if key != "name")
    return f"{method.get('name')} ({options})" if options else str(method.get("name"))


def checked_methods(
    methods: Iterable[MethodAsked], known: Collection[str] = tuple(METHODS)
) -> list[MethodAsked]:
    """Return the methods asked for, each once; raise with every name that is none."""
    asked = {label_of(method): method for method in methods}
    names = [m if isinstance(m, str) else str(m.get("name")) for m in asked.values()]
    faults = [
        Fault("methods", f"there is no method {name!r}", closest(name, known))
        for name in names
        if name not in known
    ]
    if not asked:
        faults.append(Fault("methods", "none is given", f"Name some of {', '.join(known)}."))
    if faults:
        raise PlanError(faults)
    return list(asked.values())


def checked_k(numbers: Iterable[Any], place: str = "k") -> list[int]:
    """Return each k once, in order; raise with every one that is no k."""
    asked = list(numbers)
    wrong = [k for k in asked if not isinstance(k, int | np.integer) or k < LEAST_K]
    faults = [
        Fault(place, f"{k!r} is not a possible k", "Give whole numbers of at least 2.")
        for k in wrong
    ]
    if not asked:
        faults.append(Fault(place, "none is given", "Give some, such as 2, 5, 11, 50."))
    if faults:
        raise PlanError(faults)
    return sorted({int(k) for k in asked})
