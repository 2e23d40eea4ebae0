"""Notable games, and the board on which a page shows them.

The picture is the final position, with the number of its move in every square, so that one board shows the whole
game, also on paper. A page hides the squares that are used after the move in view.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from knightfall.arena.ledger import PairRow
from knightfall.arena.plan import Matchup
from knightfall.arena.play import GameRow
from knightfall.arena.results import Results, game_of
from knightfall.reporting.document import Board
from knightfall.rules import Game, Geometry, MoveData, Position
from knightfall.rules.svg import draw_svg

CELL = 48
MARGIN = 24
SIDES = ("first", "second")


@dataclass(frozen=True)
class Notable:
    """A game, and why it is shown."""

    title: str
    reason: str
    results: Results
    pair: PairRow
    row: GameRow

    @property
    def id(self) -> str:
        """The id of the game in the ledger."""
        return f"{self.results.experiment.id}/{self.pair.number}/{self.row.game}"


def notable(many: Sequence[Results], favourites: Sequence[str]) -> list[Notable]:
    """Return the longest and the shortest game, an upset and a loss to the baseline.

    The last two are games of the favourite of an experiment. They are taken from the first experiment that has such a
    game. No game is returned twice.
    """
    found: list[Notable] = []
    wanted: list[Notable | None] = [_extreme(many, 1), _extreme(many, -1)]
    upsets = (_upset(results, name) for results, name in zip(many, favourites, strict=True))
    wanted.append(next((game for game in upsets if game is not None), None))
    losses = (_critical(results, name) for results, name in zip(many, favourites, strict=True))
    wanted.append(next((game for game in losses if game is not None), None))
    for game in wanted:
        if game is not None and game.id not in {known.id for known in found}:
            found.append(game)
    return found


def _length(row: GameRow) -> int:
    return len(row.moves.split())


def _extreme(many: Sequence[Results], sign: int) -> Notable | None:
    """Return the longest or the shortest of the games that did not end by a fault."""
    best: tuple[int, Results, PairRow, GameRow] | None = None
    for results in many:
        for pair, row in results.rows():
            if row.reason == "stuck" and (best is None or sign * _length(row) > sign * best[0]):
                best = (_length(row), results, pair, row)
    if best is None:
        return None
    length, results, pair, row = best
    what = "longest" if sign > 0 else "shortest"
    used = Position.from_fen(pair.opening).ply + length
    words = f"{length} moves after the opening; {used} of {_size(results)} squares were used."
    return Notable(f"The {what} game", words, results, pair, row)


def _size(results: Results) -> int:
    return Geometry.parse(results.plan.board).size


def _upset(results: Results, favourite: str) -> Notable | None:
    """Return a game that the favourite lost to an opponent whom it beat overall, the weakest such opponent first."""
    rates = {}
    for matchup, match in results.matches.items():
        if matchup.candidate == favourite and match.counts.games_lost and match.counts.score > 0.5:
            rates[matchup.opponent] = match.counts
    for opponent, counts in sorted(rates.items(), key=lambda item: -item[1].score):
        for pair, row in results.rows():
            if pair.matchup == Matchup(favourite, opponent) and _loser(row) == favourite and row.reason == "stuck":
                words = (
                    f"{favourite} won {counts.games_won} of {2 * counts.pairs} games against {opponent}; not this one."
                )
                return Notable("An upset", words, results, pair, row)
    return None


def _critical(results: Results, favourite: str) -> Notable | None:
    """Return a game that the favourite lost to the baseline, preferably of a pair that it lost twice."""
    matchup = results.plan.duel(favourite)
    baseline = results.plan.baseline
    if matchup is None or baseline is None:
        return None
    lost = [(pair, row) for pair, row in results.rows() if pair.matchup == matchup and _loser(row) == favourite]
    lost = [(pair, row) for pair, row in lost if row.reason == "stuck"]
    worst = 0.0 if matchup.candidate == favourite else 1.0
    twice = [(pair, row) for pair, row in lost if pair.score == worst]
    if not lost:
        return None
    pair, row = (twice or lost)[0]
    also = "It lost the other game of this pair as well." if twice else "It won the other game of this pair."
    return Notable("A loss to the baseline", f"{favourite} against {baseline} itself. {also}", results, pair, row)


def _loser(row: GameRow) -> str:
    return row.second if row.winner == 1 else row.first


# --- the board


def board(game: Notable, db: str) -> Board:
    """Return a game as a block of the report."""
    record = game_of(game.row, game.pair.opening)
    mover = record.opening.to_move
    label = record.opening.geometry.label
    data = record.data or tuple(MoveData() for _ in record.moves)
    winner = 0 if record.outcome is None or record.outcome.winner is None else record.outcome.winner
    outcome = f"{SIDES[winner - 1]} ({record.players[winner - 1]}) wins: {SIDES[2 - winner]} {_end(game.row)}"
    return Board(
        game.title,
        game.reason,
        record.players,
        game.pair.opening,
        tuple(label(square) for square in record.moves),
        tuple(_told(known) for known in data),
        mover,
        outcome,
        f"knightfall games {game.id}{db}",
        _drawer(record),
        (*(_place(record.opening, square) for square in record.opening.locations), *_places(record)),
    )


def _end(row: GameRow) -> str:
    return (
        "cannot move" if row.reason == "stuck" else f"lost by {row.reason}{f' ({row.message})' if row.message else ''}"
    )


def _told(data: MoveData) -> str:
    """Return depth, nodes and a proved result of the mover's search."""
    if not data.nodes and not data.depth:
        return ""
    parts = [f"depth {data.depth}", f"{data.nodes:,} nodes"]
    if data.score is not None and math.isinf(data.score):
        parts.append("sees that it wins" if data.score > 0 else "sees that it loses")
    return ", ".join(parts)


