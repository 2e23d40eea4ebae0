"""Your first heuristic: write a function, look at its values, let it play, and count how often it is right."""

from __future__ import annotations

from typing import Any

import knightfall as kf


@kf.heuristic
def cautious(game: Any, player: Any) -> float:
    """Have more moves than the opponent, and avoid squares that both can reach."""
    own = game.get_legal_moves(player)
    other = game.get_legal_moves(game.get_opponent(player))
    shared = len([move for move in own if move in other])
    return len(own) - len(other) - 0.5 * shared


def main() -> None:
    """Show what the heuristic does."""
    print("compiled:", cautious.compiled)

    position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    print("value for the first player:", cautious.value(position, player=1))

    # An agent searches with the heuristic. Equal moves are shuffled by the seed.
    agent = kf.agent("alphabeta(nodes=5000)", heuristic=cautious, seed=1)
    print("best move:", agent.choose(position))

    # A whole game against a published agent, from the empty board.
    print(kf.play(agent, "AB_Improved", seed=1))

    # Who wins in the position, and with which moves? This is exact.
    print(kf.solve(position))


if __name__ == "__main__":
    main()
