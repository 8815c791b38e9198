"""What every method that clusters rows must pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa

from indistinct import anonymize
from indistinct.datasets import medical
from indistinct.errors import CannotMeetError
from tests.methods.partition.small import fine, members


def check_answer(method, problem):
    """Each row in one group, each group satisfying; or it cannot be met even by all rows."""
    try:
        found = method.search(problem)
    except CannotMeetError:
        assert not fine(problem, list(range(problem.table.rows)))
        return
    for rows in members(found):
        assert fine(problem, rows)


def check_order(method, problem, random):
    """Published values and sensitive values do not depend on the order of rows.

    Methods that group rows are given them sorted, with ties in an order that is here that of
    their sensitive values; in a release it is random.
    """
    size = problem.table.rows
    order = np.array(random.sample(range(size), size))
    table = replace(
        problem.table,
        quasi=tuple(replace(c, codes=c.codes[order]) for c in problem.table.quasi),
        sensitive=tuple(replace(c, codes=c.codes[order]) for c in problem.table.sensitive),
    )
    one, two = (replace(problem, table=in_order(t)) for t in (problem.table, table))
    assert described(method, one) == described(method, two)


def in_order(table):
    by_value = np.lexsort([column.codes for column in table.sensitive])
    return table.with_ties_in(by_value, {column.name for column in table.sensitive})[0]


def described(method, problem):
    try:
        found = method.search(problem)
    except CannotMeetError:
        return None
    values = problem.table.sensitive[0].codes
    return Counter(
        (tuple(problem.codes[g].min(axis=0)), tuple(problem.codes[g].max(axis=0)), value)
        for g in members(found)
        for value in values[g].tolist()
    )


def check_release(name):
    """Through the front door, with sets, respondents and several requirements."""
    data = medical()
    data = data if isinstance(data, pa.Table) else pa.Table.from_pandas(data)
    plan = {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "marital": {"role": "quasi", "hierarchy": "flat"},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}],
        "method": {"name": name},
    }
    release = anonymize(data, plan)
    assert release.verified.holds
    assert release.suppressed_rows == 0
    assert 0 < release.measures.gcp < 1
    assert release.class_sizes.sum() == 10
