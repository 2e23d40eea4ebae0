"""The book: who wins the early positions of a board, so that nobody has to wait for a search.

Early in the game the colour rule nearly always holds: the attacker wins. So a book is a list of exceptions. It covers
every position, up to symmetry, to some ply. A position that is not on the list follows the rule.
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
_WITHOUT_CHECKSUM = 1  # the format of version 0.1


@dataclass(frozen=True)
class Book:
    """The winner of every position of a board from ply 2 to ``plies``."""

    geometry: Geometry
    plies: int
    counts: tuple[int, ...]
    """The number of positions at each ply from 2, up to symmetry."""
    exceptions: tuple[str, ...]
    """The positions that the defender wins, as sorted texts of their canonical forms."""

    def wins(self, position: Position) -> bool | None:
        """Return whether the player to move wins; None if the book does not cover the position.

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
        """Return the content of the book's file."""
        head = {"format": FORMAT, "board": str(self.geometry), "plies": self.plies, "counts": list(self.counts)}
        head |= {"exceptions": len(self.exceptions)}
        body = "\n".join(self.exceptions)
        digest = hashlib.sha256(f"{json.dumps(head)}\n{body}".encode()).hexdigest()
        return "\n".join((json.dumps({**head, "sha256": digest}), *self.exceptions)) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Book:
        """Return the book with this file content; raise :class:`SolverError` or :class:`FenError` if it is invalid."""
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
    """Return whether a position can be reached from the empty board. Some positions that can be set up cannot.

    This tries all ways to take back the moves, which is fast for the small number of moves in a book.
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
    """Return every position after ``ply`` moves with both knights placed, up to symmetry, in order."""
    current = {Position.start(geometry)}
    for _ in range(ply):
        current = {position.play(square).canonical() for position in current for square in position.legal_moves()}
    return sorted(current, key=Position.fen)


def verdicts(positions: Iterable[Position], solver: Solver) -> Iterator[bool]:
    """Yield for each position whether the player to move wins, by search."""
    for position in positions:
        won = solver.verdict(position)
        assert won is not None  # there is no budget
        yield won


def make_book(geometry: Geometry, last: list[Position], won: list[bool]) -> Book:
    """Return the book whose last ply has the positions ``last`` with the results ``won``. Derive the earlier plies."""
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
    """Write a book, completely or not at all."""
    write_whole(path, book.to_text().encode())


def read_book(path: Path) -> Book:
    """Return the book in a file."""
    return Book.from_text(path.read_text(encoding="utf-8"))


@cache
def book_of(geometry: Geometry) -> Book | None:
    """Return the book for a board that is included in the package; None if there is none."""
    file = files("knightfall.data").joinpath(f"book_{geometry}.txt")
    return Book.from_text(file.read_text(encoding="utf-8")) if file.is_file() else None
