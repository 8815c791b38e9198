"""Resources that point to each other, as those of FHIR do, joined to a record for each person.

A resource says what kind it is and what it is called; others point to it by a reference such as
``Patient/17``. The kind that points to none is the root: its resources are the people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from indistinct._parts import Part
from indistinct.errors import Fault, counted
from indistinct.trees.files.documents import below
from indistinct.trees.files.families import Orphans, family_faults, numbered, parents_first
from indistinct.trees.files.mapping import Mapped, Mapper
from indistinct.trees.files.paths import first_text, parsed_path, path_problems
from indistinct.trees.forest import NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indistinct.trees.files.paths import Step
    from indistinct.trees.forest import Node

SECTION = "tree.resources"
_PathText = Annotated[str, Field(min_length=1)]


class ResourceSpec(Part):
    """One kind of ``[tree.resources]``.

    Attributes
    ----------
    parent, reference
        The kind whose resources these hang below, and where they say which one it is.
    person
        Where they say which resource of the root they belong to.
    orphans
        What becomes of a resource that points to none of its parent: it is a fault, it is dropped,
        or it hangs at the root, directly below its `person`.
    id
        Where a resource says what it is called.
    """

    parent: str | None = None
    reference: _PathText | None = None
    person: _PathText | None = None
    orphans: Orphans = "error"
    id: _PathText = "id"


def resource_problems(
    resources: Mapping[str, ResourceSpec], paths: Mapping[str, str | Mapped]
) -> Iterator[str]:
    """Say what is wrong with resources and the paths into them, whatever the data."""
    yield from (_told(fault) for fault in family_faults(resources, SECTION, "resource"))
    for name, spec in resources.items():
        if (spec.parent is None) != (spec.reference is None):
            yield f"{SECTION}.{name}: parent and reference go together; the root has neither"
        if spec.orphans == "root" and spec.person is None:
            yield f'{SECTION}.{name}: orphans = "root" needs person, the path to who it is about'
        for text in filter(None, (spec.reference, spec.person, spec.id)):
            yield from path_problems(text, f"{SECTION}.{name}")
    if not paths:
        yield f"{SECTION}: a [tree.map] must say where their values are"
    for path in paths:
        first = _first(path)
        if first is not None and first not in resources:
            yield f"tree.map: {path!r} begins with none of the resources {', '.join(resources)}"


def _told(fault: Fault) -> str:
    return f"{fault.place}: {fault.problem}. {fault.remedy}".rstrip(". ")


def _first(path: str) -> Any:
    try:
        return parsed_path(path)[0]
    except ValueError:
        return None


@dataclass
class _Held:
    """What is kept of a resource until all are known.

    Attributes
    ----------
    nodes
        Its own nodes.
    inner
        Below what others hang; None if that is what it hangs below itself.
    """

    number: int
    above: str | None
    person: str | None
    nodes: list[Node]
    inner: list[Node] | None


@dataclass
class _Kind:
    """The resources of one kind, by what they are called."""

    spec: ResourceSpec
    mapper: Mapper
    id_at: tuple[Step, ...]
    reference: tuple[Step, ...] | None
    person: tuple[Step, ...] | None
    held: dict[str, _Held] = field(default_factory=dict)
    nameless: list[int] = field(default_factory=list)
    again: list[int] = field(default_factory=list)


class Joiner:
    """Takes resources one by one, and joins them at the end.

    Parameters
    ----------
    resources
        What the plan says of each kind.
    paths
        The plan's map; its paths begin with the names of kinds.
    type_at
        Where a resource says of which kind it is.
    groups
        Classes whose nodes have no value.
    """

    def __init__(
        self,
        resources: Mapping[str, ResourceSpec],
        paths: Mapping[str, str | Mapped],
        type_at: str,
        groups: Iterable[str],
    ) -> None:
        steps_of = {path: parsed_path(path) for path in paths}
        self._kinds = {
            name: _Kind(
                spec,
                Mapper(_inside(name, steps_of, paths), groups),
                parsed_path(spec.id),
                parsed_path(spec.reference) if spec.reference else None,
                parsed_path(spec.person) if spec.person else None,
            )
            for name, spec in parents_first(resources).items()
        }
        self._type_at = parsed_path(type_at)
        self._count = 0
        self.notes: list[str] = []

    def add(self, resource: Any) -> None:
        """Take a resource; kinds that the plan does not name are left out.

        Raises
        ------
        NotATreeError
            If it is none, or its nodes are not as the map says.
        """
        self._count += 1
        if not isinstance(resource, Mapping):
            raise NotATreeError("it is not a JSON object", "Give resources, each an object.")
        kind = self._kinds.get(first_text(resource, self._type_at) or "")
        if kind is None:
            return
        name = first_text(resource, kind.id_at)
        if name is None or name in kind.held:
            (kind.nameless if name is None else kind.again).append(self._count)
            return
        nodes: list[Node] = []
        inner = kind.mapper.hang(resource, nodes)
        kind.held[name] = _Held(
            self._count,
            first_text(resource, kind.reference) if kind.reference else None,
            first_text(resource, kind.person) if kind.person else None,
            nodes,
            None if inner is nodes else inner,
        )

    def joined(self) -> tuple[list[list[Node]], list[Fault]]:
        """Return the nodes of each person, and all that does not fit together."""
        faults = [fault for name, kind in self._kinds.items() for fault in _name_faults(name, kind)]
        root, *others = self._kinds.items()
        people = root[1].held
        if not people and not faults:
            problem = f"none of {self._count} resources is a {root[0]!r}"
            remedy = "The kind without a parent is the person; see where the type is said."
            faults.append(Fault(SECTION, problem, remedy))
        if faults:
            return [], faults
        hooks = {(root[0], name): _inner(held, held.nodes) for name, held in people.items()}
        for name, kind in others:
            faults += self._hang(name, kind, root[0], hooks)
        return [held.nodes for held in people.values()], faults

    def _hang(
        self, name: str, kind: _Kind, root: str, hooks: dict[tuple[str, str], list[Node]]
    ) -> Iterator[Fault]:
        """Hang the resources of a kind below those they point to."""
        parent = str(kind.spec.parent)
        orphans: list[int] = []
        for own, held in kind.held.items():
            hook = hooks.get((parent, id_of(held.above, parent)))
            if hook is None and kind.spec.orphans == "root":
                hook = hooks.get((root, id_of(held.person, root)))
            if hook is None:
                orphans.append(held.number)
                continue
            hook.extend(held.nodes)
            hooks[name, own] = _inner(held, hook)
        if orphans and kind.spec.orphans == "drop":
            problem = f"{kind.spec.reference!r} leads to no {parent!r}"
            self.notes.append(
                f"{counted(len(orphans), f'resource {name!r}', f'resources {name!r}')}"
                f" left out: {problem}"
            )
        elif orphans:
            yield _orphan_fault(name, kind.spec, orphans)


def _inner(held: _Held, otherwise: list[Node]) -> list[Node]:
    return otherwise if held.inner is None else held.inner


def _inside(
    name: str, steps_of: Mapping[str, tuple[Step, ...]], paths: Mapping[str, str | Mapped]
) -> dict[tuple[Step, ...], str | Mapped]:
    """Return the map of one kind, whose paths begin at a resource."""
    rests = ((below(steps, name), paths[path]) for path, steps in steps_of.items())
    return {rest: entry for rest, entry in rests if rest is not None}


def id_of(reference: str | None, kind: str) -> str:
    """Return what a reference calls a resource, if it may be one of a kind; else nothing.

    >>> id_of("https://here/fhir/Patient/17/_history/2", "Patient"), id_of("urn:uuid:17", "X")
    ('17', '17')
    >>> id_of("Group/17", "Patient")
    ''
    """
    head, _, name = (reference or "").partition("/_history/")[0].rpartition("/")
    if head and head.rpartition("/")[2] != kind:
        return ""
    return name.removeprefix("urn:uuid:").removeprefix("urn:oid:")


def _name_faults(name: str, kind: _Kind) -> Iterator[Fault]:
    if kind.nameless:
        problem = f"{numbered(kind.nameless, 'record')}: there is no {kind.spec.id!r}"
        yield Fault(f"resources {name!r}", problem, "Give each one; others point to it.")
    if kind.again:
        problem = f"{numbered(kind.again, 'record')}: {kind.spec.id!r} is that of an earlier one"
        yield Fault(f"resources {name!r}", problem, "Keep one resource for each id.")


def _orphan_fault(name: str, spec: ResourceSpec, orphans: list[int]) -> Fault:
    what = f"{spec.reference!r} leads to no {spec.parent!r}"
    if spec.orphans == "root":
        what += f", and {spec.person!r} to nobody"
        remedy = 'Add who they point to, or set orphans = "drop".'
    else:
        remedy = 'Add it, or set orphans = "drop", or "root" with person.'
    return Fault(f"resources {name!r}", f"{numbered(orphans, 'record')}: {what}", remedy)
