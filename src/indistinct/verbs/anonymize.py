"""anonymize: a private table in, a verified release out."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.applying.learning import learn
from indistinct.applying.recoding_file import as_text
from indistinct.comparing.grid import checked_k
from indistinct.disk.transaction import Papers, transaction
from indistinct.engine.frames import lies_with_spark, refuse_unsorted, released_by_spark
from indistinct.errors import Fault, PlanError
from indistinct.io.databases.address import place_of
from indistinct.io.opening import opened
from indistinct.io.places import refuse_unwritable
from indistinct.measures.classifier import require_classifier
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.plan.overrides import overridden
from indistinct.plan.series import unnoted_by_apply
from indistinct.report.certificate import certificate_of
from indistinct.report.report_files import ReportFiles
from indistinct.series.ledger import Ledger
from indistinct.series.ledger_file import as_text as ledger_text
from indistinct.series.ledger_file import held
from indistinct.series.work import SeriesWork
from indistinct.verbs.preparing import Wanted, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.comparing.frontier import Frontier
    from indistinct.model.costs import NodeCost
    from indistinct.plan import PlanSource
    from indistinct.plan.overrides import Overrides
    from indistinct.release import Release
    from indistinct.running.progress import Progress
    from indistinct.verbs.preparing import Prepared

_NO_BUCKETS = Fault(
    "plan",
    "only buckets are published as two files, and it makes none",
    'Set method.name = "anatomy" or publish = "permutation", or ask for one file.',
)


def anonymize(
    data: Any,
    plan: PlanSource,
    *,
    series: Ledger | None = None,
    keep_order: bool = False,
    loss: NodeCost | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a verified release of a private table.

    Parameters
    ----------
    data
        A pandas, polars, pyarrow or DuckDB frame, the path of a file, or the address of a table.
    plan
        A `Plan`, a mapping, or the path of a TOML or JSON file.
    series
        For the next release of a series, the ledger of those before it (`release.ledger`); for the
        first one an empty one, `Ledger()`.
    keep_order
        Keep the order of rows, which may reveal who is who, instead of shuffling them.
    loss
        What the method minimizes instead of the plan's `loss`: given a column and a level, the
        cost (0 to 1) of each node.
    progress
        Receives how far the work is; see `progress_bar`.

    Returns
    -------
    Release
        Its `frame` is of the same kind as `data`.

    Raises
    ------
    IndistinctError
        `CannotMeetError` if no release meets the requirements within the limits;
        `DoesNotHoldError` if the method's result fails the independent check; others if plan or
        data are faulty.
    """
    asked = Plan.load(plan)
    _refuse_alone(asked, series)
    if not isinstance(series, Ledger | None):
        remedy = "Give a Ledger; anonymize_file takes its path, and keeps it there."
        raise PlanError(Fault("series", f"it is a {type(series).__name__}", remedy))
    if series is None and lies_with_spark(data, asked):
        refuse_unsorted(keep_order=keep_order, loss=loss)
        return released_by_spark(data, asked, progress)
    work = Work(asked, progress) if series is None else SeriesWork(asked, series, progress)
    with work.timed("read"):
        table, back = opened(data, work.plan.input)
    work.recode(table, loss=loss, keep_order=keep_order)
    with work.timed("verify"):
        work.check(work.published.rows)
    work.seconds.setdefault("write", 0.0)
    return work.release(back)


