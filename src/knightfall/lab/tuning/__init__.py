"""Tuning: a designed experiment over the parameters of a heuristic, and a winner confirmed on unseen data."""
