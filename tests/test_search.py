"""The native searches against each other and against plain Python: values, moves, lines and node counts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from games import after_line, assert_line_explains_score, facts, is_same, mixed_positions, played, symmetric_positions
from reference_search import Found, Judge, Node, Search, value_by_minimax

import knightfall as kf
from knightfall.agents.searching import ORDERS
from knightfall.catalogue.loader import load
from knightfall.rules import Geometry, Position

# One sided and two sided, whole and fractional, with infinities and raw, invariant under symmetries and not.
TEN = (
    "improved",
    "open",
    "center",
    "chase",
    "space",
    "lookahead_own",
    "center_deviation",
    "squared_ratio",
    "stages_improved",
    "contested_reach",
)
SIZES = ((5, 5), (7, 7), (11, 9))
DEPTHS = range(1, 7)
PLAIN = "tt=off, order=plain, window=full, fold=off"
FULL = ""
# The project's own search with one refinement less, with each order alone, and with a table that forgets most.
LESS = (
    "tt=off",
    "order=plain",
    *(f"order={'+'.join(name for name in ORDERS if name != left_out)}" for left_out in ORDERS),
    *(f"order={name}" for name in ORDERS),
    "window=full",
    "fold=off",
    "deepen=off",
    "partial=off",
    "tt=0.001",
    "tt=0.001, deepen=off, order=table",
    "reuse=on",
    f"{PLAIN}, deepen=off",
)


def alphabeta(heuristic: str, depth: int, settings: str = FULL) -> kf.Agent:
    return kf.agent(f"alphabeta({heuristic}, depth={depth}{', ' if settings else ''}{settings})")


@cache
def all_positions() -> list[Position]:
    """The 500 positions of the first thing to show."""
    return mixed_positions(500, seed=500, sizes=SIZES)


def root_value(choice: kf.Choice) -> tuple[float, int | None]:
    assert choice.score is not None
    return choice.score, choice.ends_in


def check(agent: kf.Agent, position: Position, expected: kf.Choice, heuristic: str, horizon: str) -> kf.Choice:
    """An agent finds the expected root value, and its line leads to it."""
    choice = agent.choose(position)
    where = f"{agent.text} in {position.fen()}: {choice}, not {expected}"
    assert choice.square in position.legal_moves(), where
    assert is_same(choice.score, expected.score), where
    assert choice.ends_in == expected.ends_in, where
    assert_line_explains_score(position, choice, kf.heuristics[heuristic], horizon)
    return choice


def compare(heuristic: str, positions: list[Position], depths: Iterable[int], horizon: str, less: int) -> None:
    """Minimax, plain alpha-beta and the full one on every position; with one refinement less on each ``less``-th."""
    rules = "" if horizon == "rules" else f", horizon={horizon}"
    for depth in depths:
        minimax = kf.agent(f"minimax({heuristic}, depth={depth}{rules})")
        plain = alphabeta(heuristic, depth, PLAIN + rules)
        full = alphabeta(heuristic, depth, rules.removeprefix(", "))
        # So many agents take longer to make than to ask: where they are asked rarely, they are made for two depths.
        shallowest = 3 if less <= 3 else 5
        others = [alphabeta(heuristic, depth, text + rules) for text in LESS] if depth >= shallowest else []
        for number, position in enumerate(positions):
            expected = minimax.choose(position)
            assert_line_explains_score(position, expected, kf.heuristics[heuristic], horizon)
            check(plain, position, expected, heuristic, horizon)
            check(full, position, expected, heuristic, horizon)
            if number % less == depth % less:
                for agent in others:
                    check(agent, position, expected, heuristic, horizon)


# Values


@pytest.mark.parametrize("heuristic", TEN)
def test_minimax_and_alpha_beta_with_every_refinement_agree(heuristic: str) -> None:
    compare(heuristic, all_positions()[TEN.index(heuristic) :: 10], DEPTHS, "rules", less=10)


@pytest.mark.parametrize("heuristic", TEN)
def test_they_agree_where_the_heuristic_is_asked_of_finished_games(heuristic: str) -> None:
    compare(heuristic, all_positions()[TEN.index(heuristic) + 3 :: 50], DEPTHS, "heuristic", less=5)


@pytest.mark.long
@pytest.mark.parametrize("horizon", ["rules", "heuristic"])
@pytest.mark.parametrize("heuristic", TEN)
def test_they_agree_on_all_500_positions_for_every_heuristic(heuristic: str, horizon: str) -> None:
    compare(heuristic, all_positions(), DEPTHS, horizon, less=3)


def compare_with_python(heuristic: str, positions: list[Position], depth: int) -> None:
    judge = Judge(kf.heuristics[heuristic])
    for horizon in ("rules", "heuristic"):
        agents = [
            kf.agent(f"minimax({heuristic}, depth={depth}, horizon={horizon})"),
            alphabeta(heuristic, depth, f"horizon={horizon}"),
        ]
        for position in positions:
            score, end = value_by_minimax(judge, position, depth, horizon)
            for agent in agents:
                choice = agent.choose(position)
                where = f"{agent.text} in {position.fen()}: {choice}, not {(score, end)}"
                assert is_same(choice.score, score), where
                assert choice.ends_in == end, where


@pytest.mark.parametrize("heuristic", TEN)
def test_they_find_what_minimax_in_python_finds(heuristic: str) -> None:
    positions = mixed_positions(42, seed=TEN.index(heuristic), sizes=SIZES)
    for depth, several in ((1, positions), (2, positions), (3, positions[::3]), (4, positions[::12])):
        compare_with_python(heuristic, several, depth)


@pytest.mark.long
@pytest.mark.parametrize("heuristic", TEN)
def test_they_find_what_minimax_in_python_finds_on_many_positions(heuristic: str) -> None:
    for depth, several in ((3, all_positions()[::2]), (4, all_positions()[::5])):
        compare_with_python(heuristic, several, depth)


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (3, 6), (5, 5)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_placement_is_searched_as_in_python(size: tuple[int, int]) -> None:
    chance = random.Random(1)
    starts = [Position.start(Geometry(*size)), played(chance, Geometry(*size), 1)]
    for heuristic in ("open", "chase", "contested_reach"):
        for position, depth in ((starts[0], 1), (starts[0], 2), (starts[1], 2), (starts[1], 3)):
            compare_with_python(heuristic, [position], depth)


# As many squares as a machine word or two have bits, one more, one less, and boards that are hardly any.
EDGES = ((8, 8), (16, 8), (9, 7), (13, 5), (11, 11), (2, 64), (3, 3))


@pytest.mark.parametrize("size", EDGES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_boards_at_the_edge_of_machine_words(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    positions = [position for position in mixed_positions(6, seed=29, sizes=(size,)) if not position.is_over]
    start = Position.start(geometry)
    for heuristic in ("improved", "contested_reach", "center"):
        compare_with_python(heuristic, [*positions, start.play(geometry.size - 1)], 2)
        compare(heuristic, positions, (3, 5), "rules", less=3)
        compare(heuristic, [start], (1, 2), "rules", less=1)


# The catalogue's tree counters are not on these lists: they have tests of their own below.
SLOW = ("won_lines", "line_count", "longest_line", "longest_line_difference")
INVARIANT = [name for name in kf.heuristics if name not in SLOW and "stages" not in name]


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (5, 5), (7, 7), (3, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_images_of_a_position_share_what_is_known_of_them(size: tuple[int, int]) -> None:
    """Folding is at work exactly where the root position has a symmetry; the table is used from depth 4 on."""
    geometry = Geometry(*size)
    depth = 5 if geometry.size <= 25 else 4
    positions = [Position.start(geometry), *symmetric_positions(12, seed=geometry.size, geometry=geometry)]
    saved = 0
    for heuristic in INVARIANT:
        agents = [alphabeta(heuristic, depth, fold) for fold in ("fold=off", "fold=on")]
        minimax = kf.agent(f"minimax({heuristic}, depth={depth})")
        for position in positions if heuristic in TEN else positions[:3]:
            expected = agents[0].choose(position)
            folded = check(agents[1], position, expected, heuristic, "rules")
            saved += expected.nodes - folded.nodes
            if position.ply >= 2 or geometry.size <= 16:  # the others would take minimax too long
                assert is_same(minimax.choose(position).score, expected.score), (heuristic, position.fen())
    assert saved > 0


@pytest.mark.parametrize("heuristic", TEN)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_empty_boards_and_boards_with_one_knight(heuristic: str, size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    start = Position.start(geometry)
    ones = [start.play(square) for square in (0, geometry.size // 2, geometry.width + 1)]
    compare(heuristic, ones, range(1, 6 if geometry.size < 50 else 5), "rules", less=3)
    compare(heuristic, [start], range(1, 5 if geometry.size < 50 else 4), "rules", less=1)


@pytest.mark.parametrize("name", [*SLOW, "stages(cutoff=0.95)"])
def test_what_a_tree_counter_says_when_its_ticks_run_out_is_not_folded(name: str) -> None:
    """Then it depends on the order in which it looks at moves: images of a position have other values."""
    start = Position.start(Geometry(5, 5))
    expected = root_value(alphabeta(name, 4, PLAIN).choose(start))
    for settings in ("fold=off, ties=first", "fold=on, ties=first", "fold=on"):
        assert root_value(alphabeta(name, 4, settings).choose(start)) == expected, settings


def test_the_value_belongs_to_the_player_who_searches() -> None:
    """`open` counts one side's moves: negated at each ply it would be another agent."""
    position = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    for fen in (position.fen(), position.fen().replace("w", "b")):
        root = Position.from_fen(fen)
        for depth in (1, 2, 3):
            score, _ = value_by_minimax(Judge(kf.heuristics["open"]), root, depth)
            assert score >= 0
            assert alphabeta("open", depth).choose(root).score == score


