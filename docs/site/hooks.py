"""Makes a site of these pages: what mkdocs cannot read as it stands in the repository.

Pages outside docs/ (README, CONTRIBUTING and others) become pages of the site, the page of commands
is written from `--help`, links follow, and a fence such as ```toml plan.toml``` gets a title.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs imports hooks by their path
from commands import commands_page
from outside import resources_from_elsewhere

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
TAKEN_IN = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "LICENSE": "licence.md",
    "benchmarks/engines.md": "benchmarks/engines.md",
    "benchmarks/growth.md": "benchmarks/growth.md",
    "benchmarks/choices.md": "benchmarks/choices.md",
}
FOR_MAINTAINERS = {
    "architecture.md",
    "benchmarks/choices.md",
    "changelog.md",
    "contributing.md",
    "lab-book.md",
    "style.md",
}
STANDS_AT = {site: source for source, site in TAKEN_IN.items()}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```\w+) ([\w./-]+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors that viewers of Markdown in repositories give them."""
    config.mdx_configs["toc"]["slugify"] = anchor_of
    return config


def anchor_of(heading: str, separator: str) -> str:
    """Return the anchor of a heading, as `tests/docs` expects it in links."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in docs/."""
    for source, site in TAKEN_IN.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        content = text if source.endswith(".md") else f"# Licence\n\n```text\n{text}```\n"
        files.append(File.generated(config, site, content=content))
    page = commands_page()
    files.append(File.generated(config, "reference/commands.md", content=page))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Give files their titles, and lead links to where their targets stand on the site."""
    site = page.file.src_uri
    if site in FOR_MAINTAINERS or site.startswith("decisions/"):
        page.meta["search"] = {"boost": 0.2}  # what users look for comes first
    source = STANDS_AT.get(site, f"docs/{site}")
    led = LINK.sub(lambda found: _led(found, site, source), markdown)
    return FENCE.sub(r'\1 title="\2"', led)


def _led(found: re.Match[str], site: str, source: str) -> str:
    """Return a link of the page that stands at `source` as it must be on the site."""
    picture, text, link = found.groups()
    if re.match(r"\w+:|#", link):
        return found.group()
    path, mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target.startswith("docs/"):
        place = target.removeprefix("docs/")
    elif target in TAKEN_IN:
        place = TAKEN_IN[target]
    elif (ROOT / target).exists():
        return text  # source and data of the repository are not on the site
    else:
        return found.group()  # mkdocs says that it leads nowhere
    near = posixpath.relpath(place, posixpath.dirname(site) or ".")
    return f"{picture}[{text}]({near}{mark}{anchor})"


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that loads anything from another host."""
    if loaded := resources_from_elsewhere(Path(config.site_dir)):
        sys.exit("the site loads from other hosts:\n" + os.linesep.join(loaded))
