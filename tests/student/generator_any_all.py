"""Generator expressions inside any() and all()."""


def custom_score(game, player):
    """Bonus when some move hits the opponent's options, penalty when all of them are on the border."""
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    score = len(own_moves) - len(opp_moves)
    if any(m in opp_moves for m in own_moves):
        score += 3
    if all(r in (0, game.height - 1) or c in (0, game.width - 1) for r, c in own_moves):
        score -= 2
    return float(score)
