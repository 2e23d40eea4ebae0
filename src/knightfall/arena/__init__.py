"""The arena: games between agents, tournaments, the ledger that stores them, and their statistics."""
