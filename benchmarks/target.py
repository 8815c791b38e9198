"""What weights for a target bring: a model of one column that learns from the release.

`auto` at several k, with all quasi columns weighing the same, and with the weights that
`suggest_plan(target=...)` gives. Printed are the area under the ROC curve of gradient boosting,
learnt and asked about released rows (four-fold), the loss when all columns weigh the same, and the
mean relative error of counts by two quasi columns and the target. Needs scikit-learn.

Run: .venv/bin/python benchmarks/target.py [k ...]
"""

from __future__ import annotations

import re
import sys

import numpy as np
import pyarrow as pa
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_score

from _common import ADULT, adult, adult_plan, census_plan
from indistinct import anonymize, suggest_plan
from indistinct.datasets import census
from indistinct.measures.cube import cube_errors

KS = (5, 50, 200)
MOST_VALUES = 250


def tables():
    """Private rows, a plan, the target and the value that is predicted, by name."""
    quasi = [name for name in ADULT if name != "salary-class"]
    yield "Adult, salary", adult(), adult_plan(quasi), "salary-class", "<=50K"
    data = census(30_000, seed=3)
    rich = pa.compute.greater(data["salary"], np.median(data["salary"].to_numpy()))
    data = data.append_column("rich", pa.compute.if_else(rich, "yes", "no")).drop(["salary"])
    plan = census_plan()
    del plan["columns"]["salary"]
    yield "census, salary above the median", data, plan, "rich", "yes"


def numbers(values):
    """A column as a model takes it: the middle of a range, or the rank of a frequent text."""
    texts = np.array([str(value) for value in values])
    seen, number, counts = np.unique(texts, return_inverse=True, return_counts=True)
    parts = [re.findall(r"\d+(?:\.\d+)?", text) for text in seen]
    if all(parts) and not any(re.search("[A-Za-z]", text) for text in seen):
        return np.array([np.mean([float(one) for one in part]) for part in parts])[number], False
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    return np.minimum(rank, MOST_VALUES)[number].astype(float), True


def area(rows, quasi, target, wanted):
    """The area under the curve of a model that learns from some released rows."""
    columns, categories = zip(*(numbers(rows[name].to_pylist()) for name in quasi), strict=True)
    model = HistGradientBoostingClassifier(
        categorical_features=list(categories), max_iter=80, random_state=0
    )
    truth = np.array(rows[target].to_pylist()) == wanted
    return cross_val_score(model, np.stack(columns, 1), truth, cv=4, scoring="roc_auc").mean()


def main():
    for name, data, plan, target, wanted in tables():
        quasi = [one for one, column in plan["columns"].items() if column["role"] == "quasi"]
        plan["columns"][target] = {"role": "sensitive"}
        weights = {
            column.name: column.weight
            for column in suggest_plan(data, target=target).columns
            if column.weight is not None
        }
        print(f"{name}: the private rows {area(data, quasi, target, wanted):.4f}; {weights}")
        for k in [int(word) for word in sys.argv[1:]] or KS:
            for kind in ("alike", "for the target"):
                columns = {one: dict(column) for one, column in plan["columns"].items()}
                if kind != "alike":
                    for one in quasi:
                        columns[one]["weight"] = weights.get(one, 1.0)
                asked = {"columns": columns, "require": [{"model": "k-anonymity", "k": k}]}
                release = anonymize(data, asked | {"seed": 1, "unlisted": "drop"})
                kept = area(release.rows, quasi, target, wanted)
                loss = np.mean(list(release.measures.ncp.values()))
                forms = release.plan.forms(release.table)
                errors = cube_errors(release.table, release.recoding, forms, sensitive=target)
                wrong = errors[2].relative_error
                print(
                    f"  k {k:3} {kind:15} area {kept:.4f}  loss {loss:.4f}  counts {wrong:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
