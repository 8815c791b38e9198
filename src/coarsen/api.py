"""The verbs: each a few lines over the rest."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen._kernels.cache import load_in_background
from coarsen.background import in_background
from coarsen.certificate import FileFacts, certificate, disagreements, read_certificate
from coarsen.errors import DataError, DoesNotHoldError, Fault, HierarchyError, closest
from coarsen.forms import published_names
from coarsen.frames.encoding import encode
from coarsen.frames.files import (
    FileFormat,
    beside,
    fill,
    format_of,
    hash_of,
    output_format,
    read_file,
    refuse_unwritable,
    require_readable,
    write_rows,
)
from coarsen.frames.native import to_arrow
from coarsen.frames.tables import respondent_columns
from coarsen.hierarchy.order import in_natural_order
from coarsen.pipeline import Work, column_sets, judged_columns, refuse_failing
from coarsen.plan import Input, Plan
from coarsen.progress import Progress
from coarsen.publish_buckets import GROUP
from coarsen.verification import ValueFacts, Verified, verify_rows, without_blanks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from coarsen.measures.costs import NodeCost
    from coarsen.release import Release
    from coarsen.risk.assess import Assessment

    PlanSource = Plan | Mapping[str, Any] | str | Path


def anonymize(
    data: Any,
    plan: PlanSource,
    *,
    keep_order: bool = False,
    loss: NodeCost | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a verified release of a private table.

    Parameters
    ----------
    data
        A pandas, polars or pyarrow data frame, or the path of a CSV or Parquet file.
    plan
        A `Plan`, a mapping, or the path of a TOML or JSON file.
    keep_order
        Keep the order of rows, which may tell who is who, instead of shuffling them.
    loss
        What the method minimizes instead of the plan's `loss`: given a column and a level, the
        cost (0 to 1) of each node.
    progress
        Who is told how far the work is.

    Returns
    -------
    Release
        Whose `frame` is of the same kind as `data`.

    Raises
    ------
    CoarsenError
        `CannotMeetError` if no release meets the requirements within the limits;
        `DoesNotHoldError` if the method's result fails the independent check; others if plan or
        data are faulty.
    """
    work = Work(Plan.load(plan), progress or Progress())
    with work.timed("read"):
        table, back = _given(data, work.plan.input)
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
    certificate_path: str | Path | None = None,
    keep_order: bool = False,
    progress: Progress | None = None,
    inputs: Sequence[Path] = (),
) -> Release:
    """Make a verified release file, with a report and a certificate, or write nothing at all.

    The release is written beside its place, read back, checked, and only then put there. None of
    the outputs may be the source, the plan, a file that the plan names, or one of `inputs`.
    """
    source, out = Path(source), Path(out)
    others = [Path(path) for path in (report, certificate_path) if path is not None]
    work = Work(Plan.load(plan), progress or Progress())
    plans = [Path(plan)] if isinstance(plan, str | Path) else []
    refuse_unwritable([out, *others], [source, *plans, *work.plan.paths(), *inputs])
    load_in_background()
    with work.timed("read"):
        form = _format(source, work.plan.input)
        table = read_file(source, form)
        private = FileFacts(source.name, in_background(hash_of, source), table.num_rows, form)
    work.recode(table, keep_order=keep_order)
    with ExitStack() as ending:  # in reverse: the release takes its place before its papers do
        drafts = {path: ending.enter_context(beside(path)) for path in (*others, out)}
        written = output_format(out, form)
        with work.timed("write"):
            breaks = write_rows(work.published.columns, work.published.source, drafts[out], written)
        rows = int(work.published.source.size)
        public = FileFacts(out.name, in_background(hash_of, drafts[out]), rows, written)
        with work.timed("verify"):
            rows_back = read_file(drafts[out], written, work.checked_columns(), line_breaks=breaks)
            work.check(rows_back)
        release = work.release()
        if certificate_path is not None:
            text = json.dumps(certificate(release, private, public), indent=1)
            fill(drafts, Path(certificate_path), text)
        if report is not None:
            fill(drafts, Path(report), release.report(title=out.name))
    return release


def verify(
    release: Any,
    plan: PlanSource | None = None,
    *,
    certificate: str | Path | None = None,
) -> Verified:
    """Check a release again, from the published rows alone.

    Parameters
    ----------
    release
        The published rows: a data frame, or the path of a file.
    plan
        What was promised; or
    certificate
        the certificate that came with a file, whose hash must match.

    Raises
    ------
    DoesNotHoldError
        If a promise does not hold, with the class that breaks it, the file was changed, or the
        certificate states what the file does not show.
    """
    if (plan is None) == (certificate is None):
        raise DataError(
            Fault("verify", "it needs either a plan or a certificate", "Give one of the two.")
        )
    if certificate is not None:
        return _verified_by_certificate(release, Path(certificate))
    promised = Plan.load(plan)  # type: ignore[arg-type]  # one of the two is given
    rows, _ = _given(release, Input())
    verified = _verified(rows, promised)
    refuse_failing(verified)
    return verified


