"""A grid of methods and parameters, run on one encoded table."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from indistinct.comparing.trials import Bounding
    from indistinct.measures.bound import Bound
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.plan.overrides import MethodAsked
    from indistinct.running.progress import Progress

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
        self._jobs = jobs or os.cpu_count() or 1
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
        pool = ThreadPoolExecutor(max_workers=min(self._jobs, max(len(asked), 1)))
        try:
            running = [pool.submit(self._one, method, k) for method, k in asked]
            for done, future in enumerate(as_completed(running), 1):
                future.result()
                self._progress.advance(done / len(asked))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        self._progress.stage("bound")
        trials = []
        bounds = {bounding for _, bounding in (future.result() for future in running)}
        pairs = self._pairs * MOST_EXACT // max(len(bounds), MOST_EXACT)
        for done, future in enumerate(running, 1):
            trials.append(self._bounded(*future.result(), pairs))
            self._progress.advance(done / len(asked))
        return trials

    def _one(self, method: MethodAsked, k: int) -> tuple[Trial, Bounding | None]:
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


def label_of(method: MethodAsked) -> str:
    """Name a method with its options.

    >>> label_of({"name": "mondrian", "strict": False})
    'mondrian (strict=False)'
    """
    if isinstance(method, str):
        return method
    options = ", ".join(f"{key}={value}" for key, value in method.items() if key != "name")
    return f"{method.get('name')} ({options})" if options else str(method.get("name"))


def checked_methods(methods: Iterable[MethodAsked]) -> list[MethodAsked]:
    """Return the methods asked for, each once; raise with every name that is none."""
    asked = {label_of(method): method for method in methods}
    names = [m if isinstance(m, str) else str(m.get("name")) for m in asked.values()]
    faults = [
        Fault("methods", f"there is no method {name!r}", closest(name, METHODS))
        for name in names
        if name not in METHODS
    ]
    if not asked:
        faults.append(Fault("methods", "none is given", f"Name some of {', '.join(METHODS)}."))
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
