"""game._player_1 and game._player_2, the private attributes."""


def custom_score(game, player):
    """Play aggressively as the first player, defensively as the second."""
    opponent = game._player_2 if player == game._player_1 else game._player_1
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(opponent))
    if player == game._player_2:
        return float(own * 2 - opp)
    return float(own - opp * 2)
