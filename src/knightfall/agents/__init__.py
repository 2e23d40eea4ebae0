"""Agents: whatever picks a move for a position within a budget."""
