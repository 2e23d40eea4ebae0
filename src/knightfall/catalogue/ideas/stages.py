# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Stages: a different measure for each part of the game, chosen by the number of empty squares."""

from knightfall.catalogue.ideas.centre import central_mobility
from knightfall.catalogue.ideas.distance import space_proximity
from knightfall.catalogue.ideas.lines import line_count, won_lines
from knightfall.catalogue.ideas.mobility import mobility
from knightfall.catalogue.ideas.space import space_difference
from knightfall.catalogue.registry import heuristic


def proportion(game):
    """Return prop, the share of the board that is empty."""
    return len(game.get_blank_spaces()) / (game.width * game.height)


def blend(game, player):
    """Return mobility, which fades as the board fills, plus space, which does not."""
    return proportion(game) * mobility(game, player) + space_difference(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_main",),
    idea="Blend mobility into space as the board fills, and count the won lines at the end.",
    formula="prop < cutoff: won_lines; else prop·mobility + space_difference",
    ranges={"cutoff": (0.0, 1.0)},
    invariant="always",
    raw=True,
)
def stages(game, player, cutoff=0.2):
    """The lines are counted only where few squares are left, so that the count stays small."""
    if proportion(game) < cutoff:
        return won_lines(game, player)
    return blend(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_main_staggered",),
    idea="Mobility first, then space, then the won lines, without blending.",
    formula="prop > early: mobility; prop < cutoff: won_lines; else space_difference",
    ranges={"early": (0.0, 1.0), "cutoff": (0.0, 1.0)},
    invariant="always",
    raw=True,
)
def stages_hard(game, player, early=0.7, cutoff=0.2):
    """The scores of two stages are not comparable, and a search that crosses the border compares them."""
    left = proportion(game)
    if left > early:
        return mobility(game, player)
    if left < cutoff:
        return won_lines(game, player)
    return space_difference(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_mainalt",),
    presets={"C:heuristic_main_alt_01": {"cutoff": 0.1}, "C:heuristic_main_alt_03": {"cutoff": 0.3}},
    idea="Blend mobility into space as the board fills, and count the positions not lost at the end.",
    formula="prop < cutoff: line_count; else prop·mobility + space_difference",
    ranges={"cutoff": (0.0, 1.0)},
    invariant="always",
    raw=True,
)
def stages_lines(game, player, cutoff=0.2):
    """`stages` with the other count of the end."""
    if proportion(game) < cutoff:
        return line_count(game, player)
    return blend(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_mainalt_staggered",),
    idea="Mobility first, then space, then the positions not lost, without blending.",
    formula="prop > early: mobility; prop < cutoff: line_count; else space_difference",
    ranges={"early": (0.0, 1.0), "cutoff": (0.0, 1.0)},
    invariant="always",
    raw=True,
)
def stages_lines_hard(game, player, early=0.7, cutoff=0.2):
    """`stages_hard` with the other count of the end."""
    left = proportion(game)
    if left > early:
        return mobility(game, player)
    if left < cutoff:
        return line_count(game, player)
    return space_difference(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_main_alt_less",),
    idea="Blend mobility into space as the board fills.",
    formula="prop·mobility + space_difference",
    invariant="always",
    raw=True,
)
def stages_open(game, player):
    """`stages` without its end: nothing exponential is left."""
    return blend(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic_main_alt_less_more",),
    idea="Blend mobility into space as the board fills, and know a finished game.",
    formula="prop·improved + space_difference; ±inf where the game is over",
    invariant="always",
)
def stages_improved(game, player):
    """`stages_open` with the infinities of `improved`. They come first: 0 times infinity is no number."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return blend(game, player)


@heuristic(
    report="B",
    aliases=("B:custom_score_3",),
    idea="Central mobility while the board is open, then nearness to the empty squares.",
    formula="|E| > threshold: central_mobility; else space_proximity",
    ranges={"threshold": (0, 128)},
    invariant="odd",
)
def central_then_proximity(game, player, threshold=20):
    """Where few squares are left the centre means nothing. Both parts know a finished game."""
    if len(game.get_blank_spaces()) > threshold:
        return central_mobility(game, player)
    return space_proximity(game, player)
