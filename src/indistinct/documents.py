"""The JSON documents that this project writes and reads again: certificates and recodings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from pathlib import Path

_FORMER_NAME = "coarsen "


def parsed(path: Path, remedy: str) -> Any:
    """Read a document; refuse what is not JSON, and what was written under the former name."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise DataError(Fault(str(path), reason, "Check the path.")) from None
    except ValueError:
        raise DataError(Fault(str(path), "it is not JSON", remedy)) from None
    if str(kind_of(content)).startswith(_FORMER_NAME):
        problem = "it was written when this project was called coarsen, by rules that have changed"
        again = "Make the release again from the private table, with this version."
        raise DataError(Fault(str(path), problem, again))
    return content


def kind_of(content: object) -> object:
    """Tell of what kind a document says it is."""
    return content.get("kind") if isinstance(content, dict) else None
