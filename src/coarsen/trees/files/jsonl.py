"""Tree records as JSON Lines: a class is a key, a value a string, siblings an array.

A node with children is an object with `value` and its child classes; a leaf may be a bare string.
After a disassociation a node stands below a class higher up, or below the record itself.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from coarsen.errors import DataError, Fault
from coarsen.frames.files import beside
from coarsen.trees.forest import ForestBuilder, NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from coarsen.trees.forest import Forest, Node

VALUE = "value"
MOST_FAULTS = 50


def read(path: Path, classes: tuple[str, ...], *, unlisted: str = "drop") -> Forest:
    """Read the records of a file, one per line; keys that are no classes are dropped or refused.

    Raises
    ------
    DataError
        With the line of every record that is broken.
    """
    if not path.is_file():
        problem = "it is a folder" if path.is_dir() else "there is no such file"
        raise DataError(Fault(str(path), problem, "Give a file with a JSON object per line."))
    if not os.access(path, os.R_OK):
        raise DataError(Fault(str(path), "you may not read it", "Ask who may."))
    forest, faults = read_lines(_lines(path), classes, str(path), unlisted=unlisted)
    if faults:
        raise DataError(faults)
    if not forest.size:
        raise DataError(Fault(str(path), "it has no records", "Give one JSON object per line."))
    return forest


def read_lines(
    lines: Iterable[str | bytes], classes: tuple[str, ...], place: str, *, unlisted: str = "drop"
) -> tuple[Forest, list[Fault]]:
    """Read records from lines; return them, and what is wrong by line."""
    builder = ForestBuilder(classes)
    reader = Reader(classes, refuses=unlisted == "error")
    faults: list[Fault] = []
    for number, line in enumerate(lines, start=1):
        try:
            builder.add(reader.record(_parsed(line)))
        except NotATreeError as error:
            faults.append(Fault(f"{place}, line {number}", error.problem, error.remedy))
            if len(faults) >= MOST_FAULTS:
                break
    return builder.build(), faults


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as handle:
        yield from handle


def _parsed(line: str | bytes) -> Any:
    try:
        return json.loads(line)
    except UnicodeDecodeError:
        raise NotATreeError("it is not UTF-8", "Save the file as UTF-8.") from None
    except RecursionError:
        raise NotATreeError("it is nested too deeply", "A path has each class once.") from None
    except ValueError as error:
        told = getattr(error, "msg", "it cannot be read").lower()
        column = getattr(error, "colno", 1)
        if not line.strip():
            raise NotATreeError("it is empty", "Leave empty lines out.") from None
        raise NotATreeError(
            f"it is not JSON: {told} at column {column}", "Write one whole JSON object per line."
        ) from None


class Reader:
    """Turns parsed JSON into nodes."""

    def __init__(self, classes: tuple[str, ...], *, refuses: bool) -> None:
        self._classes = frozenset(classes)
        self._refuses = refuses

    def record(self, found: Any) -> list[Node]:
        """Return the nodes of a record."""
        if not isinstance(found, dict):
            raise NotATreeError("it is not a JSON object", 'Write {"class": [...], ...}.')
        nodes: list[Node] = []
        self._below(found, nodes, top=True)
        return nodes

    def _below(self, found: dict[str, Any], nodes: list[Node], *, top: bool) -> None:
        for key, inner in found.items():
            if key in self._classes:
                self._nodes(key, inner, nodes)
            elif not top and key != VALUE:
                known = ", ".join(sorted(self._classes))
                raise NotATreeError(
                    f"key {key!r} inside a node is no class", f"Classes: {known}; or {VALUE!r}."
                )
            elif top and self._refuses:
                raise NotATreeError(
                    f"key {key!r} is no class", 'Leave it out, or say unlisted = "drop".'
                )

    def _nodes(self, name: str, inner: Any, nodes: list[Node]) -> None:
        for found in inner if isinstance(inner, list) else (inner,):
            if isinstance(found, str):
                nodes.append((name, found, ()))
            elif isinstance(found, dict):
                value = found.get(VALUE)
                below: list[Node] = []
                self._below(found, below, top=False)
                nodes.append((name, self._text(name, value), below))
            else:
                nodes.append((name, self._text(name, found), ()))

    def _text(self, name: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return json.dumps(value)
        told = "has no 'value'" if value is None else "has a value that is no text"
        raise NotATreeError(
            f"a node of class {name!r} {told}",
            f'Write a string, or {{"{VALUE}": "...", ...}} for a node with children.',
        )


def write(forest: Forest, path: Path) -> None:
    """Write records, one per line; the whole file or nothing."""
    with beside(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as handle:
        handle.writelines(lines(forest))


def lines(forest: Forest) -> Iterator[str]:
    """Yield each record as a line of JSON."""
    words = _Words(
        [json.dumps(value, ensure_ascii=False) for value in forest.labels.values],
        [json.dumps(name, ensure_ascii=False) for name in forest.classes],
        forest.labels.of_class.tolist(),
    )
    for label, parent in forest.slices():
        yield "{" + _written(label, parent, words) + "}\n"


class _Words(NamedTuple):
    """Labels and classes as they stand in JSON, and the class of each label."""

    quoted: list[str]
    keys: list[str]
    kinds: list[int]


def _written(label: list[int], parent: list[int], words: _Words) -> str:
    """Write the nodes of a record from the last to the first, so that children come before."""
    quoted, keys, kinds = words
    below: list[dict[int, list[str]] | None] = [None] * (len(label) + 1)
    for node in range(len(label) - 1, -1, -1):
        code = label[node]
        inner = below[node]
        text = quoted[code] if inner is None else _opened(quoted[code], inner, keys)
        above = parent[node]
        family = below[above]
        if family is None:
            family = below[above] = {}
        family.setdefault(kinds[code], []).append(text)
    top = below[-1]
    return "" if top is None else _listed(top, keys)


def _opened(text: str, inner: dict[int, list[str]], keys: list[str]) -> str:
    return f'{{"{VALUE}":{text},{_listed(inner, keys)}}}'


def _listed(inner: dict[int, list[str]], keys: list[str]) -> str:
    return ",".join(f"{keys[kind]}:[{','.join(inner[kind][::-1])}]" for kind in sorted(inner))
