"""The page that may go with a release of tree records."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.trees import anonymize_file

PLAN = {
    "tree": {"classes": ["hospital", "disease"], "keys": {"id": "identifier"}},
    "require": [{"model": "k-m-n-anonymity", "k": 5, "m": 2, "n": 1}],
    "limits": {"suppression": 0.05},
    "seed": 987654321,
}
PEOPLE = [
    {"id": f"p{n}", "hospital": {"value": name, "disease": what}}
    for n in range(10)
    for name in ("H1", "H2")
    for what in ("Flu", "Cold")
] + [{"id": "x", "hospital": {"value": "H1", "disease": "Gout"}}]


def written(folder, suffix="jsonl"):
    (folder / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in PEOPLE))
    release = anonymize_file(
        folder / "in.jsonl",
        PLAN,
        folder / f"out.{suffix}",
        report=folder / "own.html",
        public_report=folder / "public.html",
    )
    return release, (folder / "own.html").read_text(), (folder / "public.html").read_text()


def test_it_tells_promises_and_what_anyone_can_read(tmp_path):
    release, _, page = written(tmp_path)
    assert "k = 5, m = 2, n = 1" in page
    assert "Public report" in page
    assert f"{release.forest.size:,}" in page
    for label in ("H1", "H2", "Flu", "Cold"):
        assert label in page


def test_it_tells_nothing_private(tmp_path):
    release, own, page = written(tmp_path)
    summary = release.summary()
    assert summary["suppressed"]["nodes"] == 1
    for private in ("Gout", "987654321", "identifier", "suppression", "seconds", "Left out", "RPD"):
        assert private not in page
    assert "suppression" in own
    assert f"{summary['input_nodes']:,}" not in page
    assert str(summary["measures"]["rpd_private"])[:5] not in page
    assert "<script" not in page
    assert (tmp_path / "own.html").stat().st_mode & 0o077 == 0


def test_shares_are_whole_percents(tmp_path):
    release, _, page = written(tmp_path)
    exact = release.summary()["measures"]["values_exact"]
    assert 0.98 < exact < 1
    assert "99.0%" in page
    assert f"{exact:.1%}" not in page


def test_the_command_writes_it(tmp_path):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in PEOPLE))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    names = {name: str(tmp_path / name) for name in ("in.jsonl", "plan.json", "o.jsonl", "p.html")}
    line = ["tree", "anonymize", names["in.jsonl"], "--plan", names["plan.json"]]
    done = CliRunner().invoke(
        app, [*line, "--out", names["o.jsonl"], "--public-report", names["p.html"]]
    )
    assert done.exit_code == 0, done.output
    assert "Public report" in (tmp_path / "p.html").read_text()
