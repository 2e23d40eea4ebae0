"""List built by append, then sum, len, max and min of it."""


def custom_score(game, player):
    distances = []
    opp = game.get_player_location(game.get_opponent(player))
    for move in game.get_legal_moves(player):
        if opp is None:
            distances.append(1)
        else:
            distances.append(abs(move[0] - opp[0]) + abs(move[1] - opp[1]))
    if len(distances) == 0:
        return 0.
    return sum(distances) / len(distances) + max(distances) - min(distances)
