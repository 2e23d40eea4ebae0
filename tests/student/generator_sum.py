"""Generator expression inside sum()."""


def custom_score(game, player):
    """Manhattan distances of all my moves from the center against the opponent's."""
    center_row = game.height // 2
    center_col = game.width // 2
    own = sum(abs(r - center_row) + abs(c - center_col) for r, c in game.get_legal_moves(player))
    opp = sum(abs(m[0] - center_row) + abs(m[1] - center_col)
              for m in game.get_legal_moves(game.get_opponent(player)) if m != (center_row, center_col))
    return float(opp - own)
