"""Attribute disclosure in Ciriani et al. 2007, section 5 (Figures 18 and 19), and what it cites."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

from indistinct import anonymize, verify
from indistinct.errors import DoesNotHoldError
from tests import oracle_requirements as brute
from tests.build import plan_of
from tests.examples import CHAPTER

BLOCKS = [(1, 2, 6), (3, 4, 5), (7, 8, 9)]
QUASI = [
    {"zip": "2203*", "marital": "been_married", "sex": "F"},
    {"zip": "2203*", "marital": "never_married", "sex": "M"},
    {"zip": "2204*", "marital": "been_married", "sex": "M"},
]
DIABETES = "NNYYNNNYN"
CHOLESTEROL = [230, 220, 250, 260, 250, 275, 285, 210, 190]


def figure_18():
    """The 3-anonymous release of Figure 1, row 10 suppressed."""
    data = pa.Table.from_pylist(CHAPTER["rows"])
    plan = plan_of(
        CHAPTER["columns"], CHAPTER["ladders"], 3, method="samarati", suppression=0.2,
        others={"disease": {"role": "sensitive"}},
    )  # fmt: skip
    return anonymize(data, plan, keep_order=True)


def figure_19(block=None):
    """Figure 19, or one block of it."""
    rows = [
        QUASI[number] | {"diabetes": DIABETES[row - 1], "cholesterol": CHOLESTEROL[row - 1]}
        for number, rows in enumerate(BLOCKS)
        for row in rows
        if block in (None, number)
    ]
    return pa.Table.from_pylist(rows)


def promised(*asked, sensitive=("disease",), suppression=0.0):
    flat = {"role": "quasi", "hierarchy": "flat"}
    columns = dict.fromkeys(QUASI[0], flat) | {name: {"role": "sensitive"} for name in sensitive}
    limits = {"suppression": suppression}
    return {
        "columns": columns,
        "require": list(asked),
        "method": {"name": "optimal"},
        "limits": limits,
        "unlisted": "drop",
    }


def measure(table, asked, **more):
    """What is measured if it holds, else what the refusal says."""
    plan = promised(asked, **more)
    try:
        [found] = verify(table.select(list(plan["columns"])), plan).evidence
    except DoesNotHoldError as error:
        return str(error)
    return found.measured


def by_block(table, asked, **more):
    """Whether each block by itself satisfies."""
    blocks = [pa.Table.from_pylist([r for r in table.to_pylist() if r.items() >= q.items()])
              for q in QUASI]  # fmt: skip
    return ["measures" not in str(measure(block, asked, **more)) for block in blocks]


def test_figure_18_is_released():
    release = figure_18()
    assert release.levels == {"zip": 1, "marital": 1, "sex": 0}
    assert release.suppressed_rows == 1
    rows = release.rows.to_pylist()
    kept = [row for row in range(1, 11) if release.recoding.kept[row - 1]]
    found = [tuple(k for k, r in zip(kept, rows, strict=True) if r.items() >= q.items())
             for q in QUASI]  # fmt: skip
    assert found == BLOCKS


@pytest.mark.parametrize(("block", "values"), [(0, 1), (1, 2), (2, 2)])
def test_two_of_three_blocks_are_2_diverse(block, values):
    """Homogeneity: all of the first block have hypertension."""
    rows = [r for r in figure_18().rows.to_pylist() if r.items() >= QUASI[block].items()]
    assert len({row["disease"] for row in rows}) == values
    table = pa.Table.from_pylist(rows)
    asked = {"model": "l-diversity", "l": 2}
    if values == 2:
        assert measure(table, asked) == 2
    else:
        told = "it measures 1 in the class (zip=2203*, marital=been_married, sex=F)"
        assert told in measure(table, asked)


def test_the_third_block_is_not_0_4_deassociated():
    """(0.4, 3)-anonymity for HIV: shares 0, 1/3 and 2/3."""
    asked = {"model": "alpha-k", "alpha": 0.4, "k": 3, "values": ["HIV"]}
    rows = figure_18().rows
    assert by_block(rows, asked) == [True, True, False]
    assert "it measures 0.666667 in the class (zip=2204*" in measure(rows, asked)
    assert measure(rows, asked | {"alpha": 0.67}) == pytest.approx(2 / 3)
    second = figure_18().rows.slice(2, 3)
    assert measure(second, asked) == pytest.approx(1 / 3)


def test_k_of_alpha_k_is_k_anonymity():
    asked = {"model": "alpha-k", "alpha": 0.9, "k": 4, "values": ["HIV"]}
    assert by_block(figure_18().rows, asked) == [False] * 3


def test_all_rows_together_are_0_4_10_anonymous_for_all_values():
    """Hypertension and HIV have 3 of 10 rows, obesity has 4."""
    data = pa.Table.from_pylist(CHAPTER["rows"])
    plan = plan_of(
        CHAPTER["columns"], CHAPTER["ladders"], 2, others={"disease": {"role": "sensitive"}},
        require=[{"model": "alpha-k", "alpha": 0.4, "k": 10}],
    )  # fmt: skip
    release = anonymize(data, plan)
    assert release.levels == {"zip": 2, "marital": 2, "sex": 1}
    assert release.evidence[0].measured == pytest.approx(0.4)


def test_figure_19_is_3_anonymous_and_2_diverse_in_cholesterol():
    asked = {"model": "l-diversity", "l": 2, "column": "cholesterol"}
    table = figure_19()
    assert measure(table, {"model": "k-anonymity", "k": 3}, sensitive=("cholesterol",)) == 3
    assert measure(table, asked, sensitive=("cholesterol", "diabetes")) == 2


def test_skewness():
    """Diabetes: 67 % in a block of the release, 30 % in the table of ten before suppression."""
    whole = brute.Sensitive(("N", "Y"), Counter(N=7, Y=3))
    block = Counter(Y=2, N=1)
    assert brute.watched_share(block, 3, ["Y"]) == Fraction(2, 3)
    assert brute.distance("equal", block, whole) == Fraction(2, 3) - Fraction(3, 10)
    rows = [*figure_19().to_pylist(), {"zip": "2204*", "marital": "never_married", "sex": "F",
            "diabetes": "N", "cholesterol": 240}]  # fmt: skip
    asked = [{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 0.37}]
    plan = promised(*asked, sensitive=("diabetes",), suppression=0.1)
    release = anonymize(pa.Table.from_pylist(rows), plan)
    assert release.levels == {"zip": 0, "marital": 0, "sex": 0}
    assert release.evidence[1].measured == pytest.approx(float(Fraction(11, 30)))
    assert release.evidence[1].worst_class == QUASI[1]


def test_similarity():
    """Cholesterol 250 to 260 in the second block: values that differ and are near each other."""
    plan = {"model": "t-closeness", "t": 0.9, "distance": "ordered", "column": "cholesterol"}
    measured = measure(figure_19(), plan, sensitive=("cholesterol", "diabetes"))
    assert measured == pytest.approx(2 / 9)
    order = tuple(sorted(set(CHOLESTEROL)))
    whole = brute.Sensitive(order, Counter(CHOLESTEROL))
    held = [Counter(CHOLESTEROL[row - 1] for row in rows) for rows in BLOCKS]
    distances = [brute.distance("ordered", block, whole) for block in held]
    assert distances == [Fraction(1, 9), Fraction(13, 63), Fraction(2, 9)]


def test_l_diversity_of_each_column_may_be_broken_when_they_are_joined():
    """Section 5: who knows the cholesterol knows the diabetes of most."""
    both = ("diabetes", "cholesterol")
    asked = {"model": "l-diversity", "l": 2, "joined": True, "column": "diabetes"}
    assert "it measures 1" in measure(figure_19(), asked, sensitive=both)


@pytest.mark.parametrize(("salaries", "distance"), [((3, 4, 5), 0.375), ((6, 8, 11), 1 / 6)])
def test_salaries_of_the_paper_on_t_closeness(salaries, distance):
    """Li, Li and Venkatasubramanian 2007, section 5: nine salaries, 3k to 11k."""
    from indistinct.requirements import TCloseness
    from tests.requirements.strategies import published_classes

    values = tuple(map(str, range(3, 12)))
    flat = [[value, "*"] for value in values]
    sensitive = brute.Sensitive(values, Counter(values), flat)
    asked = TCloseness(t=1, distance="ordered")
    found = asked.measure(published_classes([Counter(map(str, salaries))], sensitive))
    assert found.value == pytest.approx(distance)
