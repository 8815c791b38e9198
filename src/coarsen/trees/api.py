"""The verbs for tree records: anonymize, verify, assess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen.errors import DataError, DoesNotHoldError, Fault
from coarsen.frames.files import refuse_unwritable
from coarsen.progress import Progress
from coarsen.randomness import Randomness
from coarsen.trees import files
from coarsen.trees.forest import ForestBuilder, NotATreeError
from coarsen.trees.hierarchies import build, closed_upwards
from coarsen.trees.knowledge import Knowledge
from coarsen.trees.measures.kept import align
from coarsen.trees.measures.rpd import rpd
from coarsen.trees.methods.base import TreeProblem
from coarsen.trees.operations import relabelled
from coarsen.trees.plan import TreePlan
from coarsen.trees.release import TreeRelease
from coarsen.trees.repair import repaired
from coarsen.trees.risk import TreeRisk, assessed
from coarsen.trees.verification import first_violation

if TYPE_CHECKING:
    from coarsen.trees.forest import Forest, Node
    from coarsen.trees.methods.base import TreeRecoding

TreePlanSource = TreePlan | Mapping[str, Any] | str | Path
Source = Iterable[Mapping[str, Any]] | str | Path


@dataclass(frozen=True)
class TreeVerified:
    """What the check of a release found: it holds, over so many records and nodes."""

    plan: TreePlan
    records: int
    nodes: int

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "holds": True,
            "released_records": self.records,
            "released_nodes": self.nodes,
            "requirements": [
                {"model": asked.model, "promised": asked.asked(), "holds": True}
                for asked in self.plan.require
            ],
        }


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
    chosen, told = TreePlan.load(plan), progress or Progress()
    watch = _Watch()
    told.stage("read")
    forest = _read(records, chosen)
    watch.lap("read")
    problem = _problem(forest, chosen, told)
    told.stage("search")
    recoding = chosen.method.search(problem)
    watch.lap("search")
    told.stage("verify")
    recoding = repaired(recoding, problem)
    watch.lap("verify")
    return _release(problem, recoding, chosen, watch)


def anonymize_file(
    source: str | Path, plan: TreePlanSource, out: str | Path, *, progress: Progress | None = None
) -> TreeRelease:
    """Make the tree records of a file k^(m,n)-anonymous, and write the release or nothing."""
    chosen, target = TreePlan.load(plan), Path(out)
    if files.format_to_write(target, chosen) != "tables":
        refuse_unwritable([target], [Path(source), *chosen.paths()])
    elif target.resolve() == Path(source).resolve():
        raise DataError(Fault(str(out), "the output is the input", "Choose another folder."))
    release = anonymize(source, chosen, progress=progress)
    began = perf_counter()
    if progress:
        progress.stage("write")
    files.write(release.forest, target, chosen)
    release.seconds["write"] = perf_counter() - began
    return release


def verify(release: Source, plan: TreePlanSource) -> TreeVerified:
    """Check published records again, by the definition alone.

    Raises
    ------
    DoesNotHoldError
        If some knowledge matches fewer than k records; it is told.
    """
    chosen = TreePlan.load(plan)
    forest = _read(release, chosen)
    found = first_violation(forest, _knowledge_of_release(forest, chosen))
    if found is not None:
        asked = ", ".join(f"{r.model} ({r.asked()})" for r in chosen.require)
        raise DoesNotHoldError(
            Fault("release", f"{asked} does not hold: {found.told(forest)}", "Do not publish it.")
        )
    return TreeVerified(chosen, forest.size, forest.nodes)


def assess(records: Source, plan: TreePlanSource, *, progress: Progress | None = None) -> TreeRisk:
    """Tell how many records can be singled out by how much knowledge, before any release."""
    chosen = TreePlan.load(plan)
    forest = _read(records, chosen)
    return assessed(forest, _knowledge_of_release(forest, chosen), progress or Progress())


def _read(records: Source, plan: TreePlan) -> Forest:
    if isinstance(records, str | Path):
        return files.read(Path(records), plan)
    from coarsen.trees.files.jsonl import Reader

    builder = ForestBuilder(plan.tree.classes)
    reader = Reader(plan.tree.classes, refuses=plan.tree.unlisted == "error")
    faults: list[Fault] = []
    for number, record in enumerate(records, start=1):
        try:
            nodes: list[Node] = reader.record(record)
            builder.add(nodes)
        except NotATreeError as error:
            faults.append(Fault(f"record {number}", error.problem, error.remedy))
    if faults:
        raise DataError(faults)
    return builder.build()


def _problem(forest: Forest, plan: TreePlan, progress: Progress) -> TreeProblem:
    tree = plan.tree
    place = "line" if tree.format == "jsonl" else "record"
    hierarchies, codes = build(forest, tree.hierarchies, plan.base, place=place)
    absent, unrelated = plan.denied(hierarchies)
    asked = plan.anonymity
    knowledge = Knowledge(
        asked.k,
        asked.m,
        asked.n,
        sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
        l=plan.diversity,
        absent=closed_upwards(hierarchies, absent),
        unrelated=unrelated,
    )
    weights = np.array([tree.weights.get(name, 1.0) for name in tree.classes])
    known = relabelled(forest, hierarchies.labels, codes)
    return TreeProblem(known, hierarchies, knowledge, weights, progress)


def _knowledge_of_release(forest: Forest, plan: TreePlan) -> Knowledge:
    """Say what an attacker may know in the labels of a release."""
    asked, tree = plan.anonymity, plan.tree
    codes = forest.labels.codes

    def code(spec: Any) -> int:
        return codes.get((tree.classes.index(spec.class_), spec.value), -1)

    plain = {code(denial) for denial in tree.negative if denial.below is None}
    pairs = {(code(d.below), code(d)) for d in tree.negative if d.below is not None}
    return Knowledge(
        asked.k,
        asked.m,
        asked.n,
        sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
        l=plan.diversity,
        absent=frozenset(plain - {-1}),
        unrelated=frozenset(pair for pair in pairs if -1 not in pair),
    )


def _release(
    problem: TreeProblem, recoding: TreeRecoding, plan: TreePlan, watch: _Watch
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
    order = Randomness(
        plan.seed, "order of tree records", published.label.data, published.starts.data
    ).order(published.size)
    watch.lap("measure")
    return TreeRelease(
        forest=published.taken(order),
        hierarchies=problem.hierarchies,
        plan=plan,
        input_records=private.size,
        input_nodes=private.nodes,
        cut=_cut_told(problem, recoding),
        disassociated=[
            (labels.values[upper], labels.values[lower]) for upper, lower in recoding.disassociated
        ],
        measures=measures,
        notes=recoding.notes,
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
        self.seconds[stage] = now - self._last
        self._last = now
