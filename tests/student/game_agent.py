"""The usual project file: exception, three score functions, player classes, imports of the library."""
import random

from isolation import Board
from sample_players import center_score, improved_score, open_move_score


class SearchTimeout(Exception):
    pass


def custom_score(game, player):
    """Calculate the heuristic value of a game state from the point of view of the given player."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    return float(len(game.get_legal_moves(player)) - 2 * len(game.get_legal_moves(game.get_opponent(player))))


def custom_score_2(game, player):
    return improved_score(game, player) + open_move_score(game, player)


def custom_score_3(game, player):
    return len(game.get_legal_moves(player)) * 1.5


class IsolationPlayer:
    def __init__(self, search_depth=3, score_fn=custom_score, timeout=10.):
        self.search_depth = search_depth
        self.score = score_fn
        self.time_left = None
        self.TIMER_THRESHOLD = timeout


class MinimaxPlayer(IsolationPlayer):
    def get_move(self, game, time_left):
        self.time_left = time_left
        return max(game.get_legal_moves(), key=lambda m: self.score(game.forecast_move(m), self), default=(-1, -1))
