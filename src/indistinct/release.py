"""Release: the published table with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from indistinct._version import __version__
from indistinct.publishing.detail import details

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.applying.learnt import Learnt
    from indistinct.check.rows import Evidence, Verified
    from indistinct.comparing.frontier import Frontier
    from indistinct.measures.associations import Associations
    from indistinct.measures.bound import Bound
    from indistinct.measures.classifier import ClassifierAccuracy
    from indistinct.measures.loss import Measures
    from indistinct.methods import Method
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.plan.safety import Danger
    from indistinct.publishing.rows import Published
    from indistinct.report import Audience, Findings, ReportFacts


@dataclass(frozen=True, eq=False)
class Release:
    """What is published, what was promised, what was measured on it, and what it cost.

    Attributes
    ----------
    published
        The rows as they are published, with what is private about them.
    plan
        What was asked for.
    verified
        What the independent check found on the published rows.
    measures
        What was lost.
    method
        Which method searched.
    recoding
        What the method chose; private, it shows which rows were suppressed.
    seconds
        How long each stage took.
    warnings
        What a steward should know before publishing.
    accepted
        What the plan accepts although it looks like an identifier, with its reasons.
    classified
        How well the release lets a classifier learn, where that was asked for.
    bounded
        What every release loses at least, where the exact bound was asked for.
    """

    published: Published
    plan: Plan
    table: Table
    method: Method
    recoding: Recoding
    verified: Verified
    measures: Measures
    sizes_before: dict[int, int]
    seconds: dict[str, float]
    warnings: tuple[str, ...] = ()
    accepted: tuple[Danger, ...] = ()
    classified: ClassifierAccuracy | None = None
    bounded: Bound | None = None
    _to_frame: Callable[[pa.Table], Any] = field(default=lambda rows: rows, repr=False)

    def __repr__(self) -> str:
        """Say how many rows are released and what holds; show no row, for logs are read by many."""
        measured = ", ".join(f"{e.requirement.model} {e.measured:g}" for e in self.evidence)
        rows = f"{self.verified.released_rows:,} of {self.table.rows:,} rows"
        how = self.recoding.described(self.class_sizes.size)
        return f"<Release: {rows} {how}; measured {measured}>"

    @property
    def rows(self) -> pa.Table:
        """The published rows as an Arrow table."""
        return self.published.rows

    @property
    def frame(self) -> Any:
        """The published rows as the kind of data frame that was given."""
        return self._to_frame(self.rows)

    @property
    def levels(self) -> dict[str, int | None]:
        """The level each quasi column is published at; None where values differ in it."""
        names = [column.name for column in self.table.quasi]
        levels = self.recoding.column_levels
        return dict.fromkeys(names) if levels is None else dict(zip(names, levels, strict=True))

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """The sizes of the classes of published rows."""
        return self.verified.class_sizes

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What was promised and what was measured."""
        return self.verified.evidence

    @property
    def suppressed_rows(self) -> int:
        """How many rows were suppressed."""
        return self.recoding.suppressed_rows(self.table)

    def summary(self) -> dict[str, Any]:
        """Return the facts of the release as plain data, as `--json` prints them."""
        return {
            "version": __version__,
            "warnings": list(self.warnings),
            "accepted": [danger.as_json() for danger in self.accepted],
            "method": self.method.name,
            "input_rows": self.table.rows,
            "released_rows": self.verified.released_rows,
            "suppressed_rows": self.suppressed_rows,
            "classes": int(self.class_sizes.size),
            "levels": self.levels,
            "detail": [detail.as_json() for detail in details(self.plan, self.table, self.method)],
            "measures": self.measures.as_json(),
            "requirements": [evidence.as_json() for evidence in self.evidence],
            "search": self.recoding.search | self._draw,
            **({} if self.classified is None else {"classifier": self.classified.as_json()}),
            **({} if self.bounded is None else {"bound": self.bounded.as_json()}),
            "seconds": {stage: round(took, 4) for stage, took in self.seconds.items()},
        }

    @property
    def _draw(self) -> dict[str, Any]:
        """How a matching was drawn, for internal use: no certificate has it."""
        return {"draw": self.published.draw} if self.published.draw else {}

    def bound(
        self, *, exact: bool = False, time_limit: float = 60.0, pairs: int | None = None
    ) -> Bound:
        """Bound the loss of every truthful release that meets the same requirements.

        Where values are permuted in buckets, quasi-identifiers lose nothing, and the bound is 0.

        Parameters
        ----------
        exact
            Solve the linear program over all classes: a bound that lies near the least loss there
            is, for tables of up to some thousand rows.
        time_limit
            How many seconds that may take; the bound is lower, but holds, where it is over before.
        pairs
            Of the bound that is not exact, how many pairs of rows to compare at most; a sample is
            taken if there are more.
        """
        from indistinct.measures.bound import EXACT_PAIRS, lower_bound
        from indistinct.model.spans import Spans

        forms = tuple(self.measures.ncp_form[column.name] for column in self.table.quasi)
        spans = Spans(self.table.quasi, forms, at_least=True)
        require = [] if self.plan.in_buckets else self.plan.require
        if not exact:
            return lower_bound(self.table, spans, require, pairs=pairs or EXACT_PAIRS)
        from indistinct.measures.exact_bound import exact_bound
        from indistinct.methods.common.deadline import Deadline

        return exact_bound(
            self.table,
            spans,
            require,
            max_suppressed=self.plan.limits.suppressed_of(self.table.rows),
            known=self.recoding,
            deadline=Deadline(time_limit),
        )

    @cached_property
    def associations(self) -> Associations:
        """How columns are associated with each other, in the private table and in the release."""
        from indistinct.measures.associations import associations

        forms = self.plan.forms(self.table)
        return associations(self.table, self.recoding, forms, carried=self.published.carried)

    def classifier_accuracy(
        self, column: str | None = None, *, seed: int = 0
    ) -> ClassifierAccuracy:
        """Return how well a classifier that learns from the release guesses a sensitive column.

        It needs scikit-learn (`pip install scikit-learn`).

        Parameters
        ----------
        column
            The sensitive column; the first if not given.
        seed
            Of the people asked about, and of the classifiers.
        """
        from indistinct.measures.classifier import classifier_accuracy

        return classifier_accuracy(
            self.table,
            self.recoding,
            self.plan.forms(self.table),
            column=column,
            carried=self.published.carried,
            seed=seed,
        )

    def learnt(self) -> Learnt:
        """Return the recoding, to publish later rows by with `apply`.

        Raises
        ------
        PlanError
            If the method's recoding cannot be learnt.
        """
        from indistinct.applying.learning import learn

        return learn(self)[0]

    def report(
        self,
        title: str = "Release",
        *,
        audience: Audience = "internal",
        frontier: Frontier | None = None,
    ) -> str:
        """Return a self-contained HTML page about the release.

        Parameters
        ----------
        title
            The heading of the page.
        audience
            `internal` shows the worst classes, attacks and the plan; `public` nothing that would
            help to find somebody.
        frontier
            Loss against k, to be drawn in an internal report.
        """
        from indistinct.report import render

        return render(self.report_facts(title, audience=audience, frontier=frontier))

    def report_facts(
        self,
        title: str = "Release",
        *,
        audience: Audience = "internal",
        frontier: Frontier | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> ReportFacts:
        """Return what a report says; its `as_json()` is the numbers as plain data."""
        from indistinct.report import facts_for_public, facts_of

        if audience == "public":
            return facts_for_public(self, title)
        return facts_of(
            self,
            title,
            findings=self.findings if self.recoding.at_hand else None,
            provenance=provenance,
            frontier=None if frontier is None else frontier.chart(),
        )

    @cached_property
    def findings(self) -> Findings:
        """What an attacker gets and an analyst keeps, measured when first asked for. Private."""
        from indistinct.report import find

        return find(self)

    def _repr_html_(self) -> str:
        from indistinct.report import facts_of, notebook_html

        return notebook_html(facts_of(self, "Release"))
