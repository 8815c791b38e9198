"""TreePlan: a release of tree records as a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from indistinct._parts import Part
from indistinct.errors import Fault, PlanError, closest
from indistinct.hierarchy.spec import FromCsv, FromPaths, HierarchySpec
from indistinct.plan.loading import Loadable
from indistinct.trees.files.layout import TableSpec
from indistinct.trees.files.mapping import MapEntry, map_problems
from indistinct.trees.files.paths import path_problems
from indistinct.trees.files.resources import ResourceSpec, resource_problems
from indistinct.trees.methods import BestCutSearch, TreeMethodSpec
from indistinct.trees.methods.for_roots import RootMethodSpec
from indistinct.trees.requirements import (
    MOST_OF_SAME_PATH,
    KMNAnonymity,
    TreeLDiversity,
    TreeRequirementSpec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from indistinct.trees.hierarchies import Hierarchies

Name = Annotated[str, Field(min_length=1)]


class LabelSpec(Part):
    """A ground label: a value of a class."""

    class_: Annotated[str, Field(alias="class")]
    value: str


class Negative(LabelSpec):
    """`[[tree.negative]]`: a label that an attacker may know a person does not have.

    Attributes
    ----------
    below
        If given: known is only that the label is not below this one.
    """

    below: LabelSpec | None = None


class Tree(Part):
    """`[tree]`: what records look like.

    Attributes
    ----------
    format
        How the records are written: `jsonl`, `xml`, or `tables` joined by keys.
    classes
        The classes of labels, in the order in which they follow each other on a path.
    hierarchies
        The hierarchy of each class; a class without one gets the one that is suggested.
    weights
        How much each class counts in the cost; 1 if not given.
    sensitive
        Classes that attackers do not know but want to learn; published as they are.
    root
        Classes that stand directly at the root of records, at most once each, and that attackers
        know all together.
    negative
        Labels that an attacker may know a person does not have.
    keys
        Keys of JSON records that are no classes, each an `identifier` (left out) or `other`
        (released as it is).
    counts
        What becomes of siblings that become equal: they `merge`, or, where attackers cannot know
        how many there are, `keep` their number.
    unlisted
        What to do with keys that are neither classes nor in `keys`: drop them, or refuse them.
    tables
        For the format `tables`: the tables and how they hang together.
    entities
        Classes whose nodes have no value but only group what is below them.
    records
        Where in a JSON document the records are; by default each line, each element of an array,
        or each resource of a Bundle is one.
    map
        Which paths of JSON lead to nodes of which classes, where records are not written as ours.
    resources
        Kinds of resources that point to each other, and together make records.
    resource_type
        Where a resource says of which kind it is.
    """

    format: Literal["jsonl", "xml", "tables"] = "jsonl"
    classes: Annotated[tuple[Name, ...], Field(min_length=1)]
    hierarchies: dict[str, HierarchySpec] = Field(default_factory=dict)
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default_factory=dict
    )
    sensitive: tuple[str, ...] = ()
    root: tuple[str, ...] = ()
    negative: list[Negative] = Field(default_factory=list)
    keys: dict[str, Literal["identifier", "other"]] = Field(default_factory=dict)
    counts: Literal["merge", "keep"] = "merge"
    unlisted: Literal["drop", "error"] = "drop"
    tables: dict[str, TableSpec] = Field(default_factory=dict)
    entities: tuple[str, ...] = ()
    records: Name | None = None
    map: dict[str, MapEntry] = Field(default_factory=dict)
    resources: dict[str, ResourceSpec] = Field(default_factory=dict)
    resource_type: Name = "resourceType"

    @field_validator("tables", mode="before")
    @classmethod
    def _named_like_their_tables(cls, tables: Any) -> Any:
        """Give a table without a file the one that is called like it."""
        if not isinstance(tables, Mapping):
            return tables
        return {
            name: {"file": f"{name}.csv", **spec} if isinstance(spec, Mapping) else spec
            for name, spec in tables.items()
        }

    @property
    def roots(self) -> frozenset[int]:
        """The places of the root classes."""
        return frozenset(map(self.classes.index, self.root))

    @property
    def ladders(self) -> dict[str, HierarchySpec]:
        """The hierarchies that the plan states; an entity has one label, which nothing coarsens."""
        groups = {name: FromPaths(paths=[[name, name]]) for name in self.entities}
        return {**self.hierarchies, **groups}


class TreeLimits(Part):
    """`[limits]`: what a search may do at most.

    Attributes
    ----------
    suppression
        The share of nodes that may be left out of the records that are published, and the share of
        records that may be left out whole; each 0 to 1.
    """

    suppression: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] = 0.0


class TreePlan(Loadable):
    """Everything that decides a release of tree records; no state exists outside it.

    Attributes
    ----------
    tree
        What records look like.
    require
        k-m-n-anonymity, and l-diversity of the sensitive classes if wanted.
    method
        How to search.
    root_method
        How the roots of mixed records are grouped; if not given, in several ways, of which the
        best is kept.
    limits
        What a search may do at most.
    seed
        Makes the order of records repeatable; keep it secret.
    """

    tree: Tree
    require: Annotated[list[TreeRequirementSpec], Field(min_length=1)]
    method: TreeMethodSpec = BestCutSearch()
    root_method: RootMethodSpec | None = None
    limits: TreeLimits = TreeLimits()
    seed: Annotated[int, Field(strict=True)] | None = None

    @property
    def anonymity(self) -> KMNAnonymity:
        """The k^(m,n)-anonymity that is asked for."""
        return next(r for r in self.require if isinstance(r, KMNAnonymity))

    def promised(self) -> list[tuple[str, str]]:
        """Name each requirement, and say what it promises."""
        return [(asked.model, asked.asked(self.tree.root)) for asked in self.require]

    @property
    def diversity(self) -> int:
        """The l of l-diversity; 1 where none is asked for."""
        return max((r.l for r in self.require if isinstance(r, TreeLDiversity)), default=1)

    @model_validator(mode="after")
    def _makes_sense(self) -> TreePlan:
        problems = [
            *_class_problems(self.tree),
            *_entity_problems(self.tree),
            *_root_problems(self),
            *_reading_problems(self.tree),
            *_requirement_problems(self),
        ]
        if self.tree.keys and self.tree.format != "jsonl":
            problems.append('tree.keys: only JSON records have keys; set format = "jsonl"')
        if self.tree.counts == "keep" and self.method.name == "miracle":
            problems.append("tree.counts: miracle does not tell what became of single nodes")
        if (self.tree.format == "tables") != bool(self.tree.tables):
            problems.append('tree: format = "tables" and [tree.tables] go together')
        if problems:
            raise ValueError("\n".join(problems))
        return self

    @classmethod
    def _checked(cls, content: Mapping[str, Any], place: str, base: Path) -> Self:
        if "tree" not in content:
            raise PlanError(
                Fault(place, "it has no [tree]", "Plans for tables run without `tree`.")
            )
        return super()._checked(content, place, base)

    @property
    def released_keys(self) -> tuple[str, ...]:
        """The keys that are released as they are."""
        return tuple(name for name, role in self.tree.keys.items() if role == "other")

    def with_seed(self, seed: int | None) -> TreePlan:
        """Return the plan with another seed, if one is given."""
        if seed is None:
            return self
        plan = self.model_copy(update={"seed": seed})
        plan._base = self._base  # noqa: SLF001 - its own class
        return plan

    def named_files(self) -> list[FromCsv]:
        """List the hierarchies that are in files of their own."""
        specs = self.tree.hierarchies.values()
        return [spec for spec in specs if isinstance(spec, FromCsv)]

    def paths(self) -> list[Path]:
        """Name the files that the plan is made of."""
        return [self.base / spec.csv for spec in self.named_files()]

    def of_release(self, form: str) -> TreePlan:
        """Return the plan by which a release is read that was written in some format."""
        named: dict[str, Any] = {"format": form, "records": None, "map": {}, "resources": {}}
        if form != "jsonl":
            named["keys"] = {}
        named["tables"] = {
            name: spec.model_copy(update={"file": spec.file_name})
            for name, spec in self.tree.tables.items()
            if form == "tables"
        }
        return self.model_copy(update={"tree": self.tree.model_copy(update=named)})

    def denied(self, hierarchies: Hierarchies) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
        """Return the labels, and the pairs of labels, whose absence an attacker may know."""
        absent: set[int] = set()
        unrelated: set[tuple[int, int]] = set()
        faults: list[Fault] = []
        for place, denial in enumerate(self.tree.negative):
            where = f"plan, tree.negative[{place + 1}]"
            own = self._code(denial, hierarchies, where, faults)
            if denial.below is None:
                absent.add(own)
            else:
                unrelated.add((self._code(denial.below, hierarchies, where, faults), own))
        if faults:
            raise PlanError(faults)
        return frozenset(absent), frozenset(unrelated)

    def _code(
        self, label: LabelSpec, hierarchies: Hierarchies, where: str, faults: list[Fault]
    ) -> int:
        kind = self.tree.classes.index(label.class_)
        code = hierarchies.labels.codes.get((kind, label.value), -1)
        if code < 0 or hierarchies.children[code]:
            problem = f"class {label.class_!r} has no ground label {label.value!r}"
            faults.append(Fault(where, problem, "Name a value as the records have it."))
        return code


def _class_problems(tree: Tree) -> Iterable[str]:
    if len(set(tree.classes)) < len(tree.classes):
        yield "tree.classes: a class is named twice"
    denials = [spec for denial in tree.negative for spec in (denial, denial.below) if spec]
    named = {
        "hierarchies": list(tree.hierarchies),
        "weights": list(tree.weights),
        "sensitive": list(tree.sensitive),
        "root": list(tree.root),
        "entities": list(tree.entities),
        "negative": [spec.class_ for spec in denials],
    }
    for key, names in named.items():
        for name in dict.fromkeys(names):
            if name not in tree.classes:
                yield f"tree.{key}: there is no class {name!r}. {closest(name, tree.classes)}"
    for name in tree.keys:
        if name in tree.classes:
            yield f"tree.keys: {name!r} is a class and cannot also be a key"
    if set(tree.sensitive) >= set(tree.classes):
        yield "tree.sensitive: every class is sensitive, and none is left for attackers to know"
    if "value" in tree.classes:
        yield "tree.classes: 'value' is the key of a node's value in JSON; rename the class"


def _reading_problems(tree: Tree) -> Iterable[str]:
    """Say what is wrong with how JSON is read, where it is not written as our records are."""
    if tree.map:
        yield from map_problems(tree.map, tree.classes)
        if tree.keys or tree.unlisted != "drop":
            yield "tree.keys: with a map, only what it names is read; leave keys and unlisted out"
    if tree.resources:
        yield from resource_problems(tree.resources, tree.map)
    if tree.records is not None:
        yield from path_problems(tree.records, "tree.records")
    if (tree.map or tree.records) and tree.format != "jsonl":
        yield 'tree.map: paths are for JSON; set format = "jsonl"'


def _entity_problems(tree: Tree) -> Iterable[str]:
    for name in tree.entities:
        if name in tree.hierarchies or name in tree.sensitive:
            yield f"tree.entities: {name!r} has no values, so it has no hierarchy and no secret"
    for name, spec in tree.tables.items():
        if spec.entity and spec.entity not in tree.entities:
            yield f"tree.tables.{name}: its entity {spec.entity!r} is not in tree.entities"
    if set(tree.entities) >= set(tree.classes):
        yield "tree.entities: every class only groups, and there is nothing to publish"


def _root_problems(plan: TreePlan) -> Iterable[str]:
    tree = plan.tree
    if plan.root_method is not None and not tree.root:
        yield "root_method: it groups the root classes, and there are none: tree.root"
    denied = {spec.class_ for one in tree.negative for spec in (one, one.below) if spec}
    for name in tree.root:
        if name in tree.sensitive:
            yield f"tree.root: {name!r} is sensitive: a class is known to attackers or secret"
        if name in tree.entities:
            yield f"tree.root: {name!r} has no values, so there is nothing to know of it"
        if name in denied:
            yield f"tree.root: {name!r} is known of everybody; leave it out of tree.negative"
    if len(set(tree.root)) < len(tree.root):
        yield "tree.root: a class is named twice"
    if set(tree.root) | set(tree.sensitive) >= set(tree.classes):
        yield (
            "tree.root: nothing is left below the root that attackers may know; what is a table"
            " is released as one: indistinct anonymize"
        )


def _requirement_problems(plan: TreePlan) -> Iterable[str]:
    counted = sum(isinstance(r, KMNAnonymity) for r in plan.require)
    if counted != 1:
        yield f"require: {counted} times k-m-n-anonymity; state it once"
    elif plan.anonymity.same_path:
        yield from _same_path_problems(plan)
    if plan.diversity > 1 and not plan.tree.sensitive:
        yield 'require: l-diversity needs sensitive classes: sensitive = ["..."] in [tree]'


def _same_path_problems(plan: TreePlan) -> Iterable[str]:
    asked = plan.anonymity
    if asked.m < 2 or asked.n < 1:
        yield "require: same_path is about facts between labels: m must be 2 or more, n 1 or more"
    if asked.m > MOST_OF_SAME_PATH:
        yield f"require: with same_path, m is {MOST_OF_SAME_PATH} at most"
    if plan.diversity > 1 or plan.tree.negative:
        yield (
            "require: same_path goes with neither l-diversity nor tree.negative: these would"
            " not be promised of what is known of the same nodes. Leave one out"
        )
