from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, OutputError
from indistinct.hierarchy import Hierarchy, read_csv, write_csv
from tests.hierarchy.sound import assert_same, assert_sound, build, faults_of


@pytest.fixture
def write(tmp_path):
    def written(content, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def faults(path, **options):
    with pytest.raises(HierarchyError) as caught:
        read_csv(path, **options)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_delimiter_is_found(write, mark, end):
    path = write(end.join(mark.join(line) for line in (["a", "x 1", "*"], ["b", "y 2", "*"])))
    assert read_csv(path).paths() == [("a", "x 1", "*"), ("b", "y 2", "*")]


def test_the_delimiter_is_the_one_that_leaves_one_top(write):
    assert read_csv(write("a;b,x,*\nc;d,x,*\n")).paths()[0] == ("a;b", "x", "*")
    assert read_csv(write("a;x, y, z;*\nb;x, y, z;*\n")).paths()[0] == ("a", "x, y, z", "*")


def test_the_delimiter_can_be_given(write):
    assert read_csv(write("a:b\nc:b\n"), delimiter=":").paths() == [("a", "b"), ("c", "b")]


def test_quotes_blank_lines_repeats_and_a_byte_order_mark(write):
    path = write('\ufeff"a;1";x;*\n\n"say ""b""";x;*\n   \n'.replace("   ", "") + '"a;1";x;*\n')
    assert read_csv(path).leaves == ("a;1", 'say "b"')


def test_an_empty_first_field_is_the_missing_value(write):
    h = read_csv(write("a;x;*\n;x;*\nb;b;*\n"))
    assert h.leaves == ("a", None, "b")
    assert build({"csv": "h.csv"}, ["a", None], base=write("a;*\n;*\n").parent).size == 2


def test_another_encoding(write):
    path = write("Zürich;*\nGenève;*\n".encode("cp1252"))
    assert read_csv(path, encoding="cp1252").leaves == ("Zürich", "Genève")
    (told,) = faults(path)
    assert f"file {path}, line 1: byte 0xfc is not UTF-8 text" in told
    assert 'encoding = "cp1252"' in told
    (told,) = faults(path, encoding="klingon")
    assert "no encoding 'klingon'" in told
    (told,) = faults(write("a;*\n".encode("utf-16")))
    assert 'encoding = "utf-16"' in told


def test_a_file_that_is_not_there(write, tmp_path):
    write("a;*\n", "age.csv")
    (told,) = faults_of({"csv": "ages.csv"}, ["a"], base=tmp_path)
    assert told == (
        f"column 'x', file {tmp_path / 'ages.csv'}: there is no such file. Paths in a plan start "
        "from the plan's folder. Closest there: 'age.csv'."
    )
    (told,) = faults(tmp_path / "no" / "age.csv")
    assert f"There is no folder {tmp_path / 'no'} either" in told
    (told,) = faults(tmp_path / "zzzzzz.parquet")
    assert told.endswith("start from the plan's folder.")


def test_a_file_that_cannot_be_read(tmp_path):
    (told,) = faults(tmp_path)
    assert f"file {tmp_path}: it cannot be read: it is a folder" in told


def test_an_empty_file(write):
    path = write("\n\n")
    assert faults(path) == [
        f"file {path}: it is empty. Give one line per value: value;level 1;...;*"
    ]


def test_an_open_quotation_mark(write):
    (told,) = faults(write('a;x;*\n"b;x;*\n'), delimiter=";")
    assert "line 2: it cannot be read: unexpected end of data" in told
    assert "Close every quotation mark" in told


def test_all_faults_of_a_file_with_their_lines(write):
    path = write("30;30-39;*\n31;30-39;*\n\n31;40-49;*\n32;30-39\n33;;*\nage;group;top\n")
    told = faults(path)
    assert told[0] == (
        f"file {path}, line 5: value '32' has 1 level where others have 2. Give every value the "
        "same number of levels; repeat a value to fill a level."
    )
    assert told[1].startswith(f"file {path}, line 6: value '33' has nothing on level 1.")
    assert told[2].startswith(
        f"file {path}, level 0: '31' has 2 parents on level 1: '30-39' (1 value, first on line 2), "
        "'40-49' (1 value, first on line 4); a value has exactly one parent."
    )
    assert "'*' (4 values, first on line 1), 'top' (1 value, first on line 7)" in told[3]
    assert told[3].endswith("there is no header line.")
    assert len(told) == 4


def test_values_that_the_file_does_not_name(write):
    base = write("Male;*\nFemale;*\n").parent
    told = faults_of({"csv": "h.csv"}, ["Male", "male", "male", "X", None], base=base)
    assert told == [
        (
            "column 'x': value 'male' (2 rows) is not in the hierarchy. Add a line for it to the "
            "hierarchy's file, or correct the data. Closest value there: 'Male'."
        ),
        (
            "column 'x': value 'X' (1 row) is not in the hierarchy. Add a line for it to the "
            "hierarchy's file, or correct the data."
        ),
    ]


def test_written_and_read_back(tmp_path):
    h = Hierarchy.from_paths([["a;b", "x", "*"], ["c", 'y"z', "*"], [None, None, "*"]])
    path = tmp_path / "h.csv"
    write_csv(h, path)
    assert_same(read_csv(path), h)
    write_csv(h, path, delimiter=",")
    assert_same(read_csv(path), h)
    assert [entry.name for entry in tmp_path.iterdir()] == ["h.csv"]


def test_plain_labels_are_written_plainly(tmp_path):
    write_csv(Hierarchy.from_paths([["1", "low", "*"], ["2", "low", "*"]]), tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == "1;low;*\n2;low;*\n"


def test_what_cannot_be_written(tmp_path):
    h = Hierarchy.from_paths([["a", "*"]])
    with pytest.raises(OutputError, match="it cannot be written: no such file or directory"):
        write_csv(h, tmp_path / "no" / "h.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="it cannot be written: is a directory"):
        write_csv(h, tmp_path / "folder")
    with pytest.raises(OutputError, match="empty text, which would be read as missing"):
        write_csv(Hierarchy.from_paths([["", "*"]]), tmp_path / "h.csv")
    with pytest.raises(OutputError, match="surrogates not allowed"):
        write_csv(Hierarchy.from_paths([["\ud800", "*"]]), tmp_path / "h.csv")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4)


@given(
    leaves=st.lists(st.none() | texts.filter("*".__ne__), min_size=1, max_size=12, unique=True),
    groups=st.lists(texts.map("group {}".format), min_size=1, max_size=3, unique=True),
    delimiter=st.sampled_from(";,\t|"),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_round_trip_changes_nothing(tmp_path, leaves, groups, delimiter):
    paths = [(leaf, groups[i % len(groups)], "*") for i, leaf in enumerate(leaves)]
    h = Hierarchy.from_paths(paths)
    assert_sound(h)
    write_csv(h, tmp_path / "h.csv", delimiter=delimiter)
    assert_same(read_csv(tmp_path / "h.csv"), h)
