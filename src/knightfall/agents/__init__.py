"""Agents: players that choose a move for a position within a budget."""
