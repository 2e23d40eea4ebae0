"""The game as compiled heuristics see it: all names of AIND's board, and faster methods of our own.

A view is a few machine words and is passed by value, so ``forecast_move`` makes a new one without memory access.
Players are the numbers 1 and 2. AIND's functions never look inside a player; they only pass it on and compare it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import (
    NativeValue,
    intrinsic,
    make_attribute_wrapper,
    models,
    register_jitable,
    register_model,
    typeof_impl,
    unbox,
)

from knightfall.native import control as control_words
from knightfall.native.bits import BitsType, join_words, none_of, single, width_of
from knightfall.native.board_tables import (
    TablesType,
    board_height,
    board_width,
    colour_one,
    column_of,
    jumps_from,
    row_of,
    squares_around,
    tables_of,
)
from knightfall.native.control import Control, control_type
from knightfall.native.extending import overload_attribute, overload_method
from knightfall.native.flood import flood
from knightfall.native.location import LocationType, make_location
from knightfall.native.maybe_player import maybe_player
from knightfall.native.spread import jumps_from_any, links_between
from knightfall.native.squares import SquaresType, make_squares, square_at
from knightfall.native.state import unbox_words
from knightfall.rules import Position

PARAMETERS = 8
"""The maximum number of parameters of a compiled heuristic. They are passed as one tuple of this length."""


class View:
    """A position and a control block, in the form that a compiled heuristic takes."""

    __slots__ = ("active", "address", "control", "first", "high", "keep", "low", "move_count", "second", "width")

    def __init__(self, position: Position, control: Control) -> None:
        tables = tables_of(position.geometry)
        empty = ((1 << position.geometry.size) - 1) & ~position.used_bits
        self.width = tables.width
        self.address = tables.address
        self.low = empty & (1 << 64) - 1
        self.high = empty >> 64
        self.first, self.second = (tables.width if square is None else square for square in position.locations)
        self.active = position.to_move
        self.move_count = position.ply
        self.control = control.address
        self.keep = control  # the block must outlive the view


class GameType(types.Type):
    """The Numba type of a view over sets of ``width`` bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Game{width}")

    def fields(self) -> list[tuple[str, Any]]:
        """Return the names and types of a view's fields, in order."""
        return [
            ("tables", TablesType(self.width)),
            ("empty", BitsType(self.width)),
            ("first", types.int64),
            ("second", types.int64),
            ("active_player", types.int64),
            ("move_count", types.int64),
            ("control", control_type),
        ]


def heuristic_signature(width: int) -> Any:
    """Return the signature that all compiled heuristics on boards of that width have."""
    return types.float64(GameType(width), types.int64, types.UniTuple(types.float64, PARAMETERS))


@register_model(GameType)
class _GameModel(models.StructModel):
    def __init__(self, manager: Any, game: GameType) -> None:
        super().__init__(manager, game, game.fields())


# Names that AIND does not have begin with an underscore, so that no heuristic depends on them.
for _name, _ in GameType(64).fields():
    make_attribute_wrapper(GameType, _name, _name if _name in ("active_player", "move_count") else f"_{_name}")


@typeof_impl.register(View)
def _typeof_view(value: View, context: Any) -> GameType:
    return GameType(value.width)


@unbox(GameType)
def _unbox_view(kind: GameType, value: Any, c: Any) -> Any:
    game = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    names = ("address", "low", "high", "first", "second", "active", "move_count", "control")
    address, low, high, first, second, active, move_count, control, failed = unbox_words(c, value, names)
    game.tables = c.builder.inttoptr(address, ir.IntType(8).as_pointer())
    game.empty = join_words(c.builder, kind.width, low, high)
    game.first, game.second, game.active_player, game.move_count = first, second, active, move_count
    game.control = c.builder.inttoptr(control, ir.IntType(64).as_pointer())
    return NativeValue(game._getvalue(), is_error=failed)


