"""The map of a plan: which paths of JSON lead to nodes of which classes.

A path to a value makes a leaf. A path to an object makes a node that stands for the object: all
that the map has inside the object hangs below it. Its value lies at a path of its own, or it has
none and only groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from indistinct._parts import Part
from indistinct.trees.files.paths import (
    at_path,
    followed,
    parsed_path,
    path_problems,
    text_of,
    written_path,
)
from indistinct.trees.forest import NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indistinct.trees.files.paths import Step
    from indistinct.trees.forest import Node


class Mapped(Part):
    """What a path of ``[tree.map]`` leads to.

    Attributes
    ----------
    class_
        The class of the nodes.
    value
        Where, in the object that the path leads to, the value is.
    """

    class_: Annotated[str, Field(alias="class", min_length=1)]
    value: Annotated[str, Field(min_length=1)] | None = None


MapEntry = Annotated[str, Field(min_length=1)] | Mapped


def class_of(entry: str | Mapped) -> str:
    """Name the class of a path."""
    return entry if isinstance(entry, str) else entry.class_


def map_problems(paths: Mapping[str, str | Mapped], classes: Sequence[str]) -> Iterable[str]:
    """Say what is wrong with a map, whatever the data."""
    for path, entry in paths.items():
        yield from path_problems(path, "tree.map")
        if isinstance(entry, Mapped) and entry.value is not None:
            yield from path_problems(entry.value, f"tree.map, value of {path!r}")
        if class_of(entry) not in classes:
            yield f"tree.map: {path!r} leads to {class_of(entry)!r}, which is not a class"
    for name in classes:
        if name not in map(class_of, paths.values()):
            yield f"tree.map: no path leads to class {name!r}"


class Mapper:
    """Finds the nodes of records by a map.

    Parameters
    ----------
    paths
        The map: paths that begin at a record, and what they lead to. The empty path is the record.
    groups
        Classes whose nodes have no value.

    Examples
    --------
    >>> mapper = Mapper({("visits",): Mapped(**{"class": "day", "value": "on"})}, ())
    >>> mapper.nodes({"visits": [{"on": "Monday"}, {"on": None}]})
    [('day', 'Monday', [])]
    """

    def __init__(
        self, paths: Mapping[tuple[Step, ...], str | Mapped], groups: Iterable[str]
    ) -> None:
        self._groups = frozenset(groups)
        self._root = _Place(())
        for steps, entry in paths.items():
            self._root.at(steps).set(entry)

    def nodes(self, record: Any) -> list[Node]:
        """Return the nodes of a record, in which the map's root stands for nothing.

        Raises
        ------
        NotATreeError
            If a path leads to what is no value.
        """
        nodes: list[Node] = []
        self.hang(record, nodes)
        return nodes

    def hang(self, record: Any, nodes: list[Node]) -> list[Node]:
        """Add the nodes of a record below a node, and return below what others of it hang."""
        if not isinstance(record, Mapping):
            raise NotATreeError("it is not a JSON object", "Give objects that the map describes.")
        return self._grow(self._root, record, nodes)

    def _grow(self, place: _Place, data: Any, nodes: list[Node]) -> list[Node]:
        below = nodes
        if place.kind is not None:
            if isinstance(data, list):
                for one in data:
                    self._grow(place, one, nodes)
                return nodes
            below = self._node(place, place.kind, data, nodes)
        for step, inner in place.inner.items():
            if type(step) is str and type(data) is dict:  # most steps, without a generator
                if (one := data.get(step)) is not None:
                    self._grow(inner, one, below)
                continue
            for one in followed(data, step):
                self._grow(inner, one, below)
        return below

    def _node(self, place: _Place, kind: str, data: Any, nodes: list[Node]) -> list[Node]:
        """Add the node of a place, unless it has no value; return what hangs below it."""
        if data is None:
            return nodes
        if kind in self._groups and place.value is None and isinstance(data, Mapping):
            value: str | None = kind
        else:
            value = self._value(place, data)
        if value is None:
            return nodes
        below: list[Node] = []
        nodes.append((kind, value, below))
        return below

    def _value(self, place: _Place, data: Any) -> str | None:
        if place.value is None:
            candidates = [data]
        else:
            candidates = [one for one in at_path(data, place.value) if one is not None]
        if not candidates:
            return None
        text = text_of(candidates[0])
        if text is None or len(candidates) > 1:
            raise _no_value(place, several=len(candidates) > 1)
        return text


class _Place:
    """A place of the map: what a path leads to, and the steps that go on from it."""

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.steps = steps
        self.inner: dict[Step, _Place] = {}
        self.kind: str | None = None
        self.value: tuple[Step, ...] | None = None

    def at(self, steps: tuple[Step, ...]) -> _Place:
        place = self
        for step in steps:
            place = place.inner.setdefault(step, _Place((*place.steps, step)))
        return place

    def set(self, entry: str | Mapped) -> None:
        self.kind = class_of(entry)
        if isinstance(entry, Mapped) and entry.value is not None:
            self.value = parsed_path(entry.value)


def _no_value(place: _Place, *, several: bool) -> NotATreeError:
    steps = place.steps + (place.value or ())
    where = f"at {written_path(steps)!r}" if steps else "the record itself"
    if several:
        return NotATreeError(
            f"{where} there are several values for one node of class {place.kind!r}",
            "Choose one with [0], or map the path to a class of its own.",
        )
    return NotATreeError(
        f"{where} there is an object, an array or no finite number, not a value"
        f" of class {place.kind!r}",
        "Let the path go on to a text or a number; an object that only groups is in tree.entities.",
    )
