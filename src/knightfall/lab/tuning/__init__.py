"""Tuning: a designed experiment over the parameters of a heuristic, and a winner that is judged elsewhere."""
