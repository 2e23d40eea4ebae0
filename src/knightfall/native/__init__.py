"""The compiled core. Importing it imports Numba, which is slow, so the public entry points import it late."""
