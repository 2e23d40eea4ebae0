"""Results about positions without a search: the mirror argument.

Assume that a half turn of the board leaves the used squares unchanged and swaps the knights. Then the player to move
loses, because the opponent can answer each move with its image. The image of an empty square is empty. It is a
different square, unless it is the centre of a board with two odd sides. So the centre, if there is one, must be used.
"""

from __future__ import annotations

from knightfall.rules.position import Position


def mirror_verdict(position: Position) -> bool | None:
    """Return whether the player to move wins if the mirror argument applies, else None.

    >>> from knightfall.rules.geometry import Geometry
    >>> mirror_verdict(Position.start(Geometry(6, 6))), mirror_verdict(Position.start(Geometry(7, 7)))
    (False, None)
    """
    last = position.geometry.size - 1
    if last % 2 == 0 and not position.used_bits >> (last // 2) & 1:
        return None
    used = position.used_bits
    first, second = position.locations
    if second is None:
        # The second player can take the square opposite the first player, if the rest of the board is symmetric.
        rest = used if first is None else used & ~(1 << first)
        if rest != _turned(rest, last) or (first is not None and used >> (last - first) & 1):
            return None
        return first is not None
    if first is None or first + second != last or used != _turned(used, last):
        return None
    return False


def _turned(squares: int, last: int) -> int:
    """Return a set of squares after a half turn: square *s* moves to ``last - s``."""
    return int(f"{squares:0{last + 1}b}"[::-1], 2)
