"""set(a) - set(b), set comprehension and a loop over the difference."""


def custom_score(game, player):
    """Moves that only I have, the central ones twice."""
    own = set(game.get_legal_moves(player))
    opp = {move for move in game.get_legal_moves(game.get_opponent(player))}
    only_mine = own - opp
    only_theirs = opp.difference(own)
    score = 0
    for r, c in only_mine:
        score += 1
        if (r, c) not in opp and 0 < r < game.height - 1 and 0 < c < game.width - 1:
            score += 1
    return float(score - len(only_theirs))
