"""Examples and random jobs as problems that a method is given, and brute force about them."""

from __future__ import annotations

from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from tests import oracle
from tests import oracle_requirements as brute
from tests.build import problem_of
from tests.properties.strategies import tables
from tests.properties.test_requirements import data_of, plan_of
from tests.requirements.jobs import jobs
from tests.requirements.strategies import FORMS


def example_problem(example, k, limit):
    return problem_of(example["rows"], example["columns"], example["ladders"], k, limit)


def job_problem(job):
    """What `anonymize` would ask a method."""
    plan = Plan.load(plan_of(job, "samarati"))
    return pose_problem(encode_table(data_of(job), plan), plan)


@st.composite
def row_jobs(draw):
    """Rows, columns, ladders, k and limit: k-anonymity, each row another person's."""
    rows, columns, ladders = draw(tables())
    return rows, columns, ladders, draw(st.integers(2, len(rows))), draw(st.integers(0, len(rows)))


@st.composite
def any_jobs(draw):
    """Tables with one to three requirements, some with people, sets or joined columns."""
    forms = draw(st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=2))
    kind = draw(st.sampled_from(["plain", "plain", "plain", "people", "sets", "joined"]))
    return draw(
        jobs(
            forms,
            columns=2 if kind == "joined" else 1,
            people=kind == "people",
            sets=kind == "sets",
            joined=kind == "joined",
        ).filter(brute.is_clear)
    )


def satisfying(job):
    """The rows that each satisfying vector keeps."""
    found = brute.kept_by_vector(job)
    return {v: left for v, left in found.items() if job.size - len(left) <= job.limit}


def stand(job, recoding, expected):
    """Whether the rows that are kept satisfy, and are as many as expected."""
    left = set(recoding.kept.nonzero()[0].tolist())
    published = oracle.generalize(job.rows, job.columns, job.ladders, recoding.levels)
    return len(left) == len(expected) and not brute.failing(job, published, left, job.asked)


def minimal(vectors):
    return [v for v in sorted(vectors) if not any(oracle.below(w, v) for w in vectors)]


def impossible(problem):
    """Whether even one class of all rows is refused before any search."""
    return any(requirement.obstacle(problem.table) for requirement in problem.requirements)


def failing_job():
    """A table that nothing makes diverse enough within its limit."""
    rows = [{"c": c, "s": s} for c, s in zip("aabb", "xxxy", strict=True)]
    column = brute.Sensitive(("x", "y"), brute.Counter(row["s"] for row in rows))
    asked = [{"model": "l-diversity", "kind": "frequency", "l": 2}]
    ladders = {"c": [["a", "*"], ["b", "*"]]}
    return brute.Job(rows, ["c"], ladders, {"s": column}, asked, 1, [((0,), None)])
