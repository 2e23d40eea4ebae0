"""collections.Counter and itertools."""

import itertools
from collections import Counter


def custom_score(game, player):
    """Pairs of my moves, and the most common column of everybody's moves."""
    own = game.get_legal_moves(player)
    opp = game.get_legal_moves(game.get_opponent(player))
    columns = Counter(col for _, col in itertools.chain(own, opp))
    most = columns.most_common(1)[0][1] if columns else 0
    pairs = sum(1 for a, b in itertools.combinations(own, 2) if a[0] == b[0])
    return float(pairs + most)
