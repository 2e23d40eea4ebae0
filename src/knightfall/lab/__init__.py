"""The laboratory: replication of published papers, accuracy against exact truth, tuning, and game reviews."""
