"""What the name of a column says about it, in six languages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from indistinct.plan import words

GuessedRole = Literal["identifier", "quasi", "sensitive", "drop"]
Kind = Literal[
    "age",
    "postal",
    "moment",
    "category",
    "person",
    "name",
    "contact",
    "text",
    "amount",
    "point",
    "",
]


@dataclass(frozen=True)
class Sign:
    """A group of words, and what a column is that is named by one of them.

    Attributes
    ----------
    what
        Behind "its name suggests".
    kind
        What its values are likely to be, where that says how they coarsen; "person" where the
        column tells people apart.
    lasting
        Whether it stays the same in all rows of a person.
    generic
        Whether things are numbered by such a name as well as people.
    """

    role: GuessedRole
    what: str
    words: str
    kind: Kind = ""
    lasting: bool = False
    generic: bool = False

    def fits(self, name: str) -> bool:
        """Return whether one of the words is in a name that `spread` has taken apart."""
        return re.search(rf"(?:^|_)(?:{self.words})\d*(?:_|$)", name) is not None


# The first that fits counts: "sexual_orientation" before "sex", "city_name" before "name".
_SIGNS = (
    Sign("identifier", "the name of a person", words.PERSON_NAMES, "name", lasting=True),
    Sign("identifier", "a person's number", words.PERSON_NUMBERS, "person", lasting=True),
    Sign("identifier", "a person's address", words.CONTACTS, "contact", lasting=True),
    Sign("drop", "free text, which may name people", words.FREE_TEXTS, "text"),
    Sign("sensitive", "a matter of health", words.HEALTH),
    Sign("sensitive", "money", words.MONEY, "amount"),
    Sign("sensitive", "a belief or membership", words.BELIEFS),
    Sign("sensitive", "intimate life", words.INTIMATE),
    Sign("sensitive", "a matter of law", words.LAW),
    Sign("identifier", "the number of an event", words.EVENTS, "person", generic=True),
    Sign("quasi", "an age", words.AGES, "age"),
    Sign("quasi", "a postal code", words.POSTAL, "postal"),
    Sign("quasi", "a date of birth", words.BIRTH, "moment", lasting=True),
    Sign("quasi", "a date", words.DATES, "moment"),
    Sign("quasi", "sex", words.SEX, "category", lasting=True),
    Sign("quasi", "origin", words.ORIGIN, "category", lasting=True),
    Sign("quasi", "family", words.FAMILY, "category"),
    Sign("quasi", "education", words.EDUCATION, "category"),
    Sign("quasi", "work", words.WORK, "category"),
    Sign("quasi", "a point on the map", words.POINTS, "point"),
    Sign("quasi", "a place", words.PLACES, "category"),
    Sign("quasi", "looks", words.LOOKS),
    Sign("quasi", "an amount or a measurement", words.AMOUNTS, "amount"),
    Sign("quasi", "a thing, not a person", words.THINGS, "category"),
    Sign("identifier", "a person's number", words.NUMBERS, "person", generic=True),
    Sign("identifier", "a person's name or number", words.LABELS, "name", lasting=True),
)


def sign_of(name: str) -> Sign | None:
    """Find what the name of a column says about it.

    >>> [sign_of(name).what for name in ("DateOfBirth", "ZIP5", "patient-id", "city_name")]
    ['a date of birth', 'a postal code', "a person's number", 'a place']
    >>> [sign_of(name).what for name in ("Geburtsdatum", "code postal", "Nº paciente", "geslacht")]
    ['a date of birth', 'a postal code', "a person's number", 'sex']
    >>> sign_of("PAY_0") is None
    True
    """
    parted = spread(name)
    return next((sign for sign in _SIGNS if sign.fits(parted)), None)


def names_people(name: str) -> bool:
    """Return whether a name says outright that its column is about people."""
    return re.search(rf"(?:^|_)(?:{words.ONE_PERSON})(?:_|$)", spread(name)) is not None


def spread(name: str) -> str:
    """Put underscores between the words of a name, all in lower case and without accents.

    >>> spread("native-Country"), spread("dateOfBirth"), spread("Straße"), spread("Prénom")
    ('native_country', 'date_of_birth', 'strasse', 'prenom')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("ß", "ss"))
    letters = unicodedata.normalize("NFKD", parted)
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "_", plain).strip("_").lower()
