"""zip of two lists, and zip of two locations."""


def custom_score(game, player):
    own = sorted(game.get_legal_moves(player))
    opp = sorted(game.get_legal_moves(game.get_opponent(player)))
    score = 0
    for a, b in zip(own, opp):
        score += abs(a[0] - b[0]) - abs(a[1] - b[1])
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    if here is not None and there is not None:
        score += sum(abs(x - y) for x, y in zip(here, there))
    return float(score)
