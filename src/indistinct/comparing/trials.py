"""A trial: a method run for one k, with what came of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from indistinct.encode.table import with_ends
from indistinct.errors import (
    CannotMeetError,
    DoesNotHoldError,
    HierarchyError,
    IndistinctError,
    PlanError,
)
from indistinct.pipeline import Work
from indistinct.requirements import least_respondents
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from indistinct.measures.bound import Bound
    from indistinct.model.forms import Form
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.requirements import Requirement


@dataclass(frozen=True)
class Bounding:
    """What the bound of a release depends on, among trials of one plan.

    Attributes
    ----------
    forms
        How its columns are published.
    people
        How many people a class needs.
    require
        What is asked of it, which among those trials differs by k alone.
    """

    forms: tuple[Form, ...]
    people: int
    require: Sequence[Requirement] = field(compare=False)


class Figures(Protocol):
    """What tables and charts ask of a trial, of a table or of tree records.

    Attributes
    ----------
    headings
        What its figures are called; those of `asked` come first.
    """

    headings: ClassVar[tuple[str, ...]]

    @property
    def method(self) -> str:
        """The method, with its options."""

    @property
    def k(self) -> int:
        """The k that was asked for."""

    @property
    def met(self) -> bool:
        """Whether there is a release."""

    @property
    def reason(self) -> str:
        """Why there is none."""

    def asked(self) -> tuple[str, ...]:
        """Write what was asked."""

    def figures(self) -> tuple[str, ...]:
        """Write what came of it."""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""


@dataclass(frozen=True)
class Trial:
    """What one method gave for one k; no row, and no value of the data.

    Attributes
    ----------
    method, k
        What was asked.
    met
        Whether there is a release, checked on its published rows.
    reason
        Why there is none.
    loss, form
        GCP of the release, and in which form it is measured.
    bound, bound_exact
        What no release can fall below in that form; the lower end of its interval where it was
        sampled (`bound_exact` is then false).
    measured_k
        The fewest people alike, as the check counted them.
    seconds
        How long the method searched, beside whatever else ran then.
    """

    headings: ClassVar[tuple[str, ...]] = (
        *("method", "k"),
        *("loss", "form", "bound", "above it", "left out", "classes", "seconds"),
    )

    method: str
    k: int
    met: bool
    reason: str = ""
    loss: float | None = None
    form: str | None = None
    bound: float | None = None
    bound_exact: bool | None = None
    measured_k: int | None = None
    suppressed_rows: int | None = None
    classes: int | None = None
    average_class_size: float | None = None
    discernibility: int | None = None
    seconds: float | None = None

    @property
    def above_bound(self) -> float | None:
        """How far the loss is above the bound."""
        return None if self.loss is None or self.bound is None else self.loss - self.bound

    def with_bound(self, bound: Bound) -> Trial:
        """Return the trial with what no release can fall below."""
        return replace(self, bound=bound.low, bound_exact=bound.exact)

    def asked(self) -> tuple[str, ...]:
        """Write what was asked."""
        return self.method, f"{self.k:,}"

    def figures(self) -> tuple[str, ...]:
        """Write what came of it, in the order of the headings."""
        about = "" if self.bound_exact in {None, True} else "~"
        return (
            shown(self.loss, ".4f"),
            self.form or "",
            about + shown(self.bound, ".4f"),
            shown(self.above_bound, ".4f"),
            shown(self.suppressed_rows, ",d"),
            shown(self.classes, ",d"),
            shown(self.seconds, ".2f"),
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        content = asdict(self)
        place = list(content).index("bound_exact")
        items = list(content.items())
        items.insert(place, ("above_bound", self.above_bound))
        return dict(items)


def shown(number: float | None, form: str) -> str:
    """Write a number, or nothing."""
    return "" if number is None else format(number, form)


def run_trial(
    method: str, k: int, plan: Plan | PlanError, data: pa.Table, table: Table
) -> tuple[Trial, Bounding | None]:
    """Search, publish and check; say why not where that fails.

    Returns also what the bound of the release depends on.
    """
    if isinstance(plan, PlanError):
        return Trial(method, k, met=False, reason=first_fault(plan)), None
    work = Work(plan, Progress())
    work.table, work.repeated = with_ends(table, plan), []
    try:
        work.recode_encoded(_needed(data, plan), keep_order=True)
        work.check(work.published.rows)
    except DoesNotHoldError:
        return Trial(method, k, met=False, reason=_broken(work), seconds=_searched(work)), None
    except (CannotMeetError, PlanError, HierarchyError) as error:
        return Trial(method, k, met=False, reason=first_fault(error)), None
    release = work.release()
    forms = tuple(release.measures.ncp_form[column.name] for column in table.quasi)
    require = [] if plan.in_buckets else plan.require
    return _measured(method, k, release), Bounding(forms, least_respondents(plan.require), require)


def _needed(data: pa.Table, plan: Plan) -> pa.Table:
    """Take the columns that are recoded or judged or say whose rows; others change no figure."""
    named = {*plan.with_role("quasi", "sensitive"), *plan.respondent_columns().values()}
    return data.select([name for name in data.column_names if name in named])


def _measured(method: str, k: int, release: Release) -> Trial:
    ks = [e.measured for e in release.evidence if e.requirement.model == "k-anonymity"]
    measures = release.measures.as_json()
    return Trial(
        method,
        k,
        met=True,
        loss=measures["gcp"],
        form=measures["gcp_form"],
        measured_k=int(min(ks)) if ks else None,
        suppressed_rows=release.suppressed_rows,
        classes=int(release.class_sizes.size),
        average_class_size=measures["average_class_size"],
        discernibility=measures["discernibility"],
        seconds=release.seconds["search"],
    )


def _searched(work: Work) -> float | None:
    return work.seconds.get("search")


def first_fault(error: IndistinctError) -> str:
    """Say why a trial gave no release."""
    fault = error.faults[0]
    return f"{fault.place}: {fault.problem}"


def _broken(work: Work) -> str:
    """Say which promise the published rows break, without showing the class that does."""
    return "; ".join(
        f"{evidence.requirement.model} measures {evidence.measured:g} where "
        f"{evidence.requirement.asked()} was asked"
        for evidence in work.verified.evidence
        if evidence.holds is False
    )
