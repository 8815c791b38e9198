"""What holds for every source: its columns by name, all of them or some, and missing values."""

from __future__ import annotations

import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from indistinct.io.base import Dialect, Rows
from indistinct.io.opening import source_of
from indistinct.io.registry import FORMATS, WRITTEN
from indistinct.plan import Input
from tests.conftest import FRAMES, LAZY

VALUES = {"zip": ["02139", "k.A.", "02141"], "sex": ["f", "m", "f"]}
OPTIONS = {"delimiter", "encoding", "missing", "sheet"}


def spreadsheet(path):
    book = openpyxl.Workbook()
    for row in zip(*([name, *values] for name, values in VALUES.items()), strict=True):
        book.active.append(row)
    book.save(path)


def statistical(path):
    pyreadstat.write_sav(pd.DataFrame(VALUES), path)


ONLY_READ = {"spreadsheet": ("x.xlsx", spreadsheet), "statistical": ("x.sav", statistical)}


@pytest.fixture(params=[*(form.name for form in FORMATS), *FRAMES, *LAZY])
def given(request, tmp_path):
    """The same table from everywhere."""
    if make := (FRAMES | LAZY).get(request.param):
        return make(VALUES)
    if form := WRITTEN.get(request.param):
        path = tmp_path / f"x{form.advised[0]}"
        form.write(Rows.all_of(pa.table(VALUES)), path, Dialect())
        return path
    name, write = ONLY_READ[request.param]
    write(tmp_path / name)
    return tmp_path / name


def test_every_source_is_read_alike(given):
    source = source_of(given, Input(missing=("k.A.",)))
    assert source.column_names() == ["zip", "sex"]
    assert source.read().to_pydict() == VALUES | {"zip": ["02139", None, "02141"]}
    assert source.read(["sex"]).to_pydict() == {"sex": VALUES["sex"]}
    assert source.read(["sex", "zip"]).column_names == ["sex", "zip"]
    assert "missing" in source.options <= OPTIONS
    assert source.place


def test_settings_that_do_not_apply_mean_nothing(given):
    plain = source_of(given, Input()).read()
    source = source_of(given, Input(delimiter=",", sheet="Sheet", encoding="utf-8"))
    assert source.read().to_pydict() == plain.to_pydict()
