"""The AIND board of 2017 in plain Python, written from its description: the oracle for student functions.

It shares no code with the package. ``Board`` is generation 2. ``EarlyBoard`` adds the private names of early
generation 1. Legal moves are in the fixed order here, so that functions that depend on the order can be compared.
"""

from __future__ import annotations

from typing import Any

JUMPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
Place = tuple[int, int]


class Player:
    """The attributes of the AIND base class of players."""

    def __init__(self, search_depth: int = 3, score_fn: Any = None, timeout: float = 10.0) -> None:
        self.search_depth = search_depth
        self.score = score_fn
        self.time_left = lambda: 150.0
        self.TIMER_THRESHOLD = timeout


class Board:
    """A board of generation 2."""

    BLANK = 0
    NOT_MOVED = None

    def __init__(self, player_1: Any, player_2: Any, width: int = 7, height: int = 7) -> None:
        self.width, self.height = width, height
        self.move_count = 0
        self._player_1, self._player_2 = player_1, player_2
        self._active_player, self._inactive_player = player_1, player_2
        self._board_state: list[Any] = [Board.BLANK] * (width * height + 3)
        self._board_state[-1] = self._board_state[-2] = Board.NOT_MOVED

    @property
    def active_player(self) -> Any:
        return self._active_player

    @property
    def inactive_player(self) -> Any:
        return self._inactive_player

    def hash(self) -> int:
        return hash(str(self._board_state))

    def get_opponent(self, player: Any) -> Any:
        if player == self._active_player:
            return self._inactive_player
        if player == self._inactive_player:
            return self._active_player
        raise RuntimeError("unknown player")

    def copy(self) -> Board:
        new = type(self)(self._player_1, self._player_2, width=self.width, height=self.height)
        new.move_count = self.move_count
        new._active_player, new._inactive_player = self._active_player, self._inactive_player
        new._board_state = self._board_state[:]
        return new

    def forecast_move(self, move: Place) -> Board:
        new = self.copy()
        new.apply_move(move)
        return new

    def move_is_legal(self, move: Place) -> bool:
        index = move[0] + move[1] * self.height
        return 0 <= move[0] < self.height and 0 <= move[1] < self.width and self._board_state[index] == Board.BLANK

    def get_blank_spaces(self) -> list[Place]:
        return [
            (row, column)
            for column in range(self.width)
            for row in range(self.height)
            if self._board_state[row + column * self.height] == Board.BLANK
        ]

    def get_player_location(self, player: Any) -> Place | None:
        if player == self._player_1:
            at = self._board_state[-1]
        elif player == self._player_2:
            at = self._board_state[-2]
        else:
            raise RuntimeError("unknown player")
        return None if at is None else (at % self.height, at // self.height)

    def get_legal_moves(self, player: Any = None) -> list[Place]:
        return self.__get_moves(self.get_player_location(self.active_player if player is None else player))

    def apply_move(self, move: Place) -> None:
        mover = int(self.active_player == self._player_2)
        at = move[0] + move[1] * self.height
        last = self._board_state[-1 - mover]
        if last is not None:
            self._board_state[last] = 1
        self._board_state[at] = 1
        self._board_state[-1 - mover] = at
        self._board_state[-3] ^= 1
        self._active_player, self._inactive_player = self._inactive_player, self._active_player
        self.move_count += 1

    def is_winner(self, player: Any) -> bool:
        return player == self._inactive_player and not self.get_legal_moves(self._active_player)

    def is_loser(self, player: Any) -> bool:
        return player == self._active_player and not self.get_legal_moves(self._active_player)

    def utility(self, player: Any) -> float:
        if not self.get_legal_moves(self._active_player):
            if player == self._inactive_player:
                return float("inf")
            if player == self._active_player:
                return float("-inf")
        return 0.0

    def __get_moves(self, location: Place | None) -> list[Place]:
        if location is None:
            return self.get_blank_spaces()
        row, column = location
        moves = [(row + down, column + right) for down, right in JUMPS]
        return [move for move in moves if self.move_is_legal(move)]

    def to_string(self, symbols: tuple[str, str] | list[str] = ("1", "2")) -> str:
        margin = len(str(self.height - 1)) + 1
        text = " " * (margin + 3) + "   ".join(str(column) for column in range(self.width)) + "\n\r"
        for row in range(self.height):
            text += str(row).ljust(margin) + " | "
            for column in range(self.width):
                index = row + column * self.height
                if self._board_state[index] == 0:
                    cell = " "
                elif self._board_state[-1] == index:
                    cell = symbols[0]
                elif self._board_state[-2] == index:
                    cell = symbols[1]
                else:
                    cell = "-"
                text += cell + " | "
            text += "\n\r"
        return text


class EarlyBoard(Board):
    """A board with the private names of early generation 1, over the same state."""

    @property
    def __player_1__(self) -> Any:
        return self._player_1

    @property
    def __player_2__(self) -> Any:
        return self._player_2

    @property
    def __active_player__(self) -> Any:
        return self._active_player

    @__active_player__.setter
    def __active_player__(self, player: Any) -> None:
        self._active_player = player

    @property
    def __inactive_player__(self) -> Any:
        return self._inactive_player

    @__inactive_player__.setter
    def __inactive_player__(self, player: Any) -> None:
        self._inactive_player = player

    @property
    def __board_state__(self) -> list[list[int]]:
        return [[self._board_state[r + c * self.height] for c in range(self.width)] for r in range(self.height)]

    @property
    def __last_player_move__(self) -> dict[Any, Place | None]:
        return {player: self.get_player_location(player) for player in (self._player_1, self._player_2)}

    @property
    def __player_symbols__(self) -> dict[Any, int]:
        return {0: 0, self._player_1: 1, self._player_2: 2}

    def __get_moves__(self, location: Place | None) -> list[Place]:
        moves: list[Place] = self._Board__get_moves(location)  # type: ignore[attr-defined]
        return moves


def improved_score(game: Any, player: Any) -> float:
    """Return AIND's sample score: the player's moves minus the opponent's."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    return float(len(game.get_legal_moves(player)) - len(game.get_legal_moves(game.get_opponent(player))))
