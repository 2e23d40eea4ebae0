"""Write the golden values of all heuristics: ``python tests/golden/make_heuristics.py``.

There is one file for each heuristic in ``heuristics/``, with lists of FEN, player, value; infinite values are
strings. Run this by hand for a new heuristic, or after an intended change of values. Read the difference before
committing it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import knightfall as kf

FOLDER = Path(__file__).parent / "heuristics"

# Placement, the middle of a game, its end, and boards on which mistaking rows for columns, or one width of machine
# words for the other, changes the result. The tree-counting heuristics reach their limit of a million ticks on the
# open ones.
POSITIONS = (
    ("7/7/7/7/7/7/7 w", 1),
    ("7/7/7/3N3/7/7/7 b", 1),
    ("7/7/7/3N3/7/7/7 b", 2),
    ("7/7/3n3/7/7/2N4/7 w", 1),
    ("7/7/3n3/7/7/2N4/7 w", 2),
    ("1*3*1/2*n*2/*1*1*1*/7/1*N2*1/2*1*2/7 b", 2),
    ("*1*3*/2*n*1*/***1***/1*****1/**N*1**/*1*****/***1*1* w", 1),
    ("*1*3*/2*n*1*/***1***/1*****1/**N*1**/*1*****/***1*1* b", 1),
    ("N******/******n/*******/*******/*******/*******/****1** w", 1),
    ("N******/******n/*******/*******/*******/*******/****1** w", 2),
    ("N4/1*1*1/2n2/*3*/2*2/5 b", 1),
    ("11/2*5*2/4n6/11/1*7*1/11/6N4/2*8/11 w", 2),
    (
        "N********/**1**1***/*********/1****n***/***1*****/*1**1****/*********/*********/********* b",
        2,
    ),
)


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for name, made in kf.heuristics.items():
        rows = []
        for fen, player in POSITIONS:
            position = kf.Position.from_fen(fen)
            value = made.value(position, player)
            rows.append(json.dumps([position.fen(), player, str(value) if math.isinf(value) else value]))
        (FOLDER / f"{name}.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
