"""The heuristics: ordinary AIND-style functions, and the code that loads, checks and times them."""
