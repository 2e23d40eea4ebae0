"""Ways of writing that are common in student functions, one each. Every function here compiles and equals the AIND board."""
import isolation
import math
import random
from collections import deque
from itertools import chain, product
from operator import itemgetter
from queue import Queue

import numpy as np
from isolation import Board

CELL_VALUES = {(row, column): 3 - abs(row - 3) + 3 - abs(column - 3) for row in range(7) for column in range(7)}
NEAR = {0: [(1, 2), (2, 1)], 1: [(0, 3)], 2: [(3, 3), (4, 4), (5, 5)]}
BY_MOVES = {0: -9.5, 1: -2, 2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5, 8: 6}
SCALE = 2.5
DIRECTIONS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]


class Weights:
    NEAR = 2
    FAR = 0.5


# --- locations in lists, sets and tuples


def location_in_a_set(game, player):
    seen = set([game.get_player_location(player)])
    seen.add(game.get_player_location(game.get_opponent(player)))
    return len(seen)


def location_in_a_list(game, player):
    places = [game.get_player_location(player)]
    for move in game.get_legal_moves(player):
        places.append(move)
    return sum(row - column for row, column in places)


def location_as_a_tuple(game, player):
    row, column = tuple(game.get_player_location(player))
    return row * 7 + column


def locations_subtracted(game, player):
    here = np.array(game.get_player_location(player))
    there = np.array(game.get_player_location(game.get_opponent(player)))
    return float(np.abs(here - there).sum())


def location_spread(game, player):
    return from_middle(*game.get_player_location(player), game)


