"""Tuning: what is tried, that a study survives anything, and that the truth is told about what was gained."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from clusters import dask_cluster
from commands import KNIGHTFALL, environment, started
from scipy import stats

import knightfall as kf
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.wish import Wish, read_budget
from knightfall.cli import main
from knightfall.cli.tune import study_text
from knightfall.lab.accuracy import Grader
from knightfall.lab.truth import TruePosition, shipped_truth, to_text
from knightfall.lab.tuning.accuracy_goal import AccuracyGoal
from knightfall.lab.tuning.design import FACTORIAL, SOBOL, screening
from knightfall.lab.tuning.effects import main_effects
from knightfall.lab.tuning.errors import TuningError
from knightfall.lab.tuning.goals import Compared
from knightfall.lab.tuning.proposals import propose
from knightfall.lab.tuning.space import CHOICE, NUMBER, WHOLE, Parameter, Setting, Space, read_space
from knightfall.lab.tuning.stages import Stage, openings_for, read_stage
from knightfall.lab.tuning.study import Confirmation, Study, Trial, read_study
from knightfall.lab.tuning.tournament_goal import TournamentGoal
from knightfall.lab.tuning.tune import tune
from knightfall.lab.tuning.words import conclusion

CENTRAL = "central_mobility(peak=?, opponent=?)"

MINE = """
import knightfall as kf


@kf.heuristic(ranges={"weight": (-2.0, 2.0)})
def weighted(game, player, weight=1.0, free=1.0):
    return weight * len(game.get_legal_moves(player))


def idle(game, player, nothing=0.5):
    return float(len(game.get_legal_moves(player))) + 0.0 * nothing


def lottery(game, player, ticket=0):
    row, column = game.get_player_location(player)
    return float((row * 31 + column * 17 + ticket * ticket * 7 + ticket * row * column) % 101)


