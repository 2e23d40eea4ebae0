"""The perfect player wins what can be won, sets traps in what is lost, and says how it knows."""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from brute_force import brute, clustered, late, mixed_late
from commands import started
from games import facts, played

import knightfall as kf
from knightfall.native.solve.book import book_of
from knightfall.native.solve.openings import openings_of
from knightfall.rules import Geometry, Position

FIVE, SEVEN = Geometry(5, 5), Geometry(7, 7)

# Tests that must come out the same on a slow machine give a budget of nodes. This one is enough for any position of
# 7x7 that is not in the book; what comes out of it does not depend on the clock.
PLENTY = "perfect(nodes=400000)"


@cache
def solver_of(geometry: Geometry) -> kf.Solver:
    """Who really wins; this solver is itself put to the test elsewhere."""
    return kf.Solver(geometry)


def moves_of_game(first: kf.Agent, second: kf.Agent, opening: Position) -> Iterator[tuple[Position, kf.Choice]]:
    """Play a game to its end, and tell each position and what was chosen in it."""
    position = opening
    while not position.is_over:
        choice = (first, second)[position.to_move - 1].choose(position)
        yield position, choice
        position = position.play(choice.square)


def wins_game(perfect: kf.Agent, opponent: kf.Agent, opening: Position, side: int, seconds: list[float]) -> bool:
    """Whether the perfect player, on that side, wins a game; how long each of its moves took is added to the list."""
    position = opening
    agents = (perfect, opponent) if side == 1 else (opponent, perfect)
    for before, choice in moves_of_game(*agents, opening):
        position = before.play(choice.square)
        if before.to_move == side:
            seconds.append(choice.seconds)
            if choice.source != "search":
                assert choice.score in (math.inf, -math.inf)
            # Whoever wins the game has kept the win; to see it proved again costs too much in the first moves.
            if choice.score == math.inf and position.ply >= 7:
                assert solver_of(before.geometry).verdict(position) is False, (before, choice)
    return position.winner == side


# It wins what can be won


@pytest.mark.parametrize("opponent", ["random", "greedy(improved)"])
def test_no_win_is_lost_on_5x5_from_any_opening(opponent: str) -> None:
    openings = openings_of(FIVE)
    assert openings is not None
    perfect = kf.agent("perfect(nodes=100000)")
    for number, (first, second) in enumerate(openings.inequivalent()):
        opening = Position.start(FIVE).play(first).play(second)
        for side in (1, 2):
            won = wins_game(perfect, kf.agent(opponent, seed=number), opening, side, [])
            assert won or openings.first_wins[first, second] != (side == 1), (opening, side)


def test_every_move_on_5x5_keeps_the_win_and_says_who_wins() -> None:
    perfect = kf.agent("perfect(nodes=200000)")
    chance = random.Random(1)
    for _ in range(60):
        position = played(chance, FIVE, chance.randint(0, 14))
        choice = perfect.choose(position)
        won = solver_of(FIVE).verdict(position)
        assert choice.score == (math.inf if won else -math.inf)
        assert solver_of(FIVE).verdict(position.play(choice.square)) is not won


@pytest.mark.long
def test_from_random_openings_of_7x7_it_wins_every_game_that_can_be_won() -> None:
    chance = random.Random(2)
    perfect = kf.agent(PLENTY)
    for number in range(30):
        opening = played(chance, SEVEN, 2)
        side = 1 if solver_of(SEVEN).verdict(opening) else 2
        opponent = kf.agent(("random", "alphabeta(improved, nodes=5000)")[number % 2], seed=number)
        assert wins_game(perfect, opponent, opening, side, []), (opening, side)


def report(seconds: list[float]) -> None:
    """Times are told and not judged: what else runs on the machine is not the player's fault."""
    ordered = sorted(seconds)
    print(
        f"{len(ordered)} moves: median {ordered[len(ordered) // 2] * 1e3:.1f} ms, "
        f"99% {ordered[len(ordered) * 99 // 100] * 1e3:.1f} ms, most {ordered[-1] * 1e3:.1f} ms"
    )


@pytest.mark.long
def test_from_500_random_openings_of_7x7_it_wins_every_game_that_can_be_won() -> None:
    chance = random.Random(3)
    seconds: list[float] = []
    perfect = kf.agent("perfect")
    openings = openings_of(SEVEN)
    assert openings is not None
    lost = []
    for number in range(500):
        first, second = chance.sample(range(SEVEN.size), 2)
        opening = Position.start(SEVEN).play(first).play(second)
        side = 1 if openings.first_wins[first, second] else 2
        opponent = kf.agent(("random", "greedy(improved)", "alphabeta(improved, nodes=5000)")[number % 3], seed=number)
        if not wins_game(perfect, opponent, opening, side, seconds):
            lost.append((opening, side))
    report(seconds)
    assert not lost


