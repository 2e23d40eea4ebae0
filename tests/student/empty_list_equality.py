"""moves == [] and moves != []."""


def custom_score(game, player):
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    score = 0
    if own_moves == []:
        score -= 7
    if opp_moves == []:
        score += 9
    if own_moves != []:
        score += len(own_moves)
    if list() == opp_moves:
        score += 1
    return float(score)
