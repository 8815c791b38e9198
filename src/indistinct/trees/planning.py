"""The verbs before a release of tree records: suggest a first plan, and check one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.disk.drafts import refuse_existing, write_text
from indistinct.errors import DataError, Fault, IndistinctError, OutputError, PlanError, counted
from indistinct.hierarchy.suggest import FEW
from indistinct.io.files import FileSource
from indistinct.io.packing import inner_suffix
from indistinct.io.places import refuse_unwritable, require_readable
from indistinct.plan.identifiers import Look, identifier_reason
from indistinct.trees import files
from indistinct.trees.hierarchies import build, domain_of
from indistinct.trees.plan import TreePlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indistinct.trees.api import TreePlanSource
    from indistinct.trees.files import Records
    from indistinct.trees.forest import Forest
    from indistinct.trees.suggesting.writing import SuggestedTreePlan

TABLES = (".csv", ".parquet", ".arrow", ".feather")


def suggest_plan(data: Records, *, out: str | Path | None = None) -> SuggestedTreePlan:
    """Suggest a plan for tree records: how they are read, classes, hierarchies, what is promised.

    Names of keys and columns are looked at, how they are nested or point to each other, and values.
    The plan holds names and no value of the data; it can be used as it is, and should be read
    first.

    Parameters
    ----------
    data
        Records as mappings, data frames by name, the path of a JSON file, or a folder of tables.
    out
        Also write the plan to this TOML file, which must not exist yet.

    Examples
    --------
    >>> from indistinct.datasets import fhir_resources
    >>> [leaf.name for leaf in suggest_plan(list(fhir_resources(100))).classes][:5]
    ['gender', 'birth_date', 'postal_code', 'period_start', 'period_end']
    """
    target = None if out is None else _new(Path(out), data)
    suggested = _suggested(data)
    if target is not None:
        write_text(target, suggested.toml(), private=True, new=True)
    return suggested


def _suggested(data: Records) -> SuggestedTreePlan:
    from indistinct.trees.files.documents import Documents
    from indistinct.trees.suggesting import from_json, from_tables

    if isinstance(data, str | Path):
        path = Path(data)
        if path.is_dir():
            sources = {entry.name: entry for entry in sorted(path.iterdir()) if _is_table(entry)}
            tables = {
                _stem(name): FileSource.of(entry).read(may_be_empty=True)
                for name, entry in sources.items()
            }
            return from_tables.suggested(tables, {_stem(name): name for name in sources})
        require_readable(path, "Give a JSON file, or a folder of tables.")
        if inner_suffix(path) not in files.FORMATS or inner_suffix(path) == ".xml":
            problem = "a plan is suggested for JSON and for folders of tables"
            raise DataError(Fault(str(path), problem, "Write a plan by hand: docs/trees.md."))
        return from_json.suggested(Documents(bundles=True).of_file(path))
    if isinstance(data, Mapping) and not _is_document(data):
        from indistinct.io.frames import to_arrow

        return from_tables.suggested({name: to_arrow(one)[0] for name, one in data.items()}, {})
    return from_json.suggested(Documents(bundles=True).of_content(data))


def _is_document(data: Mapping[str, Any]) -> bool:
    """Return whether a mapping is JSON: its members are no data frames."""
    plain = (str, int, float, bool, type(None), list, Mapping)
    return all(isinstance(one, plain) for one in data.values())


def _is_table(path: Path) -> bool:
    return path.is_file() and inner_suffix(path) in TABLES


def _stem(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def _new(path: Path, data: Any) -> Path:
    """Raise if a plan cannot be written here, or something is here already."""
    refuse_unwritable([path], [Path(data)] if isinstance(data, str | Path) else [])
    refuse_existing(path, "a plan")
    if path.suffix.lower() != ".toml":
        raise OutputError(Fault(str(path), "a plan is written as TOML", "Name a .toml file."))
    return path


@dataclass(frozen=True)
class CheckedClass:
    """A class of the records as a plan takes it.

    Attributes
    ----------
    records
        How many records have it.
    nodes, labels
        How many nodes it has, and how many different values.
    levels
        How many levels its hierarchy has above the values.
    """

    name: str
    records: int
    nodes: int
    labels: int
    levels: int


@dataclass(frozen=True)
class CheckedTreePlan:
    """A plan that can be used on tree records."""

    plan: TreePlan
    records: int
    classes: tuple[CheckedClass, ...]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        classes = [asdict(one) for one in self.classes]
        told = {"ok": True, "records": self.records, "warnings": list(self.warnings)}
        return {**told, "classes": classes}

    def _repr_html_(self) -> str:
        from indistinct.display import checked_tree_plan_html

        return checked_tree_plan_html(self.as_json())


def check_plan(plan: TreePlanSource, data: Records) -> CheckedTreePlan:
    """Check that a plan can be used on tree records: all that is refused before a search.

    Parameters
    ----------
    plan
        A `TreePlan`, a mapping, or the path of a TOML or JSON file.
    data
        Records as mappings, data frames by name, the path of a file, or a folder of tables.

    Raises
    ------
    PlanError
        With all faults of plan, data and hierarchies at once.

    Examples
    --------
    >>> from indistinct.datasets import fhir_resources
    >>> resources = list(fhir_resources(100))
    >>> check_plan(suggest_plan(resources).plan(), resources).classes[0]
    CheckedClass(name='gender', records=100, nodes=100, labels=2, levels=1)
    """
    chosen = TreePlan.load(plan)
    stated = chosen.tree.ladders.items()
    faults = [fault for name, spec in stated for fault in spec.faults(place=f"class {name!r}")]
    forests: list[Forest] = []
    faults += _faults_of(lambda: forests.append(files.opened(data, chosen)))
    if not forests or faults:
        raise PlanError(faults)
    [forest] = forests
    if forest.size < chosen.anonymity.k:
        problem = f"k is {chosen.anonymity.k}, but there are only {counted(forest.size, 'record')}"
        faults.append(Fault("require", problem, "Give more records, or a smaller k."))
    faults += _faults_of(lambda: build(forest, chosen.tree.ladders, chosen.base))
    if faults:
        raise PlanError(faults)
    classes = tuple(_classes(forest, chosen))
    return CheckedTreePlan(chosen, forest.size, classes, tuple(_warnings(forest, classes, chosen)))


def _faults_of(step: Callable[[], object]) -> Iterable[Fault]:
    try:
        step()
    except IndistinctError as error:
        return error.faults
    return ()


def _classes(forest: Forest, plan: TreePlan) -> Iterator[CheckedClass]:
    hierarchies, _ = build(forest, plan.tree.ladders, plan.base)
    owner = np.repeat(np.arange(forest.size), np.diff(forest.starts))
    kinds = forest.labels.of_class[forest.label]
    for kind, name in enumerate(forest.classes):
        own = kinds == kind
        yield CheckedClass(
            name,
            np.unique(owner[own]).size,
            int(np.count_nonzero(own)),
            np.unique(forest.label[own]).size,
            int(hierarchies.level[hierarchies.labels.of_class == kind].max(initial=0)),
        )


def _warnings(forest: Forest, classes: Iterable[CheckedClass], plan: TreePlan) -> Iterator[str]:
    yield from forest.notes
    for kind, one in enumerate(classes):
        if not one.nodes:
            yield f"class {one.name!r} has no nodes: nothing of it is published"
        elif one.records < plan.anonymity.k and one.name not in plan.tree.root:
            yield f"class {one.name!r} is in fewer than k records, and will be suppressed"
        if one.nodes and (reason := identifier_reason(Look(one.name, domain_of(forest, kind)))):
            yield f"class {one.name!r} looks like an identifier: {reason}"
        if one.levels <= 1 and one.labels > FEW:
            yield (
                f"class {one.name!r} has {one.labels:,} values and no hierarchy: rare ones will"
                " be shown as *"
            )
