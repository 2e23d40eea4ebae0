"""Lists put together: moves + other, +=, extend."""


def custom_score(game, player):
    own = game.get_legal_moves(player)
    opp = game.get_legal_moves(game.get_opponent(player))
    both = own + opp
    twice = []
    for move in both:
        if both.count(move) > 1:
            twice += [move]
    own.extend(opp)
    rows = sum([m[0] for m in own + twice])
    return float(rows + len(both) - 2 * len(twice))
