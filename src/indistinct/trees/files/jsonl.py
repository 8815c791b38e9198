"""Tree records as JSON Lines: a class is a key, a value a string, siblings an array.

A node with children is an object with `value` and its child classes; a leaf may be a bare string.
After a disassociation a node stands below a class higher up, or below the record itself.
`jsonl_writing.py` writes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault
from indistinct.io.packing import read_bytes
from indistinct.trees.files.documents import Documents, are_lines
from indistinct.trees.files.jsonl_bulk import LEAST_BYTES, MOST_CLASSES, BulkReader
from indistinct.trees.files.leaks import IDENTIFIER, UNKNOWN, LeakError, fault_of, refuse
from indistinct.trees.files.parsing import keeping_all, parsed, quickly_parsed, without_repeats
from indistinct.trees.files.paths import text_of
from indistinct.trees.forest import ForestBuilder, NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest, Node

VALUE = "value"
MOST_FAULTS = 50
_COLON = b":"
_ODD = -(1 << 60)


@dataclass(frozen=True)
class Keys:
    """What becomes of the keys of records that are no classes.

    Attributes
    ----------
    released
        Released as they are.
    identifiers
        Left out, as are all others unless `refuses`.
    refuses
        Whether a key that is not named here is a fault.
    entities
        Classes whose nodes have no value but only group.
    records
        The path to the records in each document, if a line or an element of an array is none.
    published
        Whether records are of a release, which holds classes and released keys, and nothing else.
    """

    released: tuple[str, ...] = ()
    identifiers: frozenset[str] = frozenset()
    refuses: bool = False
    entities: frozenset[str] = frozenset()
    records: str | None = None
    published: bool = False


ALL_LEFT_OUT = Keys()


def read(path: Path, classes: tuple[str, ...], keys: Keys = ALL_LEFT_OUT) -> Forest:
    """Read the records of a file, one per line, or all in one document.

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
    if keys.records is None and are_lines(path):
        with read_bytes(path) as lines:
            forest, faults = _read_file(lines, path, classes, keys)
    else:
        with keeping_all():
            forest, faults = _read_document(path, classes, keys)
    refuse(faults)
    if not forest.size:
        raise DataError(Fault(str(path), "it has no records", "Give one JSON object per line."))
    return forest


def read_lines(
    lines: Iterable[str | bytes], classes: tuple[str, ...], place: str, keys: Keys = ALL_LEFT_OUT
) -> tuple[Forest, list[Fault]]:
    """Read records from lines; return them, and what is wrong by line."""
    reader = Reader(classes, keys)
    faults: list[Fault] = []
    for number, line in enumerate(lines, start=1):
        reader.take_line(line, f"{place}, line {number}", faults)
        if len(faults) >= MOST_FAULTS:
            break
    return reader.builder.build(), faults


def _read_file(
    handle: Any, path: Path, classes: tuple[str, ...], keys: Keys
) -> tuple[Forest, list[Fault]]:
    """Read the records of a file, many at once where there are many."""
    reader = Reader(classes, keys)
    bulk = reader.in_bulk(path)
    if bulk is None:
        return read_lines(handle, classes, str(path), keys)
    faults: list[Fault] = []

    def closer(line: bytes, number: int) -> bool:
        reader.take_line(line, f"{path}, line {number}", faults)
        return len(faults) < MOST_FAULTS

    bulk.read_all(handle, closer)
    return reader.builder.build(), faults


def _read_document(path: Path, classes: tuple[str, ...], keys: Keys) -> tuple[Forest, list[Fault]]:
    reader = Reader(classes, keys)
    faults: list[Fault] = []
    for place, content in Documents(keys.records).of_file(path):
        try:
            if isinstance(content, NotATreeError):
                raise content
            reader.add(content)
        except NotATreeError as error:
            faults.append(fault_of(error, place))
            if len(faults) >= MOST_FAULTS:
                break
    return reader.builder.build(), faults


