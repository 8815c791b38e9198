"""The verbs for tree records: anonymize, verify, assess."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.background import in_front
from indistinct.drafts import all_beside, fill
from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError, Fault, OutputError
from indistinct.io.files import refuse_unwritable
from indistinct.io.packing import inner_suffix
from indistinct.progress import Progress
from indistinct.randomness import Randomness
from indistinct.report.certificate import both_or_none
from indistinct.trees import files
from indistinct.trees.certificate import (
    RecordFacts,
    certificate_of,
    disagreements,
    read_certificate,
    refuse_changed,
)
from indistinct.trees.files.drafts import draft_of
from indistinct.trees.files.tables_writing import targets
from indistinct.trees.forest import NotATreeError
from indistinct.trees.hierarchies import build, closed_upwards
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.kept import align
from indistinct.trees.measures.rpd import rpd
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.operations import relabelled
from indistinct.trees.page import render
from indistinct.trees.plan import TreePlan
from indistinct.trees.promises import TreeVerified, broken_by, does_not_hold, knowledge_of_release
from indistinct.trees.release import TreeRelease
from indistinct.trees.repair import repaired
from indistinct.trees.risk import TreeRisk, assessed
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.trees.files.drafts import Draft
    from indistinct.trees.forest import Forest
    from indistinct.trees.methods.base import TreeRecoding
    from indistinct.trees.verification import Violation

TreePlanSource = TreePlan | Mapping[str, Any] | str | Path
Source = Iterable[Mapping[str, Any]] | str | Path


def anonymize(
    records: Source, plan: TreePlanSource, *, progress: Progress | None = None
) -> TreeRelease:
    """Make tree records k^(m,n)-anonymous.

    Parameters
    ----------
    records
        Records as nested mappings (as in JSON), or the path of a file or of a folder of tables.
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
    chosen, told = TreePlan.load(plan), (progress or Progress()).anew()
    watch = _Watch()
    problem, recoding = in_front(told.stop, _searched, records, chosen, told, watch)
    told.stage("verify")
    recoding = repaired(recoding, problem)
    watch.lap("verify")
    return _release(problem, recoding, _shuffled(problem, recoding, chosen), chosen, watch)


