"""What the games allow to be said. The unit is the pair: one opening, played from both sides."""
