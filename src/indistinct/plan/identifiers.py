"""Which columns look like identifiers, by their name and by what is in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indistinct.plan.naming import sign_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.hierarchy import Domain

LOOKED_AT = 200
MOSTLY_DISTINCT = 0.9
FEW_ROWS = 20

_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_CONTENTS = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}"),
    "social security numbers": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "IP addresses": re.compile(r"(\d{1,3}\.){3}\d{1,3}"),
    "UUIDs": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "phone numbers": re.compile(rf"(?!{_DATE}$)\+?\d[\d\s()/.-]{{8,}}\d"),
}


def identifier_reason(name: str, domain: Domain, rows: int) -> str | None:
    """Say why a column looks like an identifier; None if it does not."""
    sign = sign_of(name)
    if sign is not None and sign.role == "identifier":
        return f"its name sounds like {sign.what}"
    if what := contents(domain.known):
        return f"its values look like {what}"
    if mostly_distinct(domain, rows):
        return f"{len(domain.known)} of {rows} rows have a value of their own"
    return None


def contents(values: Sequence[str]) -> str | None:
    """Say what the values of a column look like, if it is something that names people.

    >>> contents(["ann@example.org", "bob@example.org"])
    'e-mail addresses'
    """
    sample = values[:LOOKED_AT]
    for what, pattern in _CONTENTS.items():
        if sample and sum(bool(pattern.fullmatch(value)) for value in sample) > len(sample) / 2:
            return what
    return None


def mostly_distinct(domain: Domain, rows: int) -> bool:
    """Tell whether nearly every row has a value of its own."""
    return rows >= FEW_ROWS and len(domain.known) > MOSTLY_DISTINCT * rows
