"""JSON as records are written in it: parsed with care, and told what is wrong without a value."""

from __future__ import annotations

import gc
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from indistinct.trees.forest import NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def keeping_all() -> Iterator[None]:
    """Look for no garbage while much is made and kept: that takes most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def parsed(text: str | bytes, hook: Any = None) -> Any:
    """Parse a line or a document.

    Raises
    ------
    NotATreeError
        If it is no JSON, or holds what no release can.
    """
    content = _loaded(text, hook)
    if (b"\\u" if isinstance(text, bytes) else "\\u") in text:  # type: ignore[operator]  # both alike
        try:
            json.dumps(_loaded(text, None), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            problem = "it holds half a character (a lone surrogate)"
            raise NotATreeError(problem, "Write the whole character, or leave it out.") from None
    return content


def quickly_parsed(text: str | bytes) -> Any:
    """Parse a line whose texts alone matter; nothing comes of one that needs a closer look.

    Texts are whole characters, as `parsed` demands. Large numbers are not exact, and of a key that
    stands twice the last counts.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _loaded(text: str | bytes, hook: Any) -> Any:
    try:
        return json.loads(text, object_pairs_hook=hook)
    except UnicodeDecodeError:
        raise NotATreeError("it is not UTF-8", "Save the file as UTF-8.") from None
    except RecursionError:
        raise NotATreeError("it is nested too deeply", "A path has each class once.") from None
    except NotATreeError:
        raise
    except json.JSONDecodeError as error:
        if not text.strip():
            raise NotATreeError("it is empty", "Leave empty lines out.") from None
        raise NotATreeError(
            f"it is not JSON: {error.msg.lower()} at {_place(error, text)}",
            "Write one whole JSON object per line.",
        ) from None
    except ValueError:
        problem = "it is not JSON: a number has more digits than can be read"
        raise NotATreeError(problem, "Write it as a text.") from None


def _place(error: json.JSONDecodeError, text: str | bytes) -> str:
    """Say where a text stops being JSON: the column, and the line if there are several."""
    if error.lineno > 1 and error.pos < len(text.rstrip()):
        return f"line {error.lineno}, column {error.colno}"
    return f"column {min(error.pos, len(text.rstrip())) + 1}"


def is_begun(line: str | bytes) -> bool:
    """Return whether a line is the beginning of a JSON document, but not all of one."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return bool(line.strip()) and error.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of the members of an object, unless a key stands twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotATreeError(
            f"key {twice!r} occurs twice in one object", "Put several siblings into one array."
        )
    return members
