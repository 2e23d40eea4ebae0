"""math.sqrt, math.hypot, math.pow, math.exp and others."""

import math
from math import floor


def custom_score(game, player):
    own = game.get_player_location(player)
    opp = game.get_player_location(game.get_opponent(player))
    mobility = len(game.get_legal_moves(player))
    if own is None or opp is None:
        return math.sqrt(mobility)
    dist = math.sqrt(math.pow(own[0] - opp[0], 2) + math.pow(own[1] - opp[1], 2))
    edge = math.hypot(own[0] - game.height / 2, own[1] - game.width / 2)
    decay = math.exp(-game.move_count / 20)
    return decay * mobility + (1 - decay) * dist - edge + floor(dist) + math.ceil(edge) + math.log(1 + mobility)
