"""Tree records as XML: many records in a file, read and written as a stream.

The elements below the root element are the records, whatever they are called. In a record an
element is a node: its name is the class, its attribute `value` (or else its text) is the value. A
class whose name cannot be an element's stands in `<node class="...">`. Other elements and
attributes are left out.

Document type declarations are refused, and entities with them: nothing can expand, and nothing is
fetched.
"""

from __future__ import annotations

import io
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from indistinct.disk.drafts import beside
from indistinct.errors import SHOWN, DataError, Fault, OutputError
from indistinct.io.packing import read_bytes, write_bytes
from indistinct.io.places import require_readable
from indistinct.trees.files.leaks import REMEDY, UNKNOWN, Leak, refuse
from indistinct.trees.forest import ForestBuilder, NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indistinct.trees.forest import Forest, Node

_AT_ONCE = 1 << 16
_LONGEST = 1 << 20
_RECORDS = 1 << 14
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read(
    path: Path, classes: Sequence[str], entities: Sequence[str] = (), *, published: bool = False
) -> Forest:
    """Read the records of an XML file.

    Parameters
    ----------
    path
        The file. It is read piece by piece; what is kept are integers.
    classes
        The plan's classes, in order.
    entities
        Those whose nodes have no value but only group.
    published
        Whether it is a release, which has elements of classes with their values, and nothing else.

    Raises
    ------
    DoesNotHoldError
        With every place of a release that holds something else.
    DataError
        With the line of the first place that is no XML, or of a declaration or entity; or with
        every record that breaks a rule of tree records.
    """
    require_readable(path, "Give an XML file with records.")
    reader = _Reader(path, classes, entities, published=published)
    reader.run()
    refuse(reader.faults)
    if not reader.records:
        raise DataError(Fault(str(path), "it holds no records", "Give a file with data."))
    return reader.builder.build()


class _RefusedError(Exception):
    """Stops the parser at a place that cannot be read on from."""


class _Reader:
    """What is known at a place of the file: the open elements of the current record."""

    def __init__(
        self, path: Path, classes: Sequence[str], entities: Sequence[str], *, published: bool
    ) -> None:
        self.builder = ForestBuilder(classes)
        self.faults: list[Fault] = []
        self.records = 0
        self._path, self._classes = path, frozenset(classes)
        self._entities = frozenset(entities)
        self._published = published
        self._depth = 0
        self._skipped = 0
        self._record: list[Node] = []
        self._line = 0
        self._open: list[_Element] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        if published:
            self._parser.CommentHandler = lambda _: self._leak("a comment")
            self._parser.ProcessingInstructionHandler = lambda *_: self._leak("an instruction")
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._doctype
        self._parser.SkippedEntityHandler = self._doctype
        self._parser.ExternalEntityRefHandler = self._doctype

    def run(self) -> None:
        try:
            with read_bytes(self._path) as handle:
                while piece := handle.read(_AT_ONCE):
                    self._parser.Parse(piece, False)  # noqa: FBT003 - the parser takes no names
                self._parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError as error:
            problem = f"it is not well-formed XML: {expat.ErrorString(error.code)}"
            self.faults = [
                Fault(f"{self._path}, line {error.lineno}", problem, "Correct the file.")
            ]
        except _RefusedError:
            pass

    def _doctype(self, *_: object) -> NoReturn:
        self._refuse(
            "it declares a document type or uses entities, which are not read",
            "Take the <!DOCTYPE ...> out, and write what its entities stand for.",
        )

    def _refuse(self, problem: str, remedy: str) -> NoReturn:
        self.faults = [Fault(self._here(), problem, remedy)]
        raise _RefusedError

    def _here(self) -> str:
        return f"{self._path}, line {self._parser.CurrentLineNumber}"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._look_at(name, attributes)
        if self._depth == 2:
            self._record, self._line = [], self._parser.CurrentLineNumber
        if self._depth <= 2:
            return
        kind = name.rpartition(":")[2]
        if kind == "node":
            kind = attributes.get("class", kind)
        if self._skipped or kind not in self._classes:
            if not self._skipped:
                self._leak(f"an element <{name}>")
            self._skipped += 1
            return
        self._open.append(_Element(kind, attributes.get("value"), self._here()))

    def _look_at(self, name: str, attributes: dict[str, str]) -> None:
        """Find attributes that a release does not have."""
        known = {"value", *(["class"] if name == "node" else [])} if self._depth > 2 else set()
        for attribute in attributes:
            if attribute not in known and not self._skipped:
                self._leak(f"an attribute {attribute!r} of <{name}>")

    def _leak(self, what: str) -> None:
        """Note something that a release does not have."""
        if self._published:
            self._note(Leak(self._here(), f"it holds {what}, {UNKNOWN}", REMEDY))

    def _text(self, text: str) -> None:
        if text.strip() and not self._skipped and not (self._open and self._open[-1].hears):
            self._leak("text that is not a value")
        if self._skipped or not self._open:
            return
        if not self._open[-1].hear(text):
            self._refuse("a value is longer than a million characters", "Check the file.")

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._depth == 1:
            self._finish()
        elif self._skipped:
            self._skipped -= 1
        elif self._depth > 1:
            element = self._open.pop()
            value = element.value or (element.kind if element.kind in self._entities else "")
            if not value:
                remedy = "Give it an attribute value, or text, or leave it out."
                self._note(Fault(element.place, f"<{element.kind}> has no value", remedy))
            above = self._open[-1].below if self._open else self._record
            above.append((element.kind, value, element.below))

    def _finish(self) -> None:
        self.records += 1
        try:
            self.builder.add(self._record)
        except NotATreeError as error:
            place = f"{self._path}, line {self._line}"
            self._note(Fault(place, f"in this record {error.problem}", error.remedy))

    def _note(self, fault: Fault) -> None:
        self.faults.append(fault)
        if len(self.faults) > SHOWN:
            raise _RefusedError


