"""One label stands for one set of values, or the hierarchy is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import DataError, HierarchyError
from indistinct.hierarchy import Hierarchy
from indistinct.hierarchy.names import refuse_ambiguous

NEW_YORK = [
    ["New York", "New York", "*"],
    ["Buffalo", "New York", "*"],
    ["Boston", "Massachusetts", "*"],
    ["Salem", "Massachusetts", "*"],
]


def plan(hierarchy, method="optimal", **more):
    columns = {"q": {"role": "quasi", "hierarchy": hierarchy}, "s": {"role": "sensitive"}}
    require = [{"model": "k-anonymity", "k": 2}]
    return {"columns": columns, "require": require, "method": {"name": method}, **more}


@pytest.mark.parametrize("method", ["optimal", "best", "cell-generalization", "local-recoding"])
def test_a_city_and_its_state_are_two_things(method):
    places = ["New York", "New York", "Buffalo", "New York", "New York", "Boston", "Salem"]
    table = pa.table({"q": places, "s": list("abcdefg")})
    with pytest.raises(HierarchyError) as caught:
        anonymize(table, plan({"paths": NEW_YORK}, method))
    assert str(caught.value) == (
        "column 'q': 'New York' stands for the value itself on level 0 and for 2 values on level "
        "1. Give them different names, such as 'New York (state)'."
    )


def test_hierarchy_check_refuses_it(tmp_path):
    from indistinct.hierarchy.csv_files import read_csv

    (tmp_path / "q.csv").write_text("".join(";".join(path) + "\n" for path in NEW_YORK))
    with pytest.raises(HierarchyError, match=r"q\.csv: 'New York' stands for"):
        read_csv(tmp_path / "q.csv")


def test_a_value_that_fills_an_uneven_hierarchy_is_one_thing():
    paths = [["Monaco", "Monaco", "Monaco", "*"], ["Rome", "Lazio", "Italy", "*"]]
    paths += [["Ostia", "Lazio", "Italy", "*"]]
    assert refuse_ambiguous(Hierarchy.from_paths(paths), place="q").size == 3
    same = [["a", "x", "x", "*"], ["b", "x", "x", "*"], ["c", "y", "z", "*"]]
    assert refuse_ambiguous(Hierarchy.from_paths(same), place="q").size == 3


def test_a_group_called_like_the_top():
    paths = [["a", "*", "*"], ["b", "*", "*"], ["c", "x", "*"]]
    with pytest.raises(HierarchyError, match=r"'\*' stands for 2 values on level 1 and for 3"):
        refuse_ambiguous(Hierarchy.from_paths(paths), place="q")


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("abxy"), st.sampled_from("axyz")),
        min_size=1, max_size=5, unique_by=lambda path: path[0],
    )
)  # fmt: skip
def test_by_the_definition(paths):
    full = [[*path, "*"] for path in paths]
    try:
        hierarchy = Hierarchy.from_paths(full)
    except HierarchyError:
        return
    meanings = {}
    for level in range(4):
        for path in full:
            under = frozenset(p[0] for p in full if p[level] == path[level])
            meanings.setdefault(path[level], set()).add(under)
    sound = all(len(found) == 1 for found in meanings.values())
    if sound:
        assert refuse_ambiguous(hierarchy, place="q") is hierarchy
    else:
        with pytest.raises(HierarchyError) as caught:
            refuse_ambiguous(hierarchy, place="q")
        assert len(caught.value.faults) == sum(len(found) > 1 for found in meanings.values())


@pytest.mark.parametrize("method", ["optimal", "best", "cell-suppression", "mondrian"])
def test_a_value_that_reads_like_a_star(method):
    table = pa.table({"q": ["*", "*", "a", "b", "c", "c"], "s": list("uvuvuv")})
    with pytest.raises(HierarchyError, match=r"column 'q': a value reads '\*'.*\[input\] missing"):
        anonymize(table, plan("flat", method))


@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_a_star_where_suppressed_rows_are_blanked(role):
    table = pa.table({"q": ["a", "a", "b"], "s": ["u", "*", "v"]})
    asked = plan("flat", suppressed="blank", limits={"suppression": 0.5})
    asked["columns"]["s"]["role"] = role
    with pytest.raises(DataError, match=r"column 's': 1 row hold the text '\*'") as caught:
        anonymize(table, asked)
    assert 'Set suppressed = "drop"' in str(caught.value)
    asked["suppressed"] = "drop"
    assert anonymize(table, asked).verified.holds


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["a", "b, c", "a, b", "c"], "'a' and 'a, b' cannot be distinguished in a set"),
        (["a", "b", "{a, b}"], "'{a, b}' reads like a published set"),
        (["a", "", None], "'' and '' cannot be distinguished in a set"),
    ],
)
def test_values_that_read_like_sets(values, told):
    table = pa.table({"q": values * 2, "s": ["u"] * 2 * len(values)})
    with pytest.raises(HierarchyError, match="column 'q'") as caught:
        anonymize(table, plan("flat", "mondrian", publish="set"))
    assert told in str(caught.value)
    assert anonymize(table, plan("flat", "mondrian", publish="node")).verified.holds


WORDS = st.lists(st.sampled_from(["a", "b", "c", "a, b", "b, c", "a, b, c"]), min_size=1,
                 max_size=4, unique=True)  # fmt: skip


@given(WORDS)
def test_what_is_let_through_can_be_read_in_one_way(words):
    from itertools import combinations

    from indistinct.encode.look_alikes import set_look_alikes

    if list(set_look_alikes(words, "q")):
        return
    sets = [part for size in range(1, len(words) + 1) for part in combinations(words, size)]
    written = {", ".join(part) for part in sets}
    assert len(written) == len(sets)