OPPONENTS = ("random", "alphabeta(improved, nodes=100000)", "mcts(playouts=20000)", "perfect")


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_it_wins_as_second_player_from_the_empty_board_of_7x7(opponent: str) -> None:
    for number in range(2):
        assert wins_game(kf.agent(PLENTY), kf.agent(opponent, seed=number), Position.start(SEVEN), 2, [])


@pytest.mark.long
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_it_wins_50_games_as_second_player_from_the_empty_board_of_7x7(opponent: str) -> None:
    seconds: list[float] = []
    perfect = kf.agent("perfect")
    start = Position.start(SEVEN)
    for number in range(50):
        # Seeds make the games of the others differ. The perfect player has no use for its seed and would play one game
        # fifty times, so its first square is chosen for it: each of the board in turn.
        opening = start.play(number % SEVEN.size) if opponent == "perfect" else start
        assert wins_game(perfect, kf.agent(opponent, seed=number), opening, 2, seconds), (opponent, number)
    report(seconds)


# The quickest win, the deepest trap


def exact_choice(position: Position) -> set[int]:
    """The squares that a perfect player may choose, by brute force."""
    force = brute(position.geometry)
    truth = force.truth(position)
    if truth.won:
        return {square for square in truth.winning if truth.distances[square] == truth.distance}
    answers = {square: len(force.truth(position.play(square)).winning) for square in position.legal_moves()}
    fewest = [square for square, count in answers.items() if count == min(answers.values())]
    longest = max(truth.distances[square] for square in fewest)
    return {square for square in fewest if truth.distances[square] == longest}


@pytest.mark.parametrize(
    ("size", "most_empty"), [((4, 4), 12), ((5, 5), 18), ((6, 5), 22), ((7, 7), 24), ((8, 8), 24), ((11, 9), 24)]
)
def test_it_wins_quickly_and_loses_with_the_fewest_ways_out(size: tuple[int, int], most_empty: int) -> None:
    geometry = Geometry(*size)
    chance = random.Random(4)
    perfect = kf.agent("perfect(nodes=2000000)")
    made = mixed_late(60, seed=4, geometry=geometry, most_empty=most_empty) if geometry.size < 64 else []
    made += [clustered(chance, geometry, chance.randint(6, min(most_empty, 16))) for _ in range(30)]
    seen: Counter[bool] = Counter()
    for position in made:
        if position.is_over:
            continue
        truth = brute(geometry).truth(position)
        choice = perfect.choose(position)
        assert choice.square in exact_choice(position), (position, choice)
        assert choice.score == (math.inf if truth.won else -math.inf)
        assert choice.ends_in == truth.distances[choice.square], (position, choice)
        seen[truth.won] += 1
    assert min(seen[True], seen[False]) >= 5


def test_it_needs_no_more_moves_than_the_distance_says() -> None:
    chance = random.Random(5)
    perfect = kf.agent("perfect(nodes=2000000)")
    for _ in range(12):
        opening = late(chance, SEVEN, 24)
        moves = list(moves_of_game(perfect, perfect, opening))
        if solver_of(SEVEN).verdict(opening):
            # The loser sets traps rather than delay, so the game may end sooner, but never later.
            assert len(moves) <= brute(SEVEN).truth(opening).distance


# How it knows


def test_it_says_how_it_knows() -> None:
    perfect = kf.agent(PLENTY)
    book = book_of(SEVEN)
    assert book is not None, "src/knightfall/data/book_7x7.txt is missing"
    for ply in range(book.plies):
        choice = perfect.choose(played(random.Random(ply), SEVEN, ply))
        assert choice.source == "book"
        assert choice.score is not None
        assert math.isinf(choice.score)
    assert perfect.choose(played(random.Random(6), SEVEN, 14)).source == "solver"
    # Knights opposite each other and the centre used: lost by the mirror argument, whatever the size of the board.
    assert perfect.choose(Position.from_fen("N4/5/2*2/5/4n w")).source == "theory"
    assert perfect.choose(Position.from_fen("8/8/2N5/8/8/5n2/8/8 w")).source == "theory"
    assert perfect.choose(played(random.Random(7), Geometry(11, 9), 10)).source == "search"


FIRST_MOVE = """
import knightfall as kf
position = kf.Position.from_fen("7/7/5*1/2n*3/1N2*1*/3**2/5*1 b")
for choice in [kf.agent("perfect").choose(position) for _ in range(2)]:
    print(choice.source, choice.score)
"""


def test_the_first_move_of_a_process_is_as_good_as_the_next() -> None:
    # Loading compiled code takes longer than the budget of a move, and must not be counted against it.
    with started([sys.executable, "-c", FIRST_MOVE]) as process:
        output, errors = process.communicate(timeout=900)
        assert output.splitlines() == ["solver inf", "solver inf"], errors


