"""Statistics of games. The unit is the pair: one opening, played from both sides."""