def read_distinct(
    path: Path, classes: tuple[str, ...], keys: Keys = ALL_LEFT_OUT
) -> tuple[Forest, NDArray[np.int64]]:
    """Read each different line of a release once; return the records and how often each stands.

    Raises
    ------
    DataError
        At the first line that is broken.
    """
    reader = Reader(classes, keys)
    bulk = reader.in_bulk(path)
    if bulk is not None:
        return _read_distinct_in_bulk(path, reader, bulk)
    distinct = _Distinct(reader, path)
    with read_bytes(path) as lines:
        for number, line in enumerate(lines, start=1):
            distinct.add(line, number)
    return reader.builder.build(), np.array(distinct.counts, dtype=np.int64)


def _read_distinct_in_bulk(
    path: Path, reader: Reader, bulk: BulkReader
) -> tuple[Forest, NDArray[np.int64]]:
    """Read each plain line by itself, and the others once for all that are equal."""
    distinct = _Distinct(reader, path)
    with read_bytes(path) as handle:
        bulk.read_all(handle, distinct.add)
    forest = reader.builder.build()
    counts = np.ones(forest.size, dtype=np.int64)
    counts[distinct.records] = distinct.counts
    return forest, counts


class _Distinct:
    """Adds each different line once.

    Attributes
    ----------
    records, counts
        The places of the records that were added, and how often each stands.
    """

    def __init__(self, reader: Reader, path: Path) -> None:
        self._reader, self._path = reader, path
        self._places: dict[bytes, int] = {}
        self.records: list[int] = []
        self.counts: list[int] = []

    def add(self, line: bytes, number: int) -> bool:
        """Add a line, or count it; more are welcome."""
        digest = blake2b(line, digest_size=16).digest()
        place = self._places.setdefault(digest, len(self.counts))
        if place < len(self.counts):
            self.counts[place] += 1
            return True
        self.records.append(self._reader.builder.size)
        self.counts.append(1)
        try:
            self._reader.add_line(line)
        except NotATreeError as error:
            where = f"{self._path}, line {number}"
            raise DataError(Fault(where, error.problem, error.remedy)) from None
        return True


