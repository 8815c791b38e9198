"""Certificates and recodings as files: what is no longer read says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

from indistinct import anonymize, apply_file, trees, verify
from indistinct.disk import documents
from indistinct.errors import DataError, HierarchyError, IndistinctError, PlanError


@pytest.mark.parametrize("kind", ["coarsen certificate", "coarsen tree certificate"])
def test_a_certificate_of_the_former_name_is_refused_with_the_reason(tmp_path, kind):
    (tmp_path / "c.json").write_text(json.dumps({"kind": kind, "version": "0.1.0"}))
    (tmp_path / "release.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"was called coarsen.*Make the release again"):
        verify(tmp_path / "release.csv", certificate=tmp_path / "c.json")


def test_a_recoding_of_the_former_name_is_refused_with_the_reason(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps({"kind": "coarsen recoding"}))
    (tmp_path / "in.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"was called coarsen.*Make the release again"):
        apply_file(tmp_path / "r.json", tmp_path / "in.csv", tmp_path / "out.csv")


DEEP_JSON = "[" * 100_000 + "]" * 100_000
DEEP_TOML = "a = " + "[" * 2_000 + "]" * 2_000


def pipe(path):
    os.mkfifo(path)
    return path


def readers(tmp_path):
    """Everything that reads a document, given the path of one."""
    release = tmp_path / "release.csv"
    release.write_text("zip\n1\n1\n")

    def hierarchy(path):
        return verify_plan({"csv": str(path)})

    def verify_plan(spec):
        columns = {"zip": {"role": "quasi", "hierarchy": spec}}
        require = [{"model": "k-anonymity", "k": 2}]
        return anonymize(pa.table({"zip": ["1", "1"]}), {"columns": columns, "require": require})

    def key(path):
        pseudonym = {"kind": "keyed", "key": str(path)}
        columns = {
            "zip": {"role": "quasi", "hierarchy": "flat"},
            "who": {"role": "identifier", "pseudonym": pseudonym},
        }
        require = [{"model": "k-anonymity", "k": 2}]
        table = pa.table({"zip": ["1", "1"], "who": ["a", "b"]})
        return anonymize(table, {"columns": columns, "require": require})

    return {
        "certificate": lambda path: verify(release, certificate=path),
        "tree certificate": lambda path: trees.verify(release, certificate=path),
        "plan": lambda path: verify(release, path),
        "recoding": lambda path: apply_file(path, release, tmp_path / "out.csv"),
        "hierarchy": hierarchy,
        "key": key,
    }


NAMES = ["certificate", "tree certificate", "plan", "recoding", "hierarchy", "key"]


@pytest.mark.parametrize("name", NAMES)
def test_only_regular_files_of_a_sensible_size_are_read(tmp_path, monkeypatch, name):
    read = readers(tmp_path)[name]
    for odd in (pipe(tmp_path / "pipe"), Path("/dev/zero"), tmp_path, tmp_path / "none"):
        with pytest.raises(IndistinctError, match=r"pipe|device|folder|no such file"):
            read(odd)
    monkeypatch.setattr(documents.content_of, "__defaults__", (16,))
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (2 << 20))
    with pytest.raises(IndistinctError, match="larger than"):
        read(large)


@pytest.mark.parametrize("name", NAMES[:4])
def test_what_is_nested_without_end_is_refused(tmp_path, name):
    read = readers(tmp_path)[name]
    path = tmp_path / "deep.json"
    inside = "{" + '"a":{' * 200 + "}" * 201
    for text in (DEEP_JSON, "[" * 101 + "]" * 101, inside):
        path.write_text(text)
        with pytest.raises(IndistinctError, match="nested more than 100 levels deep"):
            read(path)


def test_toml_and_mappings_that_are_nested_without_end(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(DEEP_TOML)
    release = pa.table({"zip": ["1"]})
    with pytest.raises(PlanError, match="nested more than 100 levels deep"):
        verify(release, path)
    deep = {}
    for _ in range(5_000):
        deep = {"a": deep}
    with pytest.raises(PlanError, match="nested more than 100 levels deep"):
        verify(release, {"columns": deep})


def test_half_a_character_is_refused(tmp_path):
    path = tmp_path / "c.json"
    path.write_text('{"kind": "\\ud800"}')
    (tmp_path / "release.csv").write_text("zip\n1\n")
    with pytest.raises(DataError, match="half a character"):
        verify(tmp_path / "release.csv", certificate=path)
    path.write_text('{"kind": "\\ud83d\\ude00"}')
    with pytest.raises(DataError, match="it is not a certificate"):
        verify(tmp_path / "release.csv", certificate=path)


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000, "b/" * 3000])
def test_names_that_no_file_has(tmp_path, name):
    (tmp_path / "zip.csv").write_text("1;*\n")
    columns = {"zip": {"role": "quasi", "hierarchy": {"csv": name}}}
    plan = {"columns": columns, "require": [{"model": "k-anonymity", "k": 2}]}
    with pytest.raises(HierarchyError, match="cannot be read"):
        anonymize(pa.table({"zip": ["1", "1"]}), plan)