def anonymize_file(
    source: str | Path,
    plan: PlanSource,
    out: str | Path,
    *,
    report: str | Path | None = None,
    public_report: str | Path | None = None,
    report_json: str | Path | None = None,
    frontier: Sequence[int] = (),
    certificate: str | Path | None = None,
    recoding: str | Path | None = None,
    series: str | Path | None = None,
    first: bool = False,
    sensitive_out: str | Path | None = None,
    classify: str | None = None,
    exact_bound: float | None = None,
    public_json: str | Path | None = None,
    k: int | None = None,
    method: str | None = None,
    seed: int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    guard_formulas: bool | None = None,
    engine: str | None = None,
    memory_limit: str | None = None,
    keep_order: bool = False,
    progress: Progress | None = None,
    inputs: Sequence[Path] = (),
) -> Release:
    """Make a verified release file, with a report and a certificate, or write nothing at all.

    Source and release may be database tables, given by their addresses. The release is written as a
    draft, read back, checked, and only then put in place. No output may be the source, the plan, a
    file that the plan names, or one of `inputs`. Buckets may go into two files: quasi values to
    `out`, sensitive ones to `sensitive_out`. `recoding` (for `apply`), `report` and `report_json`
    are private and readable only by their owner; `public_report` and `public_json` can be
    published. For each k of `frontier` the method runs once more, to draw loss against k in the
    report. A classifier is trained on the column `classify`, to see how well it still predicts.
    `exact_bound` seconds are spent on the least loss that any release can have (`Release.bound`);
    summary and reports state it.
    With `series`, the private ledger of a series, this is the next release of that series, and the
    ledger is written with it; `first` begins one.
    `k`, `method`, `seed`, `delimiter`, `encoding`, `sheet`, `guard_formulas`, `engine` and
    `memory_limit` override the plan; report and certificate state the plan as overridden.
    """
    given_place, *released = [
        place_of(place) for place in (source, out, sensitive_out) if place is not None
    ]
    given: Overrides = {
        "k": k,
        "method": method,
        "seed": seed,
        "delimiter": delimiter,
        "encoding": encoding,
        "sheet": sheet,
        "guard_formulas": guard_formulas,
        "engine": engine,
        "memory_limit": memory_limit,
    }
    asked = overridden(Plan.load(plan), given)
    plans = [Path(plan)] if isinstance(plan, str | Path) else []
    _refuse_alone(asked, series, recoding=recoding, first=first)
    sources = [given_place, *plans, *asked.paths(), *inputs]
    if sensitive_out is not None and not asked.in_buckets:
        raise PlanError(_NO_BUCKETS)
    reports = ReportFiles(report, public_report, report_json, public_json)
    papers = Papers.of(
        private=(report, report_json, recoding),
        public=(public_report, public_json, certificate),
        ledgers=(series,),
    )
    folders = released if asked.engine.name == "spark" else ()
    refuse_unwritable(
        [*released, *papers.paths], sources, tables=released, packable=released, folders=folders
    )
    if classify is not None:
        require_classifier(asked.with_role("sensitive"), classify)
    curve = checked_k(frontier, "frontier") if frontier else []
    described = any(paper is not None for paper in (certificate, report, report_json))
    with (
        _ledger(series, first=first) as ledger,
        prepared(
            Wanted(given_place, asked, released, described, keep_order, progress, ledger)
        ) as made,
        transaction(made.work, made.sinks, papers) as drafted,
    ):
        drafted.publish(made.contents, made.check)
        release = made.release()
        if classify is not None:
            release = replace(release, classified=release.classifier_accuracy(classify))
        if exact_bound is not None:
            release = _bounded(release, exact_bound)
        if recoding is not None:
            learnt, notes = learn(release)
            drafted.add(recoding, as_text(learnt))
            release = replace(release, warnings=(*release.warnings, *notes))
        if series is not None and release.ledger is not None:
            drafted.add(series, ledger_text(release.ledger))
        public = made.public() if made.private else []
        if certificate is not None:
            text = json.dumps(certificate_of(release, made.private, *public), indent=1)
            drafted.add(certificate, text)
        losses = _curve(made, curve) if curve else None
        files = {"private table": made.private, "release": public[0]} if made.private else {}
        for path, text in reports.texts(release, released[0].name, files=files, frontier=losses):
            drafted.add(path, text)
    return release


def _ledger(path: str | Path | None, *, first: bool) -> AbstractContextManager[Ledger | None]:
    """Hold the ledger of a series, if there is one."""
    return nullcontext() if path is None else held(Path(path), first=first)


def _refuse_alone(
    plan: Plan,
    series: Ledger | str | Path | None,
    *,
    recoding: str | Path | None = None,
    first: bool = False,
) -> None:
    """Raise if a release of a series would not be noted in its ledger, or another one would."""
    faults = []
    if series is None and first:
        faults.append(Fault("first", "no ledger is named", "Say where it goes: --series LEDGER."))
    elif series is None and plan.series is not None:
        problem = "the plan is of a series, and no ledger is given"
        faults.append(Fault("series", problem, "Give --series LEDGER, or take [series] out."))
    if recoding is not None:
        faults += unnoted_by_apply(plan)
    if faults:
        raise PlanError(faults)


def _bounded(release: Release, seconds: float) -> Release:
    """Bound the loss of all releases by the linear program."""
    if not release.recoding.at_hand:
        problem = "an engine does not solve the linear program over all classes"
        raise PlanError(Fault("exact_bound", problem, 'Leave it out, or say engine = "local".'))
    return replace(release, bounded=release.bound(exact=True, time_limit=seconds))


def _curve(made: Prepared, ks: Sequence[int]) -> Frontier:
    """Run the method for other k, to draw what they would lose."""
    from indistinct.verbs.compare import frontier

    if made.rows is None:
        problem = "an engine does not draw loss against k"
        raise PlanError(Fault("frontier", problem, 'Leave it out, or set engine = "local".'))
    return frontier(made.rows, made.work.plan, k=ks, progress=made.work.progress)
