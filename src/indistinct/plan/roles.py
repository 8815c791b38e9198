"""Which role a column may have, and why: by its name, and by what its values are like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.hierarchy.line import is_whole
from indistinct.hierarchy.order import positions
from indistinct.plan.identifiers import contents, mostly_distinct
from indistinct.plan.naming import names_people, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indistinct.hierarchy import Domain
    from indistinct.plan.naming import Kind

SuggestedRole = Literal["identifier", "quasi", "sensitive", "other", "respondent", "drop"]

ROWS_OF_ONE = 20
"""Whoever has more rows than this on average is no person."""
NEEDED = "a plan needs a quasi column, and there is no better one"


@dataclass(frozen=True)
class Guess:
    """The role of a column, as far as can be told.

    Attributes
    ----------
    why
        What speaks for the role.
    kind
        What its values are likely to be.
    by
        Whether its name or its values tell, or nothing does.
    """

    role: SuggestedRole
    why: str
    kind: Kind = ""
    by: Literal["name", "values", "nothing"] = "values"


def guess_roles(columns: Mapping[str, Domain | None], k: int) -> dict[str, Guess]:
    """Guess the role of each column from its name and values; None stands for what has none."""
    found = {name: _guess(name, domain) for name, domain in columns.items()}
    for name in _respondent(found, columns, k):
        why = f"{found[name].why}, and it repeats: k counts people, not rows"
        found[name] = replace(found[name], role="respondent", why=why)
    for name in _only_candidates(found):
        why = f"{NEEDED} (it would be {found[name].role}: {found[name].why})"
        found[name] = replace(found[name], role="quasi", why=why)
    return found


def _guess(name: str, domain: Domain | None) -> Guess:
    if domain is None:
        return Guess("drop", "lists, records and bytes cannot be compared")
    if not domain.known:
        return Guess("drop", "all its values are missing")
    sign = sign_of(name)
    if sign is None:
        return _by_values(domain)
    sounds = f"its name sounds like {sign.what}"
    if sign.role == "quasi" and _mostly_distinct(domain) and _is_free_text(domain):
        why = f"{sounds}, but nearly every row has a text of its own"
        return Guess("identifier", why)
    return Guess(sign.role, sounds, sign.kind, "name")


def _by_values(domain: Domain) -> Guess:
    line, position = positions(domain.known)
    whole = line == "number" and is_whole(position)
    if (line == "category" or whole) and (what := contents(domain.known)):
        return Guess("identifier", f"its values look like {what}")
    if (line == "category" or whole) and _mostly_distinct(domain):
        return Guess("identifier", "nearly every row has a value of its own")
    if len(domain.values) == 1:
        return Guess("other", "every row has the same value")
    return Guess("quasi", "nothing tells what it is; this is the safe side", by="nothing")


def _mostly_distinct(domain: Domain) -> bool:
    return mostly_distinct(domain, _rows(domain))


def _rows(domain: Domain) -> int:
    """Count the rows that have a value."""
    return int(np.sum(domain.counts)) - domain.rows_of.get(None, 0)


def _is_free_text(domain: Domain) -> bool:
    """Tell whether most values are words, not numbers, dates or codes."""
    if positions(domain.known)[0] != "category":
        return False
    return 2 * sum(any(c.isdigit() for c in value) for value in domain.known) < len(domain.known)


def _respondent(
    found: Mapping[str, Guess], columns: Mapping[str, Domain | None], k: int
) -> Sequence[str]:
    """Find the column that tells people with several rows apart, if one seems to."""
    numbers = [
        name
        for name, domain in columns.items()
        if domain is not None
        and (found[name].role, found[name].kind) == ("identifier", "person")
        and max(k, _rows(domain) / ROWS_OF_ONE) <= len(domain.known) < _rows(domain)
    ]
    return sorted(numbers, key=lambda name: not names_people(name))[:1]


def _only_candidates(found: Mapping[str, Guess]) -> list[str]:
    """Where no column is quasi, name those that are most likely to be."""
    if any(guess.role == "quasi" for guess in found.values()):
        return []
    return next((names for names in _by_likelihood(found) if names), [])


def _by_likelihood(found: Mapping[str, Guess]) -> Iterator[list[str]]:
    yield [name for name, guess in found.items() if guess.role == "other"]
    named = [name for name, guess in found.items() if guess.role == "identifier"]
    yield [name for name in named if found[name].by != "name"]
    yield named
    yield [name for name, guess in found.items() if guess.role == "sensitive"]
    yield [name for name, guess in found.items() if guess.role == "respondent"]
