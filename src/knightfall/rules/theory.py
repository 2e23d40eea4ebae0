"""What is known about positions without a search: the mirror argument.

Where a half turn of the board leaves the used squares as they are and puts each knight where the other stands, the
player to move loses: the opponent answers each move with its image. The image of an empty square is empty and another
square, unless it is the centre of a board with two odd sides; so the centre, where there is one, must be used.
"""

from __future__ import annotations

from knightfall.rules.position import Position


def mirror_verdict(position: Position) -> bool | None:
    """Whether the player to move wins, if the mirror argument tells; else None.

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
        # The second player can place itself opposite the first, and the rest of the board must allow it.
        rest = used if first is None else used & ~(1 << first)
        if rest != _turned(rest, last) or (first is not None and used >> (last - first) & 1):
            return None
        return first is not None
    if first is None or first + second != last or used != _turned(used, last):
        return None
    return False


def _turned(squares: int, last: int) -> int:
    """A set of squares after a half turn: square *s* comes to lie on ``last - s``."""
    return int(f"{squares:0{last + 1}b}"[::-1], 2)
