"""Runs every method under every requirement on small random tables, into docs/matrix.md.

With one row for each person and with several, with one quasi-identifier and with two. A cell works,
or the plan is refused with a reason. A release that fails its own check, an error that is not on
purpose, or a refusal that the plan did not tell of ends the script with code 1.

Run: .venv/bin/python docs/method_matrix.py [--seeds 3] [--only METHOD ...] (two minutes)
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct import anonymize
from indistinct.errors import CannotMeetError, DoesNotHoldError, IndistinctError
from indistinct.methods import METHODS
from indistinct.plan import Plan
from indistinct.requirements import MODELS

PAGE = Path(__file__).parent / "matrix.md"
ROWS = 24
PROMISES_NOTHING = "mu-argus"  # and says so; it is there for comparison
ALGORITHMS = {
    "cell-suppression": ("local", "forest", "set-cover", "matching", "exact"),
    "cell-generalization": ("local", "forest", "exact"),
}
REQUIREMENTS: dict[str, dict[str, Any]] = {
    "k": {"model": "k-anonymity", "k": 2},
    "distinct l": {"model": "l-diversity", "l": 2},
    "entropy l": {"model": "l-diversity", "kind": "entropy", "l": 1.4},
    "recursive l": {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 3},
    "frequency l": {"model": "l-diversity", "kind": "frequency", "l": 1.5},
    "p": {"model": "p-sensitive", "p": 2, "k": 2},
    "alpha-k": {"model": "alpha-k", "alpha": 0.7, "k": 2},
    "equal t": {"model": "t-closeness", "t": 0.4},
    "ordered t": {"model": "t-closeness", "t": 0.3, "distance": "ordered"},
    "hierarchical t": {"model": "t-closeness", "t": 0.3, "distance": "hierarchical"},
    "beta": {"model": "beta-likeness", "beta": 1.5},
    "delta": {"model": "delta-disclosure", "delta": 1.5},
    "k-e": {"model": "k-e", "k": 2, "e": 1},
    "variance": {"model": "variance", "e": 0.5},
    "k-m": {"model": "k-m", "k": 2, "m": 1},
    "lkc": {"model": "lkc", "l": 1, "k": 2, "c": 0.7},
}
SETTINGS: dict[str, dict[str, bool]] = {
    "one row for each person": {},
    "several rows for some": {"people": True},
    "two quasi-identifiers": {"sets": True},
    "both": {"people": True, "sets": True},
}
FOUR = ("1", "2", "3", "4")
LADDERS = {
    "a": [["11", "1*", "*"], ["12", "1*", "*"], ["21", "2*", "*"], ["22", "2*", "*"]],
    "b": [[value, "low" if value < "3" else "high", "*"] for value in FOUR],
    "c": [["m", "*"], ["f", "*"]],
    "ill": [[value, "light" if value < "3" else "grave", "*"] for value in FOUR],
}
WORKS, REFUSED, NOT_MET, UNSAFE, BROKEN = "works", "refused", "not met", "unsafe", "broken"
SIGNS = {WORKS: "+", REFUSED: "-", NOT_MET: "o", UNSAFE: "x", BROKEN: "!"}


@dataclass(frozen=True)
class Run:
    """How one run ended, and why if it did not work."""

    outcome: str
    reasons: tuple[str, ...] = ()


Cells = dict[tuple[str, str, str], list[Run]]


def variants(only: list[str] | None = None) -> dict[str, dict[str, Any]]:
    """List the methods, those with several algorithms once for each."""
    named: dict[str, dict[str, Any]] = {}
    for name in only or METHODS:
        for algorithm in ALGORITHMS.get(name, ("",)):
            more = {"algorithm": algorithm} if algorithm else {}
            named[" ".join([name, algorithm]).strip()] = {"name": name, **more}
    return named


def table(seed: int) -> pa.Table:
    """Draw a table: half of the people have one row, others two or three."""
    random = np.random.default_rng(seed)
    people = np.repeat(np.arange(ROWS), random.choice([1, 1, 2, 3], ROWS))[:ROWS]
    columns = {
        name: random.choice([path[0] for path in LADDERS[name]], ROWS) for name in ("a", "b", "c")
    }
    columns["ill"] = random.choice(FOUR, ROWS, p=[0.3, 0.3, 0.2, 0.2])
    columns["who"] = [f"p{person}" for person in random.permutation(people)]
    return pa.table(columns)


def plan_of(
    method: dict[str, Any],
    asked: dict[str, Any],
    seed: int,
    *,
    people: bool = False,
    sets: bool = False,
) -> dict[str, Any]:
    """State a plan; with every other seed rows may be suppressed."""
    columns: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": {"paths": LADDERS[name]}} for name in ("a", "b", "c")
    }
    columns["ill"] = {"role": "sensitive", "hierarchy": {"paths": LADDERS["ill"]}}
    columns["who"] = {"role": "respondent" if people else "drop"}
    plan: dict[str, Any] = {
        "columns": columns,
        "require": [asked],
        "method": method,
        "limits": {"suppression": 0.25 if seed % 2 else 0.0},
        "seed": seed,
    }
    if sets:
        plan["sets"] = {"first": {"columns": ["a", "b"]}, "second": {"columns": ["b", "c"]}}
    if method["name"] in {"ac", "ipcsd"}:
        plan["accuracy"] = {"max_ncp": 1.0}
    return plan


def run(plan: dict[str, Any], seed: int) -> Run:
    """Release a random table by a plan, and say how that ended."""
    try:
        Plan.load(plan)
    except IndistinctError as error:
        return Run(REFUSED, _reasons_of(error))
    try:
        release = anonymize(table(seed), plan)
    except CannotMeetError as error:
        return Run(NOT_MET, _reasons_of(error))
    except DoesNotHoldError as error:
        unsafe = plan["method"]["name"] == PROMISES_NOTHING
        return Run(UNSAFE if unsafe else BROKEN, ("it fails its own check", *_reasons_of(error)))
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return Run(BROKEN, (f"{type(error).__name__}: {error}",))
    return Run(WORKS) if release.verified.holds else Run(BROKEN, ("its check decides nothing",))


def _reasons_of(error: IndistinctError) -> tuple[str, ...]:
    return tuple(f"{fault.problem}. {fault.remedy}".strip() for fault in error.faults)


def cells(seeds: int, only: list[str] | None = None) -> Cells:
    """Run all cells of the matrix."""
    missing = set(MODELS) - {asked["model"] for asked in REQUIREMENTS.values()}
    if missing:
        message = f"no example of {', '.join(sorted(missing))} in REQUIREMENTS"
        raise SystemExit(message)
    return {
        (method, requirement, setting): [
            run(plan_of(spec, asked, seed, **options), seed) for seed in range(seeds)
        ]
        for method, spec in variants(only).items()
        for requirement, asked in REQUIREMENTS.items()
        for setting, options in SETTINGS.items()
    }


def page(made: Cells, seeds: int) -> str:
    """Write the matrix as a page."""
    kinds = Counter(one.outcome for runs in made.values() for one in runs)
    unsafe = PROMISES_NOTHING
    asked = "; ".join(f"{n}: {_words(spec)}" for n, spec in REQUIREMENTS.items())
    return f"""# What goes together

