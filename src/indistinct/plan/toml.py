"""Settings as TOML: keys, values and comments that any reader of TOML takes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from textwrap import wrap

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 96


def key(name: str) -> str:
    """Write a key, in quotes where it needs them.

    >>> key("zip"), key("date of birth")
    ('zip', '"date of birth"')
    """
    return name if _BARE.fullmatch(name) else text(name)


def text(words: str) -> str:
    """Write a text: as JSON does, which TOML reads alike, but for one character."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(content: object) -> str:
    """Write a value on one line.

    >>> value({"intervals": [5, 0.5], "top": 90, "flat": True})
    '{ intervals = [5, 0.5], top = 90, flat = true }'
    """
    if isinstance(content, str):
        return text(content)
    if isinstance(content, Mapping):
        return f"{{ {', '.join(f'{key(k)} = {value(v)}' for k, v in content.items())} }}"
    if isinstance(content, list | tuple):
        return f"[{', '.join(map(value, content))}]"
    return str(content).lower() if isinstance(content, bool) else repr(content)


def comment(words: str) -> list[str]:
    """Write words as lines of a comment."""
    return [f"# {line}" for line in wrap(words, _WIDE, break_on_hyphens=False)]
