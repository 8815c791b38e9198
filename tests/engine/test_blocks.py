"""Releases whose distinct rows are searched block by block: held to brute force on written rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize_file
from indistinct.engine.block import BlockSearch
from indistinct.engine.dividing import _even_bins
from indistinct.errors import CannotMeetError, DataError, PlanError
from indistinct.measures.loss import Measures
from tests.build import accepted
from tests.profiles import examples

QUASI = ["age", "zip", "sex"]
RANGE = re.compile(r"\[(\d+)-(\d+)\]")
GROUPING = [
    "auto", "best", "mondrian", "hilbert", "idistance", "one-dimension", "diversify", "k-member",
    "topdown", "local-recoding", "alpha-k-topdown", "cell-suppression", "cell-generalization",
]  # fmt: skip


def people(rows, seed, *, missing=0.05):
    """Random people with a number each, and nulls in every quasi column."""
    random = np.random.default_rng(seed)
    columns = {
        "age": random.integers(20, 60, rows),
        "zip": np.array([f"{code:03d}" for code in random.integers(100, 140, rows)]),
        "sex": random.choice(["f", "m"], rows),
    }
    table = {
        name: pa.array(values.tolist(), mask=random.random(rows) < missing)
        for name, values in columns.items()
    }
    table["disease"] = pa.array(random.choice(list("aaaabbbcc"), rows).tolist())
    return pa.table({**table, "number": pa.array(range(rows))})


def plan_of(most, k=3, *, method="mondrian", more=(), suppression=0.0, **given):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "disease": {"role": "sensitive"},
            "number": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": k}, *more],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        "engine": {"name": "duckdb", "max_distinct": most},
        "accept": accepted("number"),
        "seed": 1,
        **given,
    }


def released(folder, table, plan, **papers):
    """Write a table, make a release of it, and read what was written."""
    pq.write_table(table, folder / "private.parquet")
    release = anonymize_file(folder / "private.parquet", plan, folder / "out.parquet", **papers)
    return release, pq.read_table(folder / "out.parquet")


def covers(cell, value, mask="*"):
    """Whether a published cell covers a private value, read by what it says alone."""
    if cell in {"*", value} or (value is not None and cell == str(value)):
        return True
    if cell is None or value is None:
        return False
    text = str(cell)
    if between := RANGE.fullmatch(text):
        return int(between[1]) <= int(value) <= int(between[2])
    if text[:1] in "<>":
        bound = int(text.lstrip("<>="))
        return value <= bound if text[0] == "<" else value >= bound
    return mask in text and str(value).startswith(text.rstrip(mask))


def classes_of(rows):
    classes = defaultdict(list)
    for row in rows.to_pylist():
        classes[tuple(row[name] for name in QUASI)].append(row)
    return classes


def hold_to_truth(private, rows):
    """Every cell covers its original, and what is released as it is has not changed."""
    originals = {row["number"]: row for row in private.to_pylist()}
    written = rows.to_pylist()
    assert len({row["number"] for row in written}) == len(written)
    for row in written:
        original = originals[row["number"]]
        assert row["disease"] == original["disease"]
        for name in QUASI:
            assert covers(row[name], original[name]), (name, row[name], original[name])


def distance(one, other):
    """Variational distance of two distributions."""
    return sum(abs(one.get(value, 0) - other.get(value, 0)) for value in {*one, *other}) / 2


def shares(rows):
    counts = Counter(row["disease"] for row in rows)
    return {value: count / len(rows) for value, count in counts.items()}


@examples(12)
@given(seed=st.integers(0, 10**6), rows=st.integers(150, 400), most=st.integers(20, 90))
def test_blocks_keep_k_and_tell_the_truth(tmp_path_factory, seed, rows, most):
    private = people(rows, seed)
    release, written = released(tmp_path_factory.mktemp("k"), private, plan_of(most))
    assert release.recoding.search["blocks"] > 1
    assert release.recoding.search["largest_block"] <= most
    assert written.num_rows == rows == release.table.rows
    sizes = [len(rows) for rows in classes_of(written).values()]
    assert min(sizes) >= 3
    assert sorted(release.class_sizes) == sorted(sizes)
    hold_to_truth(private, written)


@pytest.mark.parametrize("method", GROUPING)
def test_every_method_that_groups_rows_searches_blocks(tmp_path, method):
    private = people(240, 7, missing=0.0)
    plan = plan_of(90, method=method, suppression=0.05)
    if method == "alpha-k-topdown":
        plan["require"] = [{"model": "alpha-k", "alpha": 0.9, "k": 3, "column": "disease"}]
    release, written = released(tmp_path, private, plan)
    assert release.recoding.search["blocks"] > 1
    assert 240 * 0.95 <= written.num_rows == 240 - release.suppressed_rows
    assert min(map(len, classes_of(written).values())) >= 3
    hold_to_truth(private, written)


@examples(6)
@given(seed=st.integers(0, 10**6), most=st.integers(60, 200))
def test_sensitive_values_are_judged_by_shares_of_the_whole_table(tmp_path_factory, seed, most):
    private = people(500, seed)
    more = [{"model": "t-closeness", "t": 0.4}, {"model": "l-diversity", "l": 2}]
    plan = plan_of(most, more=more)
    release, written = released(tmp_path_factory.mktemp("t"), private, plan)
    assert release.recoding.search["blocks"] > 1
    overall = shares(private.to_pylist())
    for rows in classes_of(written).values():
        assert len({row["disease"] for row in rows}) >= 2
        assert distance(shares(rows), overall) <= 0.4 + 1e-9
    measured = {evidence.requirement.model: evidence.measured for evidence in release.evidence}
    worst = max(distance(shares(rows), overall) for rows in classes_of(written).values())
    assert measured["t-closeness"] == pytest.approx(worst)


@examples(6)
@given(seed=st.integers(0, 10**6), most=st.integers(20, 60))
def test_ends_are_held_by_k_people_of_the_whole_table(tmp_path_factory, seed, most):
    private = people(150, seed)
    _, written = released(tmp_path_factory.mktemp("ends"), private, plan_of(most, k=4))
    held = Counter(private.column("age").to_pylist())
    cells = set(written.column("age").to_pylist()) - {None, "*"}
    ends = {int(end) for cell in cells for end in re.findall(r"\d+", cell)}
    assert any(held[end] < 4 for end in set(held) - {None})
    assert all(held[end] >= 4 or end % 5 in {0, 4} for end in ends)


@examples(6)
@given(seed=st.integers(0, 10**6))
def test_mondrian_in_blocks_is_mondrian(tmp_path_factory, seed):
    """Blocks are its first cuts: the same classes, and the same loss."""
    private, folder = people(300, seed), tmp_path_factory.mktemp("same")
    whole, one = released(folder, private, plan_of(10_000))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("indistinct.engine.dividing.LEAST_GROUPS", 1)
        blocks, other = released(folder, private, plan_of(60))
    assert blocks.recoding.search["blocks"] > 1
    assert one.sort_by("number").select(QUASI) == other.sort_by("number").select(QUASI)
    assert blocks.sizes_before == whole.sizes_before
    for name in Measures.__dataclass_fields__:
        assert getattr(blocks.measures, name) == pytest.approx(getattr(whole.measures, name)), name


def test_a_column_that_one_block_generalizes_is_text_in_all(tmp_path):
    exact = {"age": [30] * 40 + [35] * 40, "zip": ["100"] * 80, "sex": ["f", "m"] * 40}
    loose = {"age": list(range(50, 60)) * 8, "zip": ["130"] * 80, "sex": ["f"] * 80}
    columns = {name: exact[name] + loose[name] for name in QUASI}
    columns |= {"disease": list("ab") * 80, "number": list(range(160))}
    private = pa.table(columns)
    plan = plan_of(7, k=9)
    release, written = released(tmp_path, private, plan)
    assert release.recoding.search["blocks"] > 1
    assert written.schema.field("age").type == pa.string()
    assert {"30", "35"} <= set(written.column("age").to_pylist())
    hold_to_truth(private, written)


def test_columns_that_no_block_generalizes_keep_their_type(tmp_path):
    ages, codes = np.repeat([30, 35, 40, 45], 40), np.tile(np.repeat(["100", "110"], 20), 4)
    columns = {"age": ages, "zip": codes, "sex": ["f"] * 160}
    columns |= {"disease": list("ab") * 80, "number": list(range(160))}
    release, written = released(tmp_path, pa.table(columns), plan_of(3))
    assert release.recoding.search["blocks"] > 1
    assert written.schema.field("age").type == pa.int64()
    assert release.measures.gcp == 0


@pytest.mark.parametrize("range_as", ["bounds", "mean", "median"])
def test_numbers_of_ranges_are_those_of_their_classes(tmp_path, range_as):
    private = people(300, 5, missing=0.0)
    plan = plan_of(70)
    plan["columns"]["age"]["range_as"] = range_as
    release, written = released(tmp_path, private, plan)
    assert release.recoding.search["blocks"] > 1
    ages = dict(zip(*(private.column(n).to_pylist() for n in ("number", "age")), strict=True))
    parts = [name for name in written.column_names if name.startswith("age")]
    classes = defaultdict(list)
    for row in written.to_pylist():
        classes[tuple(row[name] for name in (*parts, "zip", "sex"))].append(ages[row["number"]])
    assert min(map(len, classes.values())) >= 3
    for (first, second, *_), held in classes.items():
        if range_as == "bounds":
            assert first is None or first <= min(held)
            assert second is None or second >= max(held)
        else:
            middle = np.mean(held) if range_as == "mean" else np.median(held)
            assert second == pytest.approx(middle)


def test_the_same_rows_give_the_same_bytes_in_any_order(tmp_path):
    private = people(300, 9)
    mixed = private.take(np.random.default_rng(1).permutation(300))
    made = []
    for table in (private, mixed):
        released(tmp_path, table, plan_of(80, method="best"))
        made.append((tmp_path / "out.parquet").read_bytes())
    assert made[0] == made[1]


def test_texts_of_csv_files_are_read_in_the_notation_of_the_plan(tmp_path):
    private = people(300, 4, missing=0.0)
    lines = [
        f"{row['age']},50;{row['zip']};{row['sex']};{row['disease']};{row['number']}"
        for row in private.to_pylist()
    ]
    (tmp_path / "private.csv").write_text("\n".join([";".join(private.column_names), *lines]))
    plan = plan_of(60) | {"input": {"delimiter": ";", "decimal": ","}}
    release = anonymize_file(tmp_path / "private.csv", plan, tmp_path / "out.parquet")
    assert release.recoding.search["blocks"] > 1
    written = pq.read_table(tmp_path / "out.parquet")
    ages = dict(zip(*(private.column(n).to_pylist() for n in ("number", "age")), strict=True))
    assert min(map(len, classes_of(written).values())) >= 3
    for row in written.to_pylist():
        low, high = re.findall(r"\d+", row["age"])
        assert int(low) <= ages[int(row["number"])] < int(high)


def test_each_set_of_columns_is_protected_by_itself(tmp_path):
    private = people(400, 2)
    sets = {"home": {"columns": ["zip", "sex"]}, "age": {"columns": ["age"]}}
    release, written = released(tmp_path, private, plan_of(90, sets=sets))
    assert release.recoding.search["blocks"] > 1
    for columns in (["zip", "sex"], ["age"]):
        counts = Counter(tuple(row[c] for c in columns) for row in written.to_pylist())
        assert min(counts.values()) >= 3
    hold_to_truth(private, written)


def test_papers_of_blocks_say_what_is_known(tmp_path):
    places = {
        name: tmp_path / name
        for name in ("certificate", "report", "report_json", "public_report", "public_json")
    }
    release, _ = released(tmp_path, people(300, 3), plan_of(80), **places)
    assert "searched in" in places["report"].read_text()
    assert all(place.stat().st_size for place in places.values())
    assert any("blocks" in warning for warning in release.warnings)
    assert release.summary()["search"]["blocks"] == release.recoding.blocks
    with pytest.raises(PlanError, match="all distinct rows at once"):
        release.bound()
    with pytest.raises(PlanError, match="all distinct rows at once"):
        _ = release.findings


def test_a_recoding_of_blocks_is_refused(tmp_path):
    with pytest.raises(PlanError, match="blocks"):
        released(tmp_path, people(300, 3), plan_of(80), recoding=tmp_path / "recoding.json")
    assert not (tmp_path / "out.parquet").exists()


def test_people_with_several_rows_are_refused(tmp_path):
    private = people(300, 3)
    private = private.append_column("person", pa.array([f"p{i // 2}" for i in range(300)]))
    plan = plan_of(50)
    plan["columns"]["person"] = {"role": "respondent"}
    with pytest.raises(DataError, match="people have several rows"):
        released(tmp_path, private, plan)


def test_entries_that_cannot_be_parted_are_refused(tmp_path):
    """No cut leaves both sides with shares so near to those of the whole table."""
    plan = plan_of(30, more=[{"model": "t-closeness", "t": 0.0}])
    with pytest.raises(CannotMeetError, match="cannot be divided"):
        released(tmp_path, people(100, 3), plan)
    assert not (tmp_path / "out.parquet").exists()


def test_too_many_cells_are_put_into_coarser_bins_and_cut_again(tmp_path, monkeypatch):
    monkeypatch.setattr("indistinct.engine.dividing.FEWEST_CELLS", 8)
    private = people(600, 11)
    release, written = released(tmp_path, private, plan_of(25))
    assert release.recoding.search["largest_block"] <= 25
    assert min(map(len, classes_of(written).values())) >= 3
    hold_to_truth(private, written)


def test_an_untrue_block_is_refused(tmp_path, monkeypatch):
    made = BlockSearch.recoded

    def swapped(self, *given):
        self.domains[0].__dict__["values"] = self.domains[0].values[::-1]
        return made(self, *given)

    monkeypatch.setattr(BlockSearch, "recoded", swapped)
    with pytest.raises(Exception, match="age"):
        released(tmp_path, people(300, 3, missing=0.0), plan_of(80))
    assert not (tmp_path / "out.parquet").exists()


@given(
    rows=st.lists(st.integers(0, 20), min_size=1, max_size=30).filter(any),
    number=st.integers(2, 8),
    data=st.data(),
)
def test_bins_are_runs_of_about_as_many_rows(rows, number, data):
    codes = np.array(data.draw(st.permutations(range(len(rows)))), dtype=np.int32)
    counts = np.array(rows)
    bins, middle = _even_bins(codes, counts, number)
    held = counts > 0
    in_order = bins[held][np.argsort(codes[held])]
    assert (np.diff(in_order) >= 0).all()
    assert bins[held].max() + 1 == middle.size <= number
    assert (bins[middle] == np.arange(middle.size)).all()
    assert held[middle].all()
    heaviest = counts.max()
    of_bin = np.bincount(bins[held], counts[held])
    assert of_bin.max() <= max(counts.sum() / number + heaviest, heaviest)
