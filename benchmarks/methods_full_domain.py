"""Every full-domain method on Adult, nine quasi columns, k = 5 at 0.02, in units of S.

Run: .venv/bin/python benchmarks/methods_full_domain.py
"""

from __future__ import annotations

import numpy as np

from _common import ADULT, adult, adult_plan, lexsort_seconds, seconds, task_of

RANKS = {"native-country": 3, "age": 2, "race": 2, "sex": 2, "marital-status": 1, "education": 1}
METHODS = [
    {"name": "optimal"},
    {"name": "samarati"},
    {"name": "samarati", "preference": "relative-distance"},
    {"name": "incognito"},
    {"name": "mingen"},
    {"name": "datafly"},
    {"name": "mu-argus", "ranks": RANKS},
]
JOBS = {
    "k = 5": (ADULT, [{"model": "k-anonymity", "k": 5}]),
    "k = 5, t = 0.2 (eight columns)": (
        tuple(name for name in ADULT if name != "occupation"),
        [{"model": "k-anonymity", "k": 5}, {"model": "t-closeness", "t": 0.2}],
    ),
}


def problem(quasi, require, method):
    content = adult_plan(quasi, require=require, method=method, limits={"suppression": 0.02})
    if "occupation" not in quasi:
        content["columns"]["occupation"] = {"role": "sensitive"}
    return task_of(adult(), content)


def shown(found):
    told = {key: value for key, value in found.search.items() if isinstance(value, int | bool)}
    told |= {key: f"{len(v)} vectors" for key, v in found.search.items() if isinstance(v, list)}
    return ", ".join(f"{key} {value}" for key, value in told.items())


def main():
    for title, (quasi, require) in JOBS.items():
        print(title)
        for options in METHODS:
            method, task = problem(quasi, require, options)
            took, found = seconds(lambda m=method, t=task: m.search(t), repeat=2)
            unit = lexsort_seconds([column.codes for column in task.table.quasi])
            name = " ".join([options["name"], str(options.get("preference", ""))])
            vector = "".join(map(str, found.levels))
            dropped = int(np.count_nonzero(~found.kept))
            print(f"  {name:28} {took * 1e3:8.1f} ms {took / unit:7.1f} S  {vector} {dropped:4}  ")
            print(f"{'':32}{shown(found)}")


if __name__ == "__main__":
    main()
