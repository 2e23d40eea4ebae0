"""The work of `knightfall book`: build, check and inspect a book of early positions."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import typer

from knightfall.cli.common import prose
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Column, Page, table
from knightfall.cli.live import Ticker
from knightfall.cli.options import BOOK_SAMPLE, DEFAULT_BOARD
from knightfall.cli.run.board import draw
from knightfall.cli.run.inputs import read_file, read_given_position
from knightfall.cli.run.outputs import check_outputs
from knightfall.cli.run.scores import labels, side
from knightfall.lab.book import build_book, check_book
from knightfall.native.solve.book import Book, book_of, write_book
from knightfall.rules import Geometry, KnightfallError, Position
from knightfall.rules.formatting import plural

SHOWN = 10  # maximum number of mistakes to print in full


def build(output: Path, board: str | None, plies: int, workers: int | None, json: bool) -> None:
    """Run `knightfall book build`."""
    geometry = _geometry(board)
    check_outputs(output)
    count = _Count(f"listing the positions after {plural(plies, 'move')}")
    with Ticker(count.words):
        made = build_book(geometry, plies, _workers(workers), count.tell)
    write_book(made, output)
    if json:
        print_json("book", {**_facts(made), "file": str(output), "seconds": round(count.seconds, 6)})
        return
    _tell(made)
    print(f"written to {output} in {count.seconds:.1f} s")


def verify(
    board: str | None,
    file: Path | None,
    sample: int | None,
    everything: bool,
    seed: int,
    workers: int | None,
    json: bool,
) -> None:
    """Run `knightfall book verify`."""
    if everything and sample is not None:
        raise KnightfallError("--all and --sample exclude each other")
    book = _book(board, file)
    count = _Count("getting ready")
    with Ticker(count.words):
        found = check_book(book, None if everything else sample or BOOK_SAMPLE, seed, _workers(workers), count.tell)
    wrong = [(position.fen(), _winner(position, not book.wins(position))) for position in found.wrong]
    if json:
        print_json(
            "book-check",
            {
                "board": str(book.geometry),
                "plies": book.plies,
                "solved": found.solved,
                "agree": found.solved - len(wrong),
                "wrong": [{"fen": fen, "winner": winner} for fen, winner in wrong],
                "faults": list(found.faults),
                "seconds": round(count.seconds, 6),
            },
        )
    else:
        for fen, winner in wrong[:SHOWN]:
            print(f"wrong: {fen}: the book says that {side(3 - winner)} wins, but {side(winner)} does")
        if len(wrong) > SHOWN:
            print(f"and {len(wrong) - SHOWN:,} more")
        for fault in found.faults[:SHOWN]:
            print(f"fault: {fault}")
        what = "every position" if everything else "a sample"
        agree = f"{found.solved - len(wrong):,} of {found.solved:,} agree, {count.seconds:.1f} s"
        print(prose(f"{book.geometry}, to ply {book.plies}: {what} solved again, {agree}"))
    if wrong or found.faults:
        sys.stdout.flush()
        raise typer.Exit(1)


def show(
    position_text: str | None, fen: str | None, board: str | None, file: Path | None, ascii: bool, json: bool
) -> None:
    """Run `knightfall book show`."""
    if position_text is None and fen is None:
        book = _book(board, file)
        if json:
            print_json("book", _facts(book))
        else:
            _tell(book)
        return
    position = read_given_position(position_text, fen, board)
    book = _book(str(position.geometry) if file is None else None, file)
    if book.geometry != position.geometry:
        raise KnightfallError(f"the book is for {book.geometry} boards, not for {position.geometry}")
    if json:
        print_json("book-position", _position_facts(book, position))
    else:
        _tell_position(book, position, ascii)


class _Count:
    """The number of solved positions, and the time so far."""

    def __init__(self, first: str) -> None:
        self._first = first
        self._began = time.perf_counter()
        self._done = (0, 0)

    def tell(self, done: int, total: int) -> None:
        self._done = (done, total)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def words(self) -> str:
        done, total = self._done
        if not total:
            return f"{self._first}, {self.seconds:.1f} s"
        return f"{done:,} of {plural(total, 'position')} solved, {self.seconds:.1f} s"


def _geometry(board: str | None) -> Geometry:
    return Geometry.parse(DEFAULT_BOARD if board is None else board)


def _workers(given: int | None) -> int:
    return given or os.cpu_count() or 1


def _book(board: str | None, file: Path | None) -> Book:
    """Return the book from a file, or the shipped one for a board."""
    if file is None:
        geometry = _geometry(board)
        book = book_of(geometry)
        if book is None:
            raise KnightfallError(f"no book for {geometry} comes with the package; knightfall book build makes one")
        return book
    text = read_file(file)
    if not text.strip():
        raise KnightfallError(f"{file}: this is no book: it is empty")
    try:
        book = Book.from_text(text)
    except KnightfallError as error:
        raise KnightfallError(f"{file}: {error}") from None
    if len(book.counts) != book.plies - 1:
        raise KnightfallError(f"{file}: this is no book: it does not count the positions of every ply from 2 on")
    if board is not None and _geometry(board) != book.geometry:
        raise KnightfallError(f"{file}: the book is for {book.geometry} boards, not for {board}")
    return book


def _winner(position: Position, wins: bool) -> int:
    return position.to_move if wins else 3 - position.to_move


def _by_ply(book: Book) -> list[dict[str, int]]:
    """Return for each ply the number of positions, and the number of exceptions among them."""
    exceptions = [Position.from_fen(fen).ply for fen in book.exceptions]
    return [
        {"ply": ply, "positions": count, "exceptions": exceptions.count(ply)}
        for ply, count in enumerate(book.counts, start=2)
    ]


def _facts(book: Book) -> dict[str, Any]:
    return {
        "board": str(book.geometry),
        "plies": book.plies,
        "positions": sum(book.counts),
        "exceptions": len(book.exceptions),
        "by_ply": _by_ply(book),
    }


def _tell(book: Book) -> None:
    positions = plural(sum(book.counts), "position")
    words = f"book for {book.geometry}, to ply {book.plies}: who wins {positions}, up to symmetry"
    print(prose(words))
    rows = [(row, row["exceptions"] / row["positions"] if row["positions"] else 0.0) for row in _by_ply(book)]
    page = Page.of(sys.stdout)
    if page is not None:
        heads = ("ply", "positions", "exceptions to the colour rule", "share")
        told = [[str(r["ply"]), f"{r['positions']:,}", f"{r['exceptions']:,}", f"{share:.2%}"] for r, share in rows]
        print("\n".join(table(page, [Column(head, right=True) for head in heads], told)))
        return
    print(f"{'ply':>3} {'positions':>10} {'exceptions to the colour rule':>31}")
    for row, share in rows:
        print(f"{row['ply']:3} {row['positions']:10,} {row['exceptions']:23,} {share:7.2%}")


def _moves(book: Book, position: Position) -> dict[int, bool | None]:
    """Return for each move whether it wins, or None if the book does not say."""
    found = {}
    for square in position.legal_moves():
        reply = book.wins(position.play(square))
        found[square] = None if reply is None else not reply
    return found


def _position_facts(book: Book, position: Position) -> dict[str, Any]:
    wins = book.wins(position)
    label = position.geometry.label
    return {
        "fen": position.fen(),
        "board": str(position.geometry),
        "plies": book.plies,
        "winner": None if wins is None else _winner(position, wins),
        "follows_colour_rule": _follows_rule(position, wins),
        "moves": [{"move": label(square), "wins": won} for square, won in _moves(book, position).items()],
    }


def _follows_rule(position: Position, wins: bool | None) -> bool | None:
    """Return whether the attacker wins.

    The result is None if the winner is unknown, or before placement, when there is no attacker.
    """
    if wins is None or position.attacker is None:
        return None
    return _winner(position, wins) == position.attacker


def _tell_position(book: Book, position: Position, ascii: bool) -> None:
    moves = _moves(book, position)
    marks = {square: "+" if won else "-" for square, won in moves.items() if won is not None}
    print(draw(position, ascii, marks=marks))
    wins = book.wins(position)
    if wins is None:
        reason = f"this is ply {position.ply}, and it ends at ply {book.plies}"
        if position.ply <= book.plies:
            reason = "squares are used that no knight of this game has stood on"
        print(prose(f"the book says nothing: {reason}; knightfall solve finds out who wins"))
        return
    rule = {True: ", as the colour rule says", False: ", an exception to the colour rule", None: ""}
    print(f"{side(_winner(position, wins))} wins{rule[_follows_rule(position, wins)]}")
    for sign, verb, value in (("+", "win", True), ("-", "lose", False)):
        squares = [square for square, won in moves.items() if won is value]
        if len(squares) == len(moves) > 8:
            print(f"{sign} {verb}: all {len(squares)}")
        elif squares:
            print(prose(f"{sign} {verb}: {labels(position.geometry, squares)}"))
    if None in moves.values():
        print(f"which moves win is not in the book: it ends at ply {book.plies}")
