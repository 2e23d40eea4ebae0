"""Conditional expressions, also nested."""


def custom_score(game, player):
    opponent = game.get_opponent(player)
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(opponent))
    turn = 1 if game.active_player == player else -1
    stage = 0 if game.move_count < 8 else 1 if game.move_count < 20 else 2
    weight = (1.0 if stage == 0 else 2.0) if own > opp else 0.5
    return float("-inf") if game.is_loser(player) else float("inf") if game.is_winner(player) else weight * own - opp + turn
