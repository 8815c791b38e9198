"""Rows of equal quasi values: what a release tells of them that their classes do not.

The adversary knows the code, the plan but for its seed, and the whole quasi-identifier table. He
runs the method himself. If rows that are alike were parted by their sensitive values, by other
columns, or by their places in the private file, he would read it off from where they went.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize
from indistinct.methods import METHODS
from indistinct.model.recoding import ColumnIntervals, LevelVector, Matching
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.running.progress import Progress
from tests.build import accepted
from tests.rows import records

BOUND = {"accuracy": {"max_ncp": 0.5}}
L_DIVERSE = [{"model": "l-diversity", "l": 2}]
OPTIONS = {
    "mondrian, relaxed": ("mondrian", {"strict": False}),
    "one-dimension, fast": ("one-dimension", {"fast": True}),
    "one-dimension, hilbert": ("one-dimension", {"mapping": "hilbert"}),
    "ipcsd, mondrian": ("ipcsd", {"direct": "mondrian"}),
    **{
        f"{name}, {algorithm}": (name, {"algorithm": algorithm})
        for name, algorithms in {
            "cell-suppression": ("local", "forest"),
            "cell-generalization": ("local", "forest"),
        }.items()
        for algorithm in algorithms
    },
    "cell-suppression, set-cover": ("cell-suppression", {"algorithm": "set-cover"}),
}
WAYS = {name: (name, {}) for name in METHODS} | OPTIONS
FOR_VALUES = {"anatomy"}  # it needs a requirement on sensitive values
WITHOUT_VALUES = [way for way, (name, _) in WAYS.items() if name not in FOR_VALUES]
GROUPING = [
    way
    for way in WITHOUT_VALUES
    for method in [METHODS[WAYS[way][0]]]
    if method.groups_rows or method.takes_rows
]
KEEPING_L = [
    way
    for way, (name, options) in WAYS.items()
    if "l-diversity" in METHODS[name].keeps and options.get("algorithm") != "set-cover"
]
DEVIATIONS, TRIALS = 4, 25
AGES = [20] * 9 + [21] + [30] * 9 + [33] + [40] * 5
FEW_AGES = [20, 20, 20, 21, 22]


def plan(way, *, seed=None, k=5, **more):
    name, options = WAYS[way]
    accuracy = BOUND if name in {"ac", "ipcsd"} else {}
    k = 2 if name == "freeform-mip" else 3 if options.get("algorithm") == "set-cover" else k
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [2, 10, 50]}},
            "ill": {"role": "sensitive"},
            "pay": {"role": "sensitive"},
            "note": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": name, **options},
        "limits": {"suppression": 0.2},
        "accept": accepted("ill", "pay", "note"),
        **accuracy,
        **({} if seed is None else {"seed": seed}),
        **({"accept": accepted("ill")} if "columns" in more else {}),
        **more,
    }


def people(way, random, *, values=40):
    """People in a random order, with values that are drawn without a look at their age."""
    ages = random.permutation(FEW_AGES if WAYS[way][0] == "freeform-mip" else AGES)
    size = ages.size
    return {
        "age": ages.tolist(),
        "ill": [f"i{n:02}" for n in random.permutation(max(size, values))[:size] % values],
        "pay": random.permutation(size).tolist(),
        "note": random.permutation(size).tolist(),
    }


def worked(data, asked):
    work = Work(Plan.load(asked), Progress())
    work.recode(pa.table(data), keep_order=True)
    return work


def recoded(data, asked):
    return worked(data, asked).recoding


def told(recoding):
    """All that a recoding decides."""
    if isinstance(recoding, Matching):
        return [recoding.sources.tolist()]
    if isinstance(recoding, ColumnIntervals):
        return [[start.tolist() for start in recoding.starts], recoding.kept.tolist()]
    stars = None if recoding.starred is None else recoding.starred.tolist()
    if isinstance(recoding, LevelVector):
        return [recoding.levels, recoding.kept.tolist(), stars]
    return [recoding.groups.tolist(), stars]


@pytest.fixture
def known_secret(monkeypatch):
    """All that is drawn for a release depends on nothing but the seed, as if it were known."""
    monkeypatch.setattr(Draws, "of", lambda asked, _, table: Draws(asked.seed, table.rows))


@pytest.mark.usefixtures("known_secret")
@pytest.mark.parametrize("way", WITHOUT_VALUES)
def test_sensitive_and_other_values_decide_nothing_that_no_rule_asks(way):
    random = np.random.default_rng(1)
    data = people(way, random)
    expected = told(recoded(data, plan(way, seed=5)))
    for _ in range(2):
        others = people(way, random)
        assert told(recoded({**others, "age": data["age"]}, plan(way, seed=5))) == expected


@pytest.mark.usefixtures("known_secret")
@pytest.mark.parametrize("way", KEEPING_L)
def test_values_that_no_rule_is_about_decide_nothing_beside_one(way):
    random = np.random.default_rng(2)
    rule = [{"model": "l-diversity", "l": 2, "column": "ill"}]
    data = people(way, random, values=4)
    asked = plan(way, seed=6, require=rule)
    expected = told(recoded(data, asked))
    for _ in range(2):
        others = people(way, random)
        judged = {name: data[name] for name in ("age", "ill")}
        assert told(recoded({**others, **judged}, asked)) == expected


@pytest.mark.parametrize("way", [way for way in WITHOUT_VALUES if way not in GROUPING])
def test_whole_columns_treat_rows_that_are_alike_alike(way):
    data = people(way, np.random.default_rng(3))
    found = recoded(data, plan(way))
    kept = dict(zip(data["age"], found.kept.tolist(), strict=True))
    assert [kept[age] for age in data["age"]] == found.kept.tolist()
    starred = getattr(found, "starred", None)
    if starred is not None:
        cells = dict(zip(data["age"], starred.tolist(), strict=True))
        assert [cells[age] for age in data["age"]] == starred.tolist()


def candidates(work, row):
    """The rows that a person may be, as the release shows them."""
    recoding = work.recoding
    if isinstance(recoding, Matching):
        return recoding.sources[row]
    if isinstance(recoding, LevelVector):
        cells = np.array(work.published.rows["age"].to_pylist())
        return np.flatnonzero(cells == cells[row])
    return np.flatnonzero(recoding.groups == recoding.groups[row])


def guesses(data, rows):
    """What rows of a class could be told apart by, if alike rows were parted by it."""
    for name in ("ill", "pay", "note"):
        ordered = sorted(rows, key=lambda row: data[name][row])
        yield from (ordered[0], ordered[-1])
    yield from (min(rows), max(rows))


def attacked(way, trials, make=people):
    """For each guess how often it is right, and how often and with what spread by class shares."""
    right, expected, spread = np.zeros(8), 0.0, 0.0
    for trial in range(trials):
        data = make(way, np.random.default_rng(trial))
        found = worked(data, plan(way, seed=trial, limits={}))
        for row in (row for row, age in enumerate(data["age"]) if data["age"].count(age) == 1):
            rows = candidates(found, row).tolist()
            right += [guess == row for guess in guesses(data, rows)]
            expected += 1 / len(rows)
            spread += (1 - 1 / len(rows)) / len(rows)
    return right, expected, sqrt(spread)


@pytest.mark.parametrize("way", [way for way in GROUPING if way != "auto"])  # which is best
def test_no_guess_beats_the_share_of_a_class(way):
    right, expected, spread = attacked(way, TRIALS)
    assert expected > 0
    assert right.max() <= expected + DEVIATIONS * spread


@pytest.mark.parametrize("way", ["one-dimension", "hilbert", "freeform-ring"])
def test_if_ties_stood_in_the_order_of_values_a_guess_would(way, monkeypatch):
    def in_order(self, purpose):
        of_rows = purpose == "ties" and self.rows == by_value.size  # not of entries
        return by_value if of_rows else np.arange(self.rows)

    def make(way, random):
        nonlocal by_value
        data = people(way, random)
        by_value = np.argsort(data["ill"], kind="stable")
        return data

    by_value = np.zeros(0)
    monkeypatch.setattr(Draws, "order", in_order)
    right, expected, spread = attacked(way, TRIALS, make)
    assert right.max() > expected + DEVIATIONS * spread


def test_one_person_among_nine_is_not_found_by_best():
    """Ten people, one of them a year older: k = 5 puts her with some of the others.

    If the others in her class were those of largest (or smallest) value, a class that begins (or
    ends) within the values of the other class would betray her.
    """
    claims, right = 0, 0
    for trial in range(40):
        random = np.random.default_rng(trial)
        data = {"age": [20] * 9 + [21], "ill": [f"i{n:02}" for n in random.permutation(40)[:10]]}
        asked = plan("best", columns={"age": {"role": "quasi"}, "ill": {"role": "sensitive"}})
        rows = anonymize(pa.table(data), asked | {"limits": {}}).rows.to_pylist()
        classes = {row["age"]: [r["ill"] for r in rows if r["age"] == row["age"]] for row in rows}
        if len(classes) < 2:
            continue
        alone = classes.pop("20")
        (mixed,) = classes.values()
        for guess, betrays in ((min(mixed), min(mixed) < max(alone)), (max(mixed), True)):
            claims += betrays
            right += betrays and guess == data["ill"][-1]
    assert claims > 40
    assert right <= claims / 5 + DEVIATIONS * sqrt(claims * 4 / 25)


@pytest.mark.parametrize("way", WAYS)
def test_with_a_seed_the_order_of_the_file_decides_nothing(way):
    random = np.random.default_rng(4)
    data = people(way, random, values=5)
    require = L_DIVERSE if WAYS[way][0] in FOR_VALUES else plan(way)["require"]
    asked = plan(way, seed=7, require=require)
    expected = released(data, asked)
    for _ in range(2):
        order = random.permutation(len(data["age"]))
        shuffled = {name: [values[row] for row in order] for name, values in data.items()}
        assert released(shuffled, asked) == expected


def released(data, asked):
    work = Work(Plan.load(asked), Progress())
    work.recode(pa.table(data))
    return records(work.published.rows)


@pytest.mark.parametrize("method", ["best", "hilbert", "anatomy"])
def test_nor_where_people_have_several_rows_and_pseudonyms(method):
    """Values are of many types; lists cannot be ranked, and are compared as text."""
    random = np.random.default_rng(5)
    data = people("best", random, values=5)
    size = len(data["age"])
    data["note"] = [[n % 3, n % 2] for n in data["note"]]
    data["who"] = [None if n == 3 else f"p{n}" for n in random.permutation(size) // 2]
    asked = plan("best", seed=8, method={"name": method}, require=L_DIVERSE)
    role = {"role": "identifier" if method == "anatomy" else "respondent"}
    asked["columns"] = asked["columns"] | {"who": {**role, "pseudonym": {"kind": "random"}}}
    expected = released(data, asked)
    for _ in range(3):
        order = random.permutation(size)
        shuffled = {name: [values[row] for row in order] for name, values in data.items()}
        assert released(shuffled, asked) == expected


def test_names_of_values_decide_nothing():
    """Three values are equally frequent, so anatomy may begin with any two of them."""
    pairs = set()
    for seed in range(40):
        data = {"age": [20, 20, 20], "ill": ["a", "b", "c"]}
        columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
        asked = plan("anatomy", seed=seed, require=L_DIVERSE, columns=columns)
        data = {name: values * 2 for name, values in data.items()}
        groups = recoded(data, asked).groups
        held = [sorted(data["ill"][row] for row in np.flatnonzero(groups == g)) for g in (0, 1)]
        pairs.add("".join(held[0]))
    assert len(pairs) > 2
