"""The book: who wins the early positions of a board, so that no one has to wait for them.

Early in the game the colour rule nearly always holds: the attacker wins. So a book is a list of exceptions. It covers
every position, up to symmetry, down to some ply; one that is not on the list follows the rule.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from knightfall.native.solve.solution import SolverError
from knightfall.native.solve.solver import Solver
from knightfall.rules import FenError, Geometry, KnightfallError, Position
from knightfall.rules.files import write_whole

FORMAT = 2
_WITHOUT_CHECKSUM = 1  # what version 0.1 wrote


@dataclass(frozen=True)
class Book:
    """Who wins every position of a board from ply 2 to ``plies``."""

    geometry: Geometry
    plies: int
    counts: tuple[int, ...]
    """How many positions there are at each ply from 2, up to symmetry."""
    exceptions: tuple[str, ...]
    """The positions that the defender wins: canonical, as text, in order."""

    def wins(self, position: Position) -> bool | None:
        """Whether the player to move wins; None where the book does not say.

        >>> book_of(Geometry(7, 7)).wins(Position.from_fen("7/7/3n3/7/7/2N4/7 w"))
        True
        """
        if position.geometry != self.geometry or not 0 <= position.ply <= self.plies or not comes_from_play(position):
            return None
        if None in position.locations:
            replies = [self.wins(position.play(square)) for square in position.legal_moves()]
            return None if None in replies else not all(replies)
        if position.ply < 2:
            return None
        fen = position.canonical().fen()
        at = bisect_left(self.exceptions, fen)
        is_exception = at < len(self.exceptions) and self.exceptions[at] == fen
        return (position.attacker == position.to_move) != is_exception

    def to_text(self) -> str:
        """The book as a file holds it."""
        head = {"format": FORMAT, "board": str(self.geometry), "plies": self.plies, "counts": list(self.counts)}
        head |= {"exceptions": len(self.exceptions)}
        body = "\n".join(self.exceptions)
        digest = hashlib.sha256(f"{json.dumps(head)}\n{body}".encode()).hexdigest()
        return "\n".join((json.dumps({**head, "sha256": digest}), *self.exceptions)) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Book:
        """The book that a file holds."""
        head, *lines = text.splitlines() or [""]
        try:
            known = json.loads(head)
            if known["format"] not in (FORMAT, _WITHOUT_CHECKSUM):
                raise SolverError(f"the book has format {known['format']!r}; this version reads {FORMAT}")
            if (known["format"] == FORMAT) != ("sha256" in known):
                raise SolverError("the book is damaged: its first line lacks the checksum, or has one too many")
            geometry = Geometry.parse(known["board"])
            for line in lines:
                if Position.from_fen(line).geometry != geometry:
                    raise SolverError(f"the book is for {geometry}, but holds {line}")
            book = cls(geometry, int(known["plies"]), tuple(map(int, known["counts"])), tuple(sorted(lines)))
            if known["format"] == FORMAT and book.to_text() != text:
                raise SolverError("the book is damaged: it does not agree with its own count and checksum")
            return book
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, SolverError | FenError):
                raise
            raise SolverError("this is no book: its first line does not say what it holds") from None


def comes_from_play(position: Position) -> bool:
    """Whether a position can be reached from the empty board: not every one that can be set up can.

    Moves are taken back in every way there is, which is quick for the few moves that a book holds.
    """
    if position.ply == 0:
        return position.to_move == 1
    geometry, player = position.geometry, 3 - position.to_move
    here, other = position.location(player), position.location(position.to_move)
    if here is None:
        return False
    used = position.used_bits & ~(1 << here)
    sources: list[int | None] = [s for s in geometry.jumps[here] if used >> s & 1 and s != other]
    if position.ply <= 2:
        sources.append(None)
    for source in sources:
        locations = (source, other) if player == 1 else (other, source)
        try:
            earlier = Position(geometry, locations, used, player)
        except KnightfallError:
            continue
        if comes_from_play(earlier):
            return True
    return False


def positions_at(geometry: Geometry, ply: int) -> list[Position]:
    """Every position with both knights placed and that many moves made, up to symmetry, in order."""
    current = {Position.start(geometry)}
    for _ in range(ply):
        current = {position.play(square).canonical() for position in current for square in position.legal_moves()}
    return sorted(current, key=Position.fen)


def verdicts(positions: Iterable[Position], solver: Solver) -> Iterator[bool]:
    """Who wins each of these, by search."""
    for position in positions:
        won = solver.verdict(position)
        assert won is not None  # there is no budget
        yield won


def make_book(geometry: Geometry, last: list[Position], won: list[bool]) -> Book:
    """The book whose deepest positions are these, and are won or not. What comes before them follows from them."""
    plies = last[0].ply
    values = {position.fen(): value for position, value in zip(last, won, strict=True)}
    counts = [len(last)]
    found = [p.fen() for p, value in zip(last, won, strict=True) if value != (p.attacker == p.to_move)]
    for ply in range(plies - 1, 1, -1):
        earlier = positions_at(geometry, ply)
        above = {}
        for position in earlier:
            replies = (position.play(square).canonical().fen() for square in position.legal_moves())
            above[position.fen()] = not all(values[fen] for fen in replies)
            if above[position.fen()] != (position.attacker == position.to_move):
                found.append(position.fen())
        values = above
        counts.append(len(earlier))
    return Book(geometry, plies, tuple(reversed(counts)), tuple(sorted(found)))


def write_book(book: Book, path: Path) -> None:
    """Write a book, whole or not at all."""
    write_whole(path, book.to_text().encode())


def read_book(path: Path) -> Book:
    """Read a book."""
    return Book.from_text(path.read_text(encoding="utf-8"))


@cache
def book_of(geometry: Geometry) -> Book | None:
    """The book for a board that comes with the package, if there is one."""
    file = files("knightfall.data").joinpath(f"book_{geometry}.txt")
    return Book.from_text(file.read_text(encoding="utf-8")) if file.is_file() else None
