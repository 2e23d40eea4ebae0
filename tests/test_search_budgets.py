"""Budgets are kept, and a heuristic that is wrong or slow is the same in a search as outside of one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from commands import environment, started
from games import after_line, facts, mixed_positions, played
from reference_search import Judge, Search
from strategies import ALL_SIZES

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.catalogue.loader import load
from knightfall.compiler.errors import HeuristicError, HeuristicWarning
from knightfall.native.control import DEFAULT_TICKS
from knightfall.rules import Geometry, Position

FAULTY = Path(__file__).parent / "student" / "faulty.py"
POSITION = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
WIDE = Position.from_fen("11/2*5*2/4n6/11/1*7*1/11/6N4/2*8/11 b")


# Nodes, depth, milliseconds


@pytest.mark.parametrize("settings", ["", ", tt=off, order=plain, window=full", ", tt=0.001", ", partial=off"])
def test_nodes_are_spent_to_the_last_one_and_never_exceeded(settings: str) -> None:
    for position in [*mixed_positions(12, seed=41, sizes=((7, 7), (5, 5), (11, 9))), Position.start(Geometry(7, 7))]:
        for nodes in (*range(1, 40), 64, 65, 1_000, 4_095, 4_096, 4_097, 10_000):
            choice = kf.agent(f"alphabeta(open, nodes={nodes}{settings})").choose(position)
            after_line(position, choice)
            assert choice.nodes == nodes or (choice.nodes < nodes and choice.ends_in is not None)


def test_published_agents_spend_their_nodes_too() -> None:
    for position in mixed_positions(12, seed=42, sizes=((7, 7), (5, 5))):
        for text in ("AB_Improved", "ID_Open", "Custom"):
            for nodes in (1, 7, 100, 3_000):
                choice = kf.agent(f"{text}(nodes={nodes})").choose(position)
                after_line(position, choice)
                assert choice.nodes == nodes or (choice.nodes < nodes and choice.ends_in is not None)


ONE_NODE = (
    "alphabeta(improved, nodes=1)",
    "alphabeta(contested_reach, nodes=1, tt=off)",
    "AB_Improved(nodes=1)",
    "Custom(nodes=1)",
    "mcts(nodes=1)",
    "mcts(playouts=1)",
    "mcts(improved, cutoff=0, nodes=1)",
)


def test_the_smallest_budget_gives_a_legal_move_on_every_board() -> None:
    chance = random.Random(43)
    for size in ALL_SIZES:
        geometry = Geometry(*size)
        for position in (Position.start(geometry), played(chance, geometry, chance.randrange(geometry.size))):
            for text in ONE_NODE:
                choice = kf.agent(text).choose(position)
                assert choice.square in position.legal_moves()
                after_line(position, choice)
                assert choice.nodes <= 1 or text == "mcts(playouts=1)"


def test_every_kind_of_agent_moves_on_every_board() -> None:
    chance = random.Random(44)
    texts = (
        "random",
        "greedy(open)",
        "alphabeta(lookahead_both, nodes=200)",
        "mcts(nodes=200)",
        "MM_Null",
        "AB5_Center",
    )
    for size in ALL_SIZES:
        geometry = Geometry(*size)
        # A fixed depth takes long while knights are unplaced.
        position = played(chance, geometry, max(2, chance.randrange(geometry.size)))
        for text in texts if position.ply >= 2 or geometry.size < 10 else texts[:4]:
            after_line(position, kf.agent(text).choose(position))


def test_a_fixed_depth_is_kept_whatever_the_budget() -> None:
    budget = Budget(nodes=10)
    for text in ("MM_Improved", "AB5_Improved", "minimax(improved, depth=4)", "greedy(improved)"):
        agent = kf.agent(text)
        assert agent.with_budget(budget) is agent
    free = kf.agent("AB_Improved").with_budget(budget)
    assert free.choose(POSITION).nodes == 10
    assert str(free) == "AB_Improved"
    assert kf.agent("mcts").with_budget(budget).choose(POSITION).nodes == 10
    own = kf.agent("alphabeta(improved, nodes=20)")
    assert own.with_budget(budget).choose(POSITION).nodes == 20


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta(improved, ms=0.01)",
        "alphabeta(improved, ms=5)",
        "alphabeta(won_lines, ms=5)",
        "AB_Open(ms=5)",
        "Custom(ms=5)",
        "mcts(ms=0.01)",
        "mcts(ms=5)",
        "mcts(line_count, cutoff=2, ms=5)",
        "alphabeta(line_count, ms=60)",
    ],
)
def test_a_budget_of_time_gives_a_legal_move_in_time(text: str) -> None:
    agent = kf.agent(text)
    assert not agent.budget.is_repeatable
    for position in (POSITION, WIDE, Position.start(Geometry(7, 7)), Position.start(Geometry(11, 9))):
        agent.choose(position)  # loaded by now
        began = time.perf_counter()
        choice = agent.choose(position)
        after_line(position, choice)
        # Not a measurement, which is made elsewhere: other work may go on here.
        assert time.perf_counter() - began < 0.5
        assert choice.seconds < 0.5


def test_the_shorter_of_two_budgets_counts() -> None:
    start = POSITION
    assert kf.agent("alphabeta(improved, nodes=50, ms=10000)").choose(start).nodes == 50
    assert kf.agent("alphabeta(improved, depth=2, nodes=100000)").choose(start).depth == 2
    assert kf.agent("alphabeta(improved, depth=20, nodes=500)").choose(start).nodes == 500
    assert kf.agent("mcts(playouts=100000, nodes=50)").choose(start).nodes == 50
    assert kf.agent("alphabeta(improved, depth=128, ms=5)").choose(start).depth > 3


def test_a_game_that_is_over_has_no_move_to_choose() -> None:
    over = Position.from_fen("N1/1n w")
    for text in ("random", "greedy(open)", "MM_Open", "alphabeta(improved)", "mcts", "human"):
        with pytest.raises(kf.AgentError, match=r"^there is no move to choose: the game is over in N1/1n w$"):
            kf.agent(text).choose(over)
    with pytest.raises(kf.AgentError, match=r"^a Position is expected, not '7/7/3n3/7/7/2N4/7 w'$"):
        kf.agent("random").choose(POSITION.fen())  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["alphabeta(improved, ms=3600000)", "minimax(improved, depth=40)", "mcts(ms=3600000)"])
def test_ctrl_c_ends_a_long_search(text: str) -> None:
    code = f"""
