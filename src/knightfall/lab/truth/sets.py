"""Truth sets: positions with the exact value of every move, from several kinds of play.

In most positions of this game the winner does not depend on the move, so these positions say nothing about a
heuristic. **Critical** positions matter: at least one move wins and at least one loses. Ordinary play finds some by
luck, more of them late than early. Directed search finds the others: early ones right before the exceptions to the
colour rule that the book knows, later ones near other critical positions, where the game is balanced.
"""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent
from knightfall.native.seeds import key_of
from knightfall.native.solve.book import book_of
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, KnightfallError, Position
from knightfall.rules.files import file_path

KINDS = ("random", "weak", "strong", "perfect", "directed")
PLAYERS = {"weak": "alphabeta(improved, nodes=30)", "strong": "alphabeta(contested_reach, nodes=1000)"}
SHIPPED = ("7x7", "8x8", "9x7")
"""Boards with a truth set in the package."""

_MEMORY = 2**27
_MOVE = re.compile(r"(?P<label>[a-z]+[0-9]+)(?:(?P<sign>[+-])(?P<plies>[0-9]+))?")
_DISTANCES = 30  # maximum number of empty squares in positions with distances
_LEAST_EMPTY = 4
_NOISE = 0.15  # share of random moves in games between agents, which would otherwise repeat the same few games
_TRIES = 60
_PERFECT_FROM = 38  # maximum number of empty squares for perfect moves
BATCH = 25
"""Positions per task."""


class TruthError(KnightfallError):
    """A truth set that cannot be read or built; the message is one line."""


@dataclass(frozen=True)
class TruePosition:
    """A position and its winning moves.

    ``distances`` contains for each move the number of plies until the end of the game, including that move. It is
    empty in positions with so many empty squares that computing it would take too long.
    """

    position: Position
    winning: frozenset[int]
    kind: str
    distances: dict[int, int] = field(default_factory=dict, hash=False)

    @property
    def is_won(self) -> bool:
        """Whether the player to move wins."""
        return bool(self.winning)

    @property
    def is_critical(self) -> bool:
        """Whether the choice of move matters: at least one move wins and at least one loses."""
        return 0 < len(self.winning) < len(self.position.legal_moves())

    def line(self) -> str:
        """Return the position as a line of the file.

        Without distances, the line lists the winning moves. With distances, it lists all moves, each with its
        distance and a plus if it wins or a minus if it loses.
        """
        label = self.position.geometry.label
        if self.distances:
            signs = {square: "+" if square in self.winning else "-" for square in self.distances}
            moves = [f"{label(square)}{signs[square]}{plies}" for square, plies in sorted(self.distances.items())]
        else:
            moves = [label(square) for square in sorted(self.winning)]
        return f"{self.kind} {','.join(moves) or '-'} {self.position.fen()}"

    @classmethod
    def read(cls, line: str) -> TruePosition:
        """Parse a line of the file.

        Raise an error if the line is invalid.
        """
        kind, moves, fen = line.split(maxsplit=2)
        position = Position.from_fen(fen)
        winning, distances = set(), {}
        for text in [] if moves == "-" else moves.split(","):
            found = _MOVE.fullmatch(text)
            if found is None:
                raise TruthError(f"this is no move of a truth set: {text!r:.20}")
            square = position.geometry.parse_label(found["label"])
            if found["sign"] != "-":
                winning.add(square)
            if found["plies"]:
                distances[square] = int(found["plies"])
        legal = set(position.legal_moves())
        # The player who makes the last move wins, so after a winning move an even number of moves remains.
        agrees = all((plies % 2 == 1) == (square in winning) for square, plies in distances.items())
        if kind not in KINDS or not winning <= legal or not agrees or (distances and distances.keys() != legal):
            raise TruthError(f"this is no line of a truth set: {line!r:.80}")
        return cls(position, frozenset(winning), kind, distances)

    @property
    def is_for_tuning(self) -> bool:
        """Whether the position is in the half for tuning.

        The other half is for judging the tuned settings. Symmetric images of a position are in the same half.
        """
        return key_of("half", self.position.canonical().fen()) % 2 == 0


# --- building


class TruthTask(NamedTuple):
    """A number of positions of one kind to find, from one seed."""

    number: int
    kind: str
    seed: int
    size: int = BATCH