def _place(position: Position, square: int | None) -> tuple[int, int] | None:
    if square is None:
        return None
    row, column = position.geometry.coordinates(square)
    return MARGIN + column * CELL, MARGIN + row * CELL


def _places(game: Game) -> list[tuple[int, int] | None]:
    return [_place(game.opening, square) for square in game.moves]


def _drawer(game: Game) -> Callable[[str], str]:
    def draw(prefix: str) -> str:
        return draw_board(game, prefix)

    return draw


def draw_board(game: Game, prefix: str) -> str:
    """Draw the final position. Each used square has the number of its move; squares used by the opening have a dot."""
    opening, final = game.opening, game.final
    geometry = opening.geometry
    width, height = geometry.width * CELL + 2 * MARGIN, geometry.height * CELL + 2 * MARGIN
    ply = dict.fromkeys(opening.used, 0) | {square: at for at, square in enumerate(game.moves, start=1)}
    owner = {square: player for player, square in enumerate(opening.locations, start=1) if square is not None}
    for at, square in enumerate(game.moves):
        owner[square] = opening.to_move if at % 2 == 0 else 3 - opening.to_move
    names = ", ".join(
        f"{side} on {geometry.label(square)}"
        for side, square in zip(SIDES, final.locations, strict=True)
        if square is not None
    )
    title = f"The end of the game on {geometry}: {names}; {final.ply} squares used"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" class="board" role="img" '
        f'aria-labelledby="{prefix}-t"><title id="{prefix}-t">{escape(title)}</title>'
    ]
    for square in range(geometry.size):
        row, column = geometry.coordinates(square)
        x, y = MARGIN + column * CELL, MARGIN + row * CELL
        kind = ("light", "dark")[geometry.colour(square)]
        parts.append(f'<rect class="b-{kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
        if square in ply:
            told = ply[square] or "·"
            parts.append(
                f'<g class="b-used b-by{owner.get(square, 0)}" data-ply="{ply[square]}">'
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>'
                f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 5}">{told}</text></g>'
            )
    for side, stands in zip(SIDES, final.locations, strict=True):
        place = _place(final, stands)
        if place is not None:
            eye = f'<circle class="b-eye-{side}" cx="18" cy="18" r="1.8"/>'
            there = f"translate({place[0]} {place[1]})"
            parts.append(f'<g class="b-knight b-{side}" transform="{there}"><path d="{_knight()}"/>{eye}</g>')
    for column in range(geometry.width):
        x = MARGIN + column * CELL + CELL // 2
        parts.append(f'<text class="b-name" x="{x}" y="{height - 8}">{geometry.column_label(column)}</text>')
    for row in range(geometry.height):
        y = MARGIN + row * CELL + CELL // 2 + 4
        parts.append(f'<text class="b-name" x="{MARGIN // 2}" y="{y}">{geometry.height - row}</text>')
    return "".join([*parts, "</svg>"])


def _knight() -> str:
    """Return the outline of a knight, as on all boards."""
    found = re.search(r'class="kf-knight kf-first" d="([^"]+)"', draw_svg(Position.from_fen("N2/3/2n w")))
    assert found is not None
    return found[1]
