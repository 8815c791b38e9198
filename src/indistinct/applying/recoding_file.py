"""The file of a recoding: written whole, read with every fault named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from indistinct.applying.learnt import KIND, Learnt
from indistinct.disk import documents
from indistinct.errors import DataError, Fault

REMEDY = "Give the file that anonymize --recoding wrote, unchanged."


def as_text(learnt: Learnt) -> str:
    """Write a recoding as JSON."""
    content = learnt.model_dump(mode="json", exclude_unset=True)
    return json.dumps({"kind": KIND, "private": learnt.private, **content}, ensure_ascii=False)


def read(source: Learnt | str | Path) -> Learnt:
    """Take a recoding, or read its file."""
    if isinstance(source, Learnt):
        return source
    path = Path(source)
    content = documents.parsed(path, REMEDY)
    if documents.kind_of(content) != KIND:
        raise DataError(Fault(str(path), "it is not a recoding", REMEDY))
    try:
        return Learnt.model_validate(content)
    except ValidationError as error:
        faults = [Fault(str(path), _problem(fault), REMEDY) for fault in error.errors()]
        raise DataError(faults) from None


def _problem(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    message = str(fault["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
