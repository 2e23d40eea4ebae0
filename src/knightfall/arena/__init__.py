"""The arena: games between agents, tournaments, the ledger that keeps them, and what may be said about them."""
