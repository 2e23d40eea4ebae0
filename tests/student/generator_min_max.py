"""Generator expressions inside min() and max()."""


def custom_score(game, player):
    """The spread of the squares I can go to."""
    moves = game.get_legal_moves(player)
    if not moves:
        return float("-inf") if game.is_loser(player) else -10.
    highest = max(r + c for r, c in moves)
    lowest = min(r + c for r, c in moves)
    nearest = min((abs(r - game.height / 2.) for r, _ in moves), default=0)
    return float(highest - lowest) - nearest
