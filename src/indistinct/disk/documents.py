"""Documents: plans, certificates, recodings, hierarchies and keys, as they are read from files.

Whoever is handed a certificate or a plan is handed a stranger's file, which may name others. Only
regular files of a sensible size are read, and nothing that is nested without end.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_BYTES = 1 << 28
DEEPEST = 100
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"
_FORMER_NAME = "coarsen "


class UnreadableError(Exception):
    """A document cannot be read; who asked for it says where and what to do.

    Attributes
    ----------
    missing
        Whether there is no such file.
    """

    def __init__(self, reason: str, *, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


def content_of(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a document: a regular file, no device or pipe, of so many bytes at most.

    Raises
    ------
    UnreadableError
        With the reason.
    """
    try:
        _refuse_odd(path.stat().st_mode)
        waiting = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, os.O_RDONLY | waiting), "rb") as handle:
            _refuse_odd(os.fstat(handle.fileno()).st_mode)
            content = handle.read(most + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise UnreadableError(reason, missing=isinstance(error, FileNotFoundError)) from None
    except ValueError:
        raise UnreadableError("this is not a path") from None
    if len(content) > most:
        raise UnreadableError(f"it is larger than {most >> 20} MiB, too large for such a file")
    return content


def _refuse_odd(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise UnreadableError("it is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise UnreadableError("it is a device or a pipe, not a file")


def from_json(
    text: str, pairs: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None
) -> Any:
    """Parse JSON; `pairs` makes an object of its keys and values.

    Raises
    ------
    ValueError
        If it is none, is nested too deep, or holds half a character.
    """
    try:
        content = json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    refuse_deep(content)
    if "\\ud" in text.lower():
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it contains half a character (a lone surrogate)") from None
    return content


def from_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises
    ------
    ValueError
        If it is none, or is nested too deep.
    """
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    refuse_deep(content)
    return content


def refuse_deep(content: object) -> None:
    """Raise a ValueError if something is nested too deep to be worked on."""
    level: list[Any] = [content]
    for _ in range(DEEPEST):
        level = [part for whole in level for part in _parts(whole)]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def _parts(whole: object) -> list[Any]:
    if isinstance(whole, Mapping):
        return [part for part in whole.values() if isinstance(part, Mapping | list | tuple)]
    if isinstance(whole, list | tuple):
        return [part for part in whole if isinstance(part, Mapping | list | tuple)]
    return []


def parsed(path: Path, remedy: str) -> Any:
    """Read a certificate or recoding; refuse what is not JSON, and what has the former name."""
    try:
        content = from_json(content_of(path).decode())
    except UnreadableError as error:
        raise DataError(Fault(str(path), str(error), "Check the path.")) from None
    except UnicodeDecodeError:
        raise DataError(Fault(str(path), "it is not JSON", remedy)) from None
    except ValueError as error:
        odd = not isinstance(error, json.JSONDecodeError)
        problem = f"it is not JSON that can be read: {error}" if odd else "it is not JSON"
        raise DataError(Fault(str(path), problem, remedy)) from None
    if str(kind_of(content)).startswith(_FORMER_NAME):
        problem = "it was written when this project was called coarsen, by rules that have changed"
        again = "Make the release again from the private table, with this version."
        raise DataError(Fault(str(path), problem, again))
    return content


def kind_of(content: object) -> object:
    """Return of what kind a document says it is."""
    return content.get("kind") if isinstance(content, dict) else None