def anonymize_file(
    source: str | Path,
    plan: TreePlanSource,
    out: str | Path,
    *,
    report: str | Path | None = None,
    report_json: str | Path | None = None,
    certificate: str | Path | None = None,
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
        the house: they tell the plan, and can be read by their owner alone.
    certificate
        Where to write the certificate, by which anyone can check the release again.
    """
    chosen, source, target = TreePlan.load(plan), Path(source), Path(out)
    papers = [Path(path) for path in (report, report_json, certificate) if path is not None]
    plans = [Path(plan)] if isinstance(plan, str | Path) else []
    private = files.parts(source, chosen)
    read = [*private, *plans, *chosen.paths(), *inputs]
    released = _released(target, source, chosen, papers, read)
    told, watch = (progress or Progress()).anew(), _Watch()
    problem, recoding = in_front(told.stop, _searched, source, chosen, told, watch)
    private_papers = {Path(path) for path in (report, report_json) if path is not None}
    with all_beside([*released, *papers], private=private_papers) as drafts:
        draft = draft_of(target, chosen, drafts)
        forest = _shuffled(problem, recoding, chosen)
        if _written(forest, draft, problem, told, watch) is not None:
            recoding = repaired(recoding, problem)
            forest = _shuffled(problem, recoding, chosen)
            found = _written(forest, draft, problem, told, watch)
            if found is not None:
                raise DoesNotHoldError(does_not_hold(found, forest, chosen))
        facts: list[RecordFacts] = []
        if certificate is not None:  # hashed while measures are taken
            given = [(path.name, path) for path in private]
            form = files.format_of(target, chosen)
            facts.append(RecordFacts.of(chosen.tree.format, given, problem.forest))
            facts.append(RecordFacts.of(form, draft.files.items(), forest))
        release = _release(problem, recoding, forest, chosen, watch)
        if certificate is not None:
            fill(drafts, Path(certificate), _as_text(certificate_of(release, *facts)))
        if report is not None:
            fill(drafts, Path(report), render(release))
        if report_json is not None:
            fill(drafts, Path(report_json), _as_text(release.summary()))
        return release


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def _released(
    target: Path, source: Path, plan: TreePlan, papers: list[Path], inputs: list[Path]
) -> list[Path]:
    """Name the files of the release; raise before any work if they or its papers cannot be."""
    kind = files.format_of(target, plan)
    if plan.released_keys and kind != "jsonl":
        told = "keys that are released as they are can only be written as JSON Lines"
        raise OutputError(Fault(str(target), told, "Name the output .jsonl."))
    if kind != "tables":
        refuse_unwritable([target, *papers], inputs, packable=[target])
        if inner_suffix(target) not in files.FORMATS:
            told = "records are written as JSON Lines or XML"
            raise OutputError(Fault(str(target), told, "Name it .jsonl or .xml."))
        return [target]
    if target.resolve() == source.resolve():
        raise DataError(Fault(str(target), "the output is the input", "Choose another folder."))
    tables = list(targets(plan.tree.tables, plan.tree.classes, target).values())
    refuse_unwritable([*tables, *papers], inputs, tables=tables, packable=tables)
    return tables


def _searched(
    records: Source, plan: TreePlan, told: Progress, watch: _Watch
) -> tuple[TreeProblem, TreeRecoding]:
    told.stage("read")
    forest = _read(records, plan)
    _refuse_few(forest, plan.anonymity.k)
    watch.lap("read")
    problem = _problem(forest, plan, told)
    told.stage("search")
    recoding = plan.method.search(problem)
    watch.lap("search")
    return problem, recoding


def _refuse_few(forest: Forest, k: int) -> None:
    if forest.size < k:
        told = f"k is {k}, but there are only {forest.size} records"
        raise CannotMeetError(Fault("require", told, "Give more records, or a smaller k."))


def _written(
    forest: Forest, draft: Draft, problem: TreeProblem, told: Progress, watch: _Watch
) -> Violation | None:
    """Write a draft, read it back, and judge what stands in it."""
    told.stage("write")
    draft.write(forest)
    watch.lap("write")
    told.stage("verify")
    again, counts = draft.read()
    watch.lap("read back")
    codes = problem.hierarchies.labels.codes
    pairs = zip(again.labels.of_class.tolist(), again.labels.values, strict=True)
    known = np.array([codes.get(pair, -1) for pair in pairs], dtype=np.int32)
    if (known < 0).any() or int(counts.sum()) != forest.size:
        raise OutputError(
            Fault("release", "the written file does not hold what was meant", "Report this.")
        )
    again = relabelled(again, problem.hierarchies.labels, known)
    found = first_violation(again, problem.knowledge, counts)
    watch.lap("verify")
    return found


def verify(
    release: Source,
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
        If some knowledge matches fewer than k records, which is told; if a file was changed; or
        if the certificate states what the records do not show.
    """
    if faults := both_or_none(plan, certificate):
        raise DataError(faults)
    if certificate is not None:
        return _verified_by_certificate(release, Path(certificate))
    chosen = TreePlan.load(plan)  # type: ignore[arg-type]  # one of the two is given
    if isinstance(release, str | Path):
        chosen = chosen.of_release(files.format_of(Path(release), chosen))
    forest = _read(release, chosen)
    if faults := broken_by(forest, chosen):
        raise DoesNotHoldError(faults)
    return TreeVerified(chosen, forest.size, forest.nodes)


def _verified_by_certificate(release: Source, path: Path) -> TreeVerified:
    if not isinstance(release, str | Path):
        raise DataError(Fault("verify", "a certificate is for a file", "Give the file's path."))
    content, plan = read_certificate(path)
    refuse_changed(Path(release), content, plan)
    forest = _read(release, plan)
    found = TreeVerified(plan, forest.size, forest.nodes, certified=True)
    if faults := broken_by(forest, plan) + disagreements(content, found, str(path)):
        raise DoesNotHoldError(faults)
    return found


def assess(records: Source, plan: TreePlanSource, *, progress: Progress | None = None) -> TreeRisk:
    """Tell how many records can be singled out by how much knowledge, before any release."""
    chosen = TreePlan.load(plan)
    forest = _read(records, chosen)
    return assessed(forest, knowledge_of_release(forest, chosen), progress or Progress())


def _read(records: Source, plan: TreePlan) -> Forest:
    if isinstance(records, str | Path):
        return files.read(Path(records), plan)
    from indistinct.trees.files.jsonl import Reader

    if not isinstance(records, Iterable):
        told = f"cannot read a {type(records).__name__}"
        remedy = "Give a list of mappings, or the path of a file."
        raise DataError(Fault("records", told, remedy))
    reader = Reader(plan.tree.classes, files.keys_of(plan))
    faults: list[Fault] = []
    for number, record in enumerate(records, start=1):
        try:
            reader.add(record)
        except NotATreeError as error:
            faults.append(Fault(f"record {number}", error.problem, error.remedy))
    if faults:
        raise DataError(faults)
    forest = reader.builder.build()
    if not forest.size:
        raise DataError(Fault("records", "there are none", "Give at least k of them."))
    return forest


def _problem(forest: Forest, plan: TreePlan, progress: Progress) -> TreeProblem:
    tree = plan.tree
    place = "line" if tree.format == "jsonl" else "record"
    hierarchies, codes = build(forest, tree.hierarchies, plan.base, place=place)
    absent, unrelated = plan.denied(hierarchies)
    asked = plan.anonymity
    knowledge = Knowledge(
        asked.k,
        asked.m,
        asked.relations,
        sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
        l=plan.diversity,
        absent=closed_upwards(hierarchies, absent),
        unrelated=unrelated,
    )
    weights = np.array([tree.weights.get(name, 1.0) for name in tree.classes])
    known = relabelled(forest, hierarchies.labels, codes)
    return TreeProblem(known, hierarchies, knowledge, weights, progress)


def _shuffled(problem: TreeProblem, recoding: TreeRecoding, plan: TreePlan) -> Forest:
    """Return the published records in random order, with what is released beside them."""
    published = replace(recoding.forest, extras=problem.forest.extras)
    order = Randomness(
        plan.seed, "order of tree records", published.label.data, published.starts.data
    ).order(published.size)
    return published.taken(order)


def _release(
    problem: TreeProblem, recoding: TreeRecoding, forest: Forest, plan: TreePlan, watch: _Watch
) -> TreeRelease:
    labels = problem.hierarchies.labels
    private, published = problem.forest, recoding.forest
    kept = align(private, published, problem.hierarchies)
    measures = {
        "rpd": rpd(published, problem.hierarchies),
        "rpd_private": rpd(private, problem.hierarchies),
        "cost": recoding.cost,
        "values_exact": kept.exact,
        "values_present": kept.present,
        "relations_kept": kept.relations,
    }
    as_it_is = (
        f"key {name!r} is released as it is: nothing is promised of it, and it may tell who"
        " a record is about"
        for name in plan.released_keys
    )
    watch.lap("measure")
    return TreeRelease(
        forest=forest,
        hierarchies=problem.hierarchies,
        plan=plan,
        input_records=private.size,
        input_nodes=private.nodes,
        cut=_cut_told(problem, recoding),
        disassociated=[
            (labels.values[upper], labels.values[lower]) for upper, lower in recoding.disassociated
        ],
        measures=measures,
        notes=(*recoding.notes, *as_it_is),
        seconds=watch.seconds,
    )


def _cut_told(problem: TreeProblem, recoding: TreeRecoding) -> dict[str, list[str]]:
    """Name the published labels of each class that occur."""
    if recoding.cut is None:
        return {}
    labels = problem.hierarchies.labels
    found: dict[str, list[str]] = {name: [] for name in problem.forest.classes}
    for code in np.unique(recoding.forest.label).tolist():
        found[problem.forest.classes[labels.of_class[code]]].append(labels.values[code])
    return found


class _Watch:
    """How long each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        """Note the end of a stage."""
        now = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
