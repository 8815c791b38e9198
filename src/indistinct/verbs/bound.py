"""bound: how far from the least loss there is a release of a table would be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.verbs.anonymize import anonymize

if TYPE_CHECKING:
    from indistinct.measures.bound import Bound
    from indistinct.plan import PlanSource
    from indistinct.running.progress import Progress


@dataclass(frozen=True)
class Bounded:
    """What a method loses, and what no method can fall below.

    Attributes
    ----------
    method
        The method of the plan.
    loss
        What its release loses (GCP).
    bound
        What every release loses at least.
    """

    method: str
    loss: float
    bound: Bound

    @property
    def above(self) -> float | None:
        """How far the loss is above the bound at most, as a share of it; None if that is 0."""
        return self.loss / self.bound.low - 1 if self.bound.low > 0 else None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        told = {"method": self.method, "loss": self.loss, "bound": self.bound.as_json()}
        return told | {"above": self.above}


def bound(
    data: Any,
    plan: PlanSource,
    *,
    exact: bool = False,
    time_limit: float = 60.0,
    progress: Progress | None = None,
) -> Bounded:
    """Tell how far from the least loss there is the release of a plan is. Nothing is written.

    Parameters
    ----------
    data
        A pandas, polars, pyarrow or DuckDB frame, the path of a file, or the address of a table.
    plan
        A `Plan`, a mapping, or the path of a TOML or JSON file.
    exact
        Solve the linear program over all classes (`Release.bound`), for tables of up to some
        thousand rows.
    time_limit
        How many seconds that may take; the bound is lower, but holds, where it is over before.
    progress
        Hears how far the work is.

    Examples
    --------
    >>> from indistinct import bound
    >>> from indistinct.datasets import medical, medical_plan
    >>> best = bound(medical(), medical_plan(method={"name": "best"}), exact=True)
    >>> f"{best.loss:.3f} >= {best.bound.loss:.3f}"
    '0.442 >= 0.417'
    """
    release = anonymize(data, plan, progress=progress)
    if progress is not None:
        progress.stage("bound")
    least = release.bound(exact=exact, time_limit=time_limit)
    return Bounded(release.method.name, release.measures.gcp, least)
