"""The score functions of the catalogue, one module per idea.

Each function is an ordinary student's function ``(game, player, parameter=default, ...)`` that runs as it stands and is
compiled from its source text. The decorator tells the catalogue where it comes from, what it computes and how its
parameters may vary. A score that is not marked raw is infinite where the game is over, before anything else is
computed.

This module imports nothing: the registry finds the modules itself.
"""
