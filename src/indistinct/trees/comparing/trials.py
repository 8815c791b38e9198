"""TreeTrial: a method for tree records run for one k, m and n, with what came of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from indistinct._version import __version__
from indistinct.comparing.chart import Chart, tree_comparison_spec
from indistinct.comparing.comparison import Compared
from indistinct.comparing.trials import first_fault, shown
from indistinct.errors import CannotMeetError, DoesNotHoldError, HierarchyError, PlanError
from indistinct.running.progress import Progress
from indistinct.trees.pipeline import TreeWork

if TYPE_CHECKING:
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan


@dataclass(frozen=True)
class TreeTrial:
    """What one method gave for one k, m and n; no record, and no value of the data.

    Attributes
    ----------
    method, k, m, n
        What was asked.
    met
        Whether there is a release, checked as it is published.
    reason
        Why there is none.
    loss, relations_loss
        The share of information lost, and that of broken relations alone.
    values_exact, values_present, relations_kept
        The shares of values that are as they were, and in some form, and of relations.
    stars
        The classes of which nothing is left but `*`, or nothing at all.
    suppressed_nodes, suppressed_records
        How many are left out.
    seconds
        How long the method searched, beside whatever else ran then.
    """

    headings: ClassVar[tuple[str, ...]] = (
        *("method", "k", "m", "n"),
        *("loss", "exact", "shown", "links", "gone", "out", "time"),
    )

    method: str
    k: int
    m: int
    n: int
    met: bool
    reason: str = ""
    loss: float | None = None
    relations_loss: float | None = None
    values_exact: float | None = None
    values_present: float | None = None
    relations_kept: float | None = None
    stars: tuple[str, ...] = ()
    suppressed_nodes: int | None = None
    suppressed_records: int | None = None
    seconds: float | None = None

    def asked(self) -> tuple[str, ...]:
        """Write what was asked."""
        return self.method, f"{self.k:,}", str(self.m), str(self.n)

    def figures(self) -> tuple[str, ...]:
        """Write what came of it, in the order of the headings."""
        return (
            shown(self.loss, ".4f"),
            shown(self.values_exact, ".0%"),
            shown(self.values_present, ".0%"),
            shown(self.relations_kept, ".0%"),
            shown(len(self.stars), "d"),
            shown(self.suppressed_nodes, ",d"),
            shown(self.seconds, ".1f"),
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class TreeComparison(Compared):
    """Methods for tree records side by side.

    Attributes
    ----------
    rows
        A trial for each method, k, m and n.
    input_records
        How many private records there are.
    """

    rows: tuple[TreeTrial, ...]
    input_records: int

    def summary(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
        return {
            "version": __version__,
            "input_records": self.input_records,
            "trials": [trial.as_json() for trial in self.rows],
            "notes": self.notes,
        }

    def chart(self) -> Chart:
        """Draw loss, and what is left of values, against k."""
        several = len({(trial.m, trial.n) for trial in self.rows}) > 1
        lines = [
            replace(trial, method=f"{trial.method}, m = {trial.m}, n = {trial.n}")
            if several
            else trial
            for trial in self.rows
        ]
        points = [
            {"method": one.method, "k": one.k, "loss": one.loss, "exact": one.values_exact}
            for one in lines
            if one.met
        ]
        spec = tree_comparison_spec(lines, points)
        return Chart(spec, "Methods for tree records compared", self.rows, tuple(self.notes))


def run_trial(
    method: str, asked: tuple[int, int, int], plan: TreePlan | PlanError, forest: Forest
) -> TreeTrial:
    """Search and check, as `anonymize` does; say why not where that fails."""
    if isinstance(plan, PlanError):
        return TreeTrial(method, *asked, met=False, reason=first_fault(plan))
    work = TreeWork(plan, Progress())
    try:
        work.recode_read(forest)
        work.repair()
        release = work.release()
    except (CannotMeetError, PlanError, HierarchyError, DoesNotHoldError) as error:
        return TreeTrial(method, *asked, met=False, reason=first_fault(error))
    summary = release.summary()
    measures, suppressed = summary["measures"], summary["suppressed"]
    return TreeTrial(
        method,
        *asked,
        met=True,
        **{
            name: measures[name]
            for name in (
                "loss",
                "relations_loss",
                "values_exact",
                "values_present",
                "relations_kept",
            )
        },
        stars=tuple(
            name
            for name, lost in summary["loss_by_class"].items()
            if lost >= 1.0 and name not in plan.tree.entities
        ),
        suppressed_nodes=suppressed["nodes"],
        suppressed_records=suppressed["records"],
        seconds=work.seconds["search"],
    )
