"""sum(map(lambda ...)) and list(filter(lambda ...)), and a lambda with a name."""


def custom_score(game, player):
    mid = game.width // 2
    dist = lambda a, b: abs(a - b)
    own = sum(map(lambda m: dist(m[1], mid), game.get_legal_moves(player)))
    left = list(filter(lambda m: m[1] < mid, game.get_legal_moves(game.get_opponent(player))))
    return float(own - len(left))
