"""The made-up census keeps its promises of shape; the ten patients are the chapter's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from indistinct.datasets import census, census_ladders, medical, medical_ladders

# Ghinita et al. 2009 Table II: the first seven are the quasi-identifiers.
CARDINALITIES = {
    "age": 79,
    "gender": 2,
    "education": 17,
    "marital": 6,
    "race": 9,
    "work_class": 10,
    "country": 83,
    "occupation": 50,
    "salary": 50,
}
QUASI = list(CARDINALITIES)[:7]
NUMBERS = {"age", "education", "salary"}
# Levels with the leaves and the top; the paper's for categories, ours for age and education.
LEVELS = {
    "age": 5,
    "gender": 2,
    "education": 4,
    "marital": 3,
    "race": 2,
    "work_class": 4,
    "country": 3,
}
DEPENDENT = [
    ("age", "marital"),
    ("age", "education"),
    ("age", "salary"),
    ("age", "work_class"),
    ("gender", "occupation"),
    ("education", "occupation"),
    ("education", "salary"),
    ("country", "race"),
    ("work_class", "occupation"),
]


@pytest.fixture(scope="module")
def people() -> pa.Table:
    return census(rows=200_000, seed=1)


@pytest.fixture(scope="module")
def million() -> pa.Table:
    return census(rows=1_000_000)


def codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    indices = column.combine_chunks().dictionary_encode().indices
    return np.asarray(indices, dtype=np.int64)


def dependence(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> float:
    """Total variation between the joint distribution and the product of its margins."""
    joint = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(joint, (x, y), 1 / len(x))
    independent = joint.sum(axis=1)[:, None] * joint.sum(axis=0)
    return float(np.abs(joint - independent).sum() / 2)


def distinct_quasi_rows(table: pa.Table) -> int:
    key = np.zeros(table.num_rows, dtype=np.int64)
    for name in QUASI:
        key = key * CARDINALITIES[name] + codes(table[name])
    return len(np.unique(key))


def test_columns_and_types(people: pa.Table) -> None:
    expected = {name: pa.int64() if name in NUMBERS else pa.string() for name in CARDINALITIES}
    assert dict(zip(people.column_names, people.schema.types, strict=True)) == expected
    assert people.num_rows == 200_000
    assert all(column.null_count == 0 for column in people.columns)


def test_numbers_have_their_ranges(million: pa.Table) -> None:
    ranges = {name: pc.min_max(million[name]).as_py() for name in NUMBERS}
    assert ranges == {
        "age": {"min": 17, "max": 95},
        "education": {"min": 0, "max": 16},
        "salary": {"min": 0, "max": 49},
    }


def test_every_value_occurs_in_a_million_rows(million: pa.Table) -> None:
    found = {name: pc.count_distinct(million[name]).as_py() for name in million.column_names}
    assert found == CARDINALITIES


def test_distinct_quasi_rows(people: pa.Table, million: pa.Table) -> None:
    assert 80_000 < distinct_quasi_rows(people) < 120_000
    assert 300_000 < distinct_quasi_rows(million) < 500_000


def test_same_seed_same_table() -> None:
    assert census(5_000, seed=3).equals(census(5_000, seed=3))
    assert not census(5_000, seed=3).equals(census(5_000, seed=4))


def test_default_is_a_hundred_thousand_rows() -> None:
    assert census().num_rows == 100_000


@pytest.mark.parametrize("rows", [0, 1, 2, np.int64(3)])
def test_few_rows(rows: int) -> None:
    table = census(rows)
    assert table.num_rows == rows
    assert table.schema.equals(census(10).schema)


@pytest.mark.parametrize("rows", [-1, 2.0, "10", None, True])
def test_bad_rows(rows: object) -> None:
    with pytest.raises(ValueError, match="rows must be a whole number of zero or more, not"):
        census(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_bad_seed(seed: object) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number"):
        census(10, seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), DEPENDENT)
def test_columns_depend_on_each_other(people: pa.Table, first: str, second: str) -> None:
    x, y = codes(people[first]), codes(people[second])
    shuffled = np.random.Generator(np.random.PCG64(0)).permutation(y)
    assert dependence(x, y) > 0.08
    assert dependence(x, y) > 3 * dependence(x, shuffled)


def test_dependence_goes_the_right_way(people: pa.Table) -> None:
    age, education, salary = (people[name].to_numpy() for name in ("age", "education", "salary"))
    marital = people["marital"].to_numpy()
    mean_salary = [salary[education == years].mean() for years in (6, 12, 16)]
    assert np.diff(mean_salary).min() > 3
    assert age[marital == "Widowed"].mean() > 65
    assert age[marital == "Never married"].mean() < 35
    assert (education <= age - 6).all()


def test_home_country_leads_a_skewed_tail(people: pa.Table) -> None:
    counts = np.sort(np.bincount(codes(people["country"])))[::-1] / people.num_rows
    assert 0.6 < counts[0] < 0.8
    assert counts[1] > 20 * counts[-1]


@pytest.mark.parametrize("name", ["occupation", "salary"])
def test_sensitive_values_allow_the_papers_largest_diversity(people: pa.Table, name: str) -> None:
    """002 Table III goes up to 13-diversity: no value may be held by more than 1 in 13."""
    assert np.bincount(codes(people[name])).max() < people.num_rows / 13


def assert_well_formed(paths: list[list[str]]) -> None:
    assert len({len(path) for path in paths}) == 1
    assert len({path[-1] for path in paths}) == 1
    assert len({path[0] for path in paths}) == len(paths)
    parents: dict[str, str] = {}
    level_of: dict[str, int] = {}
    for path in paths:
        for level, name in enumerate(path):
            assert level_of.setdefault(name, level) == level
            if level + 1 < len(path):
                assert parents.setdefault(name, path[level + 1]) == path[level + 1]


def test_census_ladders_have_the_papers_levels() -> None:
    ladders = census_ladders()
    assert list(ladders) == QUASI
    assert {name: len(paths[0]) for name, paths in ladders.items()} == LEVELS
    assert {name: len(paths) for name, paths in ladders.items()} == {
        name: CARDINALITIES[name] for name in QUASI
    }
    assert {path[-1] for paths in ladders.values() for path in paths} == {"*"}


@pytest.mark.parametrize("name", QUASI)
def test_census_ladder_is_a_tree_over_the_data(people: pa.Table, name: str) -> None:
    paths = census_ladders()[name]
    assert_well_formed(paths)
    assert {str(value) for value in pc.unique(people[name]).to_pylist()} <= {
        path[0] for path in paths
    }


def test_bands_hold_their_numbers() -> None:
    for name in ("age", "education"):
        for leaf, *bands, _ in census_ladders()[name]:
            for low, high in (band.split("-") for band in bands):
                assert int(low) <= int(leaf) <= int(high)


def test_ladders_are_fresh_copies() -> None:
    census_ladders()["gender"][0].append("spoilt")
    medical_ladders()["sex"][0].append("spoilt")
    assert census_ladders()["gender"][0] == ["Female", "*"]
    assert medical_ladders()["sex"][0] == ["M", "not_released"]


def test_medical_is_the_chapters_figure_1() -> None:
    table = medical()
    assert table.column_names == ["zip", "marital", "sex", "disease"]
    assert set(table.schema.types) == {pa.string()}
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("22030", "married", "F", "hypertension"),
        ("22030", "married", "F", "hypertension"),
        ("22030", "single", "M", "obesity"),
        ("22032", "single", "M", "HIV"),
        ("22032", "single", "M", "obesity"),
        ("22032", "divorced", "F", "hypertension"),
        ("22045", "divorced", "M", "obesity"),
        ("22047", "widow", "M", "HIV"),
        ("22047", "widow", "M", "HIV"),
        ("22047", "single", "F", "obesity"),
    ]


def test_medical_ladders_are_the_chapters() -> None:
    assert medical_ladders() == {
        "zip": [
            ["22030", "2203*", "220**"],
            ["22032", "2203*", "220**"],
            ["22045", "2204*", "220**"],
            ["22047", "2204*", "220**"],
        ],
        "marital": [
            ["married", "been_married", "not_released"],
            ["divorced", "been_married", "not_released"],
            ["widow", "been_married", "not_released"],
            ["single", "never_married", "not_released"],
        ],
        "sex": [["M", "not_released"], ["F", "not_released"]],
    }


@pytest.mark.parametrize("name", ["zip", "marital", "sex"])
def test_medical_ladder_is_a_tree_over_the_data(name: str) -> None:
    paths = medical_ladders()[name]
    assert_well_formed(paths)
    assert set(medical()[name].to_pylist()) == {path[0] for path in paths}
