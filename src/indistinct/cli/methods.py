"""`indistinct methods`: what there is to choose from."""

from __future__ import annotations

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.cli.tables import show_table


def command(*, as_json: AsJson = False) -> None:
    """List each method with what it decides, which requirements it keeps, and its paper."""
    from indistinct.methods import METHODS

    listed = [
        {
            "name": name,
            "decides": method.decides,
            "keeps": list(method.keeps),
            "paper": method.paper,
        }
        for name, method in METHODS.items()
    ]
    if as_json:
        print_json({"methods": listed})
        return
    rows = [
        (str(m["name"]), str(m["decides"]), ", ".join(m["keeps"]), str(m["paper"])) for m in listed
    ]
    show_table(("method", "decides", "keeps", "paper"), rows)