def brittle(game, player, divisor=2):
    return len(game.get_legal_moves(player)) / divisor
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small truth set of late positions, and a file of heuristics."""
    path = tmp_path_factory.mktemp("tune")
    late = [entry for entry in shipped_truth("7x7") if entry.position.ply >= 24 and entry.is_critical]
    (path / "truth.txt").write_text(to_text(late[::8], "7x7"))
    (path / "mine.py").write_text(MINE)
    return path


@pytest.fixture(scope="module")
def truths(folder: Path) -> list[TruePosition]:
    return [TruePosition.read(line) for line in (folder / "truth.txt").read_text().splitlines()[1:]]


# --- what is asked for


def test_a_text_says_what_is_tuned_and_what_is_fixed(folder: Path) -> None:
    space = read_space("contested_reach(k=?2..5, c=0.25)")
    assert space.parameters == (Parameter("k", WHOLE, 2, 5),)
    assert space.make({"k": 4}).parameters == {"k": 4, "c": 0.25}
    assert space.start == {"k": 2}
    assert space.count == 4
    space = read_space("space_proximity(metric=?d1|d2sq, whose=?)", "whose=own")
    assert [(p.kind, p.choices) for p in space.parameters] == [
        (CHOICE, ("d1", "d2sq")),
        (CHOICE, ("both", "own", "opponent")),
    ]
    assert space.start == {"metric": "d1", "whose": "own"}
    assert [parameter.name for parameter in read_space("central_mobility").parameters] == ["peak", "opponent"]
    assert read_space(f"{folder / 'mine.py'}:weighted").parameters == (Parameter("weight", NUMBER, -2, 2),)


@pytest.mark.parametrize(
    ("text", "start", "words"),
    [
        ("improved", "", "improved has no parameters: there is nothing to tune"),
        ("reach(k=2)", "", "nothing is to be tuned: write ? for a value, as in k=?"),
        ("reach(q=?)", "", "reach has no parameter 'q'; it has k"),
        ("reech(k=?)", "", "did you mean reach?"),
        ("reach(k=?", "", ") is expected"),
        ("reach(k=?5..2)", "", "two whole numbers LOW..HIGH are expected, the first one smaller, not '5..2'"),
        ("reach(k=?1..2.5)", "", "two whole numbers"),
        ("weighted_mobility(mix=?0..inf)", "", "two numbers"),
        ("weighted_mobility(mix=?x)", "", "two numbers"),
        ("space_proximity(metric=?d1|d9)", "", "is chosen from d1|d2|d2sq"),
        ("reach(k=?)", "k=x", "--start: reach: k must be a number"),
        ("reach(k=?)", "c=1", "--start: reach has no parameter 'c'"),
        ("contested_reach(k=?)", "c=1", "--start: c is not tuned"),
        ("reach(k=?)", "k", "--start: "),
        ("{mine}:weighted(free=?)", "", "free has no declared range: say from where to where, as in free=?LOW..HIGH"),
        ("{mine}:idle", "", "idle declares no ranges"),
    ],
)
def test_what_cannot_be_tuned_is_refused(folder: Path, text: str, start: str, words: str) -> None:
    with pytest.raises(kf.KnightfallError, match=re.escape(words)) as error:
        read_space(text.replace("{mine}", str(folder / "mine.py")), start)
    assert "\n" not in str(error.value)


# --- the screening


def test_a_full_factorial_has_every_combination_once() -> None:
    design = screening(read_space("contested_reach(k=?, c=?)"), 30, 1)
    assert design.kind == FACTORIAL
    levels = [sorted({setting[name] for setting in design.settings}) for name in ("k", "c")]
    assert [tuple(setting.values()) for setting in design.settings] == list(product(*levels))
    assert [(values[0], values[-1], len(values)) for values in levels] == [(1, 8, 5), (0.0, 2.0, 5)]
    assert len(screening(read_space("reach(k=?)"), 8, 1).settings) == 8


def four() -> Space:
    parameters = (
        Parameter("a", NUMBER, -1, 1),
        Parameter("b", NUMBER, 0, 100),
        Parameter("c", WHOLE, 0, 99),
        Parameter("d", CHOICE, choices=("x", "y", "z")),
    )
    return Space(kf.heuristics["improved"], parameters, {"a": 0.0, "b": 50.0, "c": 1, "d": "x"})


def test_where_that_would_be_too_many_a_sobol_sequence_covers_every_range_evenly() -> None:
    design = screening(four(), 40, seed=3)
    assert (design.kind, len(design.settings)) == (SOBOL, 32)
    for parameter in four().parameters[:3]:
        places = [parameter.place(setting[parameter.name]) for setting in design.settings]
        assert [sum(low <= place < low + 0.25 for place in places) for low in (0.0, 0.25, 0.5)] == [8, 8, 8]
    assert {setting["d"] for setting in design.settings} == {"x", "y", "z"}
    assert design == screening(four(), 40, seed=3) != screening(four(), 40, seed=4)


# --- the search


def test_a_proposal_depends_on_seed_and_trials_alone() -> None:
    generator = random.Random(1)
    tried = [(setting, generator.random()) for setting in screening(four(), 16, 1).settings]
    first = propose(four(), 1, tried)
    random.seed(5)
    assert first == propose(four(), 1, tried)
    assert first != propose(four(), 2, tried)
    assert first != propose(four(), 1, tried[:-1])
    assert first is not None
    assert four().holds(first)


def test_no_setting_is_tried_twice_and_the_last_one_is_found() -> None:
    space = read_space("contested_reach(k=?1..3, c=0.5)")
    tried: list[tuple[Setting, float]] = [({"k": 7}, 0.9)]  # a start outside
    while (found := propose(space, 1, tried)) is not None:
        assert found not in [setting for setting, _ in tried]
        tried.append((found, 0.5))
    assert sorted(int(setting["k"]) for setting, _ in tried) == [1, 2, 3, 7]


def test_the_search_climbs_a_hill() -> None:
    parameters = (Parameter("a", NUMBER, 0, 10), Parameter("b", NUMBER, 0, 10))
    space = Space(kf.heuristics["improved"], parameters, {"a": 0.0, "b": 0.0})

    def height(setting: Setting) -> float:
        return -((float(setting["a"]) - 7.3) ** 2) - (float(setting["b"]) - 1.2) ** 2

    tried = [(setting, height(setting)) for setting in screening(space, 25, 1).settings]
    before = max(value for _, value in tried)
    for _ in range(40):
        found = propose(space, 1, tried)
        assert found is not None
        tried.append((found, height(found)))
    assert max(value for _, value in tried) > before / 4


# --- stages and openings


def test_stages() -> None:
    board = kf.Geometry(7, 7)
    stages = [read_stage(text, board) for text in ("early", "middle", "late")]
    assert [ply for stage in stages for ply in range(stage.low, stage.high + 1)] == list(range(49))
    assert read_stage("7", board) == Stage(7, 7)
    for text in ("soon", "9-4", "-3", "49-50", "4-"):
        with pytest.raises(TuningError, match="--stage"):
            read_stage(text, board)


@pytest.mark.parametrize("stage", [None, Stage(20, 26)])
def test_no_opening_of_the_confirmation_is_an_image_of_one_that_tuning_saw(stage: Stage | None) -> None:
    board = kf.Geometry(7, 7)
    seen, unseen = openings_for(board, 150, 300, 1, stage)
    images = {position.transform(symmetry) for position in seen for symmetry in board.symmetries}
    assert not images & set(unseen)
    assert (len(set(seen)), len(set(unseen))) == (150, 300)
    assert not any(position.is_over for position in (*seen, *unseen))
    assert {position.ply for position in (*seen, *unseen)} == ({2} if stage is None else set(range(20, 27)))
    assert openings_for(board, 150, 300, 1, stage) == (seen, unseen)
    assert openings_for(board, 150, 300, 2, stage)[0] != seen
    with pytest.raises(TuningError, match="openings of 2-2 plies were found on 3x3, and 60 are wanted"):
        openings_for(kf.Geometry(3, 3), 30, 30, 1, Stage(2, 2))


# --- accuracy as the goal


def test_accuracy_is_tuned_on_one_half_and_judged_on_the_other(truths: list[TruePosition]) -> None:
    heuristic = kf.heuristics["reach(k=3)"]
    goal = AccuracyGoal(heuristic, truths)
    own = [entry for entry in truths if entry.is_for_tuning]
    assert goal.tuning.critical == own
    assert {e.position.canonical() for e in own}.isdisjoint(e.position.canonical() for e in goal.judging.critical)
    assert goal.measure(heuristic, print).value == Grader(own).measure(heuristic, [0]).kept[0]
    other = kf.heuristics["reach(k=1)"]
    found = goal.compare(heuristic, other, print)
    theirs, ours = (goal.judging.shares(each) for each in (other, heuristic))
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    plain = stats.ttest_rel(ours, theirs).confidence_interval()
    assert found.difference.estimate == pytest.approx(sum(differences) / len(differences))
    assert (found.difference.low, found.difference.high) == pytest.approx((plain.low, plain.high), abs=0.01)
    deeper = AccuracyGoal(heuristic, truths, depth=8)
    assert deeper.measure(heuristic, print).value.estimate > goal.measure(heuristic, print).value.estimate
    weak = AccuracyGoal(heuristic, truths, kinds=["weak"], stage=Stage(24, 27))
    chosen = [*weak.tuning.critical, *weak.judging.critical]
    assert {(entry.kind, 24 <= entry.position.ply <= 27) for entry in chosen} == {("weak", True)}


def test_it_says_how_many_positions_are_graded(folder: Path, truths: list[TruePosition]) -> None:
    """A heuristic that Python runs is asked fewer."""
    (folder / "slow.py").write_text("def slow(game, player, x=1.0):\n    return float(str(x))\n")
    goal = AccuracyGoal(read_space(f"{folder / 'slow.py'}:slow(x=?0..1)").heuristic, truths)
    assert len(goal.tuning.critical) > 200
    assert goal.seen == "200 critical positions"
    with pytest.warns(UserWarning, match="runs interpreted"):
        assert goal.compare(goal.heuristic, goal.heuristic, print).difference.estimate == 0.0


def test_a_bad_setting_is_improved_and_a_good_one_is_left_alone(folder: Path) -> None:
    truth = folder / "truth.txt"
    bad = tune(CENTRAL, start="peak=0, opponent=4", truth=truth, trials=30)
    assert bad.confirmation is not None
    assert bad.confirmation.compared.difference.low > 0.2
    assert bad.winner == bad.best
    assert conclusion(bad).startswith("improved: central_mobility(peak=")
    assert bad.trials[0].setting == {"peak": 0.0, "opponent": 4.0}
    assert bad.trials[0].how == "start"
    idle = tune(f"{folder / 'mine.py'}:idle(nothing=?0..1)", truth=truth, trials=9)
    assert idle.confirmation is not None
    assert idle.winner == idle.start
    assert idle.confirmation.compared.difference.estimate == 0.0
    assert conclusion(idle).startswith("nothing to gain: ")


def test_luck_is_not_taken_for_skill(folder: Path) -> None:
    """The best of many tickets is ahead where it was drawn, and nowhere else."""
    study = tune(f"{folder / 'mine.py'}:lottery(ticket=?0..400)", truth=folder / "truth.txt", trials=60, screening=9)
    assert study.best is not None
    assert study.confirmation is not None
    assert study.best.score - study.start.score > 0.05
    assert study.confirmation.compared.difference.estimate < study.best.score - study.start.score
    assert "tuning itself saw +" in conclusion(study)


def test_a_setting_that_fails_is_told_and_the_study_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{folder / 'mine.py'}:brittle(divisor=?-1..3)"
    study = tune(text, truth=folder / "truth.txt")
    [failed] = [trial for trial in study.trials if trial.value is None]
    assert failed.setting == {"divisor": 0}
    assert "ZeroDivisionError" in failed.failure
    assert len(study.trials) == 5
    assert "1 settings failed; the first: " in study_text(study, "x")
    with pytest.raises(kf.KnightfallError, match="ZeroDivisionError"):
        tune(text, start="divisor=0", truth=folder / "truth.txt")


# --- games as the goal


def games(text: str = CENTRAL, start: str = "", **options: Any) -> Study:
    wanted: dict[str, Any] = {"against": "Random; MM_Open", "pairs": 4, "confirm": 10, "nodes": 40, "workers": 0}
    return tune(text, "tournament", start=start, **{**wanted, "trials": 6, **options})


def test_all_settings_play_the_same_openings_with_the_same_seeds() -> None:
    space = read_space(CENTRAL)
    wish = Wish([], "Random; MM_Open", 5, read_budget(None, 40, None), 1, None, "7x7")
    with TournamentGoal(space, wish, 20, workers=0) as goal:
        settings: list[Setting] = [{"peak": 1.0, "opponent": 0.0}, {"peak": 9.0, "opponent": 2.0}]
        plans = [goal.plan([space.make(setting)], goal.first.plan.openings) for setting in settings]
        ids = [[(pair.id, pair.opening, pair.matchup.opponent) for pair in plan.pairs()] for plan in plans]
        assert ids[0] == ids[1]
        assert plans[0].candidates != plans[1].candidates
        assert len(set(goal.others)) == 20


def test_a_bad_setting_is_improved_in_games() -> None:
    study = games("aggressive_mobility(own=?, opponent=1.0)", "own=0", pairs=12, confirm=60, trials=10)
    assert study.confirmation is not None
    assert study.confirmation.word == "better"
    assert "games won" in conclusion(study)


def test_a_study_in_games_is_the_same_whoever_plays(folder: Path, tmp_path: Path) -> None:
    text = f"{folder / 'mine.py'}:weighted(weight=?)"
    for name, workers in (("alone", 0), ("two", 2)):
        games(text, "weight=-1", path=tmp_path / name, workers=workers, stage="20-24", trials=5)
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "two").read_bytes()


def test_games_lost_by_faults_are_counted(folder: Path) -> None:
    study = games(f"{folder / 'mine.py'}:brittle(divisor=?0..2)")
    broken = next(trial for trial in study.trials if trial.setting == {"divisor": 0})
    assert broken.faults == 16
    assert broken.score == 0.0
    assert "16 games lost by faults" in study_text(study, "x")


# --- effects and words


def planted(values: dict[tuple[float, float], float], confirmation: Confirmation | None = None) -> Study:
    """A study with these values for two parameters; the first of them is the start."""
    settings: list[Setting] = [{"a": a, "b": b} for a, b in values]
    head = {
        "heuristic": "x",
        "fixed": {},
        "parameters": [Parameter(name, NUMBER, 0, 2).facts() for name in ("a", "b")],
        "design": {"kind": FACTORIAL, "settings": settings},
        "unit": "wins kept",
        "seen": "10 positions",
        "unseen": "20 positions",
    }
    trials = [
        Trial(number, "screening" if number else "start", setting, Interval(value, value - 0.01, value + 0.01))
        for number, (setting, value) in enumerate(zip(settings, values.values(), strict=True))
    ]
    return Study(head, tuple(trials), confirmation)


def test_main_effects_are_those_of_an_analysis_of_variance() -> None:
    values = {(a, b): 0.1 * a + 0.02 * b * b for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0)}
    first, second = main_effects(planted(values))
    assert (first.parameter, second.parameter) == ("a", "b")
    assert first.size == pytest.approx(0.2)
    assert second.size == pytest.approx(0.08)
    groups = [[value for (a, _), value in values.items() if a == level] for level in (0.0, 1.0, 2.0)]
    whole = list(values.values())
    mean = sum(whole) / 9
    between = sum(3 * (sum(group) / 3 - mean) ** 2 for group in groups)
    assert first.share == pytest.approx(between / sum((value - mean) ** 2 for value in whole))
    assert first.share + second.share == pytest.approx(1.0)  # there is no interaction
    assert (first.best, second.best) == ("2", "2")


@pytest.mark.parametrize(
    ("difference", "word", "winner", "words"),
    [
        (Interval(0.03, 0.01, 0.05), "better", 1, "improved: x(a=1.0, b=0.0) is better than the start by +3.0 points"),
        (Interval(0.01, -0.01, 0.02), "not distinguishable", 0, "a gain of more than 2.0 points would have been seen"),
        (
            Interval(0.01, -0.01, 0.03),
            "not distinguishable",
            0,
            "no gain is shown: x(a=1.0, b=0.0), the best of 2",
        ),
        (Interval(0.01, -0.01, 0.03), "not distinguishable", 0, "a gain of up to 3.0 points may be missed"),
        (Interval(-0.03, -0.05, -0.01), "worse", 0, "is worse than the start: -3.0 points [-5.0, -1.0]"),
    ],
)
def test_the_conclusion_is_an_honest_one(difference: Interval, word: str, winner: int, words: str) -> None:
    found = Confirmation(1, Compared(Interval(0.6, 0.5, 0.7), Interval(0.57, 0.5, 0.6), difference))
    study = planted({(0.0, 0.0): 0.5, (1.0, 0.0): 0.6, (0.0, 1.0): 0.55}, found)
    assert found.word == word
    assert study.winner == study.trials[winner]
    assert words in conclusion(study)
    assert "tuning itself saw +10.0" in conclusion(study)
    assert conclusion(study).startswith("improved") == (word == "better")


# --- the file


def arguments(folder: Path, path: Path, *more: str) -> list[str]:
    return ["tune", CENTRAL, "--truth", str(folder / "truth.txt"), "--trials", "14", "-o", str(path), *more]


@pytest.fixture(scope="module")
def finished(folder: Path) -> Path:
    path = folder / "finished.jsonl"
    assert main(arguments(folder, path)) == 0
    return path


def test_the_file_has_a_line_for_each_trial(folder: Path, finished: Path) -> None:
    head, *trials, confirmation = [json.loads(line) for line in finished.read_text().splitlines()]
    assert head["knightfall_study"] == 1
    assert {"sources", "tuning", "optuna", "numba"} <= set(head["code"])
    assert [trial["trial"] for trial in trials] == list(range(14))
    assert [trial["how"] for trial in trials] == ["start"] + 9 * ["screening"] + 4 * ["search"]
    assert confirmation["word"] in ("better", "worse", "not distinguishable")
    study = read_study(finished)
    assert study.best == max(study.trials[1:], key=lambda trial: trial.score)


def test_the_same_command_tells_a_finished_study_again(
    folder: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = finished.read_bytes()
    capsys.readouterr()
    assert main(arguments(folder, finished)) == 0
    text = capsys.readouterr().out
    assert finished.read_bytes() == before
    assert text == study_text(read_study(finished), str(finished)) + "\n"
    assert main(arguments(folder, finished, "--json")) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["conclusion"] == conclusion(read_study(finished))
    assert len(facts["trials_done"]) == 14
    assert {effect["parameter"] for effect in facts["effects"]} == {"peak", "opponent"}
    assert facts["winner"].startswith("central_mobility(")


@pytest.mark.parametrize("kept", [1, 2, 5, 11, 15])
def test_a_study_cut_off_anywhere_goes_on_as_if_nothing_had_happened(
    folder: Path, finished: Path, tmp_path: Path, kept: int
) -> None:
    lines = finished.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
    assert main(arguments(folder, path)) == 0
    assert path.read_bytes().splitlines()[1:] == finished.read_bytes().splitlines()[1:]


def test_a_study_of_other_settings_is_refused(
    folder: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = finished.read_bytes()
    for more, words in (
        (["--seed", "2"], "seed was 1, now 2"),
        (["--start", "peak=1"], "start peak was 6.0, now 1.0"),
        (["--stage", "24-27"], "goal stage was none, now 24-27"),
        (["--depth", "2"], "goal depth was 0, now 2"),
        (["--screening", "5"], "other settings: screening was 32, now 5; -o names"),
    ):
        assert main(arguments(folder, finished, *more)) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "it is a study of other settings: " in error
        assert words in error
    assert finished.read_bytes() == before
    copy = tmp_path / "other.jsonl"
    copy.write_bytes(before.replace(b'"sources": "', b'"sources": "0'))
    assert main(arguments(folder, copy)) == 2
    assert "code sources was 0" in capsys.readouterr().err
    assert main(arguments(folder, copy, "--fresh")) == 0
    assert copy.read_bytes().splitlines()[1:] == before.splitlines()[1:]


def test_what_is_no_study_is_refused(
    folder: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = finished.read_text().splitlines(keepends=True)
    for name, text, words in (
        ("text", "hello\n", "its first line is not that of one"),
        ("empty", "", "it is empty"),
        ("list", "[1]\n", "its first line is not that of one"),
        ("damaged", "".join([*lines[:3], "x\n", *lines[4:]]), "line 4 is damaged"),
        ("gap", "".join([*lines[:3], *lines[4:]]), "it is damaged: trials are missing"),
        ("headless", '{"knightfall_study": 1, "seed": "1"}\n', "its first line does not tell 'heuristic'"),
        ("newer", lines[0].replace('"knightfall_study": 1', '"knightfall_study": 2'), "another Knightfall"),
    ):
        (tmp_path / name).write_text(text)
        capsys.readouterr()
        assert main(arguments(folder, tmp_path / name)) == 2
        assert words in capsys.readouterr().err
        assert (tmp_path / name).read_text() == text
    assert main(arguments(folder, tmp_path / "none" / "x")) == 2
    assert "there is no folder" in capsys.readouterr().err


# --- the command


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--goal", "fame"], "--goal: one of accuracy, tournament is expected"),
        (["--against", "Random"], "kinds of play (random, weak, strong, perfect, directed) are expected, not 'Random'"),
        (["--stage", "soon"], "--stage"),
        (["--depth", "20"], "--depth: for accuracy, from 0 to 12"),
        (["--pairs", "5"], "--pairs goes with --goal tournament only"),
        (["--workers", "2"], "--workers goes with --goal tournament only"),
        (["--truth", "nowhere.txt"], "nowhere.txt"),
        (["--stage", "48"], "too few critical positions"),
        (["--goal", "tournament", "--truth", "x"], "--truth goes with --goal accuracy only"),
        (["--goal", "tournament", "--nodes", "5", "--ms", "5"], "exclude each other"),
        (["--goal", "tournament", "--against", "Nobody"], "Nobody"),
        (["--goal", "tournament", "--against", "human"], "a human cannot play"),
        (["--goal", "tournament", "--cluster", "x", "--workers", "1"], "--cluster and --workers exclude each other"),
        (["--goal", "tournament", "--cluster", "nowhere"], "no address of a scheduler"),
        (["--goal", "tournament", "--board", "2x2"], "openings"),
        (["--trials", "1"], "--trials"),
    ],
)
def test_complaints_are_one_line_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tune", CENTRAL, *more]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert words in error
    assert list(tmp_path.iterdir()) == []


def test_without_optuna_there_is_the_screening(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)  # so that it cannot be imported
    path = tmp_path / "x.jsonl"
    assert main(arguments(folder, path)) == 2
    error = capsys.readouterr().err
    assert "needs optuna: pip install 'knightfall[tune]'; --trials 10 is the screening alone" in error
    assert not path.exists()
    assert main(arguments(folder, path, "--trials", "10")) == 0
    assert {trial.how for trial in read_study(path).trials} == {"start", "screening"}


def wait_for(path: Path, lines: int, process: subprocess.Popen[Any]) -> None:
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.005)
    raise AssertionError("it ended before it could be disturbed")


def test_killed_and_resumed_it_is_the_study_that_it_would_have_been(folder: Path, tmp_path: Path) -> None:
    common = ["tune", CENTRAL, "--truth", str(folder / "truth.txt"), "--trials", "90", "-o"]
    path, undisturbed = tmp_path / "killed.jsonl", tmp_path / "undisturbed.jsonl"
    for lines in (20, 50):
        with started([*KNIGHTFALL, *common, str(path)]) as process:
            wait_for(path, lines, process)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
    assert b"confirmation" not in path.read_bytes().splitlines()[-1]
    assert main([*common, str(path)]) == 0
    assert main([*common, str(undisturbed)]) == 0
    assert path.read_bytes().splitlines()[1:] == undisturbed.read_bytes().splitlines()[1:]


def test_ctrl_c_keeps_what_was_finished_and_says_how_to_go_on(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "stopped.jsonl"
    command = ["tune", CENTRAL, "--goal", "tournament", "--against", "Random; MM_Open", "--nodes", "30"]
    command += ["--workers", "0", "--pairs", "10", "-o", str(path)]
    with started([*KNIGHTFALL, *command]) as process:
        wait_for(path, 3, process)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    first, *_, last = error.strip().splitlines()
    assert first.startswith("the trials that were finished are kept; to go on: knightfall tune 'central_mobility(")
    assert last == "interrupted"
    assert len(read_study(path).trials) >= 2
    assert read_study(path).confirmation is None


def test_two_processes_do_not_write_to_one_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.jsonl"
    with started([*KNIGHTFALL, *arguments(folder, path, "--trials", "400")]) as process:
        wait_for(path, 3, process)
        assert main(arguments(folder, path, "--trials", "400")) == 2
        assert process.poll() is None
        assert capsys.readouterr() == ("", f"knightfall: {path}: another process is at this study\n")


@pytest.mark.long
def test_a_study_in_games_that_is_killed_goes_on(tmp_path: Path) -> None:
    common = ["tune", CENTRAL, "--goal", "tournament", "--pairs", "10", "--nodes", "200", "--workers", "2"]
    common += ["--trials", "20", "--start", "peak=0", "-o"]
    path = tmp_path / "killed.jsonl"
    with subprocess.Popen(
        [*KNIGHTFALL, *common, str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as process:
        wait_for(path, 12, process)
        os.killpg(process.pid, signal.SIGKILL)
    assert main([*common, str(path)]) == 0
    assert main([*common, str(tmp_path / "undisturbed.jsonl")]) == 0
    assert path.read_bytes().splitlines()[1:] == (tmp_path / "undisturbed.jsonl").read_bytes().splitlines()[1:]
    assert read_study(path).confirmation is not None


@pytest.mark.long
def test_a_cluster_makes_the_same_study_of_a_users_file(folder: Path, tmp_path: Path) -> None:
    text = f"{folder / 'mine.py'}:weighted(weight=?)"
    games(text, "weight=-1", path=tmp_path / "here", trials=5)
    with dask_cluster(tmp_path) as cluster:
        games(text, "weight=-1", path=tmp_path / "there", trials=5, workers=None, cluster=cluster.address)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
