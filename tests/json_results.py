"""A cheap command for every JSON format. They run in an empty folder in this order."""

from __future__ import annotations

FEN = "5/1n3/5/2N2/5 w"

COMMANDS: tuple[tuple[str, list[str]], ...] = (
    ("position", ["show", FEN]),
    ("perft", ["perft", "2", "--fen", FEN]),
    ("perft", ["perft", "2", "--fen", FEN, "--divide"]),
    ("analysis", ["analyze", FEN, "--agent", "greedy(open)", "--exact", "0"]),
    ("solution", ["solve", FEN]),
    ("openings", ["solve", "--openings", "--board", "5x5"]),
    ("book", ["book", "build", "--board", "3x3", "--plies", "2", "-o", "book.txt", "--workers", "1"]),
    ("book", ["book", "show", "--file", "book.txt"]),
    ("book-check", ["book", "verify", "--file", "book.txt", "--all", "--workers", "1"]),
    ("book-position", ["book", "show", "N2/3/2n w", "--file", "book.txt"]),
    ("heuristic", ["heuristics", "open"]),
    ("heuristic", ["heuristics", "open", "--fen", FEN]),
    ("agents", ["agents"]),
    ("agent", ["agents", "greedy(open)"]),
    ("tournament", ["tournament", "open", "--panel", "Random", "--pairs", "2", "--nodes", "20", "--workers", "0"]),
    ("experiments", ["experiments"]),
    ("experiment", ["experiments", "1"]),
    ("ledger-check", ["experiments", "verify", "1"]),
    ("games", ["games", "--limit", "2"]),
    ("comparison", ["compare", "open", "Random", "--panel", "none", "--most", "2", "--nodes", "20", "--workers", "0"]),
    ("truth", ["truth", "show", "--board", "8x8"]),
    ("truth-positions", ["truth", "list", "--board", "8x8", "--winning", "1", "--plies", "50-60"]),
)
"""The results of the following formats take longer; the tests of their commands check them."""

SLOW = {"heuristics", "heuristic-check", "replication", "accuracy", "study", "review", "bench", "error"}