import knightfall as kf
start = kf.Position.start(kf.Geometry(7, 7))
kf.agent("alphabeta(improved, nodes=10)").choose(start)
print("ready", flush=True)
kf.agent({text!r}).choose(start)
"""
    with started([sys.executable, "-c", code]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=900)  # it would take an hour or more
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


# A heuristic that is wrong

WRONG = (
    "endless",
    "deep",
    "deep2",
    "mutual_a",
    "out_of_range",
    "zero",
    "none",
    "text",
    "nan",
    "cplx",
    "missing",
    "missing_name",
    "raises",
)


def message_of(agent: kf.Agent, position: Position) -> str:
    """The one line that a search fails with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        with pytest.raises(HeuristicError) as caught:
            agent.choose(position)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def told_position(message: str) -> tuple[int, Position]:
    """The player and the position that a message names."""
    _, _, where = message.rpartition("; player ")
    player, _, fen = where.partition(" in ")
    return int(player), Position.from_fen(fen)


def value_message(made: kf.Heuristic, position: Position, player: int) -> str:
    """What the same evaluation fails with outside of a search."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        with pytest.raises(HeuristicError) as caught:
            made.value(position, player, ticks=DEFAULT_TICKS)
    return str(caught.value)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("text", ["alphabeta(nodes=200)", "minimax(depth=3)"])
def test_an_error_in_a_search_is_told_as_outside_of_it(text: str, name: str) -> None:
    made = load(f"{FAULTY}:{name}", trial=False)
    for root in (POSITION, Position.from_fen(POSITION.fen().replace("w", "b"))):
        for _ in range(2):  # the second time is like the first
            message = message_of(kf.agent(text, heuristic=made), root)
            player, position = told_position(message)
            assert player == root.to_move, message
            assert 0 < position.ply - root.ply <= 3
            assert message == value_message(made, position, player)


def test_an_error_on_a_large_board_is_told_as_outside_of_the_search() -> None:
    made = load(f"{FAULTY}:late", trial=False)
    for _ in range(2):
        root = Position.from_fen("11/11/4n6/11/11/11/6N4/11/11 b")
        message = message_of(kf.agent("alphabeta(nodes=200)", heuristic=made), root)
        player, position = told_position(message)
        assert (player, position.ply) == (2, 4)
        assert message == value_message(made, position, player)


@pytest.mark.parametrize("name", WRONG)
def test_an_error_where_a_playout_is_cut_off_is_told_too(name: str) -> None:
    made = load(f"{FAULTY}:{name}", trial=False)
    message = message_of(kf.agent("mcts(cutoff=2, nodes=200)", heuristic=made), POSITION)
    player, position = told_position(message)
    assert message == value_message(made, position, player)


ONE_SIDED = """
def second(game, player):
    if player == 2:
        return 1 / (game.move_count - game.move_count)
    return 1.0


