"""A bound on what each group may span, and what is reached within it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import CannotMeetError, Fault, PlanError
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.partition.bounded_runs_kernel import BoundArrays
    from indistinct.model.recoding import Partition
    from indistinct.model.table import SensitiveColumn
    from indistinct.plan.accuracy import Accuracy

STEPS = 20


@dataclass(frozen=True, eq=False)
class AccuracyBound:
    """The bound of a problem, as its plan states it, or so many times as wide."""

    problem: Problem
    asked: Accuracy
    times: float = 1.0

    @classmethod
    def of(cls, problem: Problem) -> AccuracyBound:
        """Take the bound that the plan states."""
        if problem.accuracy is None:
            raise PlanError(Fault("accuracy", "it is missing", "Say [accuracy] max_ncp = 0.3."))
        return cls(problem, problem.accuracy)

    @property
    def arrays(self) -> BoundArrays:
        """The bound for kernels."""
        ncp = np.inf if self.asked.max_ncp is None else self.asked.max_ncp
        columns = self.problem.table.quasi
        limits = [self.asked.max_extent.get(column.name, np.inf) * self.times for column in columns]
        return bounded_by(self.problem, ncp * self.times, limits)

    def kept_by(self, partition: Partition) -> bool:
        """Return whether every group stays within."""
        from indistinct.kernels.spans import bounds_of
        from indistinct.methods.partition.bounded_runs_kernel import all_within

        codes = self.problem.codes
        if partition.parts is not None:
            codes = codes[partition.parts.entry]
        low, high = bounds_of(codes, partition.groups, partition.count)
        return bool(all_within(self.arrays, self.problem.spans.arrays, low, high))

    def column(self) -> SensitiveColumn:
        """Return the sensitive column whose diversity is to be maximized."""
        candidates = [
            column
            for column in self.problem.table.sensitive
            if self.asked.column in {None, column.name}
        ]
        if len(candidates) != 1:
            raise PlanError(
                Fault(
                    "accuracy.column",
                    "it is not clear which sensitive column l is about",
                    "Name one.",
                )
            )
        return candidates[0]

    def reached(self, partition: Partition) -> float:
        """Measure the privacy of the worst group: its rows, or its diversity."""
        entry, rows = np.arange(partition.groups.size), self.problem.table.row_counts
        if partition.parts is not None:
            entry, rows = partition.parts.entry, partition.parts.rows
        sizes = np.bincount(partition.groups, rows)
        if self.asked.maximize == "k":
            return int(sizes.min())
        held = self.column()
        pairs = partition.groups.astype(np.int64) * len(held.values) + held.codes[entry]
        counts = np.bincount(pairs, rows, minlength=partition.count * len(held.values))
        return float((sizes / counts.reshape(partition.count, -1).max(axis=1)).min())

    def report(self, partition: Partition) -> dict[str, Any]:
        """Report what was reached within the bound."""
        return {"maximized": self.asked.maximize, "reached": self.reached(partition)}

    def too_narrow(self, order: NDArray[np.int32], why: str) -> CannotMeetError:
        """Say that the bound cannot be kept, and the smallest along the order that could."""
        least = max(least_respondents(self.problem.requirements), 2)
        times = self._smallest(order, least)
        asked = self.asked.model_dump(exclude_none=True, include={"max_ncp", "max_extent"})
        wider = _scaled(asked, times)
        verb, remedy = "allows", "Widen the bound, or relax the requirements."
        if times <= 1.0:
            verb, remedy = "would allow", 'Set method.name = "ac", or widen the bound.'
        return CannotMeetError(
            Fault(
                "accuracy",
                f"{why} within {_written(asked)}; the smallest bound of this shape that {verb} "
                f"groups of {least} rows along the order is {_written(wider)}",
                remedy,
            )
        )

    def _smallest(self, order: NDArray[np.int32], least: int) -> float:
        """Search how many times as wide the bound must be for runs of so many rows."""
        high = 1.0
        while not self.allows(order, least, high) and high < 1e12:
            high *= 2
        low = 0.0 if high == 1.0 else high / 2
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.allows(order, least, middle) else (middle, high)
        return high

    def allows(self, order: NDArray[np.int32], k: int, times: float = 1.0) -> bool:
        """Return whether runs of at least k rows can stay within the bound, widened."""
        from indistinct.methods.partition.bounded_runs_kernel import earliest_starts, ends_of_runs

        problem = self.problem
        wider = AccuracyBound(problem, self.asked, times).arrays
        starts = earliest_starts(problem.codes, order, problem.spans.arrays, wider)
        before = problem.table.rows_before(order)
        return bool(ends_of_runs(starts, before, k)[-1] >= 0)


def bounded_by(problem: Problem, ncp: float, limits: list[float] | None = None) -> BoundArrays:
    """Return a bound on the NCP of groups, and on how far each column may reach, for kernels."""
    from indistinct.methods.partition.bounded_runs_kernel import BoundArrays

    columns = problem.table.quasi
    sizes = [column.hierarchy.size for column in columns]
    return BoundArrays(
        cost=ncp * sum(column.weight for column in columns),
        extent=np.array(limits or [np.inf] * len(columns), dtype=np.float64),
        number=np.concatenate([column.hierarchy.position for column in columns]),
        first=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
    )


def _scaled(asked: dict[str, Any], times: float) -> dict[str, Any]:
    return {
        name: {column: limit * times for column, limit in value.items()}
        if isinstance(value, dict)
        else min(value * times, 1.0)
        for name, value in asked.items()
    }


def _written(asked: dict[str, Any]) -> str:
    parts = []
    for name, value in asked.items():
        if isinstance(value, dict):
            parts += [f"{name} of {column} = {limit:.4g}" for column, limit in value.items()]
        else:
            parts.append(f"{name} = {value:.4g}")
    return ", ".join(parts)
