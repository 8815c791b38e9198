"""The file of a recoding: written whole, read with every fault named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from indistinct.applying.learnt import Learnt
from indistinct.disk import documents
from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from indistinct._parts import Part

    Recoding = TypeVar("Recoding", bound=Part)

REMEDY = "Give the file that anonymize --recoding wrote, unchanged."


def as_text(learnt: Part) -> str:
    """Write a recoding, of rows or of tree records, as JSON."""
    named = {name: getattr(learnt, name) for name in ("kind", "private")}
    content = learnt.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return json.dumps({**named, **content}, ensure_ascii=False)


def read(source: Learnt | str | Path) -> Learnt:
    """Take a recoding, or read its file."""
    return read_as(Learnt, source)


def read_as(kind: type[Recoding], source: Recoding | str | Path) -> Recoding:
    """Take a recoding of some kind, or read its file."""
    if isinstance(source, kind):
        return source
    path = Path(source)  # type: ignore[arg-type]  # otherwise it is a path
    content = documents.parsed(path, REMEDY)
    asked, other = kind.model_fields["kind"].default, documents.kind_of(content)
    if other != asked:
        problem = f"it is an {other}" if _is_recoding(other) else "it is not a recoding"
        remedy = _OTHER_VERB.get(str(other), REMEDY)
        raise DataError(Fault(str(path), problem, remedy))
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = [Fault(str(path), _problem(fault), REMEDY) for fault in error.errors()]
        raise DataError(faults) from None


_OTHER_VERB = {
    "indistinct recoding": "Rows of a table go through it with `indistinct apply`.",
    "indistinct tree recoding": "Tree records go through it with `indistinct tree apply`.",
}


def _is_recoding(kind: Any) -> bool:
    return kind in _OTHER_VERB


def _problem(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    message = str(fault["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
