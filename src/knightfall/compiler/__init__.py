"""Compile Python heuristics to machine code, or run them on the interpreted board if they do not compile."""