def from_middle(row, column, game):
    return abs(row - game.height // 2) + abs(column - game.width // 2)


# --- dictionaries


def dictionary_to_a_helper(game, player):
    return worth(game, player, CELL_VALUES) - worth(game, game.get_opponent(player), CELL_VALUES)


def worth(game, player, values):
    return sum(values[move] for move in game.get_legal_moves(player))


def dictionary_with_a_default(game, player):
    corners = {(0, 0): 2.5, (0, 6): 2.5, (6, 0): 2.5, (6, 6): 2.5}
    return sum(corners.get(move, 1) for move in game.get_legal_moves(player))


def dictionary_of_lists(game, player):
    blank = game.get_blank_spaces()
    found = 0
    for weight, places in NEAR.items():
        for place in places:
            if place in blank:
                found += weight + 1
    return found


def dictionary_of_numbers(game, player):
    if game.get_player_location(player) in CELL_VALUES:
        return BY_MOVES[len(game.get_legal_moves(player))] + max(BY_MOVES.values()) + len(BY_MOVES)
    return 0


def dictionary_by_location(game, player):
    return CELL_VALUES[game.get_player_location(player)]


# --- private members of the board


def state_list(game, player):
    return game._board_state.count(0) + game._board_state[3 + 3 * game.height] + game._board_state[-1] / 7.0


def state_slice(game, player):
    return sum(game._board_state[:-3]) - game._board_state[-2]


def moves_from_anywhere(game, player):
    total = 0
    for move in game.get_legal_moves(player):
        total += len(game._Board__get_moves(move))
    return total


def early_moves(game, player):
    return sum(len(game.__get_moves__(move)) for move in game.get_legal_moves(player))


def early_last_move(game, player):
    row, column = game.__last_player_move__[game.get_opponent(player)]
    return 10 * row + column


def early_state(game, player):
    open_cells = 0
    for row in range(game.height):
        for column in range(game.width):
            if game.__board_state__[row][column] == Board.BLANK:
                open_cells += 1
    return open_cells


def players_by_name(game, player):
    return 1 if player == game._player_1 else -1 if player == game.__player_2__ else 0


def blank_constant(game, player):
    if game.get_player_location(player) == isolation.Board.NOT_MOVED:
        return 0
    return Board.BLANK + game.BLANK + isolation.isolation.Board.BLANK + 1


def turn_given_away(game, player):
    after = game.copy()
    after._active_player, after._inactive_player = after._inactive_player, after._active_player
    return len(after.get_legal_moves()) - len(game.get_legal_moves())


# --- the player


def player_time(game, player):
    if player.time_left() < 0:
        return 0.0
    return player.search_depth + player.TIMER_THRESHOLD + len(game.get_legal_moves(player))


def player_in_time(game, player):
    if player.time_left() < player.TIMER_THRESHOLD + 5:
        raise TimeoutError()
    return float(len(game.get_legal_moves(player)))


# --- lists of several kinds in one variable


def list_or_nothing(game, player):
    moves = []
    if game.move_count > 10:
        moves = game.get_legal_moves(player)
    return len(moves)


def list_or_moves(game, player):
    frontier = game.get_legal_moves(player)
    reached = []
    for _ in range(2):
        following = []
        for row, column in frontier:
            for down, right in DIRECTIONS:
                place = (row + down, column + right)
                if game.move_is_legal(place) and place not in reached:
                    following.append(place)
                    reached.append(place)
        frontier = following
    return len(reached)


def set_of_moves_and_others(game, player):
    mine = set(game.get_legal_moves(player))
    others = {(row, 3) for row in range(7)}
    return len(mine & others) - len(mine | others) + len(mine.intersection(game.get_blank_spaces()))


# --- searching


def flood_with_a_deque(game, player):
    start = game.get_player_location(player)
    queue = deque([start])
    seen = set()
    seen.add(start)
    while queue:
        row, column = queue.popleft()
        for down, right in DIRECTIONS:
            place = (row + down, column + right)
            if game.move_is_legal(place) and place not in seen:
                seen.add(place)
                queue.append(place)
    return len(seen)


def flood_with_a_queue(game, player):
    waiting = Queue()
    waiting.put(game.get_player_location(player))
    seen = [game.get_player_location(player)]
    while not waiting.empty():
        here = waiting.get()
        for move in game._Board__get_moves(here):
            if move not in seen:
                seen.append(move)
                waiting.put(move)
    return len(seen)


def depth_of_moves(game, player):
    return longest(game, game.get_legal_moves(player), 2)


def longest(game, moves, depth):
    if depth == 0 or not moves:
        return 0
    best = 0
    for move in moves:
        best = max(best, 1 + longest(game, game._Board__get_moves(move), depth - 1))
    return best


def countdown_without_the_game(game, player):
    return halvings(len(game.get_blank_spaces()) + 1)


def halvings(number):
    if number <= 1:
        return 0
    return 1 + halvings(number // 2)


# --- everything else


def rows_and_columns(game, player):
    moves = game.get_legal_moves(player)
    if not moves:
        return 0
    rows, columns = zip(*moves)
    return max(rows) - min(rows) + max(columns) - min(columns)


def chained(game, player):
    both = chain(game.get_legal_moves(player), game.get_legal_moves(game.get_opponent(player)))
    return sum(row + 2 * column for row, column in both)


def sorted_by_item(game, player):
    moves = sorted(game.get_legal_moves(player), key=itemgetter(1))
    return moves[0][1] if moves else -1


def imports_inside(game, player):
    import math as m
    from sample_players import improved_score

    return m.sqrt(len(game.get_blank_spaces())) + improved_score(game, player)


def undefined_in_a_branch(game, player):
    if game.width > 100:
        return helper_that_was_never_written(game)
    return len(game.get_legal_moves(player))


def helper_without_a_return(game, player):
    bonus = sometimes(game)
    if bonus is None:
        bonus = 0.5
    return bonus + len(game.get_legal_moves(player))


def sometimes(game):
    if game.move_count % 2 == 0:
        return 2.0


def optional_argument(game, player):
    return moves_or(game, player) - moves_or(game, player, 3)


def moves_or(game, player, limit=None):
    moves = len(game.get_legal_moves(player))
    if limit is None:
        return moves
    return min(moves, limit)


def prints_and_asserts(game, player):
    moves = game.get_legal_moves(player)
    print("moves", moves, f"{len(moves):3d}")
    assert game.width == game.height, "a {} board".format(game.width)
    if len(moves) > 8:
        raise ValueError("too many moves: " + str(moves))
    return len(moves)


def catches_division(game, player):
    try:
        return len(game.get_legal_moves(player)) / len(game.get_legal_moves(game.get_opponent(player)))
    except ZeroDivisionError:
        return 100.0


def yields(game, player):
    return sum(even_moves(game, player))


def even_moves(game, player):
    for row, column in game.get_legal_moves(player):
        if (row + column) % 2 == 0:
            yield row + 1


def class_constants(game, player):
    return Weights.NEAR * len(game.get_legal_moves(player)) - Weights.FAR * len(game.get_blank_spaces())


def ends_decided(score):
    def checked(game, player):
        if game.is_loser(player):
            return float("-inf")
        if game.is_winner(player):
            return float("inf")
        return score(game, player)

    return checked


@ends_decided
def decorated(game, player):
    return float(len(game.get_legal_moves(player)))


def sum_with_a_start(game, player):
    return sum([row for row, column in game.get_legal_moves(player)], 10) + pow(2, 3) + math.hypot(3, 4)


def vector_length(game, player):
    here = np.array(game.get_player_location(player))
    there = np.array(game.get_player_location(game.get_opponent(player)))
    return np.linalg.norm(here - there) + np.sum([row for row, column in game.get_legal_moves(player)])


def inner_function_that_calls_itself(game, player):
    def count(moves, depth):
        if depth == 0:
            return len(moves)
        total = 0
        for move in moves:
            total += count(game._Board__get_moves(move), depth - 1)
        return total

    return count(game.get_legal_moves(player), 1)


def pairs_of_numbers(game, player):
    moves = game.get_legal_moves(player)
    return sum(1 for row, column in product(range(2, 5), range(2, 5)) if (row, column) in moves)


def union_of_replies(game, player):
    reached = set()
    for move in game.get_legal_moves(player):
        reached = reached.union(game.forecast_move(move).get_legal_moves(player))
    return len(reached)


def best_or_none(game, player):
    best = None
    for move in game.get_legal_moves(player):
        value = len(game.forecast_move(move).get_legal_moves(player))
        if best is None or value > best:
            best = value
    return best if best is not None else -1


def text_parameter(game, player, mode="open"):
    return len(game.get_legal_moves(player)) if mode == "open" else 0


def default_is_a_constant(game, player, scale=SCALE):
    return scaled(game, player)


def scaled(game, player, values=CELL_VALUES, scale=SCALE):
    return scale * values[game.get_player_location(player)]


def square_among_lists(game, player):
    walls = [[(0, column) for column in range(7)], [(row, 0) for row in range(7)]]
    return sum(1 for move in game.get_legal_moves(player) if move not in walls)


def sets_in_a_recursion(game, player):
    blank = set(game.get_blank_spaces())
    depth = 3 if len(blank) < 25 else 1
    own = reachable(game.get_player_location(player), blank, depth)
    return own - 1.5 * reachable(game.get_player_location(game.get_opponent(player)), blank, depth)


def reachable(here, blank, depth):
    moves = among(here, blank)
    total = sum([0.5 if row in (0, 6) else 1 for row, column in moves])
    if depth <= 0:
        return total
    left = blank - moves
    for move in moves:
        total += reachable(move, left, depth - 1)
    return total


def among(here, blank):
    row, column = here
    places = [(row + down, column + right) for down, right in DIRECTIONS]
    return {place for place in places if place in blank}


another_name = rows_and_columns
