"""The solver: who wins, and in how many moves."""
