"""Solve a position, play a game, and find the move that lost it."""

from __future__ import annotations

import knightfall as kf


def main() -> None:
    """Solve, play and review on a 5x5 board."""
    position = kf.Position.from_fen("5/1N3/5/2n2/5 w")
    solution = kf.solve(position, distance=True)
    print(solution)
    print("moves until the end:", solution.distance)

    # A solver keeps its proofs, so further positions of the same board are cheap.
    solver = kf.Solver(position.geometry)
    for square in position.legal_moves():
        after = position.play(square)
        print(after.geometry.label(square), "leads to", after.fen(), "and lasts", solver.distance(after), "more moves")

    game = kf.play("random", "greedy(improved)", position, seed=3)
    review = kf.review(game, distance=True)
    print()
    print(review)
    for move in review.blunders:
        labels = game.opening.geometry.labels(move.winning)
        print(f"move {move.ply + 1} gave the game away; these win: {' '.join(labels)}")


if __name__ == "__main__":
    main()
