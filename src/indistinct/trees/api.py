"""The verbs for tree records: anonymize, verify, assess."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.applying.recoding_file import as_text
from indistinct.disk.transaction import Papers, transaction
from indistinct.errors import DataError, DoesNotHoldError, Fault, OutputError
from indistinct.io.packing import inner_suffix
from indistinct.io.places import refuse_unwritable
from indistinct.report.certificate import both_or_none
from indistinct.running.progress import Progress
from indistinct.trees import files
from indistinct.trees.applying.learning import learn
from indistinct.trees.certificate import (
    RecordFacts,
    certificate_of,
    disagreements,
    read_certificate,
    refuse_changed,
)
from indistinct.trees.files.in_memory import rows_of
from indistinct.trees.files.sinks import sink_of
from indistinct.trees.files.tables_writing import targets
from indistinct.trees.page import render, render_public
from indistinct.trees.pipeline import TreeWork
from indistinct.trees.plan import TreePlan
from indistinct.trees.promises import TreeVerified, broken_by, knowledge_of_release
from indistinct.trees.risk import TreeRisk, assessed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.trees.files import Records
    from indistinct.trees.release import TreeRelease

TreePlanSource = TreePlan | Mapping[str, Any] | str | Path


def anonymize(
    records: Records, plan: TreePlanSource, *, progress: Progress | None = None
) -> TreeRelease:
    """Make tree records k^(m,n)-anonymous.

    Parameters
    ----------
    records
        Records as nested mappings (as in JSON), data frames by the names of the plan's tables, or
        the path of a file or of a folder of tables. `data` of the release is of the same kind.
    plan
        What records look like, what the release must satisfy, and how to search.

    Raises
    ------
    PlanError, DataError, HierarchyError
        If something does not fit; all faults at once.
    CannotMeetError
        If no release meets the requirements.

    Examples
    --------
    >>> people = [{"town": "Rome", "illness": [{"value": "flu"}]}, {"town": "Rome"}] * 2
    >>> plan = {
    ...     "tree": {"classes": ["town", "illness"]},
    ...     "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    ... }
    >>> release = anonymize(people, plan)
    >>> sorted(len(record) for record in release.forest.records())
    [1, 1, 2, 2]
    """
    work = TreeWork(TreePlan.load(plan), progress or Progress())
    work.recode(records)
    work.repair()
    if work.plan.tree.format == "tables":
        work.rows_written = rows_of(work.forest, work.plan.tree.tables)
    return work.release()


def anonymize_file(
    source: str | Path,
    plan: TreePlanSource,
    out: str | Path,
    *,
    report: str | Path | None = None,
    report_json: str | Path | None = None,
    public_report: str | Path | None = None,
    certificate: str | Path | None = None,
    recoding: str | Path | None = None,
    progress: Progress | None = None,
    inputs: Sequence[Path] = (),
) -> TreeRelease:
    """Make the tree records of a file k^(m,n)-anonymous, and write the release or nothing.

    The release is written beside its place, read back, checked, and only then put there, and its
    papers after it. None of the outputs may be the source, the plan, a file that the plan names,
    or one of `inputs`.

    Parameters
    ----------
    source
        The private file, or the folder of tables.
    plan
        What records look like, what the release must satisfy, and how to search.
    out
        The file of the release, or the folder of its tables.
    report, report_json
        Where to write what was promised, done and lost, as an HTML page and as JSON. Both are for
        the house: they show the plan, and can be read by their owner alone.
    public_report
        Where to write the HTML page that may go with the release.
    certificate
        Where to write the certificate, by which anyone can check the release again.
    recoding
        Where to write the recoding, by which `apply` publishes later records; it is private.
    """
    chosen, source, target = TreePlan.load(plan), Path(source), Path(out)
    papers = Papers.of(private=(report, report_json, recoding), public=(public_report, certificate))
    plans = [Path(plan)] if isinstance(plan, str | Path) else []
    private = files.parts(source, chosen)
    read = [*private, *plans, *chosen.paths(), *inputs]
    refuse_target(target, source, chosen, papers.paths, read)
    work = TreeWork(chosen, progress or Progress())
    work.recode(source)
    sink = sink_of(target, chosen)
    with transaction(work, [sink], papers) as drafted:
        if drafted.publish([work.forest], lambda back: work.violation(*back[0])) is not None:
            work.repair()
            work.refuse(drafted.publish([work.forest], lambda back: work.violation(*back[0])))
        work.rows_written = sink.rows
        facts: list[RecordFacts] = []
        if certificate is not None:  # hashed while measures are taken
            given = [(path.name, path) for path in private]
            form = files.format_of(target, chosen)
            facts.append(RecordFacts.of(chosen.tree.format, given, work.problem.forest))
            facts.append(RecordFacts.of(form, sink.files.items(), work.forest))
        release = work.release()
        if recoding is not None:
            learnt, notes = learn(release)
            drafted.add(recoding, as_text(learnt))
            release = replace(release, notes=(*release.notes, *notes))
        if certificate is not None:
            drafted.add(certificate, _as_text(certificate_of(release, *facts)))
        if report is not None:
            drafted.add(report, render(release))
        if public_report is not None:
            drafted.add(public_report, render_public(release))
        if report_json is not None:
            drafted.add(report_json, _as_text(release.summary()))
        return release


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def refuse_target(
    target: Path, source: Path, plan: TreePlan, papers: list[Path], inputs: list[Path]
) -> None:
    """Raise before any work if the files of the release or its papers cannot be written."""
    kind = files.format_of(target, plan)
    if plan.released_keys and kind != "jsonl":
        problem = "keys that are released as they are can only be written as JSON Lines"
        raise OutputError(Fault(str(target), problem, "Name the output .jsonl."))
    if kind != "tables":
        refuse_unwritable([target, *papers], inputs, packable=[target])
        if inner_suffix(target) not in files.FORMATS:
            problem = "records are written as JSON Lines or XML"
            raise OutputError(Fault(str(target), problem, "Name it .jsonl or .xml."))
        return
    if target.resolve() == source.resolve():
        raise DataError(Fault(str(target), "the output is the input", "Choose another folder."))
    tables = list(targets(plan.tree.tables, plan.tree.classes, target).values())
    refuse_unwritable([*tables, *papers], inputs, tables=tables, packable=tables)


def verify(
    release: Records,
    plan: TreePlanSource | None = None,
    *,
    certificate: str | Path | None = None,
) -> TreeVerified:
    """Check published records again, by the definition alone.

    Parameters
    ----------
    release
        The published records, or the path of their file or of the folder of their tables.
    plan
        What was promised; or
    certificate
        the certificate that came with a file or folder, whose hashes must match.

    Raises
    ------
    DoesNotHoldError
        If some knowledge matches fewer than k records, which is named; if the release holds a key,
        element, attribute or column that the plan does not publish; if a file was changed; or if
        the certificate states what the records do not show.
    """
    if faults := both_or_none(plan, certificate):
        raise DataError(faults)
    if certificate is not None:
        return _verified_by_certificate(release, Path(certificate))
    chosen = TreePlan.load(plan)  # type: ignore[arg-type]  # one of the two is given
    forest, chosen = files.opened_release(release, chosen)
    if faults := broken_by(forest, chosen):
        raise DoesNotHoldError(faults)
    return TreeVerified(chosen, forest.size, forest.nodes)


def _verified_by_certificate(release: Records, path: Path) -> TreeVerified:
    if not isinstance(release, str | Path):
        raise DataError(Fault("verify", "a certificate is for a file", "Give the file's path."))
    content, plan = read_certificate(path)
    refuse_changed(Path(release), content, plan)
    forest = files.opened(release, plan, published=True)
    verified = TreeVerified(plan, forest.size, forest.nodes, certified=True)
    if faults := broken_by(forest, plan) + disagreements(content, verified, str(path)):
        raise DoesNotHoldError(faults)
    return verified


def assess(records: Records, plan: TreePlanSource, *, progress: Progress | None = None) -> TreeRisk:
    """Count how many records can be singled out by how much knowledge, before any release."""
    chosen = TreePlan.load(plan)
    forest = files.opened(records, chosen)
    return assessed(forest, knowledge_of_release(forest, chosen), progress or Progress())
