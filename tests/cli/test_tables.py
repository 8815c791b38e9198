"""Tables on the terminal."""

from __future__ import annotations

from indistinct.cli.tables import few_of_each_role, show_lines, show_promises, show_table


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


def test_very_many_columns_are_told_by_role():
    rows = [(f"q{n}", "quasi", "few values") for n in range(9_990)]
    rows += [(f"i{n}", "identifier", "unique") for n in range(10)]
    shown = list(few_of_each_role(rows))
    assert len(shown) == 12
    assert shown[5] == ("and 9,985 more", "quasi", "")
    assert shown[11] == ("and 5 more", "identifier", "")
    assert list(few_of_each_role(rows[:40])) == rows[:40]


def test_very_many_lines_are_cut_with_where_to_find_them(capsys):
    show_lines([f"line {n}" for n in range(1_000)], "see the plan")
    told = capsys.readouterr().out.splitlines()
    assert told[19:] == ["line 19", "and 980 more: see the plan"]
    show_lines(["look at: " + ", ".join(f"c{n}" for n in range(1_000))], "see the plan")
    [told] = capsys.readouterr().out.splitlines()
    assert told.endswith(", ... (see the plan)")
    assert len(told) <= 400
