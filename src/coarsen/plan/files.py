"""Plans as files: TOML or JSON, with what is wrong told by place."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from coarsen.errors import Fault, PlanError

if TYPE_CHECKING:
    from pathlib import Path


def parsed(path: Path) -> dict[str, Any]:
    """Read a TOML or JSON file of settings."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise PlanError(Fault(str(path), reason.lower(), "Check the path.")) from None
    except UnicodeDecodeError as error:
        raise PlanError(
            Fault(str(path), f"byte {error.start} is not UTF-8", "Save the plan as UTF-8.")
        ) from None
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = _json(text) if kind == "JSON" else tomllib.loads(text)
    except ValueError as error:
        raise PlanError(Fault(str(path), f"it is not valid {kind}: {error}")) from None
    if not isinstance(content, dict):
        raise PlanError(Fault(str(path), "it holds no table of settings"))
    return content


def _json(text: str) -> Any:
    """Read JSON; like TOML, do not let the second of two equal keys win in silence."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise ValueError(f"key {key!r} stands twice in one object")
            found[key] = value
        return found

    return json.loads(text, object_pairs_hook=unique)
