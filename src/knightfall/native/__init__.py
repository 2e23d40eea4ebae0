"""The compiled core. Importing it imports Numba, which takes a moment: the front doors do so late."""
