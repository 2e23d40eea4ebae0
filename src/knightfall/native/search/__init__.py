"""Search: minimax, alpha-beta and Monte Carlo, whole moves in one native call."""