@pytest.mark.parametrize("size", [(8, 8), (10, 10), (6, 9)])
def test_on_boards_with_an_even_side_the_second_player_knows_that_it_wins(size: tuple[int, int]) -> None:
    # The mirror argument says so at once, and which move it is; a search of the other moves would take hours.
    geometry = Geometry(*size)
    start = Position.start(geometry)
    for first in (0, geometry.size // 2 + 1):
        position = start.play(first)
        assert kf.solve(position, nodes=1_000).winner == 2
        choice = kf.agent("perfect(nodes=20000)").choose(position)
        assert choice.score == math.inf
    middle = start.play(0).play(geometry.size - 1)
    after = middle.play(middle.legal_moves()[0])
    assert kf.agent("perfect(nodes=20000)").choose(after).score == math.inf


@pytest.mark.parametrize("opponent", ["random", "alphabeta(improved, nodes=2000)"])
def test_on_a_large_board_it_searches_until_the_end_is_in_sight(opponent: str) -> None:
    perfect = kf.agent("perfect(nodes=60000)")
    for side in (1, 2):
        other = kf.agent(opponent, seed=side)
        agents = (perfect, other) if side == 1 else (other, perfect)
        mine = [
            (position, choice)
            for position, choice in moves_of_game(*agents, Position.start(Geometry(11, 9)))
            if position.to_move == side
        ]
        sources = [choice.source for _, choice in mine]
        assert sources[0] == "search"
        assert sources[-1] == "solver"
        won = False
        for position, choice in mine:
            assert choice.square in position.legal_moves()
            if won:  # once it knows that it wins, it goes on to know it
                assert choice.score == math.inf
            won = won or (choice.source == "solver" and choice.score == math.inf)


def test_moves_that_are_known_to_lose_are_not_searched_out() -> None:
    # Budgets too small to solve the position, large enough to prove something about some of its moves.
    chance = random.Random(8)
    searched = 0
    for _ in range(40):
        position = played(chance, SEVEN, chance.randint(5, 9))
        nodes = chance.choice((100, 1_000, 5_000))
        choice = kf.agent(f"perfect(nodes={nodes})").choose(position)
        if choice.source == "search":
            searched += 1
            known = kf.solve(position, nodes=int(nodes * 0.6), memory=2**28)
            assert known.moves[choice.square] is not False
    assert searched > 5


def test_a_budget_of_nodes_is_kept() -> None:
    chance = random.Random(9)
    for size in ((7, 7), (11, 9), (6, 6), (5, 5)):
        geometry = Geometry(*size)
        for _ in range(20):
            position = played(chance, geometry, chance.randint(0, geometry.size // 2))
            nodes = chance.choice((1, 2, 10, 100, 1_000, 20_000))
            choice = kf.agent(f"perfect(nodes={nodes})").choose(position)
            assert choice.nodes <= nodes, (position, nodes, choice)


def test_a_budget_of_nodes_gives_the_same_choice_again() -> None:
    chance = random.Random(10)
    used = kf.agent("perfect(nodes=20000)")
    for size in ((7, 7), (11, 9), (6, 6)):
        geometry = Geometry(*size)
        for _ in range(12):
            position = played(chance, geometry, chance.randint(0, geometry.size // 2))
            # One player that has chosen many moves before, and one that has not.
            one, two = used.choose(position), kf.agent("perfect(nodes=20000)").choose(position)
            assert (facts(one), one.source) == (facts(two), two.source)
    games = [kf.play("perfect(nodes=20000)", "perfect(nodes=20000)", seed=number) for number in (1, 1)]
    assert games[0].moves == games[1].moves


def test_a_position_set_up_by_hand_is_not_looked_up_in_the_book() -> None:
    # Few squares are used, but no play leads here: with the other player to move, or squares that no one stepped on.
    chance = random.Random(11)
    perfect = kf.agent(PLENTY)
    book = book_of(SEVEN)
    assert book is not None
    made = []
    for fen in book.exceptions:
        known = Position.from_fen(fen)
        first, second = known.locations
        made.append(Position(SEVEN, (second, first), known.used_bits, 3 - known.to_move))
    for position in chance.sample(made, 8):
        if position.is_over:
            continue
        choice = perfect.choose(position)
        won = solver_of(SEVEN).verdict(position)
        if choice.source != "search":
            assert choice.score == (math.inf if won else -math.inf), (position, choice)


def test_analysis_tells_the_exact_value_of_each_move() -> None:
    chance = random.Random(12)
    for _ in range(12):
        position = late(chance, SEVEN, 22)
        if position.is_over:
            continue
        truth = brute(SEVEN).truth(position)
        analysis = kf.analyze(position, "perfect(nodes=2000000)")
        assert {move.square for move in analysis.moves} == set(position.legal_moves())
        for move in analysis.moves:
            assert move.score == (math.inf if move.square in truth.winning else -math.inf)
            assert move.ends_in in (None, truth.distances[move.square])
        assert analysis.best.ends_in == truth.distance


def test_analysis_of_what_cannot_be_solved_gives_scores_by_search() -> None:
    position = played(random.Random(13), Geometry(11, 9), 8)
    analysis = kf.analyze(position, "perfect(nodes=20000)")
    assert analysis.best.score is not None