def rare(game, player):
    if game.move_count == 6 and len(game.get_legal_moves(player)) == 3:
        return 1 / (game.move_count - 6)
    return len(game.get_legal_moves(player))
"""


def test_an_error_where_a_playout_is_cut_off_names_the_player_it_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ONE_SIDED)
    made = load(f"{tmp_path}/mine.py:second", trial=False)
    message = message_of(kf.agent("mcts(cutoff=2, nodes=200)", heuristic=made), POSITION)
    player, position = told_position(message)
    assert message == value_message(made, position, player)


def test_an_error_deep_in_the_tree_names_its_position_and_the_agent_goes_on_working(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ONE_SIDED)
    made = load(f"{tmp_path}/mine.py:rare", trial=False)
    for text in ("alphabeta(depth=4)", "minimax(depth=4)"):
        agent = kf.agent(text, heuristic=made)
        for _ in range(3):
            player, position = told_position(message_of(agent, POSITION))
            assert (player, position.ply, len(position.moves_of(player))) == (1, 6, 3)
        after = POSITION
        for _ in range(5):
            after = after.play(after.legal_moves()[0])
        assert agent.choose(after).square in after.legal_moves()


@pytest.mark.parametrize("name", ["endless", "asks", "patient"])
def test_a_heuristic_that_does_not_end_is_ended_by_the_clock(name: str) -> None:
    made = load(f"{FAULTY}:{name}", trial=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        for text in ("alphabeta(ms=20)", "mcts(cutoff=2, ms=20)"):
            agent = kf.agent(text, heuristic=made)
            agent.choose(POSITION)
            began = time.perf_counter()
            assert agent.choose(POSITION).square in POSITION.legal_moves()
            assert time.perf_counter() - began < 0.5


# The same formula compiled and not

PAIRS = """
import random
from collections import Counter


def compiled(game, player):
    own = game.get_legal_moves(player)
    other = game.get_legal_moves(game.get_opponent(player))
    return len(own) - 1.5 * len(other) + game.move_count / 8


def interpreted(game, player):
    own = game.get_legal_moves(player)
    other = game.get_legal_moves(game.get_opponent(player))
    names = Counter(str(move) for move in own)
    return sum(names.values()) - 1.5 * len(other) + game.move_count / 8


def looping(game, player):
    own = 0
    while own < len(game.get_legal_moves(player)):
        own += 1
    return own - 1.5 * len(game.get_legal_moves(game.get_opponent(player))) + game.move_count / 8


def noise(game, player):
    return random.random() + 10 * random.randint(1, 6)