def _verified_by_certificate(release: Any, path: Path) -> Verified:
    if not isinstance(release, str | Path):
        raise DataError(Fault("verify", "a certificate is for a file", "Give the file's path."))
    content, promised = read_certificate(path)
    facts = content["release"]
    share = facts["suppressed_rows"] / max(facts["input_rows"], 1)
    verified = _verified(_certified_rows(Path(release), content), promised, share)
    refuse_failing(verified)
    faults = disagreements(content, verified, str(path))
    if faults:
        raise DoesNotHoldError(faults)
    return verified


def _verified(rows: pa.Table, plan: Plan, suppressed: float | None = None) -> Verified:
    known = rows.column_names
    sets = column_sets(plan, _became(plan, known))
    promised = [*(c for columns in sets.values() for c in columns), *judged_columns(plan)]
    missing = [column for column in dict.fromkeys(promised) if column not in known]
    if missing:
        raise DataError(
            Fault("release", f"no column {name!r}, which was promised", closest(name, known))
            for name in missing
        )
    shown = without_blanks(rows) if plan.suppressed == "blank" else rows
    people = {
        name: encode(rows.column(column), column).codes if column in known else None
        for name, column in respondent_columns(plan).items()
    }
    return verify_rows(
        rows,
        plan.require,
        sets,
        people,
        {name: _released_values(shown, plan, name) for name in judged_columns(plan)},
        blanks=plan.suppressed == "blank",
        most_suppressed=plan.limits.suppression if suppressed is None else suppressed,
    )


def _became(plan: Plan, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Tell by the columns of a release which of them each quasi column became."""
    if plan.in_buckets:
        return dict.fromkeys(plan.with_role("quasi"), (GROUP,))
    found = {}
    for name in plan.with_role("quasi"):
        parts = published_names(name, plan.columns[name].range_as)
        found[name] = parts if set(parts) <= set(known) else (name,)
    return found


def _released_values(rows: pa.Table, plan: Plan, name: str) -> ValueFacts:
    """Tell of a sensitive column what the release alone tells."""
    domain = encode(rows.column(name), name).domain
    spec = plan.columns[name].hierarchy
    if spec is None:
        values = in_natural_order(domain.values)
        return ValueFacts(values, None, np.arange(len(values), dtype=np.int32)[None, :])
    try:
        hierarchy = spec.build(domain, place=f"column {name!r}", base=plan.base)
    except HierarchyError:
        return ValueFacts(in_natural_order(domain.values), None, None)
    return ValueFacts(hierarchy.leaves, None, np.array(hierarchy.nodes, dtype=np.int32))


def _certified_rows(path: Path, content: dict[str, Any]) -> pa.Table:
    promised = content["output"]
    require_readable(path)
    if (found := hash_of(path)) != promised["sha256"]:
        raise DoesNotHoldError(
            Fault(
                str(path),
                f"its SHA-256 is {found[:16]}..., not {promised['sha256'][:16]}... as certified",
                "The file was changed after it was certified, or is another one.",
            )
        )
    return read_file(path, FileFormat(promised["format"], promised["delimiter"]))


def _format(path: Path, options: Input) -> FileFormat:
    return format_of(
        path, delimiter=options.delimiter, encoding=options.encoding, missing=options.missing
    )


def _given(data: Any, options: Input) -> tuple[pa.Table, Any]:
    if isinstance(data, str | Path):
        path = Path(data)
        return read_file(path, _format(path, options)), lambda rows: rows
    return to_arrow(data)


def assess(
    data: Any,
    plan: PlanSource | None = None,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Tell how much a table says about single people, before any release.

    Parameters
    ----------
    data
        A data frame, or the path of a file.
    plan
        Its quasi columns are assessed; or
    columns
        these; by default all columns.
    delimiter, encoding
        How a file is written, instead of what the plan says or a look at the file tells.
    """
    from coarsen.risk.assess import assess_table

    known = Plan.load(plan) if plan is not None else None
    options = known.input if known else Input()
    given = {"delimiter": delimiter, "encoding": encoding}
    options = options.model_copy(update={key: told for key, told in given.items() if told})
    table, _ = _given(data, options)
    chosen = list(
        dict.fromkeys(columns or (known.with_role("quasi") if known else table.column_names))
    )
    missing = [name for name in chosen if name not in table.column_names]
    if missing:
        raise DataError(
            Fault("data", f"no column {name!r}", closest(name, table.column_names))
            for name in missing
        )
    return assess_table(table, chosen, progress or Progress())
