"""Exact truth: sets of positions with the value of every move, and the accuracy of heuristics on them."""
