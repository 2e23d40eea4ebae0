"""`knightfall play`: a game in the terminal."""

from __future__ import annotations

import datetime
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knightfall.cli.analyze import ANALYST
from knightfall.cli.common import (
    AgentFailure,
    AsciiOption,
    BoardOption,
    FenOption,
    JsonOption,
    read_agent,
    read_file,
    read_position,
    warnings_as_lines,
)
from knightfall.cli.json_output import print_object
from knightfall.cli.outputs import check_outputs
from knightfall.cli.run_files import RunFilesOption, consent

if TYPE_CHECKING:
    from knightfall.agents.agent import Agent
    from knightfall.rules import Game

HUMAN = "human"
OPPONENT = "alphabeta(knightfall, nodes=500)"
"""The default opponent: fast, repeatable, and beatable by a human."""


def play(
    first: Annotated[
        str | None, typer.Option("--first", metavar="AGENT", help="First player: human (default) or any agent.")
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second",
            metavar="AGENT",
            help=f"Second player: human or any agent (default {OPPONENT}; human if --first is an agent).",
        ),
    ] = None,
    fen: FenOption = None,
    board: BoardOption = None,
    load: Annotated[
        Path | None, typer.Option("--load", metavar="FILE", help="Resume a saved game (text or JSON).")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="File for the game, written when it stops; .json for JSON."),
    ] = None,
    analyst: Annotated[
        str, typer.Option("--analyst", metavar="AGENT", help="Agent that answers `hint` and `score`.")
    ] = ANALYST,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, metavar="N", help="Seed of the agents: the same seed gives the same moves."),
    ] = None,
    run_files: RunFilesOption = False,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Play a game in the terminal. Either side is a human or any agent; `knightfall agents` lists them."""
    from knightfall.cli.session import GameSession

    check_outputs(save)
    game = _prepare(first, second, fen, board, load, seed)
    with warnings_as_lines(), consent(run_files):
        game, agents = _seat(game, first, second, load)
        if analyst != ANALYST:
            read_agent(analyst, where="--analyst")  # report errors now, not in the middle of the game
        session = GameSession(game, agents, analyst, save, ascii, quiet=json)
        try:
            session.run()
        except KeyboardInterrupt:
            session.say("")
            session.stop()
            raise
        except AgentFailure:
            session.stop()
            raise
        finally:
            session.close()
        session.stop()
    if json:
        from knightfall.rules.game_json import to_object

        print_object(to_object(session.game))


def _prepare(
    first: str | None, second: str | None, fen: str | None, board: str | None, load: Path | None, seed: int | None
) -> Game:
    """Return the game before the first prompt, with the given strings as players."""
    from knightfall.rules import Game, KnightfallError

    if load is None:
        first = HUMAN if first is None else first
        usual = OPPONENT if first.strip() == HUMAN else HUMAN
        players = (first, usual if second is None else second)
        return Game(read_position(fen, board), players=players, seed=seed, date=datetime.date.today())
    if fen is not None or board is not None:
        raise KnightfallError("--load goes without --fen and --board: the saved game has its own board")
    game = read_saved_game(load)
    players = (game.players[0] if first is None else first, game.players[1] if second is None else second)
    return replace(game, players=players, seed=game.seed if seed is None else seed)


def _seat(
    game: Game, first: str | None, second: str | None, load: Path | None
) -> tuple[Game, tuple[Agent | None, Agent | None]]:
    """Return the game with the names and the seed to save, and the agents, None for a human."""
    if game.outcome is not None or all(text.strip() == HUMAN for text in game.players):
        return game, (None, None)  # a finished game is only shown, so its players are not needed
    from secrets import randbelow

    from knightfall.catalogue.consent import named_by
    from knightfall.native.seeds import key_of

    seed = randbelow(2**32) if game.seed is None else game.seed
    seated: list[Agent | None] = []
    for player, (text, given) in enumerate(zip(game.players, (first, second), strict=True), start=1):
        where = f"--{('first', 'second')[player - 1]}" if load is None or given is not None else str(load)
        # The same key as in kf.play, so that both play the same game.
        with nullcontext() if load is None or given is not None else named_by(f"the saved game {load}"):
            made = read_agent(text, key_of("play", seed, player), where)
        seated.append(None if made.kind == HUMAN else made)
    names = [HUMAN if made is None else str(made) for made in seated]
    return replace(game, players=(names[0], names[1]), seed=seed), (seated[0], seated[1])


def read_saved_game(path: Path) -> Game:
    """Read a game from a file, as text or JSON."""
    from knightfall.rules import Game, GameError

    text = read_file(path)
    try:
        return Game.from_json(text) if text.lstrip().startswith("{") else Game.from_text(text)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None
