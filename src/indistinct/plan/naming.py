"""What the name of a column says about it: words that people use for what they collect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

GuessedRole = Literal["identifier", "quasi", "sensitive"]
Kind = Literal["age", "postal", "moment", "category", "person", ""]

_PEOPLE = (
    "patient|person|respondent|participant|subject|customer|client|employee|member|user|student|"
    "citizen|resident|worker|donor|pupil|owner|tenant"
)


@dataclass(frozen=True)
class Sign:
    """A group of words, and what a column is that is named by one of them.

    Attributes
    ----------
    what
        Behind "its name sounds like".
    kind
        What its values are likely to be, where that says how they indistinct; "person" where the
        column tells people apart.
    """

    role: GuessedRole
    what: str
    words: str
    kind: Kind = ""

    def fits(self, name: str) -> bool:
        """Tell whether one of the words is in a name that `spread` has taken apart."""
        return re.search(rf"(?:^|_)(?:{self.words})\d*(?:_|$)", name) is not None


# The first that fits counts: "sexual_orientation" before "sex", "city_name" before "name".
_SIGNS = (
    Sign(
        "identifier",
        "the name of a person",
        r"surname|forename|(?:first|last|full|user|nick)name|login|signature|initials|"
        rf"(?:first|last|full|family|given|middle|maiden|user|{_PEOPLE})_name",
    ),
    Sign(
        "identifier",
        "a number of one person",
        r"ssn|sin|nino|nhs|mrn|uuid|guid|social_security|passport|licen[cs]e|fingerprint|iban|"
        rf"(?:{_PEOPLE})_?(?:id|no|nr|num|number|key|code)",
        "person",
    ),
    Sign(
        "identifier",
        "an address that reaches a person",
        r"e_?mail|phone|telephone|mobile|tel|fax|address|street|url|website|homepage|ip|imei|"
        r"plate|photo|picture",
    ),
    Sign(
        "sensitive",
        "a matter of health",
        r"diagnos[ie]s|diseases?|illness(?:es)?|conditions?|disorders?|symptoms?|icd|hiv|aids|"
        r"cancer|drugs?|medications?|medicines?|treatments?|therapy|procedures?|disab\w*|"
        r"mental\w*|pregnan\w*|prescriptions?|allerg\w*",
    ),
    Sign(
        "sensitive", "money", r"salar(?:y|ies)|wages?|incomes?|earnings?|debts?|wealth|credit_score"
    ),
    Sign(
        "sensitive", "a belief or membership", r"religio\w*|faith|politic\w*|party|trade_union|vote"
    ),
    Sign("sensitive", "intimate life", r"sexual\w*|orientation"),
    Sign(
        "sensitive",
        "a matter of law",
        r"crim(?:e|es|inal)|offen[cs]es?|convict\w*|arrests?",
    ),
    Sign("quasi", "an age", r"ages?", "age"),
    Sign("quasi", "a postal code", r"zip\w*|postal\w*|post_?code|plz", "postal"),
    Sign(
        "quasi",
        "a date",
        r"\w*birth\w*|born|dob|yob|dates?|days?|months?|years?|time|timestamp|admi(?:ssion|tted)|"
        r"discharged?|visits?|deaths?|died|hired",
        "moment",
    ),
    Sign("quasi", "sex", r"sex|gender", "category"),
    Sign(
        "quasi",
        "origin",
        r"races?|ethnic\w*|nation\w*|citizenship|country|native|origin|immigra\w*|languages?",
        "category",
    ),
    Sign(
        "quasi",
        "family",
        r"marital|married|marriage|civil|spouse|relationship|famil(?:y|ies)|child|children|household",
        "category",
    ),
    Sign(
        "quasi",
        "education",
        r"educat\w*|degree|school\w*|qualifications?|university|college",
        "category",
    ),
    Sign(
        "quasi",
        "work",
        r"occupations?|jobs?|professions?|employ\w*|work\w*|industry|sector|title|position|rank",
        "category",
    ),
    Sign(
        "quasi",
        "a place",
        r"regions?|city|cities|town|village|county|state|provinces?|district|municipality|"
        r"places?|locations?|residence|department|area|territory|neighbou?rhood|parish|"
        r"lat|latitude|lon|lng|longitude|ward|hospital|clinic|facility",
        "category",
    ),
    Sign("quasi", "looks", r"height|weight|bmi|hair|eyes?|blood_?(?:type|group)"),
    Sign(
        "identifier",
        "a number of one person",
        rf"ids?|identifier|{_PEOPLE}",
        "person",
    ),
    Sign("identifier", "the name or number of one person", r"names?|accounts?|serial|record"),
)


def sign_of(name: str) -> Sign | None:
    """Find what the name of a column says about it.

    >>> [sign_of(name).what for name in ("DateOfBirth", "ZIP5", "patient-id", "city_name")]
    ['a date', 'a postal code', 'a number of one person', 'a place']
    >>> sign_of("PAY_0") is None
    True
    """
    words = spread(name)
    return next((sign for sign in _SIGNS if sign.fits(words)), None)


def names_people(name: str) -> bool:
    """Tell whether a name says outright that its column is about people."""
    return re.search(rf"(?:^|_)(?:{_PEOPLE})(?:_|$)", spread(name)) is not None


def spread(name: str) -> str:
    """Put underscores between the words of a name, all in lower case.

    >>> spread("native-Country"), spread("dateOfBirth")
    ('native_country', 'date_of_birth')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", parted).strip("_").lower()
