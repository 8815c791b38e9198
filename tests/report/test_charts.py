"""Drawings call nobody, and text in them stays text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from indistinct.report.charts import to_svg
from tests.profiles import examples

HOSTILE = "</text></svg><script>alert(1)</script>\"'&"


def bars(name):
    return {
        "data": {"values": [{"column": name, "loss": 0.5}]},
        "mark": "bar",
        "encoding": {
            "x": {"field": "loss", "type": "quantitative"},
            "y": {"field": "column", "type": "nominal"},
        },
    }


def test_an_svg_fetches_nothing():
    svg = to_svg(bars(HOSTILE))
    assert "href" not in svg
    assert "script>" not in svg
    assert svg.count("</svg>") == 1


class _Names(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.labels += [value or "" for name, value in attrs if name == "aria-label"]


@examples(20)
@given(st.text(alphabet="<>&\"'/=a{}$\n\t\\é☃", max_size=20))
def test_any_column_name_stays_text(name):
    parser = _Names()
    parser.feed(to_svg(bars(name)))
    assert parser.tags <= {"svg", "g", "path", "line", "text", "rect"}
    assert any(name in label for label in parser.labels)
