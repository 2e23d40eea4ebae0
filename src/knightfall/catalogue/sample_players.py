"""AIND's sample score functions, under the names that student files import from ``sample_players``."""

from knightfall.catalogue.ideas.centre import center as center_score
from knightfall.catalogue.ideas.mobility import improved as improved_score
from knightfall.catalogue.ideas.mobility import null as null_score
from knightfall.catalogue.ideas.mobility import open as open_move_score

__all__ = ["center_score", "improved_score", "null_score", "open_move_score"]
