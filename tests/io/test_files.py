"""Files in and out: what is read is what was written, and what cannot be read is told."""

from __future__ import annotations

import csv
import gzip
import io
import os
import random
import resource
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.disk.drafts import telling_unwritable
from indistinct.errors import DataError, IndistinctError, OutputError
from indistinct.hierarchy import Hierarchy, write_csv
from indistinct.io.base import Dialect, Rows
from indistinct.io.csv import CSV
from indistinct.io.csv_faults import LISTED, quotes_pair_up
from indistinct.io.files import FileSink, FileSource
from indistinct.io.parquet import Parquet
from indistinct.io.registry import READABLE, format_to_write


def read(path, **options):
    return FileSource.of(path, **options).read().to_pydict()


@pytest.fixture
def file(tmp_path):
    def make(content, name="x.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


KEPT = {"zip": ["02139", "00501"], "sum": ["1.10", "1e3"], "flag": ["TRUE", "nan"]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_text_stays_as_it_is(file, delimiter, line_end, mark):
    rows = [list(KEPT), *zip(*KEPT.values(), strict=True)]
    text = mark + "".join(delimiter.join(row) + line_end for row in rows)
    path = file(text)
    assert FileSource.of(path).dialect.delimiter == delimiter
    assert read(path) == KEPT


def test_quotes_delimiters_and_line_ends_within_fields(file):
    text = 'a,"b,1","c ""x"""\n"1,2","say ""hi""","two\nlines"\n"",\'q\', x \n'
    assert read(file(text)) == {
        "a": ["1,2", None],
        "b,1": ['say "hi"', "'q'"],
        'c "x"': ["two\nlines", " x "],
    }


def test_a_quote_within_a_plain_field_is_a_character(file):
    assert read(file("a,b\n5'10\",2\n6'1\",3\n")) == {"a": ["5'10\"", "6'1\""], "b": ["2", "3"]}


def test_a_very_long_field_beside_such_a_quote(file):
    long = "x" * 300_000
    assert read(file(f"a,b\n5'10\",{long}\n"))["b"] == [long]


def test_a_header_over_two_lines(file):
    path = file('"first\nname",zip\nAnn,02139\n')
    assert read(path) == {"first\nname": ["Ann"], "zip": ["02139"]}


@pytest.mark.parametrize("odd", ["\x85", "\x0b", "\u2028", "\x1c"])
def test_a_header_with_odd_white_space(file, odd):
    assert read(file(f"a{odd}b,zip\n1,02139\n")) == {f"a{odd}b": ["1"], "zip": ["02139"]}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_encodings(file, encoding):
    path = file('naïve;zip\n"Zoé\n";02139\n'.encode(encoding))
    assert FileSource.of(path, encoding=encoding).dialect.delimiter == ";"
    assert read(path, encoding=encoding) == {"naïve": ["Zoé\n"], "zip": ["02139"]}


def test_what_means_missing(file):
    path = file("a,b\nNA,1\n,NA\n?,2\n")
    assert read(path, missing=("NA", "?"))["a"] == [None, "", None]
    assert read(path)["a"] == ["NA", None, "?"]


def test_an_empty_line_of_a_single_column_is_a_missing_value(file):
    assert read(file("zip\n02139\n\n02141\n")) == {"zip": ["02139", None, "02141"]}
    assert read(file("zip,sex\n02139,f\n\n02141,m\n\n"))["zip"] == ["02139", "02141"]


def test_the_delimiter_may_be_given(file):
    path = file("a;b,c\n1;2,3\n")
    assert read(path, delimiter=";") == {"a": ["1"], "b,c": ["2,3"]}


def faults_of(path, **options):
    with pytest.raises(DataError) as caught:
        read(path, **options)
    return [str(fault).replace(str(path), "x.csv") for fault in caught.value.faults]


def test_ragged_rows_are_told_by_line_and_all_at_once(file):
    text = 'a,b\n1,2\n"x\ny",SECRET\n\n1,2,SECRET\nSECRET\n3,4\n'
    remedy = "Correct the line; a field with the delimiter in it needs quotes."
    assert faults_of(file(text)) == [
        f"x.csv, line 6: it has 3 fields where the header has 2. {remedy}",
        f"x.csv, line 7: it has 1 field where the header has 2. {remedy}",
    ]


def test_very_many_ragged_rows_are_counted(file):
    faults = faults_of(file("a,b\n" + "1\n" * (LISTED + 1234)))
    assert len(faults) == LISTED + 1
    assert faults[-1] == "x.csv: 1,234 more lines have a wrong number of fields."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,"2\n3,4\n5,6\n', 2),
        ('a,b\n1,2\n3,"4\n5,"6\n7,8\n', 3),
        ('a,b\n1,2\n"3"x,4\n', 3),
        ('a,"b\n1,2\n', 1),
    ],
)
def test_a_quoted_field_that_swallows_rows_is_refused(file, text, line):
    [fault] = faults_of(file(text))
    assert fault.startswith(f"x.csv, line {line}: a quoted field")


