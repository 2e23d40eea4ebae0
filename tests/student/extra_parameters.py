"""Extra parameters with defaults behind game and player."""


def custom_score(game, player, aggression=1.5, use_center=True, bonus=None):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    score = own - aggression * opp
    location = game.get_player_location(player)
    if use_center and location is not None:
        score -= 0.25 * abs(location[0] - game.height // 2)
    if bonus is not None:
        score += bonus
    return score