INFINITE = """
def infinite(game, player):
    own = len(game.get_legal_moves(player))
    other = len(game.get_legal_moves(game.get_opponent(player)))
    if own > other + 2:
        return float("inf")
    if other > own + 2:
        return float("-inf")
    return own / 3


def huge(game, player):
    return 1e300 * (len(game.get_legal_moves(player)) - 4)


def tiny(game, player):
    return 5e-324 * (len(game.get_legal_moves(player)) - 3)
"""


@pytest.mark.parametrize("name", ["infinite", "huge", "tiny"])
def test_infinities_of_a_heuristic_rank_below_every_proven_end(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(INFINITE)
    made = load(f"{path}:{name}", trial=False)
    judge = Judge(made)
    seen = set()
    for position in mixed_positions(40, seed=9, sizes=((5, 5), (7, 7))):
        for depth in (1, 2, 3):
            score, end = value_by_minimax(judge, position, depth)
            seen.add((score, end is not None))
            for settings in (f"{PLAIN}, ", ""):
                agent = kf.agent(f"alphabeta({settings}depth={depth})", heuristic=made)
                assert root_value(agent.choose(position)) == (score, end)
    if name == "infinite":
        infinity = float("inf")
        assert {(infinity, True), (infinity, False), (-infinity, True), (-infinity, False)} <= seen


def test_a_win_is_taken_as_soon_as_it_can_be_had_and_a_loss_put_off() -> None:
    judge = Judge(kf.heuristics["null"])
    for position in mixed_positions(60, seed=12, sizes=((4, 4), (5, 4), (5, 5))):
        if position.geometry.size - position.ply > 11:
            continue
        _, end = value_by_minimax(judge, position, 20)
        assert end is not None
        for text in (
            "alphabeta(null, nodes=100000)",
            "AB_Null(nodes=100000)",
            "minimax(null, depth=20)",
        ):
            choice = kf.agent(text).choose(position)
            assert choice.ends_in == end
            after = after_line(position, choice)
            if len(choice.line) == end:
                assert after.is_over
            _, rest = value_by_minimax(judge, position.play(choice.square), 20)
            assert rest == end - 1


# The agents of the reports: value, move, line and nodes


def published(text: str, heuristic: str, position: Position, expected: Found) -> None:
    agent = kf.agent(text, heuristic=kf.heuristics[heuristic])
    found = agent.choose(position)
    # A fixed depth beyond the end of the game is told as the depth that there is.
    expected = replace(expected, depth=min(expected.depth, position.geometry.size - position.ply + 1))
    told = (expected.square, expected.score, expected.ends_in, expected.depth, expected.nodes, expected.line)
    assert facts(found) == told, f"{text} with {heuristic} in {position.fen()}"


REPORTED = ("null", "open", "center", "improved", "mobility", "space_difference", "lookahead_own", "contested_reach")


@pytest.mark.parametrize("heuristic", REPORTED)
def test_minimax_of_the_reports_is_minimax_in_python(heuristic: str) -> None:
    judge = Judge(kf.heuristics[heuristic])
    for position in mixed_positions(20, seed=21, sizes=((7, 7), (5, 5))):
        found = Search(judge, position).choose(3, "minimax")
        assert found is not None
        published("MM_Open(ties=first)", heuristic, position, found)


@pytest.mark.parametrize("heuristic", REPORTED)
def test_alpha_beta_of_the_reports_to_depth_5_is_alpha_beta_in_python(heuristic: str) -> None:
    judge = Judge(kf.heuristics[heuristic])
    for position in mixed_positions(7, seed=22, sizes=((7, 7), (5, 5))):
        found = Search(judge, position).choose(5, "alphabeta")
        assert found is not None
        published("AB5_Open(ties=first)", heuristic, position, found)


def check_deepening(name: str, heuristic: str, budgets: Iterable[int], positions: list[Position]) -> None:
    judge = Judge(kf.heuristics[heuristic])
    for position in positions:
        for nodes in budgets:
            found = Search(judge, position, nodes=nodes).deepen(best_first=name == "Custom")
            published(f"{name}(nodes={nodes}, ties=first)", heuristic, position, found)


@pytest.mark.parametrize("name", ["AB_Open", "Custom"])
@pytest.mark.parametrize("heuristic", ["improved", "open", "space", "contested_reach"])
def test_iterative_deepening_of_the_reports_to_every_small_budget(name: str, heuristic: str) -> None:
    positions = [*mixed_positions(6, seed=23, sizes=((7, 7), (5, 5), (11, 9))), Position.start(Geometry(4, 4))]
    check_deepening(name, heuristic, range(1, 51), positions)


@pytest.mark.parametrize("name", ["AB_Open", "Custom"])
@pytest.mark.parametrize("heuristic", ["improved", "mobility", "contested_reach"])
def test_iterative_deepening_of_the_reports_to_larger_budgets(name: str, heuristic: str) -> None:
    positions = mixed_positions(6, seed=24, sizes=((7, 7), (5, 5), (11, 9)))
    check_deepening(name, heuristic, (77, 250, 999), positions)


@pytest.mark.long
@pytest.mark.parametrize("name", ["AB_Open", "Custom"])
@pytest.mark.parametrize("heuristic", REPORTED)
def test_iterative_deepening_of_the_reports_to_the_usual_budget(name: str, heuristic: str) -> None:
    positions = mixed_positions(30, seed=25, sizes=((7, 7), (7, 7), (11, 9)))
    check_deepening(name, heuristic, (5_000,), positions)


@pytest.mark.parametrize("name", ["AB_Open", "Custom"])
def test_iterative_deepening_of_the_reports_to_a_depth(name: str) -> None:
    judge = Judge(kf.heuristics["improved"])
    for position in mixed_positions(10, seed=26, sizes=((7, 7), (5, 5))):
        for depth in (1, 2, 4):
            found = Search(judge, position).deepen(best_first=name == "Custom", most=depth)
            published(f"{name}(depth={depth}, ties=first)", "improved", position, found)


def test_two_names_of_the_reports_mean_one_agent() -> None:
    for name in ("Null", "Open", "Center", "Improved", "lookahead_both(mix=0.3)"):
        assert kf.agent(f"AB_{name}").text == kf.agent(f"ID_{name}").text


def test_the_reports_agents_have_the_budget_of_the_tournaments_by_default() -> None:
    position = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    for text in ("AB_Improved", "ID_Improved", "Custom", "alphabeta(improved)", "mcts", "MonteCarlo"):
        assert kf.agent(text).choose(position).nodes == 5_000


def test_greedy_is_one_ply() -> None:
    for heuristic in ("improved", "chase", "space_lookahead"):
        judge = Judge(kf.heuristics[heuristic])
        for position in mixed_positions(20, seed=27, sizes=SIZES):
            for horizon in ("rules", "heuristic"):
                found = Search(judge, position, horizon).choose(1, "minimax")
                assert found is not None
                published(f"greedy({heuristic}, horizon={horizon}, ties=first)", heuristic, position, found)


def test_ties_are_broken_among_the_best_moves_and_no_others() -> None:
    judge = Judge(kf.heuristics["open"])
    for position in mixed_positions(12, seed=28, sizes=((7, 7), (5, 5))):
        search = Search(judge, position)
        values = {
            square: search.minimax(position.play(square), 2, Node(square))[0] for square in position.legal_moves()
        }
        best = {square for square, value in values.items() if value == max(values.values())}
        assert {kf.agent("MM_Open", seed).choose(position).square for seed in range(60)} == best
        assert kf.agent("MM_Open(ties=first)", seed=3).choose(position).square == min(best)
