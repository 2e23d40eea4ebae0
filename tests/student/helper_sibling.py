"""Helper functions and a constant imported from a file in the same folder."""

from sample_helpers import HELPER_WEIGHT, distance
import sample_helpers


def custom_score(game, player):
    """Stay away from the opponent and near the center."""
    opponent = game.get_opponent(player)
    own_location = game.get_player_location(player)
    opp_location = game.get_player_location(opponent)
    score = HELPER_WEIGHT * distance(own_location, opp_location)
    for move in game.get_legal_moves(player):
        score += sample_helpers.near_center(game, move)
    return float(score)
