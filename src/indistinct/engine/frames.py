"""A release of a data frame that lies with its engine, as another such frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.engine.blocked import recoded_on
from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.running.progress import Progress


def is_of_spark(data: Any) -> bool:
    """Return whether this is a data frame of Spark."""
    kind = type(data)
    return kind.__module__.startswith("pyspark.") and kind.__name__ == "DataFrame"


def lies_with_spark(data: Any, plan: Plan) -> bool:
    """Return whether this is a data frame of Spark that the plan does not want read here."""
    return is_of_spark(data) and plan.engine.name in {"auto", "spark"}


def released_by_spark(data: Any, plan: Plan, progress: Progress | None = None) -> Release:
    """Make a verified release of a Spark data frame; its rows stay with Spark.

    The released frame is computed once, cut off from the private one, and what was checked is what
    it holds.
    """
    from indistinct.engine.spark import Spark

    engine = Spark.of_frame(data, plan)
    work = recoded_on(engine, plan, progress)
    with work.timed("write"):
        frame = work.on_engine(engine.frame, work.assignment(), work.layout())
    with work.timed("verify"):
        back = work.on_engine(engine.counts_of, frame, work.read_back_columns())
        work.check_grouped([back])
    return replace(work.release_of(), _to_frame=lambda _: frame)


def refuse_unsorted(*, keep_order: bool, loss: Any) -> None:
    """Raise if something is asked for that an engine does not do."""
    asked = {"keep_order": keep_order, "loss": loss is not None}
    if faults := [
        Fault(
            name, "Spark does not support this", "Leave it out, or give the rows as an Arrow table."
        )
        for name, is_asked in asked.items()
        if is_asked
    ]:
        raise PlanError(faults)