Every method under every requirement, on {seeds} random tables of {ROWS} rows, of which some
may have a quarter suppressed (`docs/method_matrix.py`). Each cell has a sign for, in this order,
{", ".join(SETTINGS)}:

- `+` works: the release was made, and its check holds.
- `o` none of these tables could be met; the error says so, and why.
- `-` the plan is refused before anything is read; [the reasons](#reasons) are below.
- `x` the method [promises nothing](methods.md#{unsafe}), and what it made failed the check.

Of {sum(kinds.values()):,} plans {kinds[REFUSED]:,} were refused. The others gave
{kinds[WORKS]:,} releases whose check holds; {kinds[NOT_MET]:,} could not be met. No method but
`{unsafe}` failed its own check, and nothing ended in an internal error.

{_table(made)}

{asked}.

## Reasons

{_reasons(made)}
"""


def _words(spec: dict[str, Any]) -> str:
    told = ", ".join(f"{key} = {value}" for key, value in spec.items() if key != "model")
    return f"`{spec['model']}` ({told})"


def _table(made: Cells) -> str:
    methods = list(dict.fromkeys(method for method, _, _ in made))
    lines = [
        f"| method | {' | '.join(REQUIREMENTS)} |",
        f"|---|{'---|' * len(REQUIREMENTS)}",
    ]
    for method in methods:
        signs = [
            "".join(_sign(made[method, requirement, setting]) for setting in SETTINGS)
            for requirement in REQUIREMENTS
        ]
        lines.append(f"| {method} | {' | '.join(f'`{sign}`' for sign in signs)} |")
    return "\n".join(lines)


def _sign(runs: list[Run]) -> str:
    kinds = {one.outcome for one in runs}
    return next(sign for outcome, sign in SIGNS.items() if outcome in kinds)


def _reasons(made: Cells) -> str:
    methods: dict[str, dict[str, None]] = {}
    for (method, _, _), runs in made.items():
        refused = (reason for one in runs if one.outcome == REFUSED for reason in one.reasons)
        for reason in refused:
            methods.setdefault(_general(reason, method), {})[method] = None
    return "\n".join(
        f"- {', '.join(f'`{name}`' for name in names)}: {reason}"
        for reason, names in methods.items()
    )


def _general(reason: str, method: str) -> str:
    """Say a reason for all requirements and methods that it is given for."""
    for model in MODELS:
        reason = reason.replace(f"'{model}'", "the requirement")
    return reason.replace(f"'{method}'", "it").replace("method it", "it")


def main() -> None:
    """Run the matrix, write the page, and say what is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=METHODS, metavar="METHOD")
    asked = parser.parse_args()
    made = cells(asked.seeds, asked.only)
    broken = [(key, one) for key, runs in made.items() for one in runs if one.outcome == BROKEN]
    for key, one in broken:
        sys.stdout.write(f"{', '.join(key)}: {'; '.join(one.reasons)}\n")
    if not asked.only and not broken:
        PAGE.write_text(page(made, asked.seeds))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
