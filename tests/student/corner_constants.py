"""Module-level list of tuples (the corners) with `in`."""

CORNERS = [(0, 0), (0, 6), (6, 0), (6, 6)]
center_squares = ((2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4))


def custom_score(game, player):
    """Penalty for moves into a corner, more so late in the game."""
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    factor = 4 if len(game.get_blank_spaces()) < game.width * game.height / 4. else 1
    own_corner = [move for move in own_moves if move in CORNERS]
    opp_corner = [move for move in opp_moves if move in CORNERS]
    score = len(own_moves) - factor * len(own_corner) - len(opp_moves) + factor * len(opp_corner)
    if game.get_player_location(player) in center_squares:
        score += 2
    return float(score)
