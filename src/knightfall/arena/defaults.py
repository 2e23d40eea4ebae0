"""The default values of tournaments and comparisons.

This module imports nothing, so that `knightfall --help` can show the values quickly.
"""

from __future__ import annotations

PANEL = "gen2"
BASELINE = "improved"
PAIRS = 100
"""Pairs per match."""

SPRT_PAIRS = 5_000
"""The maximum number of pairs per match with a sequential test."""

SEED = 1
BOARD = "7x7"
PLIES = 2
"""The length of random openings."""

COMPARE_PAIRS = 3_000
"""The maximum number of pairs that two compared versions play against each other."""

COMPARE_ELO = 20.0
"""The Elo difference that a comparison looks for."""
