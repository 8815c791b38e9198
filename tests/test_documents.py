"""Certificates and recodings as files: what is no longer read says so."""

from __future__ import annotations

import json

import pytest

from indistinct import apply_file, verify
from indistinct.errors import DataError


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
