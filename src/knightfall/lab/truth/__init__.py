"""Exact truth: sets of positions with the value of every move, and heuristics graded against them."""