class TruthLines(NamedTuple):
    """The results of a task: lines of the file."""

    number: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class TruthJob:
    """The job of finding and solving positions of a board with at most ``most_empty`` empty squares."""

    board: str
    most_empty: int

    def ready(self) -> Callable[[TruthTask], TruthLines]:
        """Return the function that performs one task."""
        geometry = Geometry.parse(self.board)
        load_code(geometry)
        finder = Finder(geometry, self.most_empty)
        return partial(_perform, finder)

    def check(self) -> None:
        """Do nothing: positions are exact whichever worker finds them."""

    def is_foreign(self, task: TruthTask) -> bool:
        """Return False: no user's function runs here."""
        return False


def _perform(finder: Finder, task: TruthTask) -> TruthLines:
    found = finder.find(task.kind, task.seed, task.size)
    return TruthLines(task.number, tuple(entry.line() for entry in found))


@dataclass
class Finder:
    """Finds positions on one board. The result depends only on the kind and the seed."""

    geometry: Geometry
    most_empty: int
    agents: dict[str, Agent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.solver = Solver(self.geometry, memory=_MEMORY)
        self.agents = {kind: agent(text) for kind, text in PLAYERS.items()}

    def find(self, kind: str, seed: int, count: int) -> list[TruePosition]:
        """Return ``count`` positions of a kind."""
        generator = random.Random(key_of("truth", self.geometry, kind, seed))
        source = self._directed(generator) if kind == "directed" else self._from_games(kind, generator)
        found: dict[Position, TruePosition] = {}
        for entry in source:
            found.setdefault(entry.position, entry)
            if len(found) == count:
                break
        return [self.with_distances(entry) for entry in found.values()]

    def with_distances(self, entry: TruePosition) -> TruePosition:
        """Return the same entry with distances if they are cheap to compute."""
        if self._empty(entry.position) > _DISTANCES:
            return entry
        after = {square: entry.position.play(square) for square in entry.position.legal_moves()}
        lengths = {square: 0 if child.is_over else self.solver.distance(child) for square, child in after.items()}
        return replace(entry, distances={square: 1 + plies for square, plies in lengths.items() if plies is not None})

    def _empty(self, position: Position) -> int:
        return self.geometry.size - position.ply

    def _fits(self, position: Position) -> bool:
        return _LEAST_EMPTY <= self._empty(position) <= self.most_empty and not position.is_over

    def solved(self, position: Position, kind: str) -> TruePosition:
        """Return a position with its winning moves."""
        moves = self.solver.solve(position).moves
        return TruePosition(position, frozenset(square for square, wins in moves.items() if wins), kind)

    def _from_games(self, kind: str, generator: random.Random) -> Iterator[TruePosition]:
        """Yield two positions of each game, at random plies."""
        while True:
            passed = [p for p in self._game(kind, generator) if self._fits(p)]
            for position in generator.sample(passed, min(2, len(passed))):
                yield self.solved(position, kind)

    def _game(self, kind: str, generator: random.Random) -> list[Position]:
        position = Position.start(self.geometry)
        passed = []
        while not position.is_over:
            passed.append(position)
            position = position.play(self._move(kind, position, generator))
        return passed

    def _move(self, kind: str, position: Position, generator: random.Random) -> int:
        moves = position.legal_moves()
        if kind == "random" or position.ply < 2 or generator.random() < _NOISE:
            return generator.choice(moves)
        if kind in self.agents:
            return self.agents[kind].with_seed(generator.getrandbits(32)).choose(position).square
        if self._empty(position) > min(self.most_empty, _PERFECT_FROM):  # too early to solve quickly
            return generator.choice(moves)
        told = self.solved(position, kind)
        return generator.choice(sorted(told.winning) or list(moves))

    # --- directed search

    def _directed(self, generator: random.Random) -> Iterator[TruePosition]:
        """Yield critical positions only."""
        early = self._before_exceptions()
        while True:
            start = generator.choice(early) if early and generator.random() < 0.5 else None
            if start is not None and self._empty(start) <= self.most_empty:
                told = self.solved(start, "directed")
                if told.is_critical:
                    yield told
                position: Position = start
            else:
                passed = [p for p in self._game("random", generator) if self._fits(p)]
                if not passed:
                    continue
                position = generator.choice(passed)
            # Other balanced positions are near: walk on with moves that keep the result, and test each position.
            yield from self._walk(position, generator)

    def _walk(self, position: Position, generator: random.Random) -> Iterator[TruePosition]:
        for _ in range(_TRIES):
            if not self._fits(position):
                return
            told = self.solved(position, "directed")
            if told.is_critical and generator.random() < 0.3:
                yield told
            # The losing side prefers moves after which the winner has few winning moves. The winning side keeps the
            # win.
            if told.winning:
                position = position.play(generator.choice(sorted(told.winning)))
            else:
                position = self._hardest(position, generator)

    def _hardest(self, position: Position, generator: random.Random) -> Position:
        children = [position.play(square) for square in position.legal_moves()]
        open_ones = [child for child in children if not child.is_over]
        if not open_ones:
            return children[0]
        chosen = generator.sample(open_ones, min(3, len(open_ones)))
        return min(chosen, key=lambda child: len(self.solved(child, "directed").winning) or 99)

    def _before_exceptions(self) -> list[Position]:
        """Return the positions one move before the exceptions in the book, where the defender wins."""
        book = book_of(self.geometry)
        return [] if book is None else [p for text in book.exceptions for p in before(Position.from_fen(text))]


def before(position: Position) -> list[Position]:
    """Return the positions from which the last move can have led here, if both knights are placed.

    >>> position = Position.from_fen("5/5/2n2/5/N4 w")
    >>> before(position.play(position.geometry.parse_label("b3"))) == [position]
    True
    """
    geometry = position.geometry
    mover = 3 - position.to_move
    here, other = position.locations[mover - 1], position.locations[2 - mover]
    if here is None or other is None or position.ply < 3:
        return []
    found = []
    for square in geometry.jumps[here]:
        if position.used_bits >> square & 1 and square != other:
            used = position.used_bits & ~(1 << here)
            locations = (square, other) if mover == 1 else (other, square)
            found.append(Position(geometry, locations, used, mover))
    return found


def default_most_empty(geometry: Geometry) -> int:
    """Return the maximum number of empty squares with which positions are solved in milliseconds.

    On large boards only late positions qualify.
    """
    return geometry.size - 2 if geometry.size <= 49 else 36


def tasks(positions: int, seed: int, shares: dict[str, float] | None = None) -> list[TruthTask]:
    """Return the tasks that build a set of ``positions`` positions, by default half of them by directed search."""
    parts = shares or {"random": 0.1, "weak": 0.15, "strong": 0.15, "perfect": 0.1, "directed": 0.5}
    found: list[TruthTask] = []
    for kind, share in parts.items():
        left = round(positions * share)
        while left > 0:
            number = len(found)
            found.append(TruthTask(number, kind, key_of("task", seed, kind, left) % 2**32, min(BATCH, left)))
            left -= BATCH
    return found


# --- files


def to_text(entries: Iterable[TruePosition], board: str) -> str:
    """Return a set as text."""
    return "\n".join([f"# knightfall truth 1 {board}", *(entry.line() for entry in entries)]) + "\n"


def read_truth(path: Path) -> list[TruePosition]:
    """Read a set from a file, compressed or not."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    except (gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise TruthError(f"{path}: it is no truth set: {error}") from None
    except OSError as error:
        raise TruthError(f"{path}: {error.strerror or error}") from None
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# knightfall truth 1 "):
        raise TruthError(f"{path}: it is no truth set: its first line is not that of one")
    found = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            found.append(TruePosition.read(line))
        except (KnightfallError, ValueError) as error:
            raise TruthError(f"{path}: line {number}: {error}") from None
    return found


def truth_set(path: Path | None, board: str | None) -> list[TruePosition]:
    """Return a set from a file, or the shipped one if ``path`` is None.

    Raise a :class:`TruthError` if the set is empty or on another board.
    """
    if path is None:
        return list(shipped_truth(str(Geometry.parse(board or SHIPPED[0]))))
    found = read_truth(file_path(path))
    if not found:
        raise TruthError(f"{path}: there is no position in it")
    if board is not None and found[0].position.geometry != Geometry.parse(board):
        raise TruthError(f"{path}: its positions are on {found[0].position.geometry}, not on {board}")
    return found


@cache
def shipped_truth(board: str) -> tuple[TruePosition, ...]:
    """Return the shipped set of a board."""
    if board not in SHIPPED:
        raise TruthError(
            f"no truth set of {board} comes with the package; `knightfall truth build --board {board}` makes one"
        )
    source = files("knightfall.data").joinpath(f"truth_{board}.txt.gz")
    lines = gzip.decompress(source.read_bytes()).decode().splitlines()
    return tuple(TruePosition.read(line) for line in lines[1:])