class Reader:
    """Turns JSON into the records of a forest."""

    def __init__(self, classes: tuple[str, ...], keys: Keys = ALL_LEFT_OUT) -> None:
        self.builder = JsonBuilder(classes)
        self._classes = frozenset(classes)
        self._keys = keys
        self._plain = not keys.refuses and not keys.released and not keys.published

    def in_bulk(self, path: Path) -> BulkReader | None:
        """Return what reads many lines of a file at once; None if they are few, or not plain."""
        small = path.stat().st_size < LEAST_BYTES
        if small or self._keys.released or len(self._classes) > MOST_CLASSES:
            return None
        return BulkReader(self.builder, VALUE, skips=self._plain)

    def take_line(self, line: str | bytes, place: str, faults: list[Fault]) -> None:
        """Add the record of a line, or what is wrong with it to the faults."""
        try:
            self.add_line(line)
        except NotATreeError as error:
            faults.append(fault_of(error, place))

    def add_line(self, line: str | bytes) -> None:
        """Add the record of a line.

        Raises
        ------
        NotATreeError
            If it is no record.
        """
        content = quickly_parsed(line)
        # A member has a colon, so as many colons as keys were met is proof that none stands twice.
        colons = line.count(_COLON) if isinstance(line, bytes) else line.count(":")
        plain = type(content) is dict and self._is_plain(content)
        if plain and self.builder.add_plain(content, colons):
            return
        self.add(parsed(line, without_repeats))

    def _is_plain(self, content: dict[str, Any]) -> bool:
        """Return whether keys need no closer look."""
        if self._plain:
            return True
        return not self._keys.released and self._classes.issuperset(content)

    def add(self, content: Any) -> None:
        """Add a record that is parsed already."""
        nodes = self.record(content)
        self.builder.add(nodes, self._extra(content) if self._keys.released else None)

    def _extra(self, content: dict[str, Any]) -> str:
        """Return the members that are released as they are, in the order of the plan."""
        members = {name: content[name] for name in self._keys.released if name in content}
        try:
            return json.dumps(members, ensure_ascii=False, allow_nan=False)[1:-1]
        except (ValueError, TypeError):
            raise NotATreeError(
                "a key that is released as it is has a value that JSON cannot hold",
                "Leave the key out, or give it a text or a number.",
            ) from None

    def record(self, content: Any) -> list[Node]:
        """Return the nodes of a record."""
        if not isinstance(content, Mapping):
            raise NotATreeError("it is not a JSON object", 'Write {"class": [...], ...}.')
        nodes: list[Node] = []
        self._below(content, nodes, top=True)
        return nodes

    def _below(self, members: Mapping[str, Any], nodes: list[Node], *, top: bool) -> None:
        for key, inner in members.items():
            if key in self._classes:
                self._nodes(key, inner, nodes)
            elif self._keys.published and not (key == VALUE and not top):
                if not (top and key in self._keys.released):
                    named = key in self._keys.identifiers
                    raise LeakError(f"it holds a key {key!r}, {IDENTIFIER if named else UNKNOWN}")
            elif not top and key != VALUE:
                classes = ", ".join(sorted(self._classes))
                raise NotATreeError(
                    f"key {key!r} inside a node is not a class",
                    f"Classes: {classes}; or {VALUE!r}.",
                )
            elif top and self._keys.refuses and not self._named(key):
                raise NotATreeError(
                    f"key {key!r} is not a class",
                    'Leave it out, set unlisted = "drop", or give it a role in tree.keys.',
                )

    def _named(self, key: str) -> bool:
        return key in self._keys.released or key in self._keys.identifiers

    def _nodes(self, name: str, inner: Any, nodes: list[Node]) -> None:
        for child in inner if isinstance(inner, list) else (inner,):
            if isinstance(child, str):
                nodes.append((name, child, ()))
            elif isinstance(child, Mapping):
                self._opened(name, child, nodes)
            elif child is not None:
                nodes.append((name, self._text(name, child), ()))

    def _opened(self, name: str, child: Mapping[str, Any], nodes: list[Node]) -> None:
        """Add a node with children; without a value there is none, and they hang one higher."""
        if VALUE not in child and name not in self._keys.entities:
            raise NotATreeError(f"a node of class {name!r} has no {VALUE!r}", _write_value(name))
        value = child.get(VALUE, name if name in self._keys.entities else None)
        below: list[Node] = [] if value is not None else nodes
        self._below(child, below, top=False)
        if value is not None:
            nodes.append((name, self._text(name, value), below))

    def _text(self, name: str, value: Any) -> str:
        text = text_of(value)
        if text is None:
            problem = (
                f"a node of class {name!r} has a value that is neither text nor a finite number"
            )
            raise NotATreeError(problem, _write_value(name))
        return text


def _write_value(name: str) -> str:
    return (
        f'Write a string, or {{"{VALUE}": "...", ...}} for a node with children; if nodes of'
        f" class {name!r} only group, say so in tree.entities."
    )


class JsonBuilder(ForestBuilder):
    """Takes records as JSON holds them, without a detour where they are as plain as most are."""

    def add_plain(self, members: dict[str, Any], keys: int) -> bool:
        """Add a record that has so many keys; return whether that was done.

        Keys that are no classes are left out. It is not done where a value is no text, a class is
        out of place, siblings are equal, or anything else needs a closer look.
        """
        mark = len(self._label)
        if self._grow(members, -1, -1) == keys:
            self._end(None)
            return True
        del self._label[mark:], self._parent[mark:]
        return False

    def _grow(self, members: dict[str, Any], above: int, kind_above: int) -> int:
        """Add the nodes of an object; return how many keys it has, or less than nothing."""
        order, codes, label = self._order, self._codes, self._label
        keys = len(members)
        for name, inner in members.items():
            kind = order.get(name, -1)
            if kind <= kind_above:
                if kind < 0 and (above < 0 or name == VALUE):
                    continue
                return _ODD
            listed = inner if type(inner) is list else (inner,)
            own = []
            for one in listed:
                below = type(one) is dict
                value = one.get(VALUE) if below else one
                if type(value) is not str:
                    return _ODD
                code = codes.get((kind, value))
                if code is None:
                    code = codes[kind, value] = len(codes)
                own.append(code)
                here = self._before + len(label)
                label.append(code)
                self._parent.append(above)
                if below:
                    keys += self._grow(one, here, kind)
            if len(own) > 1 and len(set(own)) < len(own):
                return _ODD
        return keys
