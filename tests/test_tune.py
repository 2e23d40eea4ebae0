"""Tuning: what is asked for, what is tried, and that the truth is told about what was gained."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest
from scipy import stats
from studies import CENTRAL, games, write_folder

import knightfall as kf
from knightfall.arena.request import Request, read_budget
from knightfall.arena.statistics.pairs import Interval
from knightfall.cli.run.tune import study_text
from knightfall.lab.truth.accuracy import Grader
from knightfall.lab.truth.sets import TruePosition
from knightfall.lab.tuning.accuracy_goal import AccuracyGoal
from knightfall.lab.tuning.design import FACTORIAL, SOBOL, screening
from knightfall.lab.tuning.effects import main_effects
from knightfall.lab.tuning.errors import TuningError
from knightfall.lab.tuning.goals import Compared
from knightfall.lab.tuning.proposals import propose
from knightfall.lab.tuning.space import CHOICE, NUMBER, WHOLE, Parameter, Setting, Space, read_space
from knightfall.lab.tuning.stages import Stage, openings_for, read_stage
from knightfall.lab.tuning.study import Confirmation, Study, Trial
from knightfall.lab.tuning.tournament_goal import TournamentGoal
from knightfall.lab.tuning.tune import tune
from knightfall.lab.tuning.words import conclusion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("tune"))


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
        ("reach(k=?)", "k=x", "start: reach: k must be a number"),
        ("reach(k=?)", "c=1", "start: reach has no parameter 'c'"),
        ("contested_reach(k=?)", "c=1", "start: c is not tuned"),
        ("reach(k=?)", "k", "start: "),
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
        with pytest.raises(TuningError, match="stage: "):
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
    assert "1 setting failed; the first: " in study_text(study, "x")
    with pytest.raises(kf.KnightfallError, match="ZeroDivisionError"):
        tune(text, start="divisor=0", truth=folder / "truth.txt")


# --- games as the goal


def test_all_settings_play_the_same_openings_with_the_same_seeds() -> None:
    space = read_space(CENTRAL)
    request = Request([], "Random; MM_Open", 5, budget=read_budget(None, 40, None), baseline=None)
    with TournamentGoal(space, request, 20, workers=0) as goal:
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