def test_bytes_that_are_not_text_are_told_by_line_alone(file):
    [fault] = faults_of(file("a,b\n1,2\nSECRET,é\n".encode("latin-1")))
    assert fault.startswith("x.csv, line 3: byte 8 (0xe9) is not utf-8.")
    [fault] = faults_of(file('a,b\n1,2\n"SECR"ET,é\n'.encode("latin-1")))
    assert "SECR" not in fault
    [fault] = faults_of(file("a,b\n1,2\n3,4\n5".encode("utf-16")[:-1]), encoding="utf-16")
    assert "SECR" not in fault


def test_other_files_that_are_no_tables(file, tmp_path):
    assert READABLE.startswith("CSV, Parquet, ")
    assert READABLE.endswith("Excel, SPSS, Stata or SAS")
    told = f"Give a file with a header: {READABLE}."
    assert faults_of(file("")) == [f"x.csv: the file is empty. {told}"]
    assert "no header" in faults_of(file("\n\n"))[0]
    assert "no header" in faults_of(file(b"\xef\xbb\xbf"))[0]
    assert "a header and no rows" in faults_of(file("a,b"))[0]
    assert "field 2 has no name" in faults_of(file("a,,c\n1,2,3\n"))[0]
    assert "column name 'a' stands 2 times" in faults_of(file("a,b,a\n1,2,3\n"))[0]
    assert "compressed" in faults_of(file("a,b\n1,2\n", "x.csv.xz"))[0]
    assert "not a gzip file" in faults_of(file("a,b\n1,2\n", "x.csv.gz"))[0]
    assert "Parquet" in faults_of(file("a,b\n1,2\n", "x.parquet"))[0]
    assert "no such file" in faults_of(tmp_path / "none.csv")[0]
    assert "folder" in faults_of(tmp_path)[0]


