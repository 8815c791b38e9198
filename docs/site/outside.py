"""Finds what a built site would load from other hosts; links that readers may follow are not."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
ELSEWHERE = re.compile(r"(?:https?:)?//")
IN_STYLES = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\s\"')]+)")


class _Loaded(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(LOADING.get(tag, "")) or ""
        if ELSEWHERE.match(address):
            self.addresses.append(address)


def resources_from_elsewhere(site: Path) -> list[str]:
    """List scripts, styles, fonts and pictures of other hosts, with the file that names each."""
    return sorted(
        f"{path.relative_to(site)}: {address}"
        for path in site.rglob("*")
        if path.suffix in {".html", ".css"}
        for address in loaded_by(path.read_text(encoding="utf-8"), path.suffix)
    )


def loaded_by(text: str, suffix: str) -> list[str]:
    """List the addresses that a page or a style sheet loads from other hosts."""
    if suffix == ".css":
        return IN_STYLES.findall(text)
    page = _Loaded()
    page.feed(text)
    return page.addresses + IN_STYLES.findall(text)
