"""The score functions of the catalogue, one module per idea.

Each is an ordinary student function ``(game, player, parameter=default, ...)``. It runs unchanged in Python and is
compiled from its source text. The decorator describes its origin, what it computes and the limits of its parameters. A
score that is not marked ``raw`` returns ±infinity for a finished game before it computes anything else.

This module imports nothing: the registry finds the modules itself.
"""
