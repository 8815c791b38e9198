"""What every freeform method must pass: regular, disjoint, covering, true, and how they compare."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, verify
from indistinct.errors import CannotMeetError, PlanError
from indistinct.hierarchy import Hierarchy
from indistinct.methods import METHODS
from indistinct.methods.freeform.freeform import START, Freeform
from indistinct.methods.freeform.mip import FreeformMip
from indistinct.methods.partition.best import Best
from indistinct.requirements import KAnonymity
from indistinct.running.progress import Progress
from tests import oracle_freeform as brute
from tests.build import accepted
from tests.methods.partition import small
from tests.profiles import examples

NAMES = [name for name, method in METHODS.items() if method.matches_rows]
FAST = [name for name in NAMES if name != "freeform-mip"]


def numbers(size):
    return Hierarchy.from_paths([[str(code), f"g{code // 2}", "*"] for code in range(size)])


def problem_of(rows, sizes, k, *, form="range"):
    """A problem from rows of codes, which are the numbers they stand for."""
    problem = small.problem_of(rows, sizes, (KAnonymity(k=k),), form=form)
    quasi = tuple(
        replace(column, hierarchy=numbers(size))
        for column, size in zip(problem.table.quasi, sizes, strict=True)
    )
    return replace(problem, table=replace(problem.table, quasi=quasi))


def box_cost(problem, rows):
    """What a box costs, from the values it covers."""
    spent = 0.0
    for place, column in enumerate(problem.table.quasi):
        values = {int(column.codes[row]) for row in rows}
        size = column.hierarchy.size
        if len(values) == 1:
            continue
        if problem.forms[place] == "set":
            spent += (len(values) - 1) / (size - 1)
        elif problem.forms[place] == "range":
            seen = column.codes
            spent += (max(values) - min(values)) / (int(seen.max()) - int(seen.min()))
        else:
            under = [c for c in range(size) if c // 2 in {v // 2 for v in values}]
            spent += len(under) / size if len({v // 2 for v in values}) == 1 else 1.0
    return spent


def loss(problem, found):
    return sum(box_cost(problem, box) for box in found.sources.tolist())


@st.composite
def problems(draw, *, most_rows=9, forms=("range", "node")):
    sizes = draw(st.lists(st.integers(2, 6), min_size=1, max_size=3))
    count = draw(st.integers(3, most_rows))
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(row, min_size=count, max_size=count))
    k = draw(st.integers(2, min(count, 4)))
    form = draw(st.sampled_from(forms))
    return problem_of(rows, sizes, k, form=form)


@pytest.mark.parametrize("name", FAST)
@examples(30)
@given(problems(most_rows=16))
def test_regular_disjoint_and_the_loss_is_as_told(name, problem):
    k = problem.requirements[0].k
    found = METHODS[name]().search(problem)
    assert found.k == k
    assert found.perfect and found.disjoint  # noqa: PT018
    assert brute.regular(found.sources.tolist(), k)
    cells = problem.table.rows * len(problem.table.quasi)
    assert found.search["loss"] == pytest.approx(loss(problem, found) / cells)
    assert (METHODS[name]().search(problem).sources == found.sources).all()


@examples(20)
@given(problems(most_rows=5, forms=("range", "node", "set")))
def test_the_mip_is_the_optimum_by_brute_force(problem):
    found = FreeformMip().search(problem)
    assert found.search["optimal"]
    assert found.perfect and found.disjoint  # noqa: PT018
    least = brute.least_cost(problem.table.rows, found.k, lambda rows: box_cost(problem, rows))
    assert loss(problem, found) == pytest.approx(least, abs=1e-6)


@examples(12)
@given(problems(most_rows=6))
def test_no_method_is_below_the_mip(problem):
    least = loss(problem, FreeformMip().search(problem))
    for name in FAST:
        assert loss(problem, METHODS[name]().search(problem)) >= least - 1e-6, name


@examples(12)
@given(problems(most_rows=7))
def test_freeform_is_the_optimum_for_pairs(problem):
    pairs = replace(problem, requirements=(KAnonymity(k=2),))
    least = loss(pairs, FreeformMip().search(pairs))
    assert loss(pairs, Freeform().search(pairs)) == pytest.approx(least, abs=1e-6)


@examples(20)
@given(problems(most_rows=40), st.integers(0, 3))
def test_freeform_is_never_worse_than_the_partition_it_starts_from(problem, seed):
    found = Freeform(seed=seed).search(problem)
    start = Best(passes=START, seed=seed).search(problem)
    assert found.search["partition_loss"] == start.search["loss"]
    assert found.search["loss"] <= start.search["loss"] + 1e-6


@pytest.mark.parametrize(("block", "blocks"), [(1000, 3), (4000, 1)], ids=["blocks", "two sides"])
def test_freeform_in_parts_improves_and_repeats_itself(block, blocks):
    random = np.random.default_rng(3)
    rows = random.integers(0, 6, size=(2600, 4)).tolist()
    problem = problem_of(rows, [6] * 4, 4)
    one, two = (Freeform(block=block, passes=4).search(problem) for _ in range(2))
    assert one.search["blocks"] == blocks
    assert one.perfect and one.disjoint  # noqa: PT018
    assert (one.sources == two.sources).all()
    assert one.search["loss"] < one.search["partition_loss"]


class Heard:
    """Who listens to a search."""

    def __init__(self):
        self.shares = []

    def advance(self, done):
        self.shares.append(done)


@pytest.mark.parametrize(
    ("columns", "values", "k", "count"),
    [(20, 4, 5, 200), (2, 400, 5, 600), (2, 6, 1030, 2070)],
    ids=["columns", "values", "rows in a box"],
)
def test_freeform_with_many(columns, values, k, count):
    codes = np.random.default_rng(1).integers(values, size=(count, columns))
    codes[0], codes[1] = 0, values - 1
    problem = problem_of([tuple(row) for row in codes.tolist()], [values] * columns, k)
    found = Freeform(passes=2).search(problem)
    assert brute.regular(found.sources.tolist(), k)
    assert found.search["loss"] <= found.search["first_loss"]
    assert loss(problem, found) / (count * columns) == pytest.approx(found.search["loss"])


def test_every_round_of_freeform_is_told():
    heard = Heard()
    rows = np.random.default_rng(3).integers(0, 6, size=(60, 4)).tolist()
    problem = replace(problem_of(rows, [6] * 4, 4), progress=Progress(heard))
    Freeform(passes=4).search(problem)
    assert heard.shares[-4:] == [0.25, 0.5, 0.75, 1.0]


def test_backtracking_settles_dead_ends():
    """With as many matchings as rows, every pair is taken: most rows meet a dead end."""
    rows = [(value,) for value in (0, 1, 2, 3, 4, 5, 6)]
    problem = problem_of(rows, [7], 7)
    for name in FAST:
        found = METHODS[name]().search(problem)
        assert found.perfect and found.disjoint, name  # noqa: PT018


def test_the_mip_refuses_large_tables():
    problem = problem_of([(i % 5,) for i in range(61)], [5], 2)
    with pytest.raises(CannotMeetError, match="at most 60 rows"):
        FreeformMip().search(problem)


def people(rows=24):
    random = np.random.default_rng(7)
    return {
        "age": random.integers(20, 60, rows).tolist(),
        "town": [f"{n:02}" for n in random.integers(0, 8, rows)],
        "ill": [f"i{n}" for n in range(rows)],
        "note": [f"n{n}" for n in range(rows)],
    }


def plan(method="freeform", k=3, **more):
    paths = [[f"{n:02}", f"g{n // 4}", "*"] for n in range(8)]
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "town": {"role": "quasi", "hierarchy": {"paths": paths}},
            "ill": {"role": "sensitive"},
            "note": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        "accept": accepted("ill", "note"),
        **more,
    }


def covers(cell, value):
    """Whether a published cell covers a value, by reading it."""
    if cell in {"*", value}:
        return True
    if cell.startswith("{"):
        return any(covers(member, value) for member in cell[1:-1].split(", "))
    if ends := ends_of(cell):
        return ends[0] <= int(value) <= ends[1]
    return cell == f"g{int(value) // 4}"


def ends_of(cell):
    """The ends of a published range, None if it is none."""
    if cell.startswith("["):
        return tuple(map(int, cell[1:-1].split("-")))
    if cell.startswith("<"):
        return -np.inf, int(cell[1:]) - 1
    return (int(cell[2:]), np.inf) if cell.startswith(">=") else None


def lost(cell, values, as_sets):
    """NCP of a published cell, by reading it; a range reaches no farther than the values."""
    if as_sets:
        return (sum(covers(cell, value) for value in values) - 1) / (len(values) - 1)
    if ends := ends_of(cell):
        low, high = int(min(values)), int(max(values))
        return (min(ends[1], high) - max(ends[0], low)) / (high - low)
    return {"*": 1.0, "g": 0.5}.get(cell[0], 0.0)


def few(cells, values, k):
    """Which values that cells name fewer than k people have."""
    have = Counter(map(str, values))
    members = {m for cell in cells for m in str(cell).strip("{}").split(", ")}
    return {m for m in members if 0 < have[m] < k}


@pytest.mark.parametrize("publish", ["auto", "set", "exact"])
@pytest.mark.parametrize("name", NAMES)
def test_a_release_is_true_covers_k_and_loses_what_is_told(name, publish):
    data = people(8 if name == "freeform-mip" else 24)
    asked = plan(name, publish=publish)
    release = anonymize(pa.table(data), asked)
    rows = release.rows.to_pylist()
    by_note = dict(zip(data["note"], zip(*data.values(), strict=True), strict=True))
    assert Counter(row["note"] for row in rows) == Counter(data["note"])
    for row in rows:  # sensitive and other values are one person's, who fits the row
        age, town, ill, _ = by_note[row["note"]]
        assert row["ill"] == ill
        assert covers(str(row["age"]), str(age))
        assert covers(row["town"], town)
    fits = [
        {
            number
            for number, (age, town) in enumerate(zip(data["age"], data["town"], strict=True))
            if covers(str(row["age"]), str(age)) and covers(row["town"], town)
        }
        for row in rows
    ]
    assert min(map(len, fits)) >= 3
    values = {"age": {str(age) for age in data["age"]}, "town": {f"{n:02}" for n in range(8)}}
    ncp = {
        c: np.mean([lost(str(row[c]), held, publish == "set") for row in rows])
        for c, held in values.items()
    }
    shown = {m for c in values for m in few([row[c] for row in rows], data[c], 3)}
    assert not shown or publish == "exact"
    assert release.measures.ncp == pytest.approx(ncp)
    assert release.measures.gcp == pytest.approx(np.mean(list(ncp.values())))
    assert release.levels == {"age": None, "town": None}
    assert release.summary()["classes"] == 0
    assert release.measures.gcp >= release.bound().loss - 1e-9
    assert verify(release.frame, asked, private=pa.table(data)).holds


def outside(shown, ends, ages, k=3):
    """Whether ends are those of classes of five years, or what k people have, and hold others."""
    if ends == (None, None):
        return shown == ends
    low, high = shown
    of_classes = low % 5 == 0 or ages.count(low) >= k, high % 5 == 4 or ages.count(high) >= k
    return all(of_classes) and low <= ends[0] <= ends[1] <= high


@pytest.mark.parametrize("exact", [False, True], ids=["usual", "exact"])
@pytest.mark.parametrize("range_as", ["bounds", "mean", "median"])
def test_ranges_as_numbers(range_as, exact):
    data = people() | {"age": [None, *people()["age"][1:]]}
    asked = plan(publish="exact" if exact else "auto")
    asked["columns"]["age"]["range_as"] = range_as
    release = anonymize(pa.table(data), asked, keep_order=True)
    sources = release.recoding.sources
    for row, box in zip(release.rows.to_pylist(), sources.tolist(), strict=True):
        ages = [data["age"][source] for source in box]
        known = sorted(age for age in ages if age is not None)
        whole = len(known) == len(ages)
        if range_as == "bounds":
            shown = row["age_low"], row["age_high"]
            expected = (known[0], known[-1]) if whole else (None, None)
            assert shown == expected if exact else outside(shown, expected, data["age"])
        else:
            centre = np.mean(known) if range_as == "mean" else np.median(known)
            assert row[f"age_{range_as}"] == (pytest.approx(centre) if whole else None)
    assert verify(release.frame, asked, private=pa.table(data)).holds


@pytest.mark.parametrize(
    ("require", "fragment"),
    [
        ({"model": "t-closeness", "t": 0.2}, "'t-closeness' is about classes"),
        ({"model": "l-diversity", "kind": "entropy", "l": 2}, "'l-diversity' is about classes"),
        ({"model": "l-diversity", "kind": "frequency", "l": 2}, "each row has k candidates"),
        ({"model": "alpha-k", "alpha": 0.5, "k": 2}, "such as best"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_requirements_that_need_classes_are_refused_with_the_reason(name, require, fragment):
    asked = plan(name) | {"require": [{"model": "k-anonymity", "k": 2}, require]}
    with pytest.raises(PlanError, match=fragment):
        anonymize(pa.table(people()), asked)


def test_people_with_several_rows_and_permutations_are_refused():
    asked = plan(publish="permutation")
    asked["columns"]["note"] = {"role": "respondent"}
    with pytest.raises(PlanError) as caught:
        anonymize(pa.table(people()), asked)
    told = str(caught.value)
    assert "a person with several" in told
    assert "no groups to permute in" in told


def test_too_few_rows_cannot_be_met():
    for name in NAMES:
        with pytest.raises(CannotMeetError, match="only 4 respondents"):
            anonymize(pa.table(people(4)), plan(name, k=5))
