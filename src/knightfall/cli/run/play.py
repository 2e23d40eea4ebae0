"""The work of `knightfall play`: a game in the terminal."""

from __future__ import annotations

import datetime
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from secrets import randbelow

from knightfall.agents.agent import Agent
from knightfall.agents.analysis import ANALYST
from knightfall.catalogue.consent import named_by
from knightfall.cli.common import AgentFailure, warnings_as_lines
from knightfall.cli.json_output import print_object
from knightfall.cli.options import OPPONENT
from knightfall.cli.run.agent_texts import read_agent
from knightfall.cli.run.consent import consent
from knightfall.cli.run.inputs import read_file, read_position
from knightfall.cli.run.outputs import check_outputs
from knightfall.cli.run.session import GameSession
from knightfall.native.seeds import key_of
from knightfall.rules import Game, GameError, KnightfallError
from knightfall.rules.game_json import to_object

HUMAN = "human"


def play(
    first: str | None,
    second: str | None,
    fen: str | None,
    board: str | None,
    load: Path | None,
    save: Path | None,
    analyst: str,
    seed: int | None,
    run_files: bool,
    ascii: bool,
    json: bool,
) -> None:
    """Run `knightfall play`."""
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
        print_object(to_object(session.game))


def _prepare(
    first: str | None, second: str | None, fen: str | None, board: str | None, load: Path | None, seed: int | None
) -> Game:
    """Return the game before the first prompt, with the given strings as players."""
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
    text = read_file(path)
    try:
        return Game.from_json(text) if text.lstrip().startswith("{") else Game.from_text(text)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None
