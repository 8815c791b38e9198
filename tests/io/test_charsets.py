"""Encodings: what a file is likely in is named, and nothing that is asked for breaks."""

from __future__ import annotations

from contextlib import suppress
from encodings.aliases import aliases

import pytest

from indistinct.errors import DataError, IndistinctError
from indistinct.io.charsets import likely_encoding
from indistinct.io.files import FileSource

TEXT = "Name;Straße;Bemerkung\nJürgen;Große Gasse 5;„Grüße“ für 3 €\n"
ODD = ["", "\0", "é", "x" * 10_000, "idna", "punycode", "undefined", "unicode_escape", "\ud800"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_is_told_by_its_bytes(encoding):
    assert likely_encoding(TEXT.encode(encoding)) == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (TEXT, "cp1252"),
        ("Käthe;Müller;Zoë;señor\n", "latin-1"),
        ("Käthe;Müller;Zoë;señor\n", "cp850"),
        ("Иван;Петров;Москва\n", "cp1251"),
        ("Иван;Петров;Москва\n", "koi8-r"),
        ("ひらがな;カタカナ\n", "shift_jis"),
    ],
)
def test_other_encodings_are_told_by_letters(text, encoding):
    assert likely_encoding(text.encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", ["latin-1", "cp850", "cp1252"])
def test_a_wrong_byte_names_the_likely_encoding(tmp_path, encoding):
    text = "Name;Ort\nZoë;Köln\n" + (" 5 €;x\n" if encoding == "cp1252" else "")
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    with pytest.raises(DataError) as caught:
        FileSource.of(tmp_path / "x.csv").read()
    assert f"--encoding {encoding}," in caught.value.faults[0].remedy
    assert "Zo" not in str(caught.value)


def test_utf_8_read_as_utf_16_is_a_fault_that_says_so(tmp_path):
    (tmp_path / "x.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"it is not utf-16 text\. It looks like utf-8"):
        FileSource.of(tmp_path / "x.csv", encoding="utf-16").read()


@pytest.mark.parametrize("content", ["utf-8", "latin-1", "utf-16", "utf-32", "bytes", "zeros"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of some of Python's own encodings
def test_every_encoding_reads_a_file_or_is_a_fault(tmp_path, content):
    odd = {"bytes": bytes(range(256)) * 4, "zeros": b"\0" * 10}
    text = 'naïve;zip\n"Zo\né";02139\n'
    (tmp_path / "x.csv").write_bytes(odd.get(content) or text.encode(content))
    for encoding in [*sorted(set(aliases.values())), *ODD]:
        with suppress(IndistinctError):
            FileSource.of(tmp_path / "x.csv", encoding=encoding).read()