def noise_interpreted(game, player):
    names = Counter(str(move) for move in game.get_legal_moves(player))
    return random.random() + 10 * random.randint(1, 6)
"""

FORMS = ("compiled", "interpreted", "looping")


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, kf.Heuristic]:
    path = tmp_path_factory.mktemp("pairs") / "pairs.py"
    path.write_text(PAIRS)
    made = {name: load(f"{path}:{name}", trial=False) for name in (*FORMS, "noise", "noise_interpreted")}
    assert [made[name].compiled for name in made] == [True, False, True, True, False]
    return made


def check_forms(forms: dict[str, kf.Heuristic], names: tuple[str, ...], text: str, position: Position) -> None:
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        for name in names:
            found[name] = facts(kf.agent(text, heuristic=forms[name]).choose(position))
    assert len(set(found.values())) == 1, (text, position.fen(), found)


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta(nodes={})",
        "alphabeta(nodes={}, tt=off, order=plain, window=full, ties=first, partial=off)",
        "mcts(cutoff=2, nodes={})",
    ],
)
def test_python_and_machine_code_search_the_same_to_every_small_budget(
    text: str, forms: dict[str, kf.Heuristic]
) -> None:
    for position in (POSITION, WIDE, Position.from_fen("N4/1*1*1/2n2/*3*/2*2/5 b")):
        for nodes in (*range(1, 30), 100, 331):
            check_forms(forms, FORMS, text.format(nodes), position)


@pytest.mark.parametrize(
    "text", ["alphabeta(depth=4)", "minimax(depth=3, horizon=heuristic)", "greedy", "mcts(cutoff=3, playouts=60)"]
)
def test_python_and_machine_code_search_the_same_to_a_depth(text: str, forms: dict[str, kf.Heuristic]) -> None:
    for position in mixed_positions(6, seed=45, sizes=((5, 5), (11, 9))):
        check_forms(forms, FORMS, text, position)
        check_forms(forms, ("noise", "noise_interpreted"), text, position)


def test_random_numbers_in_a_search_are_those_outside_of_it(forms: dict[str, kf.Heuristic]) -> None:
    for name in ("noise", "noise_interpreted"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HeuristicWarning)
            judge = Judge(forms["noise"])
            for position in mixed_positions(6, seed=46, sizes=((7, 7), (11, 9))):
                found = Search(judge, position).choose(3, "alphabeta")
                assert found is not None
                fixed = kf.agent(
                    "alphabeta(depth=3, deepen=off, tt=off, order=plain, window=full, horizon=heuristic, ties=first)",
                    heuristic=forms[name],
                ).choose(position)
                assert (fixed.square, fixed.score, fixed.nodes) == (found.square, found.score, found.nodes)


def test_tree_counters_have_the_ticks_of_a_search() -> None:
    """They return what they have when their ticks run out, in a search sooner than by ``value()``."""
    for name in ("won_lines", "line_count", "longest_line"):
        made = kf.heuristics[name]
        choice = kf.agent(f"greedy({name}, ties=first)").choose(POSITION)
        values = [made.value(POSITION.play(square), 1, ticks=DEFAULT_TICKS) for square in POSITION.legal_moves()]
        assert choice.score == max(values)


def test_the_first_move_of_an_interpreted_heuristic_is_made_in_its_time(tmp_path: Path) -> None:
    """Whatever has to be compiled first is not part of it; in a new process, where nothing is loaded yet."""
    (tmp_path / "pairs.py").write_text(PAIRS)
    code = f"""
import warnings
warnings.simplefilter("ignore")
import knightfall as kf
from knightfall.catalogue.loader import load
made = load({f"{tmp_path}/pairs.py:interpreted"!r}, trial=False)
choice = kf.agent("alphabeta(ms=50)", heuristic=made).choose(kf.Position.from_fen({POSITION.fen()!r}))
print(choice.depth, choice.seconds)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900, env=environment())
    assert done.returncode == 0, done.stderr[-2000:]
    depth, seconds = done.stdout.split()
    assert int(depth) >= 1
    assert float(seconds) < 1