class _Element:
    """An open element of a class, until it is a node."""

    def __init__(self, kind: str, value: str | None, place: str) -> None:
        self.kind, self.place = kind, place
        self.below: list[Node] = []
        self._value = value
        self._heard: list[str] = []
        self._length = 0

    @property
    def hears(self) -> bool:
        """Whether its text is its value."""
        return self._value is None

    def hear(self, text: str) -> bool:
        """Take text up; return whether it is still of a length that a value may have."""
        if self._value is None:
            self._heard.append(text)
            self._length += len(text)
        return self._length <= _LONGEST

    @property
    def value(self) -> str:
        return "".join(self._heard).strip() if self._value is None else self._value


def write(forest: Forest, path: Path, *, root: str = "records", record: str = "record") -> None:
    """Write records as XML, the whole file or nothing.

    Parameters
    ----------
    forest
        The records, in the order in which they shall be published.
    path
        The file.
    root, record
        What the root element and the elements of the records are called.
    """
    with beside(path) as draft:
        write_draft(forest, draft, root=root, record=record)


def write_draft(
    forest: Forest, path: Path, *, root: str = "records", record: str = "record"
) -> None:
    """Write records to a file that is nobody's yet."""
    with (
        write_bytes(path) as raw,
        io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as handle,
    ):
        handle.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}>\n')
        handle.writelines(_written(forest, record))
        handle.write(f"</{root}>\n")


def _written(forest: Forest, record: str) -> Iterator[str]:
    """Yield each record as a line."""
    tags = [_tag(forest, code) for code in range(len(forest.labels))]
    for first in range(0, forest.size, _RECORDS):
        starts = forest.starts[first : first + _RECORDS + 1]
        own = slice(int(starts[0]), int(starts[-1]))
        label, parent = forest.label[own].tolist(), (forest.parent[own] - own.start).tolist()
        for begin, end in pairwise((starts - own.start).tolist()):
            yield f"  <{record}>{_body(label, parent, begin, end, tags)}</{record}>\n"


def _body(
    label: list[int], parent: list[int], begin: int, end: int, tags: list[tuple[str, str]]
) -> str:
    parts: list[str] = []
    way: list[int] = []
    for node in range(begin, end):
        while way and way[-1] != parent[node]:
            parts.append(tags[label[way.pop()]][1])
        start, _ = tags[label[node]]
        if node + 1 < end and parent[node + 1] == node:
            way.append(node)
            parts.append(start + ">")
        else:
            parts.append(start + "/>")
    parts += [tags[label[node]][1] for node in reversed(way)]
    return "".join(parts)


def _tag(forest: Forest, code: int) -> tuple[str, str]:
    """Return the beginning of a label's start tag, without its end, and its end tag."""
    kind = forest.classes[forest.labels.of_class[code]]
    value = forest.labels.values[code]
    if _UNWRITABLE.search(value) or _UNWRITABLE.search(kind):
        problem = "a label holds a character that XML cannot hold"
        raise OutputError(Fault(f"class {kind!r}", problem, "Write JSON Lines instead."))
    if _NAME.fullmatch(kind) and kind != "node" and not kind.lower().startswith("xml"):
        return f"<{kind} value={quoteattr(value)}", f"</{kind}>"
    return f"<node class={quoteattr(kind)} value={quoteattr(value)}", "</node>"
