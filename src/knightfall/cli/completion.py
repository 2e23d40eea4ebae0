"""Completions for the shell: names of heuristics, agents, panels, boards, experiments and players.

Heavy modules are not imported, so the lists of agents and panels are copied here. A test compares them with the
originals. The shell itself completes options that take a file.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from typer.core import CompletionItem  # type: ignore[attr-defined]

from knightfall.cli.options import BENCHMARKS

AGENTS = ("random", "greedy", "minimax", "alphabeta", "mcts", "perfect", "human", "Random", "Custom", "MonteCarlo")
PREFIXES = ("MM_", "AB5_", "AB_", "ID_")
PANELS = ("gen1", "gen2", "E", "all")
BOARDS = ("5x5", "6x6", "7x7", "8x8", "9x7", "11x9")

Completer = Callable[[Any, str], Iterable[str]]
"""Returns the possible words, given the command line so far and the beginning of the word."""


def heuristic_names() -> list[str]:
    """Return the names of the catalogue, read from its source, because importing it would take a second."""
    folder = Path(__file__).parent.parent / "catalogue" / "ideas"
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))]
    return [node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef) and _is_named(node)]


def _is_named(node: ast.FunctionDef) -> bool:
    """Return whether a function is decorated with ``@heuristic`` or ``@heuristic(…)``."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
    return any(isinstance(mark, ast.Name) and mark.id == "heuristic" for mark in marks)


def heuristics(_: Any, begun: str) -> Iterator[str]:
    """Yield heuristics of the catalogue, and Python files."""
    yield from heuristic_names()
    folder, _slash, name = begun.rpartition("/")
    where = Path(folder or ("/" if begun.startswith("/") else "."))
    if where.is_dir():
        for path in sorted(where.iterdir()):
            if path.suffix == ".py" and path.name.startswith(name):
                yield f"{folder}/{path.name}" if _slash else path.name


def agents(_: Any, begun: str) -> Iterator[str]:
    """Yield agents; after prefixes such as AB_, also heuristics."""
    yield from AGENTS
    prefix = next((prefix for prefix in PREFIXES if begun.startswith(prefix)), None)
    if prefix is None:
        yield from PREFIXES
    else:
        yield from (f"{prefix}{name}" for name in heuristic_names())


def contestants(context: Any, begun: str) -> Iterator[str]:
    """Yield heuristics, and agents that can play in a tournament."""
    yield from heuristics(context, begun)
    yield from (name for name in agents(context, begun) if name != "human")


def experiments(context: Any, _: str) -> Iterator[str]:
    """Yield the experiments of the ledger given by ``--db``."""
    yield from (str(number) for number, _names in _read_ledger(context))


def players(context: Any, _: str) -> Iterator[str]:
    """Yield all players of the ledger."""
    yield from dict.fromkeys(name for _number, names in _read_ledger(context) for name in names)


def _read_ledger(context: Any) -> list[tuple[int, list[str]]]:
    import sqlite3  # not needed for `--help`

    path = Path(context.params.get("db") or "knightfall.db")
    if not path.is_file():
        return []
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            rows = connection.execute("SELECT id, configuration FROM experiment ORDER BY id").fetchall()
        finally:
            connection.close()
        plans = [(int(number), json.loads(told)) for number, told in rows]
        return [(number, [str(name) for name in (*plan["candidates"], *plan["opponents"])]) for number, plan in plans]
    except (sqlite3.Error, ValueError, LookupError, TypeError):  # a damaged ledger gives no completions
        return []


def _fixed(*words: str) -> Completer:
    return lambda _context, _begun: words


COMPLETERS: dict[tuple[str, str], Completer] = {
    ("heuristics", "name"): heuristics,
    ("accuracy", "heuristics"): heuristics,
    ("tune", "heuristic"): heuristics,
    ("agents", "text"): agents,
    ("tournament", "candidates"): contestants,
    ("compare", "old"): contestants,
    ("compare", "new"): contestants,
    ("experiments", "number"): experiments,
    ("verify", "numbers"): experiments,
    ("bench", "parts"): _fixed(*BENCHMARKS),
    ("replicate", "reports"): _fixed("A", "B", "C", "D", "E"),
    ("", "board"): _fixed(*BOARDS),
    ("", "panel"): _fixed(*PANELS),
    ("", "baseline"): contestants,
    ("", "first"): agents,
    ("", "second"): agents,
    ("", "agent"): agents,
    ("", "analyst"): agents,
    ("", "experiment"): experiments,
    ("", "rank_of"): experiments,
    ("", "player"): players,
    ("games", "against"): players,
    ("", "won_by"): players,
    ("", "lost_by"): players,
    ("", "theme"): _fixed("auto", "light", "dark"),
    ("", "half"): _fixed("judging", "tuning", "all"),
    ("", "goal"): _fixed("accuracy", "tournament"),
    ("", "model"): _fixed("logistic", "normalized"),
    ("", "reason"): _fixed("stuck", "timeout", "crash", "memory", "illegal"),
}
"""Completers by command and parameter. The empty command stands for all commands."""


def attach(params: Sequence[Any], command: str) -> None:
    """Let parameters complete their values."""
    for param in params:
        completer = COMPLETERS.get((command, param.name)) or COMPLETERS.get(("", param.name))
        if completer is not None:

            def complete(context: Any, begun: str, completer: Completer = completer) -> list[CompletionItem]:
                return [CompletionItem(word) for word in completer(context, begun) if word.startswith(begun)]

            param.shell_complete = complete
