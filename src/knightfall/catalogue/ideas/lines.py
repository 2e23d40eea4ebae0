# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Lines: complete continuations of the game, counted by playing all of them.

The cost grows exponentially with the number of empty squares. Each function checks the budget before every position
that it enters. When the budget is used up, it returns the result so far.
"""

from knightfall.catalogue.registry import heuristic


def line_balance(game, player):
    """Return the number of lines that the player wins minus those it loses; a finished game is one line."""
    moves = game.get_legal_moves()
    if not moves:
        return 1.0 if player == game.inactive_player else -1.0
    balance = 0.0
    for move in moves:
        if game.out_of_time():
            break
        balance += line_balance(game.forecast_move(move), player)
    return balance


def positions_below(game, player):
    """Return the number of positions below this one, without those in which the player has lost."""
    count = 0.0
    for move in game.get_legal_moves():
        if game.out_of_time():
            break
        after = game.forecast_move(move)
        if not after.is_loser(player):
            count += 1.0 + positions_below(after, player)
    return count


def longest_wins(game, player, plies):
    """Return the lengths of the longest lines that the player and the opponent win; 0 if there are none.

    `plies` have already been played. Both lengths come from one walk, so that the end of the budget affects both
    equally.
    """
    moves = game.get_legal_moves()
    if not moves:
        if player == game.inactive_player:
            return plies, 0
        return 0, plies
    mine = 0
    theirs = 0
    for move in moves:
        if game.out_of_time():
            break
        won, lost = longest_wins(game.forecast_move(move), player, plies + 1)
        mine = max(mine, won)
        theirs = max(theirs, lost)
    return mine, theirs


@heuristic(
    report="C",
    aliases=("C:heuristic5",),
    idea="Have more ways to win than the opponent.",
    formula="lines p wins − lines q wins; 0 if the game is over",
    invariant="always",
    raw=True,
)
def won_lines(game, player):
    """What the listing computes: all lines count the same, good play or bad. See `longest_line_difference`."""
    if not game.get_legal_moves():
        return 0.0
    return line_balance(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic6",),
    idea="Have much game left that is not lost.",
    formula="positions in the tree below s that are not finished games lost by p",
    invariant="always",
    raw=True,
)
def line_count(game, player):
    """What the listing computes: every position on the way counts, not only the ends. See `longest_line`."""
    return positions_below(game, player)


@heuristic(
    report="C",
    idea="Have a longer way to win than the opponent.",
    formula="V(p) − V(q), V: plies of the longest line won; 0 if none or if the game is over",
    invariant="always",
    raw=True,
)
def longest_line_difference(game, player):
    """What the report's words describe where its listing is `won_lines`."""
    mine, theirs = longest_wins(game, player, 0)
    return float(mine - theirs)


@heuristic(
    report="C",
    idea="Have a long way to win.",
    formula="V(p), V: plies of the longest line won; 0 if none or if the game is over",
    invariant="always",
    raw=True,
)
def longest_line(game, player):
    """What the report's words describe where its listing is `line_count`."""
    mine, _ = longest_wins(game, player, 0)
    return float(mine)
