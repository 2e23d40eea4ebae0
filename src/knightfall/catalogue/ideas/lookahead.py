# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Looking one move ahead: the average mobility after each move.

As published, the step puts the active player on the square, no matter who is scored. If the player is not to move, the
opponent is put on the player's squares.
"""

from knightfall.catalogue.registry import heuristic


def mean_after(game, player, whose):
    """Return the mean, over the player's moves x, of the moves of `whose` in s·x; the player must have a move."""
    moves = game.get_legal_moves(player)
    if whose == game.active_player:
        total = 0
        for move in moves:
            total += len(game.forecast_move(move).get_legal_moves(whose))
        return total / len(moves)
    # A player that stays in place only loses the square x, so it is not necessary to try each move.
    waiting = game.get_legal_moves(whose)
    return (len(moves) * len(waiting) - len(moves & waiting)) / len(moves)


@heuristic(
    report="A",
    aliases=("A:custom_score_lookahead_own",),
    idea="Have many moves, now and after the next one.",
    formula="−inf if m(p) = 0; m(p) + mean_{x∈M(p)} m(p) in s·x",
    invariant="always",
)
def lookahead_own(game, player):
    """A move is worth more when it leads to a square with many moves of its own."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    if mine == 0:
        return float("-inf")
    return mine + mean_after(game, player, player)


@heuristic(
    report="A",
    aliases=("A:custom_score_lookahead_opponent",),
    idea="Have many moves that leave the opponent few.",
    formula="−inf if m(p) = 0; m(p) − mean_{x∈M(p)} m(q) in s·x",
    invariant="always",
)
def lookahead_opponent(game, player):
    """The opponent's moves are counted after the player's next move: those it can still take away do not count."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    if mine == 0:
        return float("-inf")
    return mine - mean_after(game, player, game.get_opponent(player))


@heuristic(
    report="A",
    aliases=("A:custom_score_lookahead_both",),
    idea="Have more moves than the opponent, now and after the next move.",
    formula="−inf if m(p) = 0; mix·(m(p) − m(q)) + (1−mix)·(mean_{x∈M(p)} m(p) in s·x − mean_{x∈M(p)} m(q) in s·x)",
    ranges={"mix": (0.0, 1.0)},
    invariant="always",
)
def lookahead_both(game, player, mix=0.5):
    """`improved` blended with itself one step later. The average is what the report's words say; its listing errs."""
    over = game.utility(player)
    if over != 0.0:
        return over
    opponent = game.get_opponent(player)
    mine = len(game.get_legal_moves(player))
    if mine == 0:
        return float("-inf")
    now = mine - len(game.get_legal_moves(opponent))
    later = mean_after(game, player, player) - mean_after(game, player, opponent)
    return mix * now + (1.0 - mix) * later
