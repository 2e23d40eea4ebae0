"""The heuristics: ordinary AIND-style functions, and what compiles them as they are."""