@intrinsic
def make_game(
    context: Any, tables: Any, empty: Any, first: Any, second: Any, active: Any, move_count: Any, control: Any
) -> Any:
    """Return a view made of its parts."""
    if not isinstance(tables, TablesType):
        return None
    kind = GameType(tables.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        game = cgutils.create_struct_proxy(kind)(c, b)
        for (name, _), value in zip(kind.fields(), args, strict=True):
            setattr(game, name, value)
        return game._getvalue()

    return kind(*(field for _, field in kind.fields())), codegen


# --- AIND's attributes


def _define_attribute(names: tuple[str, ...], implementation: Any) -> None:
    for name in names:
        overload_attribute(GameType, name)(lambda game: implementation)


_define_attribute(("width",), lambda game: board_width(game._tables))
_define_attribute(("height",), lambda game: board_height(game._tables))
_define_attribute(("inactive_player", "_inactive_player", "__inactive_player__"), lambda game: 3 - game.active_player)
_define_attribute(("_active_player", "__active_player__"), lambda game: game.active_player)
_define_attribute(("_player_1", "__player_1__"), lambda game: 1)
_define_attribute(("_player_2", "__player_2__"), lambda game: 2)
_define_attribute(("BLANK",), lambda game: 0)
_define_attribute(("NOT_MOVED",), lambda game: None)


# --- AIND's methods


@register_jitable
def location_of(game: Any, player: Any) -> Any:
    """Return the location of a player; before placement, the width of the sets."""
    return game._first if player == 1 else game._second


@register_jitable
def moves_of(game: Any, player: Any) -> Any:
    """Return the squares that a player could move to if it were that player's turn."""
    return jumps_from(game._tables, location_of(game, player)) & game._empty


@register_jitable
def is_placed(game: Any, player: Any) -> Any:
    """Return whether a player's knight is on the board."""
    return location_of(game, player) < width_of(game._empty)


@overload_method(GameType, "get_legal_moves")
def _get_legal_moves(game: Any, player: Any = None) -> Any:
    if _is_none(player):

        def active(game: Any, player: Any = None) -> Any:
            mover = game.active_player
            return make_squares(moves_of(game, mover), game._tables, not is_placed(game, mover))

        return active

    def of_player(game: Any, player: Any = None) -> Any:
        return make_squares(moves_of(game, player), game._tables, not is_placed(game, player))

    return of_player


@overload_method(GameType, "get_blank_spaces")
def _get_blank_spaces(game: Any) -> Any:
    return lambda game: make_squares(game._empty, game._tables, True)


@overload_method(GameType, "get_opponent")
def _get_opponent(game: Any, player: Any) -> Any:
    return lambda game, player: 3 - player


@overload_method(GameType, "get_player_location")
def _get_player_location(game: Any, player: Any) -> Any:
    def implementation(game: Any, player: Any) -> Any:
        square = location_of(game, player)
        if square < width_of(game._empty):
            return make_location(True, row_of(game._tables, square), column_of(game._tables, square))
        return make_location(False, 0, 0)

    return implementation


@overload_method(GameType, "move_is_legal")
def _move_is_legal(game: Any, move: Any) -> Any:
    return lambda game, move: move in make_squares(game._empty, game._tables, True)


@overload_method(GameType, "forecast_move")
def _forecast_move(game: Any, move: Any) -> Any:
    def implementation(game: Any, move: Any) -> Any:
        square = square_at(game._tables, (move[0], move[1]))
        if square < 0:
            raise IndexError("the move is not on the board")
        left = game._empty - single(game._empty, square)
        first = square if game.active_player == 1 else game._first
        second = game._second if game.active_player == 1 else square
        return make_game(game._tables, left, first, second, 3 - game.active_player, game.move_count + 1, game._control)

    return implementation


@overload_method(GameType, "copy")
def _copy(game: Any) -> Any:
    return lambda game: game


@overload_method(GameType, "is_winner")
def _is_winner(game: Any, player: Any) -> Any:
    return lambda game, player: player != game.active_player and not moves_of(game, game.active_player)


@overload_method(GameType, "is_loser")
def _is_loser(game: Any, player: Any) -> Any:
    return lambda game, player: player == game.active_player and not moves_of(game, game.active_player)


@overload_method(GameType, "utility")
def _utility(game: Any, player: Any) -> Any:
    infinity = float("inf")

    def implementation(game: Any, player: Any) -> Any:
        if moves_of(game, game.active_player):
            return 0.0
        return -infinity if player == game.active_player else infinity

    return implementation


# --- AIND's private members


@overload_attribute(GameType, "_board_state")
def _board_state(game: Any) -> Any:
    def implementation(game: Any) -> Any:
        tables, empty = game._tables, game._empty
        if not (is_placed(game, 1) and is_placed(game, 2)):
            raise TypeError("a player is not placed yet: its cell is None")
        height, width = board_height(tables), board_width(tables)
        cells = [0 if (row * width + column) in empty else 1 for column in range(width) for row in range(height)]
        cells.append(game.active_player - 1)
        cells.append(row_of(tables, game._second) + column_of(tables, game._second) * height)
        cells.append(row_of(tables, game._first) + column_of(tables, game._first) * height)
        return cells

    return implementation


@overload_attribute(GameType, "__board_state__")
def _rows_of_cells(game: Any) -> Any:
    def implementation(game: Any) -> Any:
        tables, empty = game._tables, game._empty
        height, width = board_height(tables), board_width(tables)
        cells = np.zeros((height, width), np.int64)
        for row in range(height):
            for column in range(width):
                if row * width + column not in empty:
                    cells[row, column] = 1
        if is_placed(game, 2):
            cells[row_of(tables, game._second), column_of(tables, game._second)] = 2
        return cells

    return implementation


def _moves_from(game: Any, location: Any) -> Any:
    if _is_none(location):
        return lambda game, location: make_squares(game._empty, game._tables, True)
    if isinstance(location, LocationType):

        def from_location(game: Any, location: Any) -> Any:
            tables = game._tables
            if not location.placed:
                return make_squares(game._empty, tables, True)
            square = square_at(tables, (location.row, location.column))
            return make_squares(jumps_from(tables, square) & game._empty, tables, False)

        return from_location
    if not isinstance(location, types.BaseTuple):
        return None

    def from_place(game: Any, location: Any) -> Any:
        return make_squares(
            jumps_from(game._tables, square_on_board(game, location)) & game._empty, game._tables, False
        )

    return from_place


overload_method(GameType, "_Board__get_moves")(_moves_from)
overload_method(GameType, "__get_moves__")(_moves_from)


@register_jitable
def with_active_player(game: Any, player: Any) -> Any:
    """Return the same board with this player to move."""
    return make_game(game._tables, game._empty, game._first, game._second, player, game.move_count, game._control)


# --- methods and attributes of our own


@register_jitable
def square_on_board(game: Any, place: Any) -> Any:
    """Return the index of a (row, column) from a user's function; raise IndexError if it is not on the board."""
    at = square_at(game._tables, (place[0], place[1]))
    if at < 0:
        raise IndexError("the square is not on the board")
    return at


@overload_method(GameType, "reach")
def _reach(game: Any, player: Any, k: Any) -> Any:
    def implementation(game: Any, player: Any, k: Any) -> Any:
        tables, empty = game._tables, game._empty
        reached = none_of(empty)
        if is_placed(game, player) and k > 0:
            edge = jumps_from(tables, location_of(game, player)) & empty
            reached = edge
            for _ in range(k - 1):
                edge = (jumps_from_any(tables, edge) & empty) - reached
                reached |= edge
        return make_squares(reached, tables, False)

    return implementation


@overload_method(GameType, "region")
def _region(game: Any, player: Any) -> Any:
    def implementation(game: Any, player: Any) -> Any:
        reached = none_of(game._empty)
        if is_placed(game, player):
            reached = flood(game._tables, location_of(game, player), game._empty)
        return make_squares(reached, game._tables, False)

    return implementation


@overload_method(GameType, "jumps")
def _jumps(game: Any, squares: Any) -> Any:
    if isinstance(squares, SquaresType):
        return lambda game, squares: make_squares(jumps_from_any(game._tables, squares.bits), game._tables, False)
    if not isinstance(squares, types.BaseTuple | LocationType):
        return None

    def from_one(game: Any, squares: Any) -> Any:
        return make_squares(jumps_from(game._tables, square_on_board(game, squares)), game._tables, False)

    return from_one


@overload_method(GameType, "links")
def _links(game: Any, squares: Any) -> Any:
    if isinstance(squares, SquaresType):
        return lambda game, squares: links_between(game._tables, squares.bits)
    return None


@overload_attribute(GameType, "attacker")
def _attacker(game: Any) -> Any:
    def implementation(game: Any) -> Any:
        if not (is_placed(game, 1) and is_placed(game, 2)):
            return maybe_player(0)
        odd = colour_one(game._tables)
        same = (game._first in odd) == (game._second in odd)
        return maybe_player(game.active_player if same else 3 - game.active_player)

    return implementation


@overload_method(GameType, "colour")
def _colour(game: Any, square: Any) -> Any:
    return lambda game, square: (square[0] + square[1]) % 2


@overload_method(GameType, "neighbours")
def _neighbours(game: Any, square: Any) -> Any:
    def implementation(game: Any, square: Any) -> Any:
        return make_squares(squares_around(game._tables, square_on_board(game, square)), game._tables, False)

    return implementation


@overload_method(GameType, "out_of_time")
def _out_of_time(game: Any) -> Any:
    return lambda game: control_words.out_of_time(game._control)


@overload_method(GameType, "time_left")
def _time_left(game: Any) -> Any:
    return lambda game: control_words.time_left(game._control)


@overload_method(GameType, "player_time_left")
def _player_time_left(game: Any) -> Any:
    return lambda game: control_words.player_time_left(game._control)


def _is_none(kind: Any) -> bool:
    return kind is None or isinstance(kind, types.NoneType | types.Omitted)
