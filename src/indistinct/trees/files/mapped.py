"""JSON that is not written as tree records, read by the map of a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.trees.files.documents import Documents, is_bundle
from indistinct.trees.files.mapping import Mapper
from indistinct.trees.files.parsing import keeping_all
from indistinct.trees.files.paths import parsed_path
from indistinct.trees.files.resources import Joiner
from indistinct.trees.forest import ForestBuilder, NotATreeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from indistinct.trees.files.documents import Placed
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import Tree

MOST_FAULTS = 50


def read(source: Path | Iterable[Any] | Mapping[str, Any], tree: Tree, place: str) -> Forest:
    """Read records, or resources that make records, as the map of a plan says.

    Raises
    ------
    DataError
        With all that is broken.
    """
    documents = Documents(tree.records, bundles=bool(tree.resources))
    placed = (
        documents.of_file(source) if place != "records" else documents.of_content(source)  # type: ignore[arg-type]  # a path has a place
    )
    builder = ForestBuilder(tree.classes)
    add = _joined if tree.resources else _one_by_one
    with keeping_all():
        faults, notes = add(placed, tree, builder)
    if faults:
        raise DataError(faults)
    forest = replace(builder.build(), notes=tuple(notes))
    if not forest.size:
        raise DataError(Fault(place, "it has no records", "See the path in tree.records."))
    return forest


def _one_by_one(
    placed: Iterable[Placed], tree: Tree, builder: ForestBuilder
) -> tuple[list[Fault], list[str]]:
    paths = {parsed_path(path): entry for path, entry in tree.map.items()}
    mapper = Mapper(paths, tree.entities)
    bundles: list[str] = []

    def add(content: Any, place: str) -> None:
        builder.add(mapper.nodes(content))
        if is_bundle(content):
            bundles.append(place)

    faults, count = _each(placed, add)
    if count == 1 and bundles and not faults:
        problem = "it is one Bundle, and would be read as one record"
        remedy = "Say under [tree.resources] which of its resources are people."
        faults.append(Fault(bundles[0], problem, remedy))
    return faults, []


def _joined(
    placed: Iterable[Placed], tree: Tree, builder: ForestBuilder
) -> tuple[list[Fault], list[str]]:
    joiner = Joiner(tree.resources, tree.map, tree.resource_type, tree.entities)
    faults, _ = _each(placed, lambda content, _: joiner.add(content))
    people, unjoined = joiner.joined()
    faults += unjoined
    if not faults:
        numbered = ((f"person {number}", nodes) for number, nodes in enumerate(people, start=1))
        faults, _ = _each(numbered, lambda nodes, _: builder.add(nodes))
    return faults, joiner.notes


def _each(placed: Iterable[Placed], add: Callable[[Any, str], None]) -> tuple[list[Fault], int]:
    """Add records one by one; return what is wrong, and how many there were."""
    faults: list[Fault] = []
    count = 0
    for place, content in placed:
        count += 1
        try:
            if isinstance(content, NotATreeError):
                raise content
            add(content, place)
        except NotATreeError as error:
            faults.append(Fault(place, error.problem, error.remedy))
            if len(faults) >= MOST_FAULTS:
                break
    return faults, count