def test_a_file_that_may_not_be_read(file, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "you may not read it" in faults_of(file("a,b\n1,2\n"))[0]


@given(st.lists(st.lists(st.text(' ab",;\n\r', max_size=4), min_size=2, max_size=2), min_size=1))
def test_the_quick_look_at_quotes_passes_all_that_is_well_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("quotes") / "x.csv"
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    path.write_text(out.getvalue(), newline="")
    assert quotes_pair_up(path, ",")


LETTERS = st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\x00")
ODD = ["02139", "1.10", 'a"b', "a,b", "a\nb", "a\r\nb", " x ", "'", "*", "NA"]
CELLS = st.none() | st.text(LETTERS, max_size=5) | st.sampled_from(ODD)


@given(
    st.lists(st.tuples(CELLS, CELLS, st.integers(0, 3)), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
    st.randoms(use_true_random=False),
)
def test_what_is_written_is_read_again(tmp_path_factory, rows, delimiter, random):
    path = tmp_path_factory.mktemp("written") / "x.csv"
    names = ["a", 'b"1', f"c{delimiter}2\n"]
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    table = table.set_column(0, "a", table.column(0).cast(pa.string()).dictionary_encode())
    table = table.set_column(1, names[1], table.column(1).cast(pa.string()))
    order = np.array(random.sample(range(len(rows)), len(rows)), dtype=np.intp)
    CSV().write(Rows(table, order), path, Dialect(delimiter))
    found = FileSource(path, CSV(), Dialect(delimiter)).read()
    assert found.column_names == names
    expected = [tuple(None if cell in (None, "") else str(cell) for cell in rows[i]) for i in order]
    assert list(zip(*found.to_pydict().values(), strict=True)) == expected


def test_a_single_column_with_missing_values_is_written_and_read_again(tmp_path):
    path = tmp_path / "x.csv"
    table = pa.table({"a": ["1", None, None, "2", None]})
    CSV().write(Rows.all_of(table), path, Dialect())
    assert read(path) == table.to_pydict()


def test_one_very_long_field_among_many_rows(tmp_path):
    path = tmp_path / "x.csv"
    note = pa.array(["x" * 3_000_000, "y"]).take(pa.array([0] + [1] * 69_999))
    CSV().write(Rows.all_of(pa.table({"note": note})), path, Dialect())
    assert path.stat().st_size == len("note\n") + 3_000_001 + 2 * 69_999


def test_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({
        "zip": pa.array(["02139", "02141", "SECRET"]).dictionary_encode(),
        "age": [1.5, float("nan"), None],
    })  # fmt: skip
    Parquet().write(Rows(table, np.array([1, 0])), path, Dialect())
    assert b"SECRET" not in path.read_bytes()
    found = FileSource.of(path).read()
    assert found.to_pydict() == {"zip": ["02141", "02139"], "age": [None, 1.5]}


def test_parquet_with_a_column_name_twice(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    with pytest.raises(DataError, match="'a' stands 2 times"):
        read(path)


def test_formats_by_name(tmp_path):
    def chosen(name, like=None):
        sink = FileSink(tmp_path / name, like)
        return sink.format.name, sink.dialect

    source = Dialect(";", "latin-1")
    assert chosen("x.csv", source) == ("csv", Dialect(";", ours=True))
    assert chosen("x.tsv", source) == ("csv", Dialect("\t", ours=True))
    assert chosen("x.PARQUET", source) == ("parquet", Dialect())
    assert chosen("x.csv") == ("csv", Dialect(ours=True))


@contextmanager
def small_files(size):
    """Let no file grow beyond a size, as a disk that is full."""
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)


@pytest.mark.parametrize(
    "name", ["x.csv", "x.csv.gz", "x.csv.bz2", "x.csv.zst", "x.parquet", "x.arrow"]
)
def test_a_full_disk_is_told_whatever_is_written(tmp_path, name):
    """Packers wait for much before they write, and fail once more when they are closed."""
    path, draw = tmp_path / name, random.Random(1)
    table = pa.table({"x": [draw.randbytes(50).hex() for _ in range(15_000)]})
    form, rows = format_to_write(path), Rows.all_of(table)
    form.write(rows, path, Dialect())
    told = "x.*: it cannot be written: file too large"
    with pytest.raises(OutputError, match=told), telling_unwritable(path), small_files(10_000):
        form.write(rows, path, Dialect())


@pytest.mark.parametrize("name", ["a\0b.csv", "x" * 300])
def test_paths_that_cannot_be(tmp_path, name):
    good = tmp_path / "good.csv"
    good.write_text("zip\n1\n1\n")
    plan = {"columns": {"zip": {"role": "quasi", "hierarchy": "flat"}}, "require": [K2]}
    with pytest.raises(DataError, match=r"too long|no such|null"):
        anonymize_file(tmp_path / name, plan, tmp_path / "out.csv")
    with pytest.raises(OutputError, match=r"too long|no such|null"):
        anonymize_file(good, plan, tmp_path / name)
    with pytest.raises(IndistinctError):
        anonymize_file(good, tmp_path / name, tmp_path / "out.csv")


K2 = {"model": "k-anonymity", "k": 2}
ZIP = [["02139", "021**", "*"], ["02141", "021**", "*"], ["10001", "100**", "*"]]
PRIVATE = 'zip;note\n02139;"a;b"\n02141;"say ""hi"""\n02139;"two\nlines"\n02141;1.10\n10001;x\n'


def the_plan(tmp_path, **more):
    write_csv(Hierarchy.from_paths(ZIP), tmp_path / "zip.csv")
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"csv": str(tmp_path / "zip.csv")}},
            "note": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "limits": {"suppression": 0.2},
        **more,
    }


def pack(path, text):
    """Write a text, packed as the name of the file says."""
    with pa.output_stream(path, compression="detect") as handle:
        handle.write(text.encode())


@pytest.mark.parametrize("out", ["r.csv", "r.tsv", "r.parquet", "r.csv.gz", "r.tsv.zst"])
@pytest.mark.parametrize("suppressed", ["drop", "blank"])
@pytest.mark.parametrize("source", ["p.csv", "p.parquet", "p.csv.gz", "p.CSV.BZ2", "p.zst"])
def test_a_release_from_file_to_file(tmp_path, out, suppressed, source):
    (tmp_path / "p.csv").write_text(PRIVATE)
    if source not in {"p.csv", "p.parquet"}:
        pack(tmp_path / source.lower(), PRIVATE)
        (tmp_path / source.lower()).rename(tmp_path / source)
    if source == "p.parquet":
        table = FileSource.of(tmp_path / "p.csv", delimiter=";").read()
        pq.write_table(table, tmp_path / "p.parquet")
    asked = the_plan(tmp_path, suppressed=suppressed)
    certificate = tmp_path / "c.json"
    release = anonymize_file(
        tmp_path / source, asked, tmp_path / out, certificate=certificate, keep_order=True
    )
    found = read(tmp_path / out)
    blank = ["*"] if suppressed == "blank" else []
    assert found["zip"] == ["02139", "02141", "02139", "02141", *blank]
    assert found["note"] == ["a;b", 'say "hi"', "two\nlines", "1.10", *blank]
    assert release.suppressed_rows == 1
    assert release.summary()["released_rows"] == 4
    verified = verify(tmp_path / out, certificate=certificate)
    assert (verified.holds, verified.blank_rows) == (True, len(blank))
    assert verify(tmp_path / out, asked).holds


