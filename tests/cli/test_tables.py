"""Tables on the terminal."""

from __future__ import annotations

from indistinct.cli.tables import show_promises, show_table


def test_nothing_from_the_data_is_taken_for_markup(capsys):
    show_table(("column", "[b]loss"), [("[bold]zip[/bold]", "0.5")])
    shown = capsys.readouterr().out
    assert "[bold]zip[/bold]" in shown
    assert "[b]loss" in shown


def test_a_promise_names_its_column_and_says_what_cannot_be_told(capsys):
    asked = {"model": "t-closeness", "promised": "t = 0.2", "measured": None, "holds": None}
    show_promises([asked | {"column": "disease"}])
    line = next(part for part in capsys.readouterr().out.splitlines() if "disease" in part)
    assert [cell.strip() for cell in line.strip("│").split("│")] == [
        "t-closeness (disease)",
        "t = 0.2",
        "without end",
        "cannot tell",
    ]
