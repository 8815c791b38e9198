"""HIPAA's Safe Harbor: which published columns look like one of the 18 identifiers.

References
----------
45 CFR 164.514(b)(2); Office for Civil Rights, "Guidance regarding methods for de-identification of
protected health information" (2012), for the three-digit ZIP codes of at most 20,000 people.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from indistinct.errors import DoesNotHoldError, Fault
from indistinct.hierarchy.calendar import stretch
from indistinct.io.encoding import comparable, encode
from indistinct.plan.contents import content_of
from indistinct.plan.naming import sign_of
from indistinct.plan.patterns import Texts
from indistinct.risk.counted import CountedRows
from indistinct.risk.covers import range_ends

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from indistinct.plan import Plan
    from indistinct.plan.columns import Column
    from indistinct.risk.counted import Rows

MOSTLY_DISTINCT = 0.9
_FEW = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
FEW_PEOPLE = frozenset(re.findall(r"\d+", _FEW))
OLDEST = 89

_NAMES = {
    "A": ("names", r"name|surname|firstname|lastname|forename|initials"),
    "B": (
        "places smaller than a state",
        r"address|street|city|town|county|precinct|parish|neighbou?rhood|lat(itude)?|lon(gitude)?",
    ),
    "D": ("telephone numbers", r"phone|telephone|mobile|cell|tel"),
    "E": ("fax numbers", r"fax"),
    "F": ("e-mail addresses", r"email|e-?mail"),
    "G": ("social security numbers", r"ssn|social_?security"),
    "H": ("medical record numbers", r"mrn|medical_?record|chart_?(no|number|id)"),
    "I": ("health plan numbers", r"beneficiary|health_?plan|member_?(no|number|id)|policy_?no"),
    "J": ("account numbers", r"account|iban"),
    "K": ("certificate or license numbers", r"licen[cs]e|certificate|passport"),
    "L": ("vehicle identifiers", r"vin|plate|vehicle"),
    "M": ("device identifiers", r"device|serial|imei|udi"),
    "N": ("web addresses", r"url|web|website|homepage"),
    "O": ("IP addresses", r"ip"),
    "P": ("biometric identifiers", r"fingerprint|voice_?print|retina|iris|biometric"),
    "Q": ("full-face photographs", r"photo|photograph|picture|face_?image"),
    "R": ("other identifying numbers or codes", r"id|ids|uuid|guid|identifier"),
}
_NAME_PATTERNS = {
    letter: (what, re.compile(rf"(^|[_\W])({words})($|[_\W])", re.IGNORECASE))
    for letter, (what, words) in _NAMES.items()
}
_LETTERS = {"name": "A", "contact": "B", "person": "R"}
_ZIP = re.compile(r"(^|[_\W])(zip|zip_?code|postal|postal_?code|postcode)($|[_\W])", re.IGNORECASE)
_ZIP_SHOWN = re.compile(r"(\d{3})(?:[*X]{0,2}|00)")
_AGE = re.compile(r"(^|[_\W])(age|ages)(_low|_high|_mean|_median)?($|[_\W])", re.IGNORECASE)
_BIRTH = re.compile(r"birth|born|dob", re.IGNORECASE)
_DATE_HINT = r"\d[-/.]\d{1,2}[-/.]\d|^\d{1,4}[-/]|^\["
_DAY = re.compile(r"(?<!\d)\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)")


@dataclass(frozen=True)
class Identifier:
    """A column that holds one of the 18 identifiers, as far as name and contents show.

    Attributes
    ----------
    letter
        The paragraph of 45 CFR 164.514(b)(2)(i), A to R.
    reason
        What speaks for it.
    """

    column: str
    letter: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"column": self.column, "paragraph": self.letter, "reason": self.reason}


def safe_harbor(
    rows: Rows, *, allowed: Collection[str] = (), year: int | None = None
) -> list[Identifier]:
    """Look through a table for the 18 identifiers.

    Names of columns and all values are looked at, and one value that shows a pattern is enough.
    What neither betrays (a name inside a free text, say) is not found.

    Parameters
    ----------
    allowed
        Columns that are known not to identify: random pseudonyms.
    year
        Against which years of birth are held; this year's.

    Examples
    --------
    >>> import pyarrow as pa
    >>> for identifier in safe_harbor(pa.table({"zip": ["941**", "9413*"], "age": ["35", "93"]})):
    ...     print(identifier.letter, identifier.column, identifier.reason)
    B zip it shows more of a ZIP code than its first three digits
    C age it distinguishes ages above 89; 90 and over must be one group
    """
    this_year = year or datetime.now(tz=UTC).year
    counted = CountedRows.of(rows)
    identifiers = []
    for name in counted.rows.column_names:
        if name not in allowed and comparable(counted.rows.field(name).type):
            identifiers += _of_column(name, counted, this_year)
    return identifiers


def hold_to_preset(plan: Plan, rows: Rows) -> None:
    """Raise if published rows break the rules of the plan's preset.

    Raises
    ------
    DoesNotHoldError
        With each column that looks like one of the 18 identifiers.
    """
    if plan.preset != "hipaa-safe-harbor":
        return
    identifiers = safe_harbor(rows, allowed=_random_pseudonyms(plan.columns))
    if identifiers:
        raise DoesNotHoldError(
            Fault(
                f"column {identifier.column!r}",
                f"{identifier.reason} (Safe Harbor, paragraph {identifier.letter})",
                "Drop it, generalize it, or leave out the preset.",
            )
            for identifier in identifiers
        )


def _random_pseudonyms(columns: Mapping[str, Column]) -> set[str]:
    """Name the columns that hold random tokens, which say nothing about anybody."""
    return {n for n, c in columns.items() if c.pseudonym and c.pseudonym.kind == "random"}


def _of_column(name: str, counted: CountedRows, year: int) -> list[Identifier]:
    texts = encode(counted.rows.column(name), name).domain.known
    if _ZIP.search(name):
        return [Identifier(name, "B", reason) for reason in _zip_problems(texts)]
    if by_name := _by_name(name):
        return [by_name]
    if content := content_of(texts):
        what = "its values look like" if not content.alone else "it holds"
        return [Identifier(name, content.paragraph, f"{what} {content.what}")]
    reasons = [("C", reason) for reason in _time_problems(name, Texts.of(texts), year)]
    if not reasons and _are_codes(texts, counted.number):
        reasons = [("R", "nearly every row has a different code")]
    return [Identifier(name, letter, reason) for letter, reason in reasons]


def _by_name(name: str) -> Identifier | None:
    for letter, (what, pattern) in _NAME_PATTERNS.items():
        if pattern.search(name):
            return Identifier(name, letter, f"its name suggests {what}")
    sign = sign_of(name)
    if sign is not None and sign.role == "identifier" and not sign.generic:
        return Identifier(name, _LETTERS[sign.kind], f"its name suggests {sign.what}")
    return None


def _zip_problems(texts: tuple[str, ...]) -> Iterator[str]:
    shown = [match[1] for text in texts if (match := _ZIP_SHOWN.fullmatch(text))]
    wide = sum(
        set(text) <= {"*"} or re.fullmatch(r"\d{1,2}[*X]+", text) is not None for text in texts
    )
    if len(shown) + wide < len(texts):
        yield "it shows more of a ZIP code than its first three digits"
    few = sorted(FEW_PEOPLE.intersection(shown))
    if few:
        yield f"at most 20,000 people live in ZIP codes that begin with {', '.join(few)}; write 000"


def _time_problems(name: str, texts: Texts, year: int) -> Iterator[str]:
    born = _BIRTH.search(name) is not None
    if any(map(_is_finer_than_a_year, texts.matching(_DATE_HINT))):
        yield "it shows more of a date than the year"
    elif born and any(_year_below(text, year - OLDEST) for text in texts.matching(r"^\d{4}$")):
        yield f"it shows years of birth of people above {OLDEST}"
    if _AGE.search(name) and any(map(_tells_old_ages_apart, texts.matching(r"\d\d"))):
        yield f"it distinguishes ages above {OLDEST}; 90 and over must be one group"


def _is_finer_than_a_year(text: str) -> bool:
    if _DAY.search(text):
        return True
    if ends := range_ends(text):
        return any(map(_is_finer_than_a_year, ends[:2]))
    days = stretch(text) if not text.isdigit() else None
    return days is not None and days[1] - days[0] < 365


def _year_below(text: str, least: int) -> bool:
    return re.fullmatch(r"\d{4}", text) is not None and int(text) < least


def _tells_old_ages_apart(text: str) -> bool:
    if text.startswith(">"):
        return _number(text.lstrip(">=")) > OLDEST + 1
    _, shown, closed = range_ends(text) or ("", text, "]")
    return _number(shown) > OLDEST + (closed == ")")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _are_codes(texts: tuple[str, ...], rows: int) -> bool:
    """Return whether nearly every row has a text of its own that is no number."""
    if rows < 20 or len(texts) <= MOSTLY_DISTINCT * rows:
        return False
    return len(Texts.of(texts).only(r"^-?\d+(\.\d+)?$")) < len(texts)
