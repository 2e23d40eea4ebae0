"""Write the positions with one winning move: ``python tests/data/make_critical_7x7.py``. It takes half a minute.

The positions are from random games. Half of the moves go to squares from which the knight has most moves. The file
gets positions at plies 14 to 26 with three or more legal moves, of which brute force finds exactly one that wins.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from reference_search import solver, winning_moves  # noqa: E402

from knightfall.rules import Geometry, Position  # noqa: E402

COUNT = 200
PLIES = range(14, 27)
SEED = 4
FILE = HERE / "critical_7x7.txt"
GEOMETRY = Geometry(7, 7)


def played(chance: random.Random, plies: int) -> Position:
    """Return the position after this many moves, or the last one of a shorter game."""
    position = Position.start(GEOMETRY)
    while position.ply < plies and not position.is_over:
        moves = position.legal_moves()
        mover = position.to_move
        if position.ply >= 2 and chance.random() < 0.5:
            most = max(len(position.play(square).moves_of(mover)) for square in moves)
            moves = tuple(square for square in moves if len(position.play(square).moves_of(mover)) == most)
        position = position.play(chance.choice(moves))
    return position


def main() -> None:
    """Write the file."""
    chance = random.Random(SEED)
    lines: list[str] = []
    while len(lines) < COUNT:
        position = played(chance, PLIES[len(lines) % len(PLIES)])
        if len(position.legal_moves()) < 3:
            continue
        winning = winning_moves(position, solver(GEOMETRY))
        if len(winning) == 1:
            lines.append(f"{position.fen()}; {GEOMETRY.label(winning[0])}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
