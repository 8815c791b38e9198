"""Which role a column may have, and why: by its name, and by what its values are like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from indistinct.hierarchy.suggest import FEW
from indistinct.plan.identifiers import Look, identifier_reason
from indistinct.plan.visits import Repeats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.io.encoding import Encoded
    from indistinct.plan.naming import Kind, Sign

SuggestedRole = Literal["identifier", "quasi", "sensitive", "other", "respondent", "drop"]

NEEDED = "a plan needs a quasi-identifier, and there is no better candidate"
UNKNOWN = "nothing says what it is, and its texts may name people"


@dataclass(frozen=True)
class Guess:
    """The role of a column, as far as can be guessed.

    Attributes
    ----------
    why
        What speaks for the role.
    kind
        What its values are likely to be.
    by
        Whether its name or its values show it, or nothing does.
    """

    role: SuggestedRole
    why: str
    kind: Kind = ""
    by: Literal["name", "values", "nothing"] = "values"


def guess_roles(columns: Mapping[str, Encoded | None]) -> dict[str, Guess]:
    """Guess the role of each column from its name and values; None stands for what has none."""
    filled = {name: column for name, column in columns.items() if column and column.domain.known}
    looks = {name: Look(name, column.domain) for name, column in filled.items()}
    guesses = {name: _guess(looks.get(name), columns[name]) for name in columns}
    for name in Repeats(filled, looks).people()[:1]:
        why = f"{_why_a_person(guesses[name])}, and it repeats: k counts people, not rows"
        guesses[name] = Guess("respondent", why, guesses[name].kind)
    for name in _only_candidates(guesses):
        why = f"{NEEDED} (it would be {guesses[name].role}: {guesses[name].why})"
        guesses[name] = replace(guesses[name], role="quasi", why=why)
    return guesses


def _why_a_person(guess: Guess) -> str:
    if guess.role == "identifier":
        return guess.why
    return "all rows with one value agree in other columns, as the rows of one person do"


def _guess(look: Look | None, column: Encoded | None) -> Guess:
    if column is None:
        return Guess("drop", "lists, records and bytes cannot be compared")
    if look is None:
        return Guess("drop", "all its values are missing")
    sign = look.sign
    reason = identifier_reason(look)
    if reason is not None:
        by: Literal["name", "values"] = "name" if reason.startswith("its name") else "values"
        role: SuggestedRole = "drop" if sign is not None and sign.role == "drop" else "identifier"
        return Guess(role, reason, sign.kind if by == "name" and sign else "", by)
    if sign is None or (sign.role in {"identifier", "drop"} and _is_plain(look)):
        return _by_values(look)
    return _by_name(look, sign)


def _by_name(look: Look, sign: Sign) -> Guess:
    sounds = f"its name suggests {sign.what}"
    if sign.kind == "amount" and not look.is_text and look.line[0] != "number":
        return Guess("quasi", "its values are dates", "moment")
    if sign.kind in {"amount", "point"} and look.is_text and not look.is_category:
        return Guess("drop", f"{sounds}, but its values are not numbers", sign.kind)
    return Guess(sign.role, sounds, sign.kind, "name")


def _is_plain(look: Look) -> bool:
    """Return whether values are a plain category, or measured, whatever the name says."""
    return look.is_category or not (look.is_text or look.is_whole)


def _by_values(look: Look) -> Guess:
    if look.values == 1 and not look.domain.has_missing:
        return Guess("other", "every row has the same value")
    if look.is_text and look.values > FEW:
        return Guess("drop", UNKNOWN, by="nothing")
    return Guess("quasi", "nothing says what it is; this is the safe side", by="nothing")


def _only_candidates(guesses: Mapping[str, Guess]) -> list[str]:
    """Where no column is quasi, name those that are most likely to be."""
    if any(guess.role == "quasi" for guess in guesses.values()):
        return []
    return next((names for names in _by_likelihood(guesses) if names), [])


def _by_likelihood(guesses: Mapping[str, Guess]) -> Iterator[list[str]]:
    yield [name for name, guess in guesses.items() if guess.role == "other"]
    yield [name for name, guess in guesses.items() if guess.role == "sensitive"]
