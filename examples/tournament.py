"""A tournament from Python: two heuristics against a panel, with a verdict for each."""

from __future__ import annotations

from typing import Any

import knightfall as kf


@kf.heuristic
def hunter(game: Any, player: Any) -> float:
    """Take moves away from the opponent."""
    own = game.get_legal_moves(player)
    other = game.get_legal_moves(game.get_opponent(player))
    return float(len(own) - 2 * len(other))


def main() -> None:
    """Play 40 pairs of games per opponent, and print the table and the verdicts."""
    results = kf.tournament(
        [hunter, "contested_reach"],
        ["MM_Open", "MM_Improved", "AB_Open", "AB_Improved"],
        baseline="improved",
        pairs=40,
        nodes=500,
        seed=1,
    )
    print(results.table)
    print()
    for verdict in results.verdicts:
        print(verdict.sentence)

    # Every game can be examined. This is the first that the candidate lost with the first move.
    candidate = results.standings[1].candidate
    print()
    lost = (
        game for game in results.games if game.players[0] == candidate and game.outcome and game.outcome.winner == 2
    )
    print(next(lost))


if __name__ == "__main__":
    main()
