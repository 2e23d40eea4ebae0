"""The examples in each command's help: a description and the command. A test runs all of them."""

from __future__ import annotations

_FEN = "7/7/3n3/7/7/2N4/7 w"

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("Play against the computer", "knightfall play"),
        ("Is my heuristic better than improved?", "knightfall compare improved my.py"),
    ),
    "play": (
        ("Play second, against perfect play", "knightfall play --first perfect --second human"),
        ("Watch two agents and save the game", "knightfall play --first AB_improved --second random --save game.txt"),
    ),
    "show": (
        ("Draw a position with its legal moves", f"knightfall show '{_FEN}' --moves"),
        ("Write it as a picture", f"knightfall show '{_FEN}' --svg board.svg --theme dark"),
    ),
    "analyze": (
        ("Score every move of a position", f"knightfall analyze '{_FEN}'"),
        ("Ask a published agent for its best 3", f"knightfall analyze '{_FEN}' --agent AB5_improved --lines 3"),
    ),
    "solve": (
        ("Who wins, and in how many moves?", "knightfall solve --distance '5/1n3/5/2N2/5 w'"),
        ("Every opening of 5x5 as a picture", "knightfall solve --openings --board 5x5 --svg openings.svg"),
    ),
    "review": (
        ("Grade every move of a saved game", "knightfall review game.txt"),
        ("Grade a game of the ledger", "knightfall review 1/0/1 --db knightfall.db"),
    ),
    "book": (
        ("What does the shipped book hold?", "knightfall book show"),
        ("Solve 20 of its positions again", "knightfall book verify --sample 20"),
    ),
    "book build": (
        ("A book of the first 3 moves on 4x4", "knightfall book build --board 4x4 --plies 3 -o book.txt"),
        (
            "The same in one process, as JSON",
            "knightfall book build --board 4x4 --plies 3 -o book.txt --workers 1 --json",
        ),
    ),
    "book verify": (
        ("Solve 20 positions of the 7x7 book again", "knightfall book verify --sample 20"),
        ("Check a book of your own in full", "knightfall book verify --file book.txt --all"),
    ),
    "book show": (
        ("What the book holds", "knightfall book show --board 7x7"),
        ("What it says about a position", f"knightfall book show '{_FEN}'"),
    ),
    "heuristics": (
        ("List the catalogue", "knightfall heuristics"),
        ("Check a function of your own", "knightfall heuristics my.py --check"),
    ),
    "agents": (
        ("List the agents and their options", "knightfall agents"),
        ("Explain one of them", "knightfall agents 'alphabeta(improved, nodes=5000)'"),
    ),
    "accuracy": (
        ("How often is improved right?", "knightfall accuracy improved --depths 0"),
        ("Two heuristics late in the game", "knightfall accuracy open improved --plies 30-40 --depths 0"),
    ),
    "tune": (
        ("Look for the best k of reach", "knightfall tune 'reach(k=?)' --trials 4"),
        ("The same by games won", "knightfall tune 'reach(k=?)' --goal tournament --trials 3 --pairs 2 --nodes 100"),
    ),
    "truth": (
        ("What the shipped set holds", "knightfall truth show"),
        ("Its hardest positions, as FEN", "knightfall truth list --winning 1 --plies 38-44"),
    ),
    "truth build": (
        ("Solve about 100 positions of 5x5", "knightfall truth build --positions 100 --board 5x5"),
        ("The same with a name of its own", "knightfall truth build --positions 100 --board 5x5 -o mine.txt.gz"),
    ),
    "truth show": (
        ("The shipped 7x7 set", "knightfall truth show"),
        ("The shipped 8x8 set", "knightfall truth show --board 8x8"),
    ),
    "truth list": (
        ("Openings for a tournament", "knightfall truth list --critical --plies 10-12"),
        ("Positions with one winning move", "knightfall truth list --winning 1 --plies 40-44"),
    ),
    "tournament": (
        ("Two heuristics against the panel gen2", "knightfall tournament open center --pairs 5 --nodes 200"),
        ("Resume it after Ctrl-C", "knightfall tournament --experiment 1"),
    ),
    "compare": (
        ("Is the new version better?", "knightfall compare old.py new.py --nodes 500"),
        ("Head to head only, at most 200 pairs", "knightfall compare open improved --panel none --most 200"),
    ),
    "experiments": (
        ("List what the ledger holds", "knightfall experiments"),
        ("One experiment in full", "knightfall experiments 1"),
    ),
    "experiments verify": (
        ("Play every game of the ledger again", "knightfall experiments verify"),
        ("Check one experiment, for a program", "knightfall experiments verify 1 --json"),
    ),
    "games": (
        ("Games that open lost", "knightfall games --lost-by AB_open --limit 5"),
        ("One game in full", "knightfall games 1/0/1"),
    ),
    "replicate": (
        ("The claims of report A, roughly", "knightfall replicate A --pairs 5 --nodes 50"),
        ("All five reports, in minutes", "knightfall replicate --quick"),
    ),
    "report": (
        ("A page about the last experiment", "knightfall report -o report.html"),
        ("The same as Markdown, to the terminal", "knightfall report --markdown"),
    ),
    "perft": (
        ("Count move sequences of 7x7", "knightfall perft 4"),
        ("By first move, from a position", f"knightfall perft 3 --fen '{_FEN}' --divide"),
    ),
    "bench": (
        ("The signature of the search", "knightfall bench signature"),
        ("A quick look at perft", "knightfall bench perft --quick"),
    ),
}
"""Examples by command. The empty name is the program itself."""
