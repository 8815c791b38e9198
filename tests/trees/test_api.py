"""Records given in Python that are none."""

from __future__ import annotations

import pytest

from coarsen.errors import CannotMeetError, DataError
from coarsen.trees import anonymize, assess, verify

PLAN = {
    "tree": {"classes": ["town"]},
    "require": [{"model": "k-m-n-anonymity", "k": 3, "m": 1}],
}


@pytest.mark.parametrize("verb", [anonymize, assess, verify])
@pytest.mark.parametrize("records", [None, 5])
def test_what_is_no_list_of_records_is_refused(verb, records):
    with pytest.raises(DataError, match=r"records: cannot read .* Give a list of mappings"):
        verb(records, PLAN)


@pytest.mark.parametrize("verb", [anonymize, assess, verify])
def test_no_records_are_bad_input(verb):
    with pytest.raises(DataError, match="records: there are none"):
        verb([], PLAN)


def test_fewer_records_than_k():
    with pytest.raises(CannotMeetError, match="k is 3, but there are only 2 records"):
        anonymize([{"town": "Rome"}] * 2, PLAN)
