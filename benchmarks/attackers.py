"""Attackers who think, against the recommended methods, on Adult.

Seven quasi columns, occupation sensitive; k = 5 alone, and with frequency l = 3; as they are, and
with each of the defences that a plan can ask for. Each cell says how
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
DRAWN, BLIND = {"near_minimal": 0.02}, {"blind": True}
RELEASES = (
    ("best", [K], {}),
    ("best", [K], DRAWN),
    ("mondrian", [K], {}),
    ("mondrian", [K], DRAWN),
    ("optimal", [K], {}),
    ("optimal", [K], DRAWN),
    ("freeform", [K], {}),
    ("best", [K, L], {}),
    ("best", [K, L], DRAWN),
    ("best", [K, L], BLIND),
    ("mondrian", [K, L], {}),
    ("mondrian", [K, L], DRAWN),
    ("mondrian", [K, L], BLIND),
    ("optimal", [K, L], {}),
    ("anatomy", [L], {}),
)
THINKING = ("definetti", "minimality", "downcoding")
SUPPRESSION = 0.02


def released(data, method, require, defences):
    content = adult_plan(QUASI, require=require, method={"name": method}, unlisted="drop", seed=1)
    content["columns"]["occupation"] = {"role": "sensitive"}
    content["defences"] = defences
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
    print("| method | asked | defence | loss |", " | ".join(THINKING), "|")
    print("|---|---|---|---|" + "---|" * len(THINKING))
    for method, require, defences in RELEASES:
        release = released(data, method, require, defences)
        attacks = attack(release).attacks
        asked = ", ".join("k = 5" if one is K else "l = 3" for one in require)
        cells = " | ".join(told(attacks, name) for name in THINKING)
        defence = ", ".join(f"`{name} = {value}`".lower() for name, value in defences.items())
        start = f"| `{method}` | {asked} | {defence or 'none'} | {release.measures.gcp:.4f}"
        print(f"{start} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
