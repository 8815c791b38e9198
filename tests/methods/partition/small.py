"""Small random problems for methods that group rows, and what must hold of every answer."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from indistinct.hierarchy import Hierarchy
from indistinct.methods import Problem
from indistinct.model.costs import gcp_cost, weighted_costs
from indistinct.model.table import QuasiColumn, QuasiSet, SensitiveColumn, Table
from indistinct.requirements import AlphaK, KAnonymity, LDiversity, PSensitive, TCloseness
from tests import oracle_requirements as brute

REQUIREMENTS = [
    (KAnonymity(k=2),),
    (KAnonymity(k=3),),
    (KAnonymity(k=2), LDiversity(l=2)),
    (LDiversity(kind="frequency", l=2),),
    (KAnonymity(k=3), LDiversity(kind="frequency", l=2.5)),
    (LDiversity(kind="entropy", l=1.8),),
    (LDiversity(kind="recursive", l=2, c=2.0),),
    (PSensitive(p=2, k=3),),
    (AlphaK(alpha=0.6, k=2),),
    (KAnonymity(k=2), TCloseness(t=0.4)),
    (TCloseness(t=0.3, distance="ordered"),),
]


def flat(size):
    return Hierarchy.from_paths([[f"{code:03}", f"g{code // 2}", "*"] for code in range(size)])


def problem_of(rows, sizes, requirements, sensitive=None, *, respondents=None, form="range"):
    """A problem from rows of codes; the sensitive values are codes too."""
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), len(sizes))
    quasi = tuple(
        QuasiColumn(f"q{i}", np.ascontiguousarray(codes[:, i]), flat(size))
        for i, size in enumerate(sizes)
    )
    people = None if respondents is None else np.array(respondents, dtype=np.int32)
    kept = ()
    if sensitive is not None:
        names, held = np.unique(sensitive, return_inverse=True)
        kept = (SensitiveColumn("s", held.astype(np.int32), tuple(f"s{v}" for v in names)),)
    return Problem(
        table=Table(
            len(rows), quasi, (QuasiSet("all", tuple(range(len(sizes))), people),), sensitive=kept
        ),
        requirements=tuple(requirements),
        max_suppressed=0,
        costs=tuple(weighted_costs(c, gcp_cost) for c in quasi),
        suppressed_cell=tuple(1.0 for _ in quasi),
        forms=tuple(form for _ in quasi),
    )


@st.composite
def problems(draw, *, most_rows=14, requirements=REQUIREMENTS, columns=(1, 3), respondents=False):
    sizes = draw(st.lists(st.integers(1, 5), min_size=columns[0], max_size=columns[1]))
    count = draw(st.integers(2, most_rows))
    rows = draw(
        st.lists(
            st.tuples(*(st.integers(0, size - 1) for size in sizes)),
            min_size=count,
            max_size=count,
        )
    )
    asked = draw(st.sampled_from(requirements))
    sensitive = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    people = None
    if respondents and draw(st.booleans()):
        people = draw(st.lists(st.integers(0, 6), min_size=count, max_size=count))
    form = draw(st.sampled_from(["range", "node"]))
    return problem_of(rows, sizes, asked, sensitive, respondents=people, form=form)


def fine(problem, rows):
    """Whether a group satisfies every requirement, by the definitions."""
    column, people = problem.table.sensitive[0], problem.table.sets[0].respondents
    people = np.arange(column.codes.size) if people is None else people
    who, values = people[rows].tolist(), column.codes[rows].tolist()
    histogram = Counter(value for _, value in set(zip(who, values, strict=True)))
    weights = brute.weighed(zip(who, values, strict=True))
    everyone = brute.weighed(zip(people.tolist(), column.codes.tolist(), strict=True))
    sensitive = brute.Sensitive(tuple(range(len(column.values))), everyone)
    return all(
        brute.holds(
            asked.model_dump(exclude_none=True),
            weights if asked.model in brute.COMPARED else histogram,
            len(set(who)),
            sensitive,
        )
        for asked in problem.requirements
    )


def members(found):
    assert (found.groups >= 0).all()
    assert set(found.groups.tolist()) == set(range(found.count))
    return [np.flatnonzero(found.groups == group).tolist() for group in range(found.count)]


def cost(problem, groups):
    """The summed cost of all cells."""
    total = 0.0
    for rows in groups:
        low, high = problem.codes[rows].min(axis=0), problem.codes[rows].max(axis=0)
        total += len(rows) * sum(
            float(problem.spans.cost(c, low[c : c + 1], high[c : c + 1])[0])
            for c in range(low.size)
        )
    return total
