"""Export games of a ledger: readable records, JSON, and tables with one row per game."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from knightfall.arena.csv_cells import csv_cell
from knightfall.arena.game_list import FACTS, ListedGame
from knightfall.arena.ledger import LedgerError
from knightfall.arena.referee import SCORES
from knightfall.arena.results import game_of
from knightfall.rules import Game, KnightfallError


def record(game: ListedGame) -> Game:
    """Return a game with all available data about its moves; an error names the game if its row is invalid."""
    try:
        return game_of(game.row, game.opening)
    except ValueError as error:  # includes Knightfall's own errors
        raise LedgerError(f"game {game.id}: {error}") from None


def games_text(games: Iterable[ListedGame]) -> str:
    """Return readable records, separated by empty lines."""
    return "\n".join(record(game).to_text() for game in games)


def games_json(games: Iterable[ListedGame]) -> str:
    """Return a JSON list of games, one per line, in the format of :meth:`Game.from_json`."""
    lines = ",\n".join(record(game).to_json() for game in games)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def games_csv(games: Iterable[ListedGame]) -> str:
    """Return a CSV table with one row per game."""
    out = io.StringIO()
    writer = csv.DictWriter(out, FACTS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in game.facts().items()} for game in games)
    return out.getvalue()


def games_parquet(games: Iterable[ListedGame]) -> bytes:
    """Return a Parquet table with one row per game and list columns for the data about its moves."""
    arrow, parquet = load_arrow()
    rows = []
    for game in games:
        scores = np.frombuffer(game.row.scores, SCORES)
        told = scores["score"].astype(object)
        told[np.isnan(scores["score"])] = None  # agents without a search have no score
        by_move = {
            "squares": game.row.moves.split(),
            "nodes": scores["nodes"].tolist(),
            "depths": scores["depth"].tolist(),
            "scores": told.tolist(),
            "microseconds": scores["microseconds"].tolist(),
        }
        rows.append({**game.facts(), **by_move})
    out = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, schema=_schema(arrow)), out, compression="zstd")
    return out.getvalue()


def _schema(arrow: Any) -> Any:
    """Return the column types, which must be explicit because a table without games does not show them."""
    texts = {name: arrow.string() for name in FACTS}
    whole = dict.fromkeys(("experiment", "pair", "moves"), arrow.int64())
    small = dict.fromkeys(("game", "winner"), arrow.int8())
    lists = {
        "squares": arrow.list_(arrow.string()),
        "nodes": arrow.list_(arrow.uint64()),
        "depths": arrow.list_(arrow.uint8()),
        "scores": arrow.list_(arrow.float32()),
        "microseconds": arrow.list_(arrow.uint32()),
    }
    return arrow.schema({**texts, **whole, **small, "seconds": arrow.float64(), **lists})


def load_arrow() -> tuple[Any, Any]:
    """Import PyArrow, which Knightfall itself does not need, and its Parquet module."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise KnightfallError("Parquet files need PyArrow: pip install pyarrow") from None
