"""List comprehension over the legal moves, with a condition."""


def custom_score(game, player):
    """Count the moves that do not land on the border of the board."""
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    own_inner = [m for m in own_moves if m[0] != 0 and m[0] != game.height - 1 and m[1] != 0 and m[1] != game.width - 1]
    opp_inner = [(r, c) for r, c in opp_moves if 0 < r < game.height - 1 and 0 < c < game.width - 1]
    return float(len(own_inner) - 2 * len(opp_inner))
