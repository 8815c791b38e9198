"""What published cells cover, held to the definition: number by number."""

from __future__ import annotations

from decimal import Decimal
from operator import ge, le, lt

from hypothesis import given
from hypothesis import strategies as st

from indistinct.check.cells import between, covering
from indistinct.hierarchy import Hierarchy
from tests.profiles import examples

SPELLINGS = ("{}", "{}.0", "{}.5", "0{}", "{}.00000000000000000001")


@st.composite
def numbers(draw):
    """Numbers in several spellings, in whatever order, some of them missing."""
    whole = st.builds(str.format, st.sampled_from(SPELLINGS), st.integers(0, 12))
    texts = draw(st.lists(st.one_of(whole, st.none()), min_size=1, max_size=8, unique=True))
    return Hierarchy.from_paths([[text, "*"] for text in texts])


ENDS = st.builds(str.format, st.sampled_from(("{}", "{}.5")), st.integers(-1, 13))


@examples(100)
@given(numbers(), ENDS, ENDS)
def test_a_range_covers_the_numbers_between_its_ends(column, low, high):
    texts = {
        f"[{low}, {high})": (low, ge, high, lt),
        f"[{low}, {high}]": (low, ge, high, le),
        f"<{high}": (low, None, high, lt),
        f">={low}": (low, ge, high, None),
    }
    if column.kind != "number":
        return
    found = covering(column, list(texts)).dense()
    for said, (first, above, last, below) in zip(found, texts.values(), strict=True):
        for leaf, covered in zip(column.leaves, said, strict=True):
            number = None if leaf is None else Decimal(leaf)
            expected = (
                number is not None
                and (above is None or above(number, Decimal(first)))
                and (below is None or below(number, Decimal(last)))
            )
            assert covered == expected, (leaf, first, last)
    assert (between(column, [(low, high)]).dense()[0] == found[1]).all()
