"""Paths into JSON: ``visits[].codes[0].code``, ``coding[system=icd-10].code``.

A name leads to a member of an object, ``[]`` to every element of an array, ``[0]`` to one of them,
``[key=text]`` to those whose member has that text. A name that holds other signs is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP = re.compile(
    r"""(?P<dot>\.)?(?:(?P<name>[^\s."\[\]=]+)|(?P<quoted>"(?:[^"\\]|\\.)*"))
      | \[(?:(?P<all>)|(?P<index>\d{1,9})|(?P<key>[^\[\]="]+)=(?P<text>[^\[\]]*))\]""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Where:
    """A step to the elements of an array whose member, at a path of names, has a text."""

    names: tuple[str, ...]
    text: str


class Every(Enum):
    """A step to every element of an array."""

    EVERY = "[]"


EVERY = Every.EVERY
Step: TypeAlias = str | int | Every | Where


def parsed_path(text: str) -> tuple[Step, ...]:
    """Take a path apart.

    Raises
    ------
    ValueError
        If it is none, with what is wrong.

    Examples
    --------
    >>> parsed_path("visits[].codes[0].code")[2:]
    ('codes', 0, 'code')
    """
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or bool(match["dot"]) != bool(at and _named(match)):
            raise ValueError(f"{text!r} is not a path: character {at + 1} fits nothing")
        steps.append(_step(match))
        at = match.end()
    if not steps:
        raise ValueError("a path is empty")
    return tuple(steps)


def _named(match: re.Match[str]) -> bool:
    return match["name"] is not None or match["quoted"] is not None


def _step(match: re.Match[str]) -> Step:
    if match["name"] is not None:
        return match["name"]
    if match["quoted"] is not None:
        unquoted: str = json.loads(match["quoted"])
        return unquoted
    if match["index"] is not None:
        return int(match["index"])
    if match["key"] is not None:
        return Where(tuple(match["key"].split(".")), match["text"])
    return EVERY


def path_problems(text: str, place: str) -> Iterator[str]:
    """Say what is wrong with a path that stands in a plan."""
    try:
        parsed_path(text)
    except ValueError as error:
        yield f"{place}: {error}. Write names with dots, [] and [0], as in a.b[].c"


def written_path(steps: tuple[Step, ...]) -> str:
    """Write steps as a path.

    >>> written_path(("visits", EVERY, "a b"))
    'visits[]."a b"'
    """
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += ("." if text else "") + _written_name(step)
        elif isinstance(step, Where):
            text += f"[{'.'.join(step.names)}={step.text}]"
        else:
            text += "[]" if isinstance(step, Every) else f"[{step}]"
    return text


def _written_name(name: str) -> str:
    plain = name and not re.search(r'[\s."\[\]=]', name)
    return name if plain else json.dumps(name, ensure_ascii=False)


def followed(data: Any, step: Step) -> Iterator[Any]:
    """Yield what a step leads to; a name goes through an array by itself."""
    if isinstance(step, str):
        for one in data if isinstance(data, list) else (data,):
            if isinstance(one, Mapping) and one.get(step) is not None:
                yield one[step]
    elif isinstance(step, int):
        if isinstance(data, list) and step < len(data):
            yield data[step]
    else:
        elements = data if isinstance(data, list) else (data,)
        for one in elements:
            if one is not None and (isinstance(step, Every) or _fits(one, step)):
                yield one


def _fits(one: Any, step: Where) -> bool:
    return any(text_of(value) == step.text for value in at_path(one, step.names))


def at_path(data: Any, steps: tuple[Step, ...]) -> Iterator[Any]:
    """Yield all that a path leads to.

    >>> list(at_path({"a": [{"b": 1}, {"b": None}, {"b": 3}]}, ("a", EVERY, "b")))
    [1, 3]
    """
    if not steps:
        yield data
        return
    for inner in followed(data, steps[0]):
        yield from at_path(inner, steps[1:])


def first_text(data: Any, steps: tuple[Step, ...]) -> str | None:
    """Return the first text that a path leads to.

    >>> first_text({"a": [{"b": 1}, {"b": 2}]}, ("a", "b"))
    '1'
    """
    reached = data
    for step in steps:
        if type(reached) is not dict or type(step) is not str:
            return next((text_of(value) for value in at_path(data, steps)), None)
        reached = reached.get(step)
    return text_of(reached)


def text_of(value: Any) -> str | None:
    """Return a value as text: texts as they are, numbers and booleans as JSON has them.

    None for what is no value: an object, an array, nothing, or no finite number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int) or (isinstance(value, float) and value - value == 0):
        return json.dumps(value)
    return None
