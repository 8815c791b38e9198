"""Attackers who think, against the recommended methods, on Adult.

Seven quasi columns, occupation sensitive; k = 5 alone, and with frequency l = 3. Each cell says how
often the attack was right and, behind it, how often by chance (see docs/attacks.md); it is in bold
where the attack succeeds, the interval considered. The lines are those of the table there.

Run: .venv/bin/python benchmarks/attackers.py [rows]
"""

from __future__ import annotations

import sys

import numpy as np

from _common import ADULT, adult, adult_plan
from indistinct import anonymize, attack

QUASI = tuple(name for name in ADULT if name not in {"occupation", "salary-class"})
K = {"model": "k-anonymity", "k": 5}
L = {"model": "l-diversity", "kind": "frequency", "l": 3}
RELEASES = (
    ("best", [K]),
    ("mondrian", [K]),
    ("optimal", [K]),
    ("freeform", [K]),
    ("best", [K, L]),
    ("mondrian", [K, L]),
    ("optimal", [K, L]),
    ("anatomy", [L]),
)
THINKING = ("definetti", "minimality", "downcoding")
SUPPRESSION = 0.02


def released(data, method, require):
    content = adult_plan(QUASI, require=require, method={"name": method}, unlisted="drop", seed=1)
    content["columns"]["occupation"] = {"role": "sensitive"}
    if method == "optimal":
        content["limits"] = {"suppression": SUPPRESSION}
    return anonymize(data, content)


def told(attacks, name):
    held = next((one for one in attacks if one.name == name), None)
    if held is None:
        return "-"
    bold = "**" if held.succeeded else ""
    return f"{bold}{held.rate.share:.1%}{bold} ({held.baseline:.1%})"


def main():
    rows = int(sys.argv[1]) if sys.argv[1:] else 10_000
    data = adult()
    data = data.take(np.random.default_rng(0).permutation(data.num_rows)[:rows])
    print("| method | asked | loss |", " | ".join(THINKING), "|")
    print("|---|---|---|" + "---|" * len(THINKING))
    for method, require in RELEASES:
        release = released(data, method, require)
        attacks = attack(release).attacks
        asked = ", ".join("k = 5" if one is K else "l = 3" for one in require)
        cells = " | ".join(told(attacks, name) for name in THINKING)
        print(f"| `{method}` | {asked} | {release.measures.gcp:.4f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
