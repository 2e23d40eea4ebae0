"""What results look like in a shell and in a notebook: labels instead of indices, plain tables, everything escaped."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from commands import environment
from notebook_tables import HtmlTable, read
from tournaments import hold

import knightfall as kf
from knightfall.rules.display import Table

POSITION = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
LATE = kf.Position.from_fen("*N3/2*2/1*3/4n/5 w")
SCRIPT = "<script>alert&lt;</script>"


def only_table(shown: Any) -> HtmlTable:
    """The one table of a result."""
    (table,), _ = read(shown._repr_html_())
    return table


def test_a_choice() -> None:
    choice = kf.agent("AB5_Improved").choose(POSITION)
    labels = POSITION.geometry.labels(choice.line)
    assert repr(choice) == f"<choice {labels[0]}: +0.00, depth 5, {choice.nodes:,} nodes, line {' '.join(labels)}>"
    table = only_table(choice)
    assert table.columns == ["move", "score", "depth", "nodes", "line"]
    assert table.rows == [[labels[0], "+0.00", "5", f"{choice.nodes:,}", " ".join(labels)]]


@pytest.mark.parametrize("text", ["random", "greedy(improved)", "mcts(playouts=50)", "perfect(nodes=20000)"])
def test_every_agents_choice_is_shown_by_its_label(text: str) -> None:
    choice = kf.agent(text).choose(POSITION)
    assert re.match(rf"<choice {POSITION.geometry.label(choice.square)}[:>]", repr(choice))
    assert only_table(choice).column("move") == [POSITION.geometry.label(choice.square)]


def test_a_choice_of_an_agent_that_does_not_say_where() -> None:
    assert repr(kf.Choice(24, 2.0, line=(24, 8))) == "<choice 24: +2.00, line 24 8>"
    # The board is not part of what a choice is.
    assert kf.Choice(24, geometry=POSITION.geometry) == kf.Choice(24)


@pytest.mark.parametrize("text", ["alphabeta(improved, depth=4)", "mcts(playouts=200)", "perfect(nodes=100000)"])
def test_an_analysis(text: str) -> None:
    found = kf.analyze(LATE, text, exact_ms=60_000)
    table = only_table(found)
    assert table.caption == f"{text} for first in {LATE.fen()}"
    assert table.column("move") == LATE.geometry.labels(move.square for move in found.moves)
    assert table.column("line") == [" ".join(LATE.geometry.labels(move.line)) for move in found.moves]
    assert table.column("exact") == [f"wins in {move.distance}" for move in found.moves]
    assert ("visits" in table.columns) == text.startswith("mcts")
    _, (note,) = read(found._repr_html_())
    assert note.startswith("first wins in 13 moves: proven\n3 moves, ")
    lines = repr(found).splitlines()
    assert lines[0] == table.caption
    assert lines[1].split() == table.columns
    assert [line.split()[0] for line in lines[2:5]] == table.column("move")
    assert "\n".join(lines[5:]) == note
    best = found.best
    assert repr(best).startswith(f"<move {LATE.geometry.label(best.square)}: ")
    assert f"wins in {best.distance}" in repr(best)


def test_a_rate_is_not_shown_as_a_score() -> None:
    table = only_table(kf.analyze(POSITION, "mcts(playouts=300)"))
    assert all(re.fullmatch(r"\d+\.\d%", score) for score in table.column("score"))


def test_solutions() -> None:
    won = kf.solve(LATE, distance=True)
    assert only_table(won).rows == [["win", "3", "c3 in 13, a3 in 15, d4 in 17"]]
    assert repr(won).splitlines()[:3] == [
        "first wins in 13 moves (search): *N3/2*2/1*3/4n/5 w",
        "result  moves  which",
        "win         3  c3 in 13, a3 in 15, d4 in 17",
    ]
    mixed = kf.solve(kf.Position.from_fen("*n*2/2*2/N*3/5/3*1 w"))
    label = mixed.position.geometry.label
    by_result = {row[0]: row[2].split(", ") for row in only_table(mixed).rows}
    assert by_result == {
        "win": [label(square) for square, wins in mixed.moves.items() if wins],
        "lose": [label(square) for square, wins in mixed.moves.items() if not wins],
    }
    over = kf.solve(kf.Position.from_fen("N1/1n w"))
    assert repr(over).splitlines()[0] == "second wins (the game is over): N1/1n w"
    mirrored = kf.solve(kf.Position.start(kf.Geometry(4, 4)))
    assert repr(mirrored).splitlines()[0] == "second wins (the mirror argument): 4/4/4/4 w"
    assert only_table(mirrored).rows == [["lose", "16", "all"]]


def test_a_solution_that_is_not_decided_says_so() -> None:
    found = kf.solve(kf.Position.start(kf.Geometry(7, 7)), nodes=1)
    assert found.winner is None
    assert repr(found).startswith("not decided within the budget: 7/7/7/7/7/7/7 w\n")
    assert [row[0] for row in only_table(found).rows] == ["not decided"]


def test_games() -> None:
    game = kf.play("AB5_Improved", "random", LATE, seed=2)
    assert repr(game) == (
        "AB5_Improved against random on 5x5 from *N3/2*2/1*3/4n/5 w: first wins after 9 moves (stuck)\n"
        "1. a3 c3  2. c2 d5  3. b4 e3  4. d3 d1  5. b2"
    )
    table = only_table(game)
    assert table.column("first") == ["a3", "c2", "b4", "d3", "b2"]
    assert table.column("second") == ["c3", "d5", "e3", "d1", ""]
    assert table.column("score of first")[0] == f"{game.data[0].score:+g}"
    assert set(table.column("score of second")) == {""}
    begun = kf.Game(kf.Position.from_fen("7/7/3n3/7/7/2N4/7 b")).play("b4")
    assert repr(begun) == ("game on 7x7 from 7/7/3n3/7/7/2N4/7 b: unfinished after 1 move, first to move\n1. ... b4")
    assert only_table(begun).columns == ["round", "first", "second"]
    assert only_table(begun).rows == [["1", "...", "b4"]]
    assert repr(kf.Game(LATE)).endswith("unfinished after 0 moves, first to move")
    assert "void after 0 moves (infrastructure)" in repr(kf.Game(LATE).ended(None, "infrastructure"))


def test_rounds_are_not_broken_over_lines() -> None:
    game = kf.play("random", "random", kf.Position.start(kf.Geometry(11, 11)), seed=1)
    lines = repr(game).splitlines()[1:]
    assert len(lines) > 1
    assert all(len(line) <= 100 and re.match(r"\d+\. ", line) for line in lines)


def test_a_review() -> None:
    found = kf.review(kf.play("AB5_Improved", "random", LATE, seed=2), ms=60_000)
    table = only_table(found)
    assert table.column("square") == ["a3", "c3", "c2", "d5", "b4", "e3", "d3", "d1", "b2"]
    assert table.column("grade") == [move.grade for move in found.moves]
    assert set(table.column("known to win")[0].split()) == {"a3", "c3", "d4"}
    assert repr(found).splitlines()[0] == repr(found.game).splitlines()[0] == table.caption


def test_results() -> None:
    results = hold("improved", "center", panel=["MM_Open", "Random"], baseline="improved")
    tables, paragraphs = read(results._repr_html_())
    games, standings, ratings, verdicts = tables
    assert games.columns == ["opponent", *results.plan.candidates]
    counts = [match.counts for match in results.matches.values() if match.matchup.opponent in ("MM_Open", "Random")]
    assert sorted(cell for row in games.rows for cell in row[1:]) == sorted(
        f"{count.games_won} – {count.games_lost}" for count in counts
    )
    assert standings.column("candidate") == [standing.candidate for standing in results.standings]
    assert set(ratings.column("player")) >= set(results.plan.names)
    assert verdicts.column("verdict") == [verdict.sentence for verdict in results.verdicts]
    assert paragraphs[-1].startswith("experiment 1: ")
    assert repr(results) == f"{results.table}\n\n{paragraphs[-1]}"
    assert str(results).startswith(results.table)
    assert str(results) != repr(results)


def test_results_of_a_round_robin_and_of_a_sequential_test() -> None:
    (games, *_), _ = read(hold("improved", "center", panel=["Random"], round_robin=True, baseline=None)._repr_html_())
    names = games.columns[1:]
    assert games.column("opponent") == names
    for at, name in enumerate(names):
        assert games.column(name)[at] == ""
        for below, other in enumerate(names[:at]):
            won, lost = games.column(name)[below].split(" – ")
            assert games.column(other)[at] == f"{lost} – {won}"
    tables, _ = read(hold("improved", panel=["Random"], baseline=None, sprt=(0, 400))._repr_html_())
    assert [table.columns[0] for table in tables] == ["opponent", "verdict"]


def test_the_catalogue_lists_itself_and_compiles_nothing() -> None:
    program = (
        "import knightfall as kf; html = kf.heuristics._repr_html_(); text = repr(kf.heuristics)\n"
        "assert not any('_compiled' in made.code.__dict__ for made in kf.heuristics.values())\n"
        "print(text); print('====='); print(html)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    text, _, html = done.stdout.partition("=====")
    (table,), _ = read(html)
    assert table.column("name") == list(kf.heuristics)
    assert table.column("idea") == [made.metadata.idea for made in kf.heuristics.values()]
    assert table.column("formula") == [made.metadata.formula for made in kf.heuristics.values()]
    assert all(len(line) <= 100 for line in text.splitlines())
    words = set(text.split())
    assert all(
        set(f"{name} {made.metadata.idea} {made.metadata.formula}".split()) <= words
        for name, made in kf.heuristics.items()
    )


def test_names_that_are_markup_stay_text() -> None:
    table = only_table(kf.Game(LATE, players=(SCRIPT, "a & b")).play("c3"))
    assert table.caption.startswith(f"{SCRIPT} against a & b on 5x5")
    cells = Table(SCRIPT, (SCRIPT, "&lt;"), [(SCRIPT, '"><b>')], numbers=(SCRIPT,), note=f"{SCRIPT}\n<i>")
    (shown,), paragraphs = read(cells.html())
    assert (shown.caption, shown.columns, shown.rows) == (SCRIPT, [SCRIPT, "&lt;"], [[SCRIPT, '"><b>']])
    assert paragraphs == [f"{SCRIPT}\n<i>"]

    def score(game, player):  # type: ignore[no-untyped-def]
        return float(len(game.get_legal_moves(player)))

    score.__name__ = score.__qualname__ = SCRIPT
    made = kf.heuristic(score)
    found = kf.analyze(LATE, kf.agent("greedy(improved)", heuristic=made))
    assert only_table(found).caption.startswith(f"greedy({SCRIPT}) for first")
    results = kf.tournament([kf.heuristic(score)], ["Random"], pairs=1, nodes=50, workers=0, baseline=None)
    tables, _ = read(results._repr_html_())
    assert SCRIPT in tables[0].columns[1]


def test_text_tables_fit_the_terminal() -> None:
    table = Table(
        "",
        ("n", "idea", "formula"),
        [("1", "some words " * 20, "x " * 80), ("22", "short", "y")],
        ("n",),
        ("idea", "formula"),
    )
    for most in (40, 80, 200):
        widths = table._widths(most)
        assert sum(widths) + 4 <= most
        lines = [line for row in table.rows for line in table._lines(row, widths)]
        assert max(map(len, lines)) <= most
        assert " ".join(lines).split().count("words") == 20
    assert table._widths(1_000) == [2, 220, 160]
