"""The check holds a release to every limit of its plan, whatever the method did."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.check.limits import accuracy_found, suppression_found
from indistinct.errors import DoesNotHoldError
from indistinct.hierarchy import Hierarchy
from indistinct.methods.full_domain.samarati import Samarati
from indistinct.methods.partition.dual import AccuracyConstrained
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.model.recoding import LevelVector, Partition
from indistinct.model.table import QuasiColumn

PEOPLE = pa.table({"age": [20, 20, 30, 30, 40, 40, 50, 50, 60, 60], "ill": ["flu", "gout"] * 5})


def plan(method, **more):
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "ill": {"role": "sensitive"},
    }
    require = [{"model": "k-anonymity", "k": 2}]
    return {"columns": columns, "require": require, "method": {"name": method}, **more}


def levels(problem, kept):
    return LevelVector((0,), np.cumsum(problem.table.row_counts) <= kept)


def groups(problem, kept):
    # whole groups of two, so that only the limit is broken
    table = problem.table
    place = np.argsort(table.quasi[0].codes, kind="stable")
    before = np.cumsum(table.row_counts[place]) - table.row_counts[place]
    found = np.empty(table.entries, dtype=np.int32)
    found[place] = before // 2
    return Partition(np.where(found < kept // 2, found, -1).astype(np.int32))


@pytest.mark.parametrize("suppressed", ["drop", "blank"])
@pytest.mark.parametrize(
    ("method", "kind", "search"),
    [("samarati", Samarati, levels), ("mondrian", Mondrian, groups)],
)
def test_a_method_that_leaves_out_too_many_rows(monkeypatch, suppressed, method, kind, search):
    monkeypatch.setattr(kind, "search", lambda _, problem: search(problem, 8))
    asked = plan(method, suppressed=suppressed, limits={"suppression": 0.2})
    release = anonymize(PEOPLE, asked)
    assert release.verified.holds
    assert [limit.measured for limit in release.verified.limits] == [0.2]
    monkeypatch.setattr(kind, "search", lambda _, problem: search(problem, 6))
    with pytest.raises(DoesNotHoldError) as caught:
        anonymize(PEOPLE, asked)
    told = "limit 'limits.suppression': it measures 0.4 (4 of 10 rows), where 0.2 is allowed"
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("accuracy", "told"),
    [
        ({"max_extent": {"age": 10}}, "'accuracy.max_extent.age': it measures 40, where 10"),
        ({"max_ncp": 0.5}, "limit 'accuracy.max_ncp': it measures 1, where 0.5 is allowed"),
    ],
)
def test_a_method_that_loses_more_than_a_group_may(monkeypatch, accuracy, told):
    asked = plan("ac", accuracy=accuracy)
    assert {limit.holds for limit in anonymize(PEOPLE, asked).verified.limits} == {True}
    wide = Partition(np.zeros(10, dtype=np.int32))
    monkeypatch.setattr(AccuracyConstrained, "search", lambda *_: wide)
    with pytest.raises(DoesNotHoldError) as caught:
        anonymize(PEOPLE, asked)
    assert told in str(caught.value)


def test_a_suppressed_row_that_was_not_blanked(monkeypatch):
    from indistinct.publishing import rows

    monkeypatch.setattr(Samarati, "search", lambda _, problem: levels(problem, 8))
    monkeypatch.setattr(rows, "_blanked", lambda table, _: table)
    with pytest.raises(DoesNotHoldError, match="a suppressed row was not blanked"):
        anonymize(PEOPLE, plan("samarati", suppressed="blank", limits={"suppression": 0.2}))


@given(st.integers(1, 300), st.integers(0, 300), st.sampled_from([0.0, 0.02, 0.1, 0.29, 1.0]))
def test_a_share_of_rows(rows, suppressed, allowed):
    from fractions import Fraction

    exact = Fraction(suppressed) <= Fraction(str(allowed)) * rows
    assert suppression_found(allowed, suppressed, rows).holds is exact


PATHS = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"], ["e", "z", "*"]]
LEAVES = {"a": 2, "b": 2, "c": 2, "d": 2, "e": 1}


def node_ncp(values):
    if len(values) == 1:
        return 0.0
    one_node = len({path[1] for path in PATHS if path[0] in values}) == 1
    return LEAVES[min(values)] / 5 if one_node else 1.0


NUMBERS = ["1", "2", "5", "9"]
JOBS = st.lists(
    st.tuples(st.integers(-1, 2), st.sampled_from("abcde"), st.sampled_from(NUMBERS)),
    min_size=1, max_size=9,
)  # fmt: skip


@given(JOBS, st.sampled_from(["node", "set", "star"]), st.sampled_from(["range", "set", "star"]))
def test_what_groups_lose_is_by_the_definition(job, form, line):
    group, letters, numbers = (list(part) for part in zip(*job, strict=True))
    columns = []
    flat = [[number, "*"] for number in NUMBERS]
    for values, paths, weight in ((letters, PATHS, 3.0), (numbers, flat, 1.0)):
        hierarchy = Hierarchy.from_paths(paths)
        codes = np.array([hierarchy.code_of[value] for value in values], dtype=np.int32)
        columns.append(
            QuasiColumn("letter" if paths is PATHS else "number", codes, hierarchy, weight)
        )
    seen = [int(number) for number in numbers]
    width = max(seen) - min(seen)
    worst, reach = 0.0, 0
    for one in set(group) - {-1}:
        mine = [row for row, of in zip(job, group, strict=True) if of == one]
        held = [{row[1] for row in mine}, {row[2] for row in mine}]
        ends = sorted(int(value) for value in held[1])
        reach = max(reach, ends[-1] - ends[0])
        by_form = {
            "node": lambda held=held: node_ncp(held[0]),
            "set": lambda held=held: (len(held[0]) - 1) / 4,
            "star": lambda held=held: float(len(held[0]) > 1),
        }
        by_line = {
            "range": (ends[-1] - ends[0]) / width if width else 0.0,
            "set": (len(held[1]) - 1) / 3,
            "star": float(len(held[1]) > 1),
        }
        worst = max(worst, (3 * by_form[form]() + by_line[line]) / 4)
    groups = np.array(group, dtype=np.int32)
    ncp, extent = accuracy_found(columns, [form, line], groups, 0.5, {"number": 3})
    assert ncp.measured == pytest.approx(worst)
    assert ncp.holds is (worst <= 0.5 + 1e-9)
    assert (extent.measured, extent.holds) == (reach, reach <= 3)


@pytest.mark.parametrize("publish", ["auto", "exact"])
def test_the_loss_of_a_group_is_that_of_what_is_published(publish):
    """Ends that few people have are moved outwards, which loses more."""
    ages = [21, 22, 23, 27, 33, 36, 41, 58, 59, 62]
    table = pa.table({"age": ages, "ill": ["flu", "gout"] * 5})
    asked = plan("ac", publish=publish, accuracy={"max_ncp": 0.9}, unlisted="drop")
    release = anonymize(table, asked)

    def lost(cell):
        low, _, high = cell.strip("[]").partition("-")
        return (min(int(high or low), 62) - max(int(low), 21)) / 41

    [_, found] = release.verified.limits
    assert found.name == "accuracy.max_ncp"
    cells = release.rows.column("age").to_pylist()
    assert found.measured == pytest.approx(max(lost(str(cell)) for cell in cells))
    assert found.holds
