"""The verbs: each a few lines over the rest."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen._kernels.cache import load_in_background
from coarsen.background import in_background
from coarsen.certificate import (
    FileFacts,
    certificate,
    certified_files,
    disagreements,
    read_certificate,
)
from coarsen.errors import DataError, DoesNotHoldError, Fault, HierarchyError, PlanError, closest
from coarsen.forms import published_names
from coarsen.frames.encoding import encode
from coarsen.frames.files import (
    FileFormat,
    beside,
    fill,
    hash_of,
    output_format,
    read_file,
    refuse_unwritable,
    require_readable,
    write_rows,
)
from coarsen.frames.opening import format_for, opened
from coarsen.frames.tables import encode_table, respondent_columns
from coarsen.hierarchy.order import in_natural_order
from coarsen.pipeline import Work, column_sets, judged_columns, quasi_cells, refuse_failing
from coarsen.plan import Input, Plan
from coarsen.presets import hold_to_preset
from coarsen.progress import Progress
from coarsen.publish.buckets import GROUP, apart, together
from coarsen.report.files import report_files
from coarsen.reuse.files import as_text
from coarsen.reuse.learning import learn
from coarsen.verification.freeform import numbered_alike, verify_alone, verify_found
from coarsen.verification.rows import ValueFacts, Verified, verify_rows, without_blanks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from coarsen.measures.costs import NodeCost
    from coarsen.release import Release
    from coarsen.risk.assess import Assessment
    from coarsen.tradeoff.frontier import Frontier

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
    certificate_path: str | Path | None = None,
    recoding_path: str | Path | None = None,
    sensitive_out: str | Path | None = None,
    keep_order: bool = False,
    progress: Progress | None = None,
    inputs: Sequence[Path] = (),
) -> Release:
    """Make a verified release file, with a report and a certificate, or write nothing at all.

    The release is written beside its place, read back, checked, and only then put there. None of
    the outputs may be the source, the plan, a file that the plan names, or one of `inputs`.
    Buckets may go into two files: quasi values to `out`, sensitive ones to `sensitive_out`. The
    recoding, for `apply`, is private; so are `report` and `report_json`, unlike `public_report`.
    For each k of `frontier` the method runs once more, to draw loss against k in the report.
    """
    source, out = Path(source), Path(out)
    released = [out] if sensitive_out is None else [out, Path(sensitive_out)]
    papers = (report, public_report, report_json, certificate_path, recoding_path)
    others = [Path(path) for path in papers if path is not None]
    work = Work(Plan.load(plan), progress or Progress())
    plans = [Path(plan)] if isinstance(plan, str | Path) else []
    refuse_unwritable([*released, *others], [source, *plans, *work.plan.paths(), *inputs])
    _refuse_two_files(work.plan, released)
    load_in_background()
    with work.timed("read"):
        form = format_for(source, work.plan.input)
        table = read_file(source, form)
        private = FileFacts(source.name, in_background(hash_of, source), table.num_rows, form)
    work.recode(table, keep_order=keep_order)
    with ExitStack() as ending:  # in reverse: the release takes its place before its papers do
        drafts = {path: ending.enter_context(beside(path)) for path in (*others, *released)}
        public = _written_and_checked(work, {path: drafts[path] for path in released}, form)
        release = work.release()
        if recoding_path is not None:
            learnt, notes = learn(release)
            fill(drafts, Path(recoding_path), as_text(learnt))
            release = replace(release, warnings=(*release.warnings, *notes))
        if certificate_path is not None:
            text = json.dumps(certificate(release, private, *public), indent=1)
            fill(drafts, Path(certificate_path), text)
        files = {"private table": private.as_json(), "release": public[0].as_json()}
        texts = report_files(
            release,
            out.name,
            internal=report,
            public=public_report,
            numbers=report_json,
            provenance=files,
            frontier=_curve(table, work, frontier),
        )
        for path, text in texts:
            fill(drafts, path, text)
    return release


def _curve(table: pa.Table, work: Work, ks: Sequence[int]) -> Frontier | None:
    """Run the method for other k, to draw what they would lose."""
    from coarsen.tradeoff.verbs import frontier

    return frontier(table, work.plan, k=ks, progress=work.progress) if ks else None


def _refuse_two_files(plan: Plan, released: list[Path]) -> None:
    if len(released) > 1 and not plan.in_buckets:
        raise PlanError(
            Fault(
                "plan",
                "only buckets are published as two files, and it makes none",
                'Say method.name = "anatomy" or publish = "permutation", or ask for one file.',
            )
        )


def _written_and_checked(
    work: Work, drafts: Mapping[Path, Path], source: FileFormat
) -> list[FileFacts]:
    """Write the file or files of a release, read them back, and hold them to the plan."""
    parts = [(work.published.columns, work.published.source)]
    if len(drafts) > 1:
        parts = apart(work.published, work.plan)
    facts, back = [], []
    for (path, draft), (columns, order) in zip(drafts.items(), parts, strict=True):
        form = output_format(path, source)
        with work.timed("write"):
            breaks = write_rows(columns, order, draft, form)
        facts.append(FileFacts(path.name, in_background(hash_of, draft), int(order.size), form))
        with work.timed("verify"):
            asked = work.checked_columns()
            named = asked and [name for name in asked if name in columns.column_names]
            back.append(read_file(draft, form, named, line_breaks=breaks))
    with work.timed("verify"):
        work.check(together(*back) if len(back) > 1 else back[0])
    return facts


def verify(
    release: Any,
    plan: PlanSource | None = None,
    *,
    sensitive: Any = None,
    certificate: str | Path | None = None,
    private: Any = None,
    against: Any = None,
    people: Any = None,
) -> Verified:
    """Check a release again, from the published rows alone.

    A freeform release has no classes to count: from its rows alone no more can be said than that
    there are enough of them. With the private table, k disjoint perfect matchings are looked for.

    Parameters
    ----------
    release
        The published rows: a data frame, or the path of a file.
    plan
        What was promised; or
    certificate
        the certificate that came with a file, whose hash must match.
    sensitive
        The table of sensitive values, where buckets were published as two.
    private
        For a freeform release, the private table: a data frame, or the path of a file.
    against
        An older release of the same people, over which this one must not be laid to any avail.
    people
        People with exact quasi values, such as the private table: with `against`, only these count.

    Raises
    ------
    DoesNotHoldError
        If a promise does not hold, with the class that breaks it, the file was changed, the
        certificate states what the file does not show, or it composes badly with an older release.
    """
    if (plan is None) == (certificate is None):
        raise DataError(
            Fault("verify", "it needs either a plan or a certificate", "Give one of the two.")
        )
    if certificate is not None:
        verified, rows, promised = _verified_by_certificate(
            release, sensitive, Path(certificate), private
        )
        if against is not None:
            _refuse_composing(rows, opened(against, Input())[0], promised, people)
        return verified
    promised = Plan.load(plan)  # type: ignore[arg-type]  # one of the two is given
    rows, _ = opened(release, Input())
    if sensitive is not None:
        rows = together(rows, opened(sensitive, Input())[0])
    verified = _verified(rows, promised, private=private)
    refuse_failing(verified)
    hold_to_preset(promised, rows)
    if against is not None:
        _refuse_composing(rows, opened(against, Input())[0], promised, people)
    return verified


def _verified_by_certificate(
    release: Any, sensitive: Any, path: Path, private: Any
) -> tuple[Verified, pa.Table, Plan]:
    given = [part for part in (release, sensitive) if part is not None]
    if not all(isinstance(part, str | Path) for part in given):
        raise DataError(Fault("verify", "a certificate is for a file", "Give the file's path."))
    content, promised = read_certificate(path)
    files = certified_files(content)
    if len(files) != len(given):
        problem = f"it certifies {len(files)} file(s), and {len(given)} are given"
        raise DataError(Fault(str(path), problem, "Give --sensitive with a release of two files."))
    parts = [_certified_rows(Path(p), facts) for p, facts in zip(given, files, strict=True)]
    facts = content["release"]
    share = facts["suppressed_rows"] / max(facts["input_rows"], 1)
    rows = together(*parts) if len(parts) > 1 else parts[0]
    verified = _verified(rows, promised, share, private=private)
    refuse_failing(verified)
    faults = disagreements(content, verified, str(path))
    if faults:
        raise DoesNotHoldError(faults)
    return verified, rows, promised


def _refuse_composing(new: pa.Table, old: pa.Table, plan: Plan, people: Any) -> None:
    """Raise if somebody who has the old release too is narrowed down to fewer than k rows."""
    from coarsen.risk.attacks.run import composed, promised_k

    known = None if people is None else opened(people, plan.input)[0]
    if plan.suppressed == "blank":
        new, old = without_blanks(new), without_blanks(old)
    found = composed(new, old, plan, k=promised_k(plan), people=known)
    if not found.composes:
        remedy = "Publish neither beside the other, or recode both as one release."
        if known is None:
            remedy += " Give --people with exact values to ask only about people who are there."
        raise DoesNotHoldError(Fault("composition", found.story.rstrip("."), remedy))


def _verified(
    rows: pa.Table, plan: Plan, suppressed: float | None = None, *, private: Any = None
) -> Verified:
    known = rows.column_names
    sets = column_sets(plan, _became(plan, known))
    promised = [*(c for columns in sets.values() for c in columns), *judged_columns(plan)]
    missing = [column for column in dict.fromkeys(promised) if column not in known]
    if missing:
        raise DataError(
            Fault("release", f"no column {name!r}, which was promised", closest(name, known))
            for name in missing
        )
    if plan.method.matches_rows:
        if private is None:
            return verify_alone(rows.num_rows, plan.require, list(sets))
        return _verified_matching(rows, plan, private)
    if private is not None:
        problem = f"a release by {plan.method.name!r} is checked by itself"
        raise DataError(Fault("verify", problem, "Leave the private table out."))
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


def _verified_matching(rows: pa.Table, plan: Plan, private: Any) -> Verified:
    """Find who covers whom from the private table and a freeform release."""
    data, _ = opened(private, plan.input)
    table = encode_table(data, plan)
    carried = [
        numbered_alike(rows.column(name), data.column(name))
        for name in plan.with_role("sensitive", "other")
        if name in rows.column_names
    ]
    cells = quasi_cells(plan, table, rows, _became(plan, rows.column_names))
    return verify_found(cells, plan.require, carried)


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


def _certified_rows(path: Path, promised: dict[str, Any]) -> pa.Table:
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


def assess(
    data: Any,
    plan: PlanSource | None = None,
    *,
    columns: Sequence[str] | None = None,
    release: Any = None,
    threshold: float | None = None,
    sampling: float | None = None,
    population: Any = None,
    respondent: str | None = None,
    household: str | None = None,
    safe_harbor: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Tell how much a table says about single people, before any release and after.

    Parameters
    ----------
    data
        A data frame, or the path of a file.
    plan
        Its quasi columns are assessed; or
    columns
        these; by default all columns.
    release
        A release of the table, to tell its risks beside those of the table.
    threshold
        Rows with a larger risk are counted; 1 / k of the plan, or 0.2.
    sampling
        The share of the population that is in the table, if it was drawn at random; or
    population
        the population itself, with the same columns.
    respondent, household
        Columns that tell whose row a row is, and who lives together; the plan's respondent.
    safe_harbor
        Whether to look for HIPAA's 18 identifiers.
    delimiter, encoding
        How a file is written, instead of what the plan says or a look at the file tells.
    """
    from coarsen.risk.assess import assess_table
    from coarsen.risk.before_after import Attackers

    known = Plan.load(plan) if plan is not None else None
    options = known.input if known else Input()
    given = {"delimiter": delimiter, "encoding": encoding}
    options = options.model_copy(update={key: told for key, told in given.items() if told})
    table, _ = opened(data, options)
    chosen = list(
        dict.fromkeys(columns or (known.with_role("quasi") if known else table.column_names))
    )
    asked_for = [*chosen, *(name for name in (respondent, household) if name)]
    missing = [name for name in asked_for if name not in table.column_names]
    if missing:
        raise DataError(
            Fault("data", f"no column {name!r}", closest(name, table.column_names))
            for name in missing
        )
    named = known.with_role("respondent") if known else []
    return assess_table(
        table,
        chosen,
        progress or Progress(),
        asked=Attackers(
            threshold=threshold,
            sampling=sampling,
            population=None if population is None else opened(population, options)[0],
            respondent=respondent or (named[0] if len(named) == 1 else None),
            household=household,
            plan=known,
        ),
        release=None if release is None else opened(release, Input())[0],
        safe_harbor=safe_harbor or (known is not None and known.preset == "hipaa-safe-harbor"),
    )
