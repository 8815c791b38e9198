"""What is written in a column that leads to a person: addresses, numbers, places, by their pattern.

This is the one list of such patterns. A suggested plan, the refusal of an unsafe one, `assess` and
the Safe Harbor preset all look through it, and through every distinct value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indistinct.plan.patterns import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOOKED_AT = 1_000


@dataclass(frozen=True)
class Content:
    """A pattern of something that leads to a person.

    Attributes
    ----------
    what
        What such values are, in the plural.
    paragraph
        Which of HIPAA's 18 identifiers it is, A to R.
    hint
        A crude pattern in the syntax of RE2, which every match has in it: it sorts out quickly.
    pattern
        The pattern itself.
    holds
        What else must be true of a match: a checksum, a range.
    alone
        Whether one value is proof. Otherwise numbers of another kind look like it too often, and
        more than half of the values must be such, each from its beginning to its end.
    """

    what: str
    paragraph: str
    hint: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = bool
    alone: bool = True

    def is_in(self, text: str) -> bool:
        """Return whether a text holds such a value; where one is no proof, whether it is one."""
        if not self.alone:
            return self.pattern.fullmatch(text) is not None and self.holds(text)
        return any(self.holds(match[0]) for match in self.pattern.finditer(text))


def content_of(texts: Sequence[str]) -> Content | None:
    """Find what leads to a person in a column, given its distinct values; all are looked at.

    >>> content_of(["ann@example.org", "-"]).what, content_of(["back on Monday", "fine"])
    ('e-mail addresses', None)
    """
    sample = texts[:: len(texts) // LOOKED_AT + 1]
    suspects = Texts.of(texts).only(_ANY_HINT)
    for content in CONTENTS:
        if content.alone and any(map(content.is_in, suspects.matching(content.hint))):
            return content
        if not content.alone and 2 * sum(map(content.is_in, sample)) > len(sample):
            return content
    return None


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _iban_holds(text: str) -> bool:
    """Test the check digits of ISO 13616: the number, turned, leaves 1 when divided by 97."""
    packed = re.sub(r"\s", "", text).upper()
    return int("".join(str(int(c, 36)) for c in packed[4:] + packed[:4])) % 97 == 1


def _luhn_holds(text: str) -> bool:
    """Test the check digit of payment cards."""
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(_digits(text)))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def _phone_holds(text: str) -> bool:
    return 8 <= len(_digits(text)) <= 15


def _dni_holds(text: str) -> bool:
    """Test the letter of a Spanish DNI or NIE."""
    packed = re.sub(r"[\s-]", "", text).upper()
    number = packed[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == packed[-1]


def _nir_holds(text: str) -> bool:
    """Test the key of a French social security number."""
    packed = re.sub(r"\s", "", text).upper().replace("2A", "19").replace("2B", "18")
    return len(packed) == 15 and 97 - int(packed[:13]) % 97 == int(packed[13:])


def _eleven_holds(text: str) -> bool:
    """Test a Dutch BSN: digits times 9, 8, ..., 2 and -1 add up to a multiple of 11."""
    digits = [int(d) for d in _digits(text)]
    return (
        any(digits)
        and sum(a * b for a, b in zip(digits, (*range(9, 1, -1), -1), strict=True)) % 11 == 0
    )


def _tax_id_holds(text: str) -> bool:
    """Test the check digit of a German tax number (ISO 7064, mod 11, 10)."""
    digits, product = [int(d) for d in _digits(text)], 10
    for digit in digits[:-1]:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == digits[-1]


def _ip_holds(text: str) -> bool:
    return all(int(part) < 256 for part in text.split("."))


def _place_holds(text: str) -> bool:
    lat, lon = (abs(float(part)) for part in re.findall(r"-?\d+\.\d+", text)[:2])
    return lat <= 90 and lon <= 180


_EDGE, _END = r"(?<![\w.+-])", r"(?![\w-])"
_PHONE = "|".join(
    (
        r"(?:\+|00)[1-9]\d{0,2}[ ./-]{0,3}(?:\(0?\d{0,5}\)[ ./-]{0,3})?\d(?:[ ./-]{0,3}\d){5,12}",
        r"\(0?\d{2,5}\)[ ./-]{0,3}\d(?:[ -]?\d){4,9}",
        r"0[1-9]\d{1,4}(?:[ /-]| / | - )[1-9]\d{1,}(?:[ -]?\d){2,8}",
        r"0[1-9](?:[ .-]\d\d){4}",
        r"[2-9]\d\d[ .-]\d{3}[ .-]?\d{4}",
    )
)
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PAIR = r"(?<![\[\d.{-])-?\d{1,2}\.\d{3,}(?:\s*[,;/ ]\s*)-?\d{1,3}\.\d{3,}(?![\d\])}])"

CONTENTS = (
    Content(
        "e-mail addresses",
        "F",
        r"@",
        re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[a-zA-Z]{2,}"),
    ),
    Content(
        "web addresses",
        "N",
        r"://|[wW]{3}\.",
        re.compile(r"[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+\.\w+", re.IGNORECASE),
    ),
    Content("UUIDs", "R", r"[0-9a-fA-F]{4}-[0-9a-fA-F]{12}", re.compile(rf"\b{_UUID}\b")),
    Content(
        "account numbers (IBAN)",
        "J",
        r"[A-Za-z]{2}[0-9]{2} ?[A-Za-z0-9]{4}",
        re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b", re.IGNORECASE),
        _iban_holds,
    ),
    Content(
        "social security numbers",
        "G",
        r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
        re.compile(rf"{_EDGE}(?!000|9)\d{{3}}-(?!00)\d\d-(?!0000)\d{{4}}{_END}"),
    ),
    Content(
        "numbers of payment cards",
        "J",
        r"[0-9]{4}[ -][0-9]{4,6}[ -][0-9]{4,5}",
        re.compile(
            rf"{_EDGE}(?:\d{{4}}[ -]){{3}}\d{{4}}{_END}|{_EDGE}3\d{{3}}[ -]\d{{6}}[ -]\d{{5}}{_END}"
        ),
        _luhn_holds,
    ),
    Content(
        "telephone numbers",
        "D",
        rf"(?:^|[^0-9A-Za-z])(?:{_PHONE})",
        re.compile(rf"{_EDGE}(?<![\[/:])(?:{_PHONE})(?!\d|[./:-]\d)"),
        _phone_holds,
    ),
    Content(
        "IP addresses",
        "O",
        r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}",
        re.compile(rf"{_EDGE}(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?![\w-]|\.\d)"),
        _ip_holds,
    ),
    Content(
        "IP addresses",
        "O",
        r"(?:[0-9a-fA-F]{1,4}:){3}",
        re.compile(
            r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?(?:[0-9a-f]{1,4}:?){0,4}[0-9a-f]{1,4}(?![\w:])",
            re.IGNORECASE,
        ),
        lambda text: "::" in text or text.count(":") == 7,
    ),
    Content(
        "coordinates",
        "B",
        r"(?:^|[^\[0-9.{-])-?[0-9]{1,2}\.[0-9]{3,}\s*[,;/ ]\s*-?[0-9]{1,3}\.[0-9]{3}",
        re.compile(_PAIR),
        _place_holds,
    ),
    Content(
        "device addresses",
        "M",
        r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}",
        re.compile(r"(?<![\w:-])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:-])"),
    ),
    Content(
        "Italian tax codes",
        "R",
        r"[A-Za-z]{6}[0-9]{2}[A-Za-z][0-9]{2}[A-Za-z][0-9]{3}[A-Za-z]",
        re.compile(r"\b[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]\b", re.IGNORECASE),
    ),
    Content(
        "French social security numbers",
        "G",
        r"\b[12] ?[0-9]{2} ?[01][0-9] ?[0-9][0-9AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}\b",
        re.compile(rf"{_EDGE}[12] ?\d\d ?[01]\d ?\d[\dAB] ?\d{{3}} ?\d{{3}} ?\d\d{_END}"),
        _nir_holds,
    ),
    Content(
        "German social security numbers",
        "G",
        r"[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3}",
        re.compile(rf"{_EDGE}\d\d ?[0-3]\d[01]\d\d\d ?[A-Z] ?\d{{3}}{_END}"),
    ),
    Content(
        "British national insurance numbers",
        "G",
        r"[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",
        re.compile(rf"{_EDGE}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]{_END}"),
        alone=False,
    ),
    Content(
        "Spanish identity numbers",
        "R",
        r"[0-9XYZ][0-9]{7}-?[A-Z]",
        re.compile(r"[\dXYZ]\d{7}[ -]?[A-HJ-NP-TV-Z]", re.IGNORECASE),
        _dni_holds,
        alone=False,
    ),
    Content(
        "Dutch citizen numbers", "R", r"[0-9]{9}", re.compile(r"\d{9}"), _eleven_holds, alone=False
    ),
    Content(
        "German tax numbers",
        "R",
        r"[0-9]{11}",
        re.compile(r"[1-9]\d{10}"),
        _tax_id_holds,
        alone=False,
    ),
    Content(
        "German health insurance numbers",
        "I",
        r"[A-Z][0-9]{9}",
        re.compile(r"[A-Z]\d{9}"),
        alone=False,
    ),
    Content(
        "numbers of payment cards",
        "J",
        r"[0-9]{13,16}",
        re.compile(r"[3-6]\d{12,15}"),
        _luhn_holds,
        alone=False,
    ),
    Content(
        "telephone numbers",
        "D",
        r"[0-9]{9}",
        re.compile(r"0[1-9]\d{7,10}|[679]\d{2}[ .]?\d{3}[ .]?\d{3}|[679]\d{2}(?:[ .]\d\d){3}"),
        alone=False,
    ),
)
_ANY_HINT = "|".join(f"(?:{content.hint})" for content in CONTENTS if content.alone)
