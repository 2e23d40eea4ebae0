"""One moment of a game: the knights' squares, the used squares and the player to move."""

from __future__ import annotations

from dataclasses import dataclass

from knightfall.rules.errors import IllegalMove, KnightfallError
from knightfall.rules.fen import FenParts, read_fen, write_fen
from knightfall.rules.geometry import BySquare, Geometry, SquareLike, Symmetry

Player = int
"""1 for the first player, 2 for the second."""


def other_player(player: Player) -> Player:
    """Return the opponent of player 1 or 2."""
    return 3 - player


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The knights' squares, the used squares and the player to move. Immutable and hashable.

    ``geometry`` is the board. ``locations`` holds the square of the first and of the second player, None before
    placement; labels and (row, column) pairs are converted to indices. ``used_bits`` has bit *s* set if square *s*
    has been used, which includes the knights' own squares. ``to_move`` is 1 or 2. Raise :class:`KnightfallError` if
    the parts contradict each other.

    >>> position = Position.from_fen("8/8/8/4n3/3N4/8/8/8 w")
    >>> position.geometry.labels(position.legal_moves())
    ['c6', 'e6', 'b5', 'f5', 'b3', 'f3', 'c2', 'e2']
    >>> after = position.play("f5")
    >>> after.fen()
    '8/8/8/4nN2/3*4/8/8/8 b'
    >>> after.to_move, after.ply, after.winner
    (2, 3, None)
    """

    geometry: Geometry
    locations: tuple[int | None, int | None]
    used_bits: int
    to_move: Player

    def __post_init__(self) -> None:
        first, second = self.locations
        size = self.geometry.size
        for square in (first, second):
            if square is not None:
                if type(square) is not int or not 0 <= square < size:
                    self._convert_locations()
                    return
                if not self.used_bits >> square & 1:
                    raise KnightfallError(f"the square {self.geometry.label(square)} has a knight but is not used")
        if first is not None and first == second:
            raise KnightfallError(f"both knights stand on {self.geometry.label(first)}")
        if self.used_bits < 0 or self.used_bits >> size:
            raise KnightfallError(f"used squares beyond a {self.geometry} board")
        if self.to_move not in (1, 2):
            raise KnightfallError(f"the player to move is 1 or 2, not {self.to_move!r}")
        placed = (first is not None, second is not None)
        if placed == (False, True) or (not all(placed) and self.to_move != 1 + placed[0]):
            raise KnightfallError("the first player is placed first, then the second, then either may be to move")

    def _convert_locations(self) -> None:
        """Convert labels and (row, column) pairs to indices, and repeat all checks."""
        first, second = (None if square is None else self.geometry.square(square) for square in self.locations)
        object.__setattr__(self, "locations", (first, second))
        self.__post_init__()

    @classmethod
    def start(cls, geometry: Geometry) -> Position:
        """Return the empty board, with the first player to place its knight."""
        return cls(geometry, (None, None), 0, 1)

    @classmethod
    def from_fen(cls, text: str) -> Position:
        """Return the position that a text describes (see :mod:`knightfall.rules.fen`).

        Raise :class:`FenError` if the text is invalid.
        """
        return cls(*read_fen(text))

    def fen(self) -> str:
        """Return this position as one line of text, the inverse of :meth:`from_fen`."""
        return write_fen(FenParts(self.geometry, self.locations, self.used_bits, self.to_move))

    @property
    def used(self) -> frozenset[int]:
        """The squares that have been used, including the knights' own squares."""
        return frozenset(square for square in range(self.geometry.size) if self.used_bits >> square & 1)

    @property
    def ply(self) -> int:
        """The number of moves made. Every move uses one square."""
        return self.used_bits.bit_count()

    def location(self, player: Player) -> int | None:
        """Return the square of player 1 or 2; None before placement."""
        return self.locations[player - 1]

    def legal_moves(self) -> tuple[int, ...]:
        """Return the squares that the player to move can move to, in ascending order.

        A placed knight jumps to an empty square. A knight that is not placed yet may take any empty square.
        """
        return self.moves_of(self.to_move)

    def moves_of(self, player: Player) -> tuple[int, ...]:
        """Return the squares that a player could move to if it were that player's turn."""
        location = self.locations[player - 1]
        candidates = range(self.geometry.size) if location is None else self.geometry.jumps[location]
        return tuple([square for square in candidates if not self.used_bits >> square & 1])

    def play(self, square: SquareLike) -> Position:
        """Return the position after the player to move goes to ``square``.

        Raise :class:`IllegalMove` if that move is illegal.

        >>> Position.from_fen("7/7/3n3/7/7/2N4/7 w").play("d4").fen()
        '7/7/3n3/3N3/7/2*4/7 b'
        """
        if type(square) is not int:
            square = self._index(square)
        if square not in self.legal_moves():
            raise IllegalMove(self._why_illegal(square))
        first, second = self.locations
        locations = (square, second) if self.to_move == 1 else (first, square)
        return Position(self.geometry, locations, self.used_bits | 1 << square, other_player(self.to_move))

    def _index(self, square: SquareLike) -> int:
        try:
            return self.geometry.square(square)
        except KnightfallError as error:
            raise IllegalMove(f"illegal move: {error}") from None

    def _why_illegal(self, square: int) -> str:
        geometry = self.geometry
        square = self._index(square)
        label = geometry.label(square)
        if self.is_over:
            return f"illegal move {label}: the game is over, player {self.winner} has won"
        if self.used_bits >> square & 1:
            return f"illegal move {label}: the square is used"
        location = self.locations[self.to_move - 1]
        assert location is not None  # before placement, every empty square is legal
        return f"illegal move {label}: not a knight's jump from {geometry.label(location)}"

    @property
    def is_over(self) -> bool:
        """Whether the game is over: the player to move has no legal move."""
        return not self.legal_moves()

    @property
    def winner(self) -> Player | None:
        """The player who has won; None if the game is not over."""
        return other_player(self.to_move) if self.is_over else None

    @property
    def attacker(self) -> Player | None:
        """The player to move when both knights are on squares of the same colour; None before placement.

        Each jump changes the colour, so the attacker stays the same to the end of the game. If both players can
        reach a square, the attacker can reach it first.
        """
        first, second = self.locations
        if first is None or second is None:
            return None
        same = self.geometry.colour(first) == self.geometry.colour(second)
        return self.to_move if same else other_player(self.to_move)

    def transform(self, symmetry: Symmetry) -> Position:
        """Return this position rotated or reflected by one of ``geometry.symmetries``."""
        image = symmetry.squares
        if len(image) != self.geometry.size:
            raise KnightfallError(f"the symmetry {symmetry.name!r} is not one of a {self.geometry} board")
        first, second = self.locations
        used_bits = 0
        for square in range(self.geometry.size):
            if self.used_bits >> square & 1:
                used_bits |= 1 << image[square]
        return Position(
            self.geometry,
            (None if first is None else image[first], None if second is None else image[second]),
            used_bits,
            self.to_move,
        )

    def canonical(self) -> Position:
        """Return the representative of this position's symmetry class."""
        geometry, (first, second) = self.geometry, self.locations
        used = [square for square in range(geometry.size) if self.used_bits >> square & 1]

        # Compare numbers and build only one image, because a set of solved positions makes thousands of these calls.
        def key(symmetry: Symmetry) -> tuple[int, int, int]:
            image = symmetry.squares
            used_bits = sum(1 << image[square] for square in used)
            return used_bits, -1 if first is None else image[first], -1 if second is None else image[second]

        return self.transform(min(geometry.symmetries, key=key))

    def __repr__(self) -> str:
        return f"Position.from_fen({self.fen()!r})"

    def __str__(self) -> str:
        from knightfall.rules.terminal import draw_text

        return draw_text(self)

    def svg(
        self,
        *,
        theme: str = "auto",
        last_move: SquareLike | None = None,
        marks: BySquare[str] | None = None,
        labels: BySquare[str] | None = None,
    ) -> str:
        """Return this position as an SVG image; see :func:`knightfall.rules.svg.draw_svg` for the arguments."""
        from knightfall.rules.svg import draw_svg

        return draw_svg(self, theme=theme, last_move=last_move, marks=marks, labels=labels)

    def _repr_svg_(self) -> str:
        return self.svg()
