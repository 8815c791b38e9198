"""Charts show the facts, call nobody, and read on any background."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from coarsen.report.charts import class_sizes, loss_per_column, to_svg

HOSTILE = "</text></svg><script>alert(1)</script>\"'&"


def test_class_sizes_pair_before_and_after_in_every_bucket():
    spec = class_sizes({1: 3, 7: 1}, {5: 2})
    values = {(v["size"], v["table"]): v["share"] for v in spec["data"]["values"]}
    assert len(values) == 16
    assert values["1", "before"] == 0.3
    assert values["5-10", "before"] == 0.7
    assert values["5-10", "after"] == 1
    assert sum(values.values()) == 2


def test_loss_is_sorted_and_says_the_level():
    spec = loss_per_column(
        {"a": 0.1, "b": 0.9, "c": 0.5, "d": 0.2}, {"a": 0, "b": 2, "c": None}, {"a": 3, "c": 3}
    )
    shown = [(v["column"], v["loss"], v["level"]) for v in spec["data"]["values"]]
    assert shown == [
        ("b", 0.9, "2"),
        ("c", 0.5, "varies"),
        ("d", 0.2, "varies"),
        ("a", 0.1, "0 of 3"),
    ]


def test_bars_are_as_long_as_the_loss():
    svg = to_svg(loss_per_column({"a": 0.25, "b": 1.0}, {"a": 1, "b": 2}, {"a": 4, "b": 2}))
    paths = re.findall(r'aria-label="[^"]*loss[^"]*" [^>]*d="M0,[\d.]+h([\d.]+)v', svg)
    longest, shorter = map(float, paths)
    assert shorter == longest / 4
    assert ">1 of 4<" in svg
    assert ">25.0%<" in svg


def test_no_colour_is_fixed_to_a_background():
    for spec in (class_sizes({1: 1}, {2: 1}), loss_per_column({"a": 0.5}, {"a": 1}, {"a": 2})):
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', to_svg(spec)))
        fixed = {c for c in colours if not c.startswith("var(")}
        assert fixed <= {"none", "currentColor"}


def test_an_svg_fetches_nothing():
    svg = to_svg(loss_per_column({HOSTILE: 0.5}, {HOSTILE: 1}, {HOSTILE: 2}))
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


@settings(max_examples=20, deadline=None)
@given(st.text(alphabet="<>&\"'/=a{}$\n\t\\é☃", max_size=20))
def test_any_column_name_stays_text(name):
    parser = _Names()
    parser.feed(to_svg(loss_per_column({name: 0.5}, {name: 1}, {name: 2})))
    assert parser.tags <= {"svg", "g", "path", "line", "text", "rect"}
    assert any(name in label for label in parser.labels)
