"""HTML pages as a browser would see them."""

from __future__ import annotations

from html.parser import HTMLParser

SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "path", "circle", "line", "rect"}


class Page(HTMLParser):
    """Tags, attributes and text of a page, as a browser would see them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.cells: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] in {"td", "th"}:
            self.cells[-1] += data

    @property
    def said(self) -> str:
        return " ".join("".join(self.text).split())


def assert_inert(html: str) -> Page:
    page = Page(html)
    assert page.open == []
    assert not {"script", "img", "iframe", "link", "object", "embed", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not any(name.startswith("on") or name == "src" for name in names)
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    return page
