"""`indistinct methods`: what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.cli.tables import show_table

if TYPE_CHECKING:
    from collections.abc import Mapping


def command(*, as_json: AsJson = False) -> None:
    """List each method with what it decides, which requirements it keeps, and its paper.

    First those for tables, then those for tree records.
    """
    from indistinct.methods import METHODS
    from indistinct.trees.methods import TREE_METHODS

    tables, trees = _listed(METHODS), _listed(TREE_METHODS)
    if as_json:
        print_json({"methods": tables, "tree_methods": trees})
        return
    _show(tables)
    typer.echo("for tree records (indistinct tree):")
    _show(trees)


def _listed(methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "decides": method.decides,
            "keeps": list(method.keeps),
            "paper": method.paper,
        }
        for name, method in methods.items()
    ]


def _show(listed: list[dict[str, Any]]) -> None:
    rows = [(m["name"], m["decides"], ", ".join(m["keeps"]), m["paper"]) for m in listed]
    show_table(("method", "decides", "keeps", "paper"), rows)
