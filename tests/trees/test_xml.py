"""XML: what is written reads back; bombs, faults and broken files are told with their line."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import DataError, OutputError
from indistinct.trees.files import xml
from tests.profiles import examples
from tests.trees.growing import CARE, CARE_BELOW, as_set, grow, records, sets_of

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn")), min_size=1)


def put(folder, text):
    path = folder / "in.xml"
    path.write_text(text, encoding="utf-8")
    return path


@examples(40)
@given(records(CARE_BELOW, {name: ["a", ' b\n"<&>\t', "c]]>'"] for name in CARE}), TEXT)
def test_what_is_written_reads_back(listed, text):
    listed = [*listed, [("hospital", text, [])]]
    forest = grow(CARE, listed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.xml"
        xml.write(forest, path)
        assert sets_of(xml.read(path, CARE)) == sets_of(forest)


def test_values_are_attributes_or_text_and_the_rest_is_left_out(tmp_path):
    path = put(
        tmp_path,
        """<?xml version="1.0"?>
<people xmlns:m="urn:m"><!-- a comment -->
  <patient id="p1"><name>Ann <first>A</first></name>
    <hospital value="H1"><m:disease> Flu
      <treatment>Rest</treatment></m:disease><note><disease>no</disease></note></hospital>
    <hospital value="H1"><disease><![CDATA[A & B]]></disease></hospital>
  </patient>
  <patient/>
</people>""",
    )
    rest = [("treatment", "Rest", [])]
    diseases = [("disease", "Flu", rest), ("disease", "A & B", [])]
    assert sets_of(xml.read(path, CARE)) == [
        as_set([("hospital", "H1", diseases)]),
        frozenset(),
    ]


def test_a_class_that_is_no_element_name(tmp_path):
    classes = ("Medical Center", "2nd", "xmlish", "node")
    inner = ("2nd", "n", [("xmlish", "x", [("node", "y", [])])])
    forest = grow(classes, [[("Medical Center", "H", [inner])]])
    path = tmp_path / "out.xml"
    xml.write(forest, path)
    assert '<node class="Medical Center" value="H">' in path.read_text(encoding="utf-8")
    assert sets_of(xml.read(path, classes)) == sets_of(forest)


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "lol">
 <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
]>
<r><p><disease>&lol2;</disease></p></r>"""
OUTSIDE = """<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<r><p><disease>&x;</disease></p></r>"""


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (LAUGHS, 2, "it declares a document type or uses entities"),
        (OUTSIDE, 1, "it declares a document type or uses entities"),
        ('<!DOCTYPE r SYSTEM "http://example.org/r.dtd">\n<r/>', 1, "it declares a document type"),
        ("<r>\n<p><disease>&nbsp;</disease></p></r>", 2, "not well-formed XML: undefined entity"),
        ("<r>\n<p>\n<disease></p></r>", 3, "not well-formed XML: mismatched tag"),
        ("<r>\n<p/>", 2, "not well-formed XML: no element found"),
        ("not xml", 1, "not well-formed XML: syntax error"),
        ("<r>\n<p>\n<disease/></p></r>", 3, "<disease> has no value"),
        (
            "<r>\n<p><disease value='a'><disease value='b'/></disease></p></r>",
            2,
            "in this record class 'disease' occurs twice on one path",
        ),
        (
            "<r>\n\n<p><disease value='a'><hospital value='b'/></disease></p></r>",
            3,
            "class 'hospital' stands below 'disease', which comes after it",
        ),
    ],
)
def test_a_bad_file_is_told_with_its_line(text, line, told, tmp_path):
    path = put(tmp_path, text)
    with pytest.raises(DataError) as caught:
        xml.read(path, CARE)
    assert caught.value.faults[0].place == f"{path}, line {line}"
    assert told in str(caught.value)


def test_all_bad_records_are_told_at_once(tmp_path):
    bad = "<p><disease>a<disease>b</disease></disease></p>\n"
    with pytest.raises(DataError) as caught:
        xml.read(put(tmp_path, "<r>\n" + bad * 3 + "</r>"), CARE)
    assert [fault.place[-6:] for fault in caught.value.faults] == ["line 2", "line 3", "line 4"]


def test_no_records_and_no_file(tmp_path):
    with pytest.raises(DataError, match="it holds no records"):
        xml.read(put(tmp_path, "<r></r>"), CARE)
    with pytest.raises(DataError, match="there is no such file"):
        xml.read(tmp_path / "other.xml", CARE)


def test_a_character_that_xml_cannot_hold_is_refused_and_nothing_written(tmp_path):
    forest = grow(CARE, [[("disease", "a\x00b", [])]])
    with pytest.raises(OutputError, match="a character that XML cannot hold"):
        xml.write(forest, tmp_path / "out.xml")
    assert not list(tmp_path.iterdir())


def test_a_long_file_is_read_in_little_memory(tmp_path):
    """Twenty thousand records of filler that is left out must not be held at once."""
    filler = "<note>" + "x" * 500 + "</note>"
    record = f"<p>{filler}<hospital value='H1'><disease>Flu</disease></hospital></p>\n"
    path = put(tmp_path, "<r>" + record * 20_000 + "</r>")
    assert path.stat().st_size > 10_000_000
    tracemalloc.start()
    forest = xml.read(path, CARE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert forest.size == 20_000
    assert peak < 5_000_000


def test_a_value_without_end_is_refused(tmp_path):
    path = put(tmp_path, "<r><p><disease>" + "x" * 1_200_000 + "</disease></p></r>")
    with pytest.raises(DataError, match="longer than a million characters"):
        xml.read(path, CARE)