def test_a_packed_release_has_the_same_bytes_each_time(tmp_path):
    (tmp_path / "p.csv").write_text(PRIVATE)
    for out in ("one.csv.gz", "two.csv.gz"):
        anonymize_file(tmp_path / "p.csv", the_plan(tmp_path), tmp_path / out, keep_order=True)
    packed = (tmp_path / "one.csv.gz").read_bytes()
    assert packed == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress(packed).decode().splitlines()[0] == "zip;note"


def test_faults_of_packed_files_name_their_lines(tmp_path):
    faults = {
        "a,b\n1,2\n3,SECRET,4\n": "line 3: it has 3 fields where the header has 2",
        'a,b\n1,2\n3,"SECRET\n': "line 3: a quoted field that begins in this row does not end",
        "a,b\n1,2\n3,SECR\udcffT\n": "line 3: byte 7 (0xff) is not utf-8",
    }
    for text, fault in faults.items():
        with pa.output_stream(tmp_path / "x.csv.gz", compression="gzip") as handle:
            handle.write(text.encode("utf-8", errors="surrogateescape"))
        [found] = faults_of(tmp_path / "x.csv.gz")
        assert fault in found
        assert "SECR" not in found


def test_nothing_is_unpacked_onto_the_disk(tmp_path):
    pack(tmp_path / "p.csv.gz", PRIVATE)
    before = set(tmp_path.iterdir())
    assert read(tmp_path / "p.csv.gz")["zip"][0] == "02139"
    assert set(tmp_path.iterdir()) == before


def test_reports_and_plans_are_not_written_packed(tmp_path):
    (tmp_path / "p.csv").write_text(PRIVATE)
    with pytest.raises(
        OutputError, match=r"c\.json\.gz: it is not written compressed\. Leave out \.gz"
    ):
        anonymize_file(
            tmp_path / "p.csv",
            the_plan(tmp_path),
            tmp_path / "r.csv",
            certificate=tmp_path / "c.json.gz",
        )


def test_a_release_in_another_encoding_is_written_as_utf_8(tmp_path):
    (tmp_path / "p.csv").write_bytes("zip;nôte\n02139;é\n02139;ü\n".encode("latin-1"))
    asked = the_plan(tmp_path, input={"encoding": "latin-1", "delimiter": ";"})
    asked["columns"]["nôte"] = asked["columns"].pop("note")
    anonymize_file(tmp_path / "p.csv", asked, tmp_path / "r.tsv", keep_order=True)
    assert (tmp_path / "r.tsv").read_text("utf-8") == "zip\tnôte\n02139\té\n02139\tü\n"
    assert verify(tmp_path / "r.tsv", asked).holds


def test_anonymize_takes_a_path(tmp_path):
    (tmp_path / "p.csv").write_text(PRIVATE)
    frame = anonymize(tmp_path / "p.csv", the_plan(tmp_path), keep_order=True).frame
    assert frame.column("zip").to_pylist() == ["02139", "02141", "02139", "02141"]
    assert frame.schema.types == [pa.string(), pa.string()]


def test_lists_cannot_be_written_to_csv(tmp_path):
    pq.write_table(pa.table({"zip": ["02139"] * 2, "note": [[1], [2]]}), tmp_path / "p.parquet")
    asked = the_plan(tmp_path)
    with pytest.raises(DataError, match="column 'note': values of type list"):
        anonymize_file(tmp_path / "p.parquet", asked, tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()
    anonymize_file(tmp_path / "p.parquet", asked, tmp_path / "r.parquet", keep_order=True)
    assert pq.read_table(tmp_path / "r.parquet").column("note").to_pylist() == [[1], [2]]


def test_a_byte_order_mark_tells_utf_16(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("name;age\nZoë;31\n", encoding="utf-16")
    table = FileSource.of(path).read()
    assert table.to_pylist() == [{"name": "Zoë", "age": "31"}]
