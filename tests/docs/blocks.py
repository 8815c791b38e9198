"""The fenced blocks of our pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
GUIDES = [page for page in DOCS if page.parent.name == "guides" and page.name != "README.md"]
FIRST = ROOT / "docs" / "first-release.md"
WALKTHROUGHS = [ROOT / "docs" / "tutorial.md", ROOT / "docs" / "received.md", FIRST, *GUIDES]
ON_SPARK = "spark"
ALONE = [page for page in PAGES if page not in WALKTHROUGHS]
EVERY_PAGE = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
FENCE = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: "```toml plan.toml" has the language toml and is the file plan.toml."""

    page: Path
    line: int
    language: str
    file: str
    text: str

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*languages, pages=PAGES):
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            language, file, content = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(page, line, language, file, content))
    return [block for block in found if block.language in languages]
