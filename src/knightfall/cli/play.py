"""`knightfall play`: a game in the terminal."""

from __future__ import annotations

import datetime
import errno
import os
import random
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knightfall.cli.common import (
    AsciiOption,
    BoardOption,
    FenOption,
    JsonOption,
    draw,
    read_file,
    read_position,
    write_file,
)

if TYPE_CHECKING:
    from knightfall.rules import Game, Position

PLAYERS = ("human", "random")
HELP = """\
d4         go to that square          moves      list the squares you can go to
undo       take your last move back   resign     give the game up
save FILE  write the game to a file   quit       stop, without an end to the game"""

Picker = Callable[["Position"], int]


def play(
    first: Annotated[str | None, typer.Option("--first", metavar="PLAYER", help="human (default) or random.")] = None,
    second: Annotated[str | None, typer.Option("--second", metavar="PLAYER", help="human or random (default).")] = None,
    fen: FenOption = None,
    board: BoardOption = None,
    load: Annotated[
        Path | None, typer.Option("--load", metavar="FILE", help="Go on with a saved game (text or JSON).")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Save the game when it stops; .json for JSON.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Makes random moves repeatable.")] = None,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Play a game in the terminal."""
    if save is not None and not save.resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(save.parent))
    game = _prepare(first, second, fen, board, load, seed)
    table = _Table(game, save, ascii, quiet=json)
    try:
        table.run()
    except KeyboardInterrupt:
        table.say("")
        table.stop()
        raise
    table.stop()
    if json:
        print(table.game.to_json(indent=2))


def _prepare(
    first: str | None, second: str | None, fen: str | None, board: str | None, load: Path | None, seed: int | None
) -> Game:
    """The game as it stands before the first prompt."""
    from knightfall.rules import Game, KnightfallError

    if load is None:
        game = Game(read_position(fen, board), players=(first or "human", second or "random"), seed=seed)
        game = replace(game, date=datetime.date.today())
    else:
        if fen is not None or board is not None:
            raise KnightfallError("--load goes without --fen and --board: the saved game has its own board")
        game = _read_game(load)
        players = (first or game.players[0], second or game.players[1])
        game = replace(game, players=players, seed=game.seed if seed is None else seed)
    for option, player in zip(("--first", "--second"), game.players, strict=True):
        if player not in PLAYERS:
            raise KnightfallError(f"{option}: unknown player {player!r}; one of {', '.join(PLAYERS)} is expected")
    return game


def _read_game(path: Path) -> Game:
    from knightfall.rules import Game, GameError

    text = read_file(path)
    try:
        return Game.from_json(text) if text.lstrip().startswith("{") else Game.from_text(text)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None


class _Table:
    """Where a game is played: it shows the board, asks the players and keeps the record."""

    def __init__(self, game: Game, save: Path | None, ascii: bool, quiet: bool) -> None:
        self.game = game
        self.save = save
        self.ascii = ascii
        # With --json, standard output is for the result alone.
        self.out = sys.stderr if quiet else sys.stdout
        self.random = random.Random(game.seed)
        self.has_human = "human" in game.players
        # A saved game goes on with the random numbers it would have gone on with.
        if game.seed is not None:
            for position, _ in zip(game.positions(), game.moves, strict=False):
                if game.players[position.to_move - 1] == "random":
                    self.random.choice(position.legal_moves())

    def say(self, text: str) -> None:
        print(text, file=self.out, flush=True)

    def show(self) -> None:
        final = self.game.final
        mover = self.game.players[final.to_move - 1]
        # Before placement every empty square is legal: marking them all would say nothing.
        dots = final.legal_moves() if mover == "human" and None not in final.locations else ()
        last = self.game.moves[-1] if self.game.moves else None
        self.say(draw(final, self.ascii, stream=self.out, last_move=last, dots=dots))

    def run(self) -> None:
        """Play until the game is over or a human leaves."""
        if self.has_human:
            self.say(HELP)
            self.show()
        while self.game.outcome is None:
            position = self.game.final
            if self.game.players[position.to_move - 1] == "random":
                self.move(self.random.choice(position.legal_moves()))
            elif not self.ask(position):
                return

    def move(self, square: int, seconds: float | None = None) -> None:
        from knightfall.rules import MoveData

        player = self.game.final.to_move
        self.game = self.game.play(square, MoveData(seconds=seconds))
        if self.has_human:
            self.say(f"\n{_name(player)} ({self.game.players[player - 1]}) plays {self.label(square)}")
            self.show()

    def label(self, square: int) -> str:
        return self.game.opening.geometry.label(square)

    def ask(self, position: Position) -> bool:
        """One answer of a human; False when it leaves the game."""
        from knightfall.rules import KnightfallError

        began = time.perf_counter()
        print(f"{_name(position.to_move)} to move> ", end="", file=self.out, flush=True)
        line = sys.stdin.readline()
        if not line:
            self.say("")
            return False
        words = line.split()
        if not words:
            return True
        verb, rest = words[0].lower(), words[1:]
        try:
            if verb in ("quit", "exit", "q") and not rest:
                return False
            if verb in ("help", "?", "h"):
                self.say(HELP)
            elif verb == "moves" and not rest:
                self.say(" ".join(self.label(square) for square in position.legal_moves()))
            elif verb == "undo" and not rest:
                self.undo()
            elif verb == "resign" and not rest:
                self.game = self.game.ended(3 - position.to_move, "resign")
            elif verb == "save":
                self.write(Path(line.split(maxsplit=1)[1].strip()) if rest else self.save)
            elif not rest:
                square = position.geometry.parse_label(verb)
                self.move(square, round(time.perf_counter() - began, 3))
            else:
                raise KnightfallError(f"{line.strip()!r} is not understood; help lists what is")
        except KnightfallError as error:
            self.say(str(error))
        except OSError as error:
            self.say(f"not saved: {error.filename}: {error.strerror}")
        return True

    def undo(self) -> None:
        """Take back to the last position in which the player who asks was to move."""
        from knightfall.rules import KnightfallError

        movers = [position.to_move for position in self.game.positions()]
        asking = movers.pop()
        if "random" not in self.game.players:
            count = 1 if movers else 0
        else:
            count = next((back for back in range(1, len(movers) + 1) if movers[-back] == asking), 0)
        if count == 0:
            raise KnightfallError("there is no move of yours to take back")
        self.game = self.game.take_back(count)
        self.show()

    def write(self, path: Path | None) -> None:
        from knightfall.rules import KnightfallError

        if path is None:
            raise KnightfallError("save needs the name of a file")
        json = path.suffix.lower() == ".json"
        write_file(path, self.game.to_json(indent=2) + "\n" if json else self.game.to_text())
        self.say(f"saved to {path}")

    def stop(self) -> None:
        """Say how it ended, and how to go on if it did not."""
        from knightfall.rules.gametext import round_lines

        outcome = self.game.outcome
        if not self.has_human:
            for line in round_lines(self.game):
                self.say(line)
            self.show()
        if self.save is not None:
            self.write(self.save)
        if outcome is not None and outcome.winner is not None:
            loser = _name(3 - outcome.winner)
            how = f"{loser} is stuck" if outcome.reason == "stuck" else f"{outcome.reason} of the {loser} player"
            self.say(f"{_name(outcome.winner)} wins after {len(self.game.moves)} moves: {how}")
        else:
            where = ["--load", str(self.save)] if self.save else ["--fen", self.game.final.fen()]
            players = [] if self.save else ["--first", self.game.players[0], "--second", self.game.players[1]]
            self.say(f"to go on: {shlex.join(['knightfall', 'play', *players, *where])}")


def _name(player: int) -> str:
    return ("first", "second")[player - 1]
