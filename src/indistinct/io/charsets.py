"""Text encodings: whether one exists, and which one a file is likely to be in.

A file is read in the encoding that is asked for, or UTF-8; a likely one is only named in a fault.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from indistinct.errors import DataError, Fault
from indistinct.io.packing import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

LOOKED_AT = 1 << 20
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WESTERN = ("cp1252", "cp850")
_OTHER_ALPHABETS = ("cp1251", "koi8-r")
_NO_CHARSETS = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
_TRIAL = "a;b\n"
_ASCII = 128
_LATIN_1_HOLES = range(0x80, 0xA0)


def refuse_unknown(encoding: str, path: Path) -> None:
    """Raise if there is no text encoding of this name, or none that a table can be in."""
    try:
        name = codecs.lookup(encoding).name.replace("_", "-")
        if name not in _NO_CHARSETS and _TRIAL.encode(encoding).decode(encoding) == _TRIAL:
            return
    except (LookupError, ValueError):
        pass
    remedy = "Try utf-8, latin-1 or cp1252."
    raise DataError(Fault(str(path), f"there is no encoding {encoding!r}", remedy))


def marked_encoding(start: bytes) -> str | None:
    """Return the encoding by the byte-order mark at the start of a file; None without one."""
    longest_first = sorted(MARKS, key=len, reverse=True)
    return next((MARKS[mark] for mark in longest_first if start.startswith(mark)), None)


def looks_like(path: Path, line: bytes = b"") -> str:
    """Name the likely encoding of a file by its first part, and by a line that did not fit."""
    with read_bytes(path) as handle:
        return likely_encoding(handle.read(LOOKED_AT) + line)


def likely_encoding(raw: bytes) -> str:
    """Name the encoding that some text is most likely in.

    A mark at the start decides; so do zero bytes (UTF-16), and bytes that fit UTF-8, which others
    do by accident only. Else the western one in which most of the other bytes are letters, unless
    they mostly stand together, as they do where a whole alphabet lies there.

    >>> [likely_encoding("Köln;Straße;Zoë".encode(name)) for name in ("utf-8", "utf-16-le")]
    ['utf-8', 'utf-16-le']
    >>> [likely_encoding("Köln;Straße;Zoë".encode(name)) for name in ("latin-1", "cp850")]
    ['latin-1', 'cp850']
    >>> likely_encoding("Köln; 5 €".encode("cp1252")), likely_encoding("Иван".encode("cp1251"))
    ('cp1252', 'cp1251')
    """
    if marked := marked_encoding(raw):
        return marked
    if zeros := raw.count(0):
        return "utf-16-be" if 2 * raw[::2].count(0) > zeros else "utf-16-le"
    if _fits_utf_8(raw):
        return "utf-8"
    high = [place for place, byte in enumerate(raw) if byte >= _ASCII]
    together = sum(1 for place in high if raw[place + 1 : place + 2] > b"\x7f")
    if 2 * together > len(high):
        return _other_alphabet(raw)
    best = max(_WESTERN, key=lambda name: _letters(raw, name))
    if best == "cp1252" and not any(raw[place] in _LATIN_1_HOLES for place in high):
        return "latin-1"
    return best


def _other_alphabet(raw: bytes) -> str:
    """Choose where most bytes beyond ASCII stand together: Cyrillic by its small letters."""
    best = max(_OTHER_ALPHABETS, key=lambda name: _letters(raw, name))
    if 3 * _letters(raw, best) > 2 * sum(byte >= _ASCII for byte in raw):
        return best
    kana = sum("\u3040" <= letter <= "\u30ff" for letter in raw.decode("shift_jis", "replace"))
    return "shift_jis" if kana else "gb18030"


def _fits_utf_8(raw: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError:
        return False
    return True


def _letters(raw: bytes, encoding: str) -> int:
    """Count the bytes beyond ASCII that are small letters of an encoding."""
    others = bytes(byte for byte in raw if byte >= _ASCII)
    return sum(letter.islower() for letter in others.decode(encoding, errors="replace"))
