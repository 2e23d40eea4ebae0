"""One score function calls another; none of them is called custom_score."""


def score_open(game, player):
    return float(len(game.get_legal_moves(player)))


def score_blend(game, player):
    """Half open, half attack; the name of the opponent is looked up twice."""
    opponent = game.get_opponent(player)
    assert game.get_opponent(opponent) == player
    return 0.5 * score_open(game, player) - 0.5 * score_open(game, opponent)


def score_stage(game, player):
    early = len(game.get_blank_spaces()) * 2 > game.width * game.height
    return score_open(game, player) if early else score_blend(game, player)
