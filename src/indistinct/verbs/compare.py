"""compare and frontier: what privacy costs, for several methods or along a whole curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.comparing.comparison import Comparison
from indistinct.comparing.frontier import Frontier, largest_within, run_curve, spaced
from indistinct.comparing.grid import Grid, checked_k, checked_methods
from indistinct.errors import Fault, PlanError, all_checked
from indistinct.io.opening import opened
from indistinct.plan import Plan
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indistinct.plan import PlanSource

METHODS = ("best", "mondrian", "hilbert", "optimal")
KS = (2, 5, 11, 50)
POINTS = 12


def compare(
    data: Any,
    plan: PlanSource,
    methods: Sequence[str | Mapping[str, Any]] = METHODS,
    k: Sequence[int] = KS,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run methods for several k on one table and compare their losses.

    Each trial is searched, published and checked on its published rows, as `anonymize` does; no row
    is kept. A method that cannot meet a k says why.

    Parameters
    ----------
    data
        A pandas, polars, pyarrow or DuckDB frame, the path of a file, or the address of a table.
    plan
        A `Plan`, a mapping, or the path of a TOML or JSON file. Its method and its k are replaced;
        its other requirements must hold in every trial.
    methods
        Names of methods, or mappings with their options. The plan's own method has the plan's
        options.
    k
        Which k to ask for.
    jobs
        How many trials run at a time: as many as there are cores if not given. Times are taken
        best with 1.
    progress
        Receives how far the work is; see `progress_bar`.

    Examples
    --------
    >>> from indistinct.datasets import medical
    >>> quasi = {"role": "quasi", "hierarchy": "flat"}
    >>> comparison = compare(
    ...     medical().select(["zip", "sex"]),
    ...     {
    ...         "columns": {"zip": quasi, "sex": quasi},
    ...         "require": [{"model": "k-anonymity", "k": 2}],
    ...     },
    ...     methods=["best", "optimal"],
    ...     k=[2, 11],
    ... )
    >>> [(trial.method, trial.k, trial.met) for trial in comparison.rows]
    [('best', 2, True), ('best', 11, False), ('optimal', 2, True), ('optimal', 11, False)]
    """
    asked, numbers, _ = all_checked(
        lambda: checked_methods(methods), lambda: checked_k(k), lambda: _check_jobs(jobs)
    )
    table, back = _table(data, plan)
    grid = Grid(table, Plan.load(plan), progress or Progress(), jobs=jobs)
    trials = grid.run([(method, number) for method in asked for number in numbers])
    return Comparison(tuple(trials), grid.table.rows, back)


def frontier(
    data: Any,
    plan: PlanSource,
    *,
    method: str | Mapping[str, Any] | None = None,
    k: Sequence[int] | None = None,
    points: int = POINTS,
    max_loss: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Follow the loss of one method over all k, and find the largest k within a loss.

    Parameters
    ----------
    data, plan, jobs, progress
        As for `compare`.
    method
        The plan's if not given.
    k
        Which k to ask for; otherwise
    points
        so many from 2 to the number of people, evenly spaced by their logarithm.
    max_loss
        Find the largest k whose loss (GCP) stays within it: `fit` of the result.
    """
    loaded = Plan.load(plan)
    (asked,), numbers, _, _ = all_checked(
        lambda: checked_methods([loaded.method.name if method is None else method]),
        lambda: None if k is None else checked_k(k),
        lambda: _check_curve(points, max_loss),
        lambda: _check_jobs(jobs),
    )
    table, back = _table(data, plan)
    grid = Grid(table, loaded, progress or Progress(), jobs=jobs)
    trials = run_curve(grid, asked, numbers or spaced(grid.largest_k, points))
    fit = None
    if max_loss is not None:
        trials, fit = largest_within(grid, asked, trials, max_loss)
    return Frontier(tuple(trials), grid.table.rows, back, max_loss=max_loss, fit=fit)


def _table(data: Any, plan: PlanSource) -> tuple[Any, Any]:
    return opened(data, Plan.load(plan).input)


def _check_curve(points: int, max_loss: float | None) -> None:
    faults = []
    if max_loss is not None and not 0 <= max_loss <= 1:
        faults.append(Fault("max loss", f"{max_loss!r} is not a loss", "Give one from 0 to 1."))
    if points < 2:
        faults.append(Fault("points", f"{points!r} make no curve", "Give at least 2."))
    if faults:
        raise PlanError(faults)


def _check_jobs(jobs: int | None) -> None:
    if jobs is not None and jobs < 1:
        raise PlanError(Fault("jobs", f"{jobs!r} trials cannot run at a time", "Give 1 or more."))
