"""set(own) & set(opp) and set(own) | set(opp)."""


def custom_score(game, player):
    """Contested squares are good for the side to move."""
    own = game.get_legal_moves(player)
    opp = game.get_legal_moves(game.get_opponent(player))
    shared = set(own) & set(opp)
    everything = set(own) | set(opp)
    score = len(own) - len(opp)
    if shared:
        score += 2 * len(shared) if game.active_player == player else -len(shared)
    return score + len(everything) / 16
