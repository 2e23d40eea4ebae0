"""Search: minimax, alpha-beta and Monte Carlo. One native call computes a whole move."""
