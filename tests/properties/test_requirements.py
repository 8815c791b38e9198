"""Every requirement, and pairs of them, under every full-domain search, against brute force."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import CannotMeetError
from indistinct.methods.full_domain import optimal
from tests import build, oracle
from tests import oracle_requirements as brute
from tests.profiles import examples
from tests.requirements.jobs import jobs
from tests.requirements.strategies import FORMS, ON_NUMBERS, ON_VALUES

SEARCHES = ["samarati", "branch and bound", "roll-up"]
A_FEW, FEW, SOME = examples(4), examples(10), examples(20)


def plan_of(job, method):
    """What is asked of a job, as a plan."""
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": job.ladders[name]}} for name in job.columns
    }
    for name, column in job.sensitive.items():
        paths = [path for path in column.ladders or [] if path[0] is not None]
        columns[name] = {"role": "sensitive"} | ({"hierarchy": {"paths": paths}} if paths else {})
    sets = {}
    for number, (places, people) in enumerate(job.sets):
        sets[f"set{number}"] = {"columns": [job.columns[place] for place in places]}
        if people is not None:
            columns[f"who{number}"] = {"role": "respondent"}
            sets[f"set{number}"]["respondent"] = f"who{number}"
    return {
        "columns": columns,
        "require": job.asked,
        "method": {"name": method},
        "limits": {"suppression": job.limit / job.size},
        "sets": sets,
    }


def data_of(job):
    names = [*job.columns, *job.sensitive]
    data = {name: pa.array([row[name] for row in job.rows], pa.string()) for name in names}
    whose = {f"who{number}": people for number, (_, people) in enumerate(job.sets)}
    return pa.table(data | {name: people for name, people in whose.items() if people is not None})


def searched(job, search, monkeypatch):
    """The levels and how many rows are kept, or None where it cannot be met."""
    method = "samarati" if search == "samarati" else "optimal"
    monkeypatch.setattr(optimal, "_weak_bounds", lambda _: search == "roll-up")
    try:
        release = anonymize(data_of(job), plan_of(job, method), keep_order=True)
    except CannotMeetError:
        return None
    return tuple(release.levels.values()), int(np.count_nonzero(release.recoding.kept))


def expected(job, search, kept):
    vector = (brute.lowest if search == "samarati" else brute.best)(job, kept)
    return (vector, len(kept[vector])) if vector is not None and kept[vector] else None


def check_searches(job, searches=SEARCHES):
    kept = brute.kept_by_vector(job)
    for search in searches:
        with pytest.MonkeyPatch.context() as monkeypatch:
            assert searched(job, search, monkeypatch) == expected(job, search, kept), search


def some_forms(*, of=tuple(FORMS), least=1, most=2):
    return st.lists(st.sampled_from(of), min_size=least, max_size=most)


@pytest.mark.parametrize("form", FORMS)
@FEW
@given(data=st.data())
def test_one_requirement(form, data):
    check_searches(data.draw(jobs([form])))


@pytest.mark.parametrize("form", ON_VALUES)
@FEW
@given(data=st.data())
def test_with_k_anonymity(form, data):
    check_searches(data.draw(jobs(["k-anonymity", form])))


@SOME
@given(some_forms(of=ON_VALUES, least=2, most=3).flatmap(jobs).filter(brute.is_clear))
def test_pairs_and_triples(job):
    check_searches(job)


@SOME
@given(some_forms().flatmap(lambda forms: jobs(forms, columns=2)))
def test_each_of_several_sensitive_columns(job):
    check_searches(job)


# Counted row by row: never rolled up, so both ways of `optimal` are one.
GENERAL = ["samarati", "branch and bound"]


@SOME
@given(some_forms().flatmap(lambda forms: jobs(forms, columns=2, joined=True)))
def test_joined_with_the_other_sensitive_columns(job):
    check_searches(job, GENERAL)


@SOME
@given(some_forms().flatmap(lambda forms: jobs(forms, sets=True)).filter(brute.is_clear))
def test_several_quasi_identifiers(job):
    check_searches(job, GENERAL)


@SOME
@given(some_forms().flatmap(lambda forms: jobs(forms, people=True)))
def test_people_with_several_rows(job):
    check_searches(job, GENERAL)


@SOME
@given(
    some_forms().flatmap(lambda forms: jobs(forms, columns=2, joined=True, people=True, sets=True))
)
def test_all_of_that_together(job):
    check_searches(job, GENERAL)


# --- What is said to be proven is, whichever rows are suppressed ---------------------------------


def proven(job):
    """The summed loss that `optimal` says is the least there is, "refused", or None."""
    try:
        release = anonymize(data_of(job), plan_of(job, "optimal"))
    except CannotMeetError as error:
        return "refused" if "no level vector satisfies" in str(error) else None
    told = release.recoding.search
    cells = job.size * len(job.columns)
    return round(told["loss"] * cells, 6) if told["proven_optimal"] else None


def least_loss(job):
    """The least summed loss of any vector and any rows within the limit; None if there is none."""
    losses = []
    for vector in oracle.vectors(job.columns, job.ladders):
        left = brute.kept_at_best(job, vector)
        if left and job.size - left <= job.limit:
            losses.append(float(brute.least_lost(job, vector, left)))
    return min(losses, default=None)


KINDS = [{}, {"columns": 2}, {"columns": 2, "joined": True}, {"sets": True}, {"people": True}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@FEW
@given(data=st.data())
def test_no_false_proof_and_no_wrong_refusal(kind, data):
    """Every vector with every set of rows is tried, whatever the method can express."""
    forms = data.draw(some_forms())
    job = data.draw(jobs(forms, **kind, most_rows=7))
    said = proven(job)
    if said is not None:
        least = least_loss(job)
        assert said == ("refused" if least is None else pytest.approx(least, abs=1e-5))


FULL_DOMAIN = ["optimal", "samarati", "incognito", "mingen", "datafly"]
OPEN = ("no level vector was found for", "no vector on its way to the top")


def answered(job, method):
    """Its levels, the rows that it releases and whether that is proven; None if it claims nothing.

    "refused" where it says that there is no release.
    """
    plan = plan_of(job, method) | {"accept": build.accepted("row")}
    plan["columns"] |= {"row": {"role": "other"}}
    data = data_of(job).append_column("row", [range(job.size)])
    try:
        release = anonymize(data, plan)
    except CannotMeetError as error:
        return None if any(words in str(error) for words in OPEN) else "refused"
    assert release.verified.holds
    left = set(release.rows.column("row").to_pylist())
    proven = bool(release.recoding.search.get("proven_optimal"))
    return tuple(release.levels.values()), left, proven


@pytest.mark.parametrize("form", [*FORMS, *ON_NUMBERS])
@A_FEW
@given(data=st.data())
def test_every_full_domain_method_with_every_set_of_rows(form, data):
    """No wrong refusal, no false proof, and no release that breaks a definition."""
    kind = data.draw(st.sampled_from(KINDS))
    forms = [form, *(["k-anonymity"] if data.draw(st.booleans()) else [])]
    job = data.draw(jobs(forms, **kind, most_rows=7))
    least = least_loss(job)
    for method in FULL_DOMAIN:
        answer = answered(job, method)
        if answer in (None, "refused"):
            assert answer is None or least is None, method
            continue
        vector, left, proven = answer
        published = oracle.generalize(job.rows, job.columns, job.ladders, vector)
        assert left, method
        assert job.size - len(left) <= job.limit, method
        assert not brute.failing(job, published, left, job.asked), method
        lost = float(brute.lost(job, vector, left))
        assert lost >= least - 1e-9, method
        assert not proven or lost == pytest.approx(least, abs=1e-9), method
