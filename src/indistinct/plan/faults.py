"""Telling a user what is wrong in a plan, under the setting it belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from indistinct.errors import Fault, closest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Loc = tuple[int | str, ...]


def explain(error: ValidationError, model: type[BaseModel], place: str) -> list[Fault]:
    """Turn pydantic's findings into faults that name setting, value, rule and remedy."""
    faults: list[Fault] = []
    for detail in error.errors(include_url=False):
        faults.extend(_fault(detail, model, place))
    return faults


def _fault(detail: ErrorDetails, model: type[BaseModel], place: str) -> list[Fault]:
    loc = detail["loc"]
    where = _where(place, _settings(loc, model))
    match detail["type"]:
        case "extra_forbidden":
            outer = _where(place, _settings(loc[:-1], model))
            return [Fault(outer, f"unknown key {loc[-1]!r}", _known_instead(loc, model))]
        case "union_tag_not_found":
            key = str(detail["ctx"].get("discriminator", "")).strip("'")
            return [Fault(where, f"it does not say which {key}", f'Add {key} = "...".')]
        case "union_tag_invalid" | "literal_error":
            return [_no_such(where, detail)]
        case "value_error":
            lines = detail["msg"].removeprefix("Value error, ").splitlines()
            return [_fault_in_line(line, where, model) for line in lines]
        case "model_type" | "model_attributes_type":
            return [_no_table(detail["input"], where, _models_at(loc, model))]
    return [_rule_fault(detail, where)]


def _known_instead(loc: Loc, model: type[BaseModel]) -> str:
    """Say what an unknown key may have been meant to be."""
    key = str(loc[-1])
    if len(loc) > 1 and key in model.model_fields:
        return "It is a key of the whole plan: write it above all tables, or as a table of its own."
    wanted = _models_at(loc[:-1], model)
    return closest(key, sorted({key for option in wanted for key in option.model_fields}))


def _fault_in_line(line: str, where: str, model: type[BaseModel]) -> Fault:
    """Take apart what a rule of ours says: setting, problem, and remedy."""
    setting, colon, rest = line.partition(": ")
    if colon and " " not in setting and setting.split(".")[0] in model.model_fields:
        where, line = f"{where}, {setting}", rest
    problem, *remedy = re.split(r"\. (?=[A-Z])", line.rstrip("."), maxsplit=1)
    return Fault(where, problem, f"{remedy[0]}." if remedy else "")


def _no_such(where: str, detail: ErrorDetails) -> Fault:
    context = detail["ctx"]
    given = context.get("tag", detail["input"])
    expected = str(context.get("expected_tags", context.get("expected")))
    names = [word.strip(" '") for word in expected.replace(" or ", ", ").split(",")]
    return Fault(where, f"there is no {given!r}", closest(str(given), names))


def _no_table(given: object, where: str, wanted: list[type[BaseModel]]) -> Fault:
    """Say that a table is wanted; a word alone is taken for its first key, as `role`."""
    key = next((name for option in wanted for name in option.model_fields), "key")
    remedy = f'{{ {key} = "{given}" }}' if isinstance(given, str) else "{ key = value }"
    return Fault(where, f"it should be a table of settings{_shown(given)}", f"Write {remedy}.")


def _shown(given: object) -> str:
    return f" (got {given!r})" if isinstance(given, str | int | float | bool) else ""


_PROBLEMS = {"too_short": "it is empty", "missing": "it is required but absent"}
_KINDS = {
    "list_type": "it should be a list",
    "tuple_type": "it should be a list",
    "dict_type": "it should be a table of settings",
    "string_type": "it should be a text",
}
_REMEDIES = {
    "too_short": "Give at least one.",
    "missing": "Add it.",
    "greater_than_equal": "Give {ge:g} or more.",
    "less_than_equal": "Give {le:g} or less.",
    "greater_than": "Give more than {gt:g}.",
    "less_than": "Give less than {lt:g}.",
    "list_type": "Write [...], or [[...]] above a table of it.",
    "tuple_type": "Write [...], with commas between.",
    "dict_type": "Write {{ key = value }}.",
    "string_type": "Write it in quotes.",
    "bool_type": "Write true or false, without quotes.",
    "bool_parsing": "Write true or false, without quotes.",
    "int_type": "Write a whole number, without quotes or a decimal point.",
    "float_type": "Write a number, without quotes.",
    "finite_number": "Write a number, such as 0.02.",
}


def _rule_fault(detail: ErrorDetails, where: str) -> Fault:
    """Say in one sentence which rule a value breaks, and how to mend it."""
    remedy = _REMEDIES.get(detail["type"], "").format(**detail.get("ctx", {}))
    if detail["type"] in _PROBLEMS:
        return Fault(where, _PROBLEMS[detail["type"]], remedy)
    rule = _lower_first(detail["msg"].replace("Input should", "it should"))
    problem = _KINDS.get(detail["type"], rule)
    return Fault(where, f"{problem}{_shown(detail['input'])}", remedy)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _where(place: str, settings: Sequence[int | str]) -> str:
    path = ""
    for part in settings:
        path += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if path else part
    return f"{place}, {path}" if path else place


def _settings(loc: Loc, model: type[BaseModel]) -> list[int | str]:
    """Leave out of a location what pydantic adds: the names of union members."""
    kept: list[int | str] = []
    current: Any = model
    for part in loc:
        options = _members(current)
        step = _step(options, part)
        if step is None and isinstance(part, str) and len(options) > 1:
            tagged = [option for option in options if _has_tag(option, part)]
            current = tagged[0] if tagged else current
            continue
        kept.append(part)
        current = step
    return kept


def _models_at(loc: Loc, model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the kinds of tables that may stand at a location."""
    current: Any = model
    for part in loc:
        options = _members(current)
        step = _step(options, part)
        if step is None:
            tagged = [option for option in options if _has_tag(option, str(part))]
            step = tagged[0] if tagged else current
        current = step
    return [option for option in _members(current) if _is_model(option)]


def _members(annotation: Any) -> list[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _members(get_args(annotation)[0])
    if origin is Union or type(annotation).__name__ == "UnionType":
        return [member for arg in get_args(annotation) for member in _members(arg)]
    return [annotation]


def _step(options: list[Any], part: int | str) -> Any:
    for option in options:
        if _is_model(option) and len(options) == 1 and part in option.model_fields:
            return option.model_fields[str(part)].annotation
        if _is_model(option) and part in option.model_fields:
            return option.model_fields[str(part)].annotation
        if get_origin(option) is dict and isinstance(part, str):
            return get_args(option)[1]
        if get_origin(option) is list and isinstance(part, int):
            return get_args(option)[0]
    return None


def _is_model(option: Any) -> bool:
    return isinstance(option, type) and issubclass(option, BaseModel)


def _has_tag(option: Any, tag: str) -> bool:
    if not _is_model(option):
        return False
    return option.__name__ == tag or any(
        tag in get_args(field.annotation) for field in option.model_fields.values()
    )
