"""compare for tree records: what privacy costs, for several methods, k, m and n."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from indistinct.comparing.grid import all_run, check_jobs, checked_k, checked_methods, label_of
from indistinct.errors import Fault, PlanError, all_checked
from indistinct.plan.overrides import method_settings
from indistinct.running.progress import Progress
from indistinct.trees import files
from indistinct.trees.comparing.trials import TreeComparison, run_trial
from indistinct.trees.methods import TREE_METHODS
from indistinct.trees.plan import TreePlan
from indistinct.trees.requirements import MOST_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indistinct.plan.overrides import MethodAsked
    from indistinct.trees.api import TreePlanSource
    from indistinct.trees.comparing.trials import TreeTrial
    from indistinct.trees.files import Records

METHODS = ("best-cut-search", "greedy-cut-search", "only-cut-search", "miracle")
KS = (2, 5, 11, 50)


def compare(
    records: Records,
    plan: TreePlanSource,
    methods: Sequence[str | Mapping[str, Any]] = METHODS,
    k: Sequence[int] = KS,
    *,
    m: Sequence[int] | None = None,
    n: Sequence[int] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> TreeComparison:
    """Run methods for several k, m and n on the same records, and put what they lose side by side.

    Each trial is searched and checked as `anonymize` does; no record is kept. What cannot be met
    says why.

    Parameters
    ----------
    records, plan
        As for `anonymize`. The plan's method and its k, m and n are replaced; what it requires
        besides must hold in every trial.
    methods
        Names of methods, or mappings with their options. The plan's own method has the plan's
        options.
    k, m, n
        Which to ask for; the plan's m and n if not given.
    jobs
        How many trials run at a time: as many as there are cores if not given. Times are taken
        best with 1.

    Examples
    --------
    >>> people = [{"town": "Rome", "illness": name} for name in ("flu", "flu", "cold", "cold")]
    >>> plan = {
    ...     "tree": {"classes": ["town", "illness"]},
    ...     "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    ... }
    >>> comparison = compare(people, plan, ["best-cut-search", "miracle"], k=[2, 3, 5])
    >>> [(trial.k, trial.met, trial.values_exact) for trial in comparison.rows][:3]
    [(2, True, 1.0), (3, True, 0.5), (5, False, None)]
    """
    chosen = TreePlan.load(plan)
    asked, ks, ms, ns, _ = all_checked(
        lambda: checked_methods(methods, tuple(TREE_METHODS)),
        lambda: checked_k(k),
        lambda: _checked_numbers("m", m, chosen.anonymity.m, 1, MOST_LABELS),
        lambda: _checked_numbers("n", n, chosen.anonymity.n, 0, None),
        lambda: check_jobs(jobs),
    )
    heard = progress or Progress()
    heard.stage("read")
    forest = files.opened(records, chosen)
    heard.stage("compare")

    def run(one: tuple[MethodAsked, int, int, int]) -> TreeTrial:
        method, *_ = one
        return run_trial(label_of(method), one[1:], _variant(chosen, *one), forest)

    trials = all_run(run, list(product(asked, ks, ms, ns)), jobs, heard)
    return TreeComparison(tuple(trials), forest.size)


def _variant(plan: TreePlan, method: MethodAsked, k: int, m: int, n: int) -> TreePlan | PlanError:
    """Return the plan with another method, k, m and n."""
    require = [asked.model_dump(mode="python") for asked in plan.require]
    for asked in require:
        if asked["model"] == plan.anonymity.model:
            asked.update(k=k, m=m, n=n)
    try:
        return plan.overridden({"method": method_settings(plan, method), "require": require})
    except PlanError as error:
        return error


def _checked_numbers(
    name: str, given: Iterable[Any] | None, own: int, least: int, most: int | None
) -> list[int]:
    """Return each number once, in order, or the plan's own; raise with every one that is none."""
    asked = [own] if given is None else list(given)
    wrong = [
        one
        for one in asked
        if not isinstance(one, int) or one < least or (most is not None and one > most)
    ]
    upto = "" if most is None else f" and at most {most}"
    faults = [
        Fault(
            name, f"{one!r} cannot be asked for", f"Give whole numbers of at least {least}{upto}."
        )
        for one in wrong
    ]
    if not asked:
        faults.append(Fault(name, "none is given", "Give some, or leave it out."))
    if faults:
        raise PlanError(faults)
    return sorted(set(asked))
