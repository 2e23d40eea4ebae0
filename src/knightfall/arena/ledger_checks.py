"""Check the rows of one experiment against each other: plan, pairs and games. Each problem is one line.

All checks run whenever an experiment is read: replaying a game takes only a few microseconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from knightfall.arena.ledger_rows import Experiment, PairRow, shown
from knightfall.arena.plan import Plan
from knightfall.arena.play import GameRow
from knightfall.arena.referee import SCORES
from knightfall.native.seeds import key_of
from knightfall.rules import Geometry, KnightfallError, Position
from knightfall.rules.formatting import plural

_LARGEST_COUNT = 2**63 - 1


def plan_of(experiment: Experiment, pairs: Sequence[PairRow]) -> Plan:
    """Return the plan of an experiment.

    If the texts of an opening differ between pairs, the text that matches the pairs' ids is used.
    """
    plan = Plan.from_configuration(experiment.configuration, ())
    openings: dict[int, str] = {}
    for pair in pairs:
        if pair.opening_number not in openings and pair.id == plan.pair_id(pair.matchup, pair.opening):
            openings[pair.opening_number] = pair.opening
    for pair in pairs:
        openings.setdefault(pair.opening_number, pair.opening)
    return replace(plan, openings=tuple(openings[at] for at in sorted(openings)))


def pair_problems(
    experiment: Experiment, plan: Plan, pairs: Sequence[PairRow], *, damaged: Collection[object] = ()
) -> Iterator[str]:
    """Compare the pairs with the plan: missing pairs, ids, players, openings and states.

    Pairs whose rows are ``damaged`` are not reported as missing.
    """
    place = experiment.id
    matchups, count = plan.matchups, int(experiment.configuration["openings"])
    expected = len(matchups) * count
    ids = {pair.number: plan.pair_id(pair.matchup, pair.opening) for pair in pairs}
    is_other_seed = bool(pairs) and all(pair.id != ids[pair.number] for pair in pairs)
    if is_other_seed:
        yield f"experiment {place}: no pair's id fits the seed {plan.seed}"
    known = {*ids, *damaged}
    missing = expected - sum(isinstance(number, int) and 0 <= number < expected for number in known)
    if missing:
        first = next(number for number in range(expected) if number not in known)
        more = f"; {missing:,} of {plural(expected, 'pair')} are missing" if missing > 1 else ""
        yield f"pair {place}/{first}: it is missing{more}"
    for pair in pairs:
        name = f"pair {place}/{pair.number}"
        if pair.number >= expected:
            yield f"{name}: the plan has only the pairs 0 to {expected - 1}"
            continue
        at, which = divmod(pair.number, len(matchups))
        matchup = matchups[which]
        if pair.matchup != matchup:
            told = f"{shown(pair.matchup.candidate)} against {shown(pair.matchup.opponent)}"
            yield f"{name}: {told}; {shown(matchup.candidate)} against {shown(matchup.opponent)} expected"
        elif pair.opening_number != at:
            yield f"{name}: its opening has the number {pair.opening_number}; {at} expected"
        elif at < len(plan.openings) and pair.opening != plan.openings[at]:
            yield f"{name}: its opening is {shown(pair.opening)}; {plan.openings[at]} expected"
        elif pair.id != ids[pair.number] and not is_other_seed:
            yield f"{name}: its id {shown(pair.id)} does not fit its players, its opening and the seed"
        if pair.state == "not needed" and plan.sprt is None:
            yield f"{name}: it is not needed, but there is no sequential test"
        if pair.state == "planned" and experiment.ended is not None:
            yield f"{name}: it is still planned, but the experiment is finished"
    yield from _opening_problems(experiment, plan)


def _opening_problems(experiment: Experiment, plan: Plan) -> Iterator[str]:
    for at, text in enumerate(plan.openings):
        try:
            position = _position(text)
        except KnightfallError as error:
            yield f"experiment {experiment.id}: opening {at}: {error}"
            continue
        if str(position.geometry) != plan.board:
            yield f"experiment {experiment.id}: opening {at}: {text} is not on {plan.board}"
        elif position.is_over:
            yield f"experiment {experiment.id}: opening {at}: the game is over in {text}"
    key = f"{key_of('openings', *plan.openings):016x}"
    if key != experiment.configuration["openings_key"]:
        told = shown(experiment.configuration["openings_key"])
        yield f"experiment {experiment.id}: its openings were changed: their key is {key}, not {told}"


def game_problems(
    experiment: Experiment,
    pairs: Sequence[PairRow],
    games: Iterable[tuple[int, GameRow]],
    *,
    damaged: Collection[tuple[object, object]] = (),
) -> Iterator[str]:
    """Compare the games with their pairs, and replay all moves.

    Games whose rows are ``damaged``, identified by pair and game, are not reported as missing.
    """
    by_number = {pair.number: pair for pair in pairs}
    found: defaultdict[int, dict[int, GameRow]] = defaultdict(dict)
    for number, game in games:
        found[number][game.game] = game
    for number in sorted(set(found) - set(by_number)):
        for game_number in found[number]:
            yield f"game {experiment.id}/{number}/{game_number}: there is no such pair"
    for pair in pairs:
        played = found.get(pair.number, {})
        name = f"{experiment.id}/{pair.number}"
        if pair.state != "done":
            for game_number in played:
                yield f"game {name}/{game_number}: its pair is {pair.state}"
            continue
        sound = True
        for game_number in (1, 2):
            if game_number not in played:
                if (pair.number, game_number) not in damaged:
                    yield f"game {name}/{game_number}: it is missing, but its pair is done"
                sound = False
                continue
            problem = game_problem(pair, played[game_number])
            if problem is not None:
                yield f"game {name}/{game_number}: {problem}"
                sound = False
        if sound:
            wins = sum(game.winner == _candidate_side(pair, game) for game in played.values())
            if pair.score != wins / 2:
                yield f"pair {name}: its score is {pair.score}, but its games give {wins / 2}"


def _candidate_side(pair: PairRow, game: GameRow) -> int:
    """Return whether the candidate is player 1 or 2; it moves first in the first game."""
    mover = _position(pair.opening).to_move
    return mover if game.game == 1 else 3 - mover


def game_problem(pair: PairRow, game: GameRow) -> str | None:
    """Return the first contradiction in a game, for example to its pair or to the rules; None if it is valid."""
    try:
        opening = _position(pair.opening)
    except KnightfallError as error:
        return str(error)
    matchup = pair.matchup
    names = (matchup.candidate, matchup.opponent)
    first, second = names if _candidate_side(pair, game) == 1 else names[::-1]
    if (game.first, game.second) != (first, second):
        told = f"{shown(game.first)} against {shown(game.second)}"
        return f"{told}; {shown(first)} against {shown(second)} expected"
    labels = game.moves.split()
    if " ".join(labels) != game.moves:
        return "its moves are not separated by single spaces"
    # The player to move at the end has lost: it is stuck, or it made no legal move.
    loser = opening.to_move if len(labels) % 2 == 0 else 3 - opening.to_move
    if game.winner != 3 - loser:
        return f"player {game.winner} is the winner, but lost by these moves"
    return _replay_problem(opening, labels, game)


def _replay_problem(opening: Position, labels: Sequence[str], game: GameRow) -> str | None:
    """Replay all moves without creating positions, because there may be millions."""
    geometry = opening.geometry
    squares = _squares(geometry)
    used = opening.used_bits
    here, there = opening.locations if opening.to_move == 1 else opening.locations[::-1]
    for at, label in enumerate(labels, start=1):
        square = squares.get(label)
        if square is None:
            return f"move {at}: no square {shown(label)} on a {geometry} board"
        if used >> square & 1:
            return f"move {at}: illegal move {label}: the square is used"
        if here is not None and square not in geometry.jumps[here]:
            return f"move {at}: illegal move {label}: not a knight's jump from {geometry.label(here)}"
        used |= 1 << square
        here, there = there, square
    moves = range(geometry.size) if here is None else geometry.jumps[here]
    is_stuck = all(used >> square & 1 for square in moves)
    if is_stuck and game.reason != "stuck":
        return f"it ended by {game.reason}, but the loser had no move left"
    if not is_stuck and game.reason == "stuck":
        return "nobody is stuck after these moves"
    scores = np.frombuffer(game.scores, SCORES)
    if len(scores) and int(scores["nodes"].max()) > _LARGEST_COUNT:
        return "a number of nodes is too large to be one"
    return None


@lru_cache(maxsize=64)
def _squares(geometry: Geometry) -> dict[str, int]:
    return {geometry.label(square): square for square in range(geometry.size)}


@lru_cache(maxsize=8_192)
def _position(text: str) -> Position:
    """Return an opening; it is cached, because all matches share the openings.

    A text that is not in the ledger's standard form is an error.
    """
    position = Position.from_fen(text)
    if position.fen() != text:
        raise KnightfallError(f"the opening {shown(text)} is not written as the ledger writes it: {position.fen()}")
    return position


def one_line(problems: Iterable[str], experiment: int) -> str | None:
    """Return the first problem and the number of the others; None if there is none."""
    found = list(problems)
    if not found:
        return None
    more = f", and {plural(len(found) - 1, 'more problem')}" if len(found) > 1 else ""
    return f"{found[0]}{more}; `knightfall experiments verify {experiment}` checks everything"
