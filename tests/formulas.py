"""Every score function a second time, written from its formula as plainly as possible.

The real functions are checked against these. Nothing is shared with them. The only class used from the package is
:class:`Position`, and only to read its state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Concatenate, NamedTuple, ParamSpec

from knightfall.rules import Position

P = ParamSpec("P")
Square = tuple[int, int]
Formula = Callable[Concatenate["State", int, P], float]

INF = math.inf


class State(NamedTuple):
    """The *s* of the notation: the board's size, the empty squares, the players' locations, and who moves."""

    width: int
    height: int
    empty: frozenset[Square]
    locations: tuple[Square | None, Square | None]
    active: int


def state_of(position: Position) -> State:
    """Convert a position to a state."""
    geometry = position.geometry
    squares = {(row, column) for row in range(geometry.height) for column in range(geometry.width)}
    used = {geometry.coordinates(square) for square in position.used}
    first, second = position.locations
    return State(
        geometry.width,
        geometry.height,
        frozenset(squares - used),
        (
            None if first is None else geometry.coordinates(first),
            None if second is None else geometry.coordinates(second),
        ),
        position.to_move,
    )


# The notation


def other(p: int) -> int:
    """Return q, the opponent of p."""
    return 3 - p


def location(s: State, p: int) -> Square | None:
    """Return L(p)."""
    return s.locations[p - 1]


def both_placed(s: State) -> bool:
    """Return whether both knights are on the board."""
    return None not in s.locations


def knight_jumps(x: Square) -> set[Square]:
    """Return the eight squares a knight's jump from x, on the board or not."""
    row, column = x
    return {
        (row + down * rows, column + right * columns)
        for rows, columns in ((1, 2), (2, 1))
        for down in (-1, 1)
        for right in (-1, 1)
    }


def moves(s: State, p: int) -> set[Square]:
    """Return M(p)."""
    here = location(s, p)
    return set(s.empty) if here is None else knight_jumps(here) & s.empty


def m(s: State, p: int) -> int:
    """Return m(p)."""
    return len(moves(s, p))


def put(s: State, x: Square) -> State:
    """Return s·x: the active player moves to x, which may be any square, and the turn passes."""
    first, second = s.locations
    return s._replace(
        empty=s.empty - {x},
        locations=(x, second) if s.active == 1 else (first, x),
        active=other(s.active),
    )


def is_over(s: State) -> bool:
    """Return whether the active player has no move."""
    return m(s, s.active) == 0


def has_lost(s: State, p: int) -> bool:
    """Return whether p is active and has no move."""
    return is_over(s) and s.active == p


def has_won(s: State, p: int) -> bool:
    """Return whether p's opponent is active and has no move."""
    return is_over(s) and s.active != p


def proportion(s: State) -> float:
    """Return prop, the share of empty squares."""
    return len(s.empty) / (s.width * s.height)


def mean(values: Iterable[float]) -> float:
    """Return the mean, or 0 without values. The order of the values does not matter."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else 0.0


def d1(a: Square, b: Square) -> float:
    """Return the Manhattan distance."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def d2(a: Square, b: Square) -> float:
    """Return the Euclidean distance."""
    return math.hypot(a[0] - b[0], a[1] - b[1])


def d2sq(a: Square, b: Square) -> float:
    """Return the squared Euclidean distance."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


METRICS: dict[str, Callable[[Square, Square], float]] = {"d1": d1, "d2": d2, "d2sq": d2sq}


def terminal_rule(function: Formula[P]) -> Formula[P]:
    """Return the function with -inf where p has lost and +inf where p has won."""

    def ruled(s: State, p: int, /, *args: P.args, **kwargs: P.kwargs) -> float:
        if has_lost(s, p):
            return -INF
        if has_won(s, p):
            return INF
        return function(s, p, *args, **kwargs)

    return ruled


# The base set


@terminal_rule
def null(s: State, p: int) -> float:
    return 0


@terminal_rule
def open_moves(s: State, p: int) -> float:
    return m(s, p)


@terminal_rule
def improved(s: State, p: int) -> float:
    return m(s, p) - m(s, other(p))


@terminal_rule
def center(s: State, p: int) -> float:
    here = location(s, p)
    if here is None:
        return 0
    row, column = here
    return (s.height / 2 - row) ** 2 + (s.width / 2 - column) ** 2


# Report A


@terminal_rule
def weighted_mobility(s: State, p: int, mix: float = 0.7) -> float:
    return mix * m(s, p) - (1 - mix) * m(s, other(p))


@terminal_rule
def lookahead_own(s: State, p: int) -> float:
    if m(s, p) == 0:
        return -INF
    return m(s, p) + mean(m(put(s, x), p) for x in moves(s, p))


@terminal_rule
def opponent_mobility(s: State, p: int) -> float:
    return -m(s, other(p))


@terminal_rule
def lookahead_opponent(s: State, p: int) -> float:
    if m(s, p) == 0:
        return -INF
    return m(s, p) - mean(m(put(s, x), other(p)) for x in moves(s, p))


@terminal_rule
def center_deviation(s: State, p: int, mix: float = 0.8) -> float:
    here = location(s, p)
    half_width, half_height = s.width / 2, s.height / 2
    # The row is compared with half the width and the column with half the height, as published.
    deviation = 0.0 if here is None else (here[0] - half_width) ** 2 + (here[1] - half_height) ** 2
    return mix * m(s, p) / 8 - (1 - mix) * deviation / (half_width**2 + half_height**2)


@terminal_rule
def lookahead_both(s: State, p: int, mix: float = 0.5) -> float:
    q = other(p)
    if m(s, p) == 0:
        return -INF
    own_next = mean(m(put(s, x), p) for x in moves(s, p))
    opponent_next = mean(m(put(s, x), q) for x in moves(s, p))
    return mix * (m(s, p) - m(s, q)) + (1 - mix) * (own_next - opponent_next)


# Report B


@terminal_rule
def aggressive_mobility(s: State, p: int, own: float = 1, opponent: float = 1.5) -> float:
    return own * m(s, p) - opponent * m(s, other(p))


@terminal_rule
def central_mobility(s: State, p: int, peak: float = 6, opponent: float = 1.5) -> float:
    c = (s.height // 2, s.width // 2)
    own_sum = math.fsum(peak - d1(x, c) for x in moves(s, p))
    opponent_sum = math.fsum(peak - d1(x, c) for x in moves(s, other(p)))
    return own_sum - opponent * opponent_sum


@terminal_rule
def chase(s: State, p: int) -> float:
    here, there = location(s, p), location(s, other(p))
    if here is None or there is None:
        return 0
    return -((here[0] - there[0]) + (here[1] - there[1]))


@terminal_rule
def flee(s: State, p: int) -> float:
    here, there = location(s, p), location(s, other(p))
    if here is None or there is None:
        return 0
    return (here[0] - there[0]) + (here[1] - there[1])


@terminal_rule
def pursue(s: State, p: int) -> float:
    here, there = location(s, p), location(s, other(p))
    if here is None or there is None:
        return 0
    return -d1(here, there)


@terminal_rule
def space_proximity(s: State, p: int, metric: str = "d1", whose: str = "both") -> float:
    here, there = location(s, p), location(s, other(p))
    if here is None or there is None:
        return 0
    distance = METRICS[metric]
    if whose == "own":
        return -mean(distance(here, e) for e in s.empty)
    if whose == "opponent":
        return -mean(-distance(there, e) for e in s.empty)
    assert whose == "both"
    return -mean(distance(here, e) - distance(there, e) for e in s.empty)


@terminal_rule
def central_then_proximity(s: State, p: int, threshold: float = 20) -> float:
    return central_mobility(s, p) if len(s.empty) > threshold else space_proximity(s, p)


def region(s: State, p: int) -> frozenset[Square]:
    """Return every empty square that p can reach if the opponent does not move."""
    at = location(s, p)
    found: set[Square] = set()
    edge = [] if at is None else [at]
    while edge:
        row, column = edge.pop()
        for square in s.empty - found:
            if (square[0] - row) ** 2 + (square[1] - column) ** 2 == 5:
                found.add(square)
                edge.append(square)
    return frozenset(found)


def jumps_left(at: Square, squares: frozenset[Square]) -> int:
    """Return the length of the longest path from a square."""
    lengths = [
        1 + jumps_left(square, squares - {square})
        for square in squares
        if (square[0] - at[0]) ** 2 + (square[1] - at[1]) ** 2 == 5
    ]
    return max(lengths, default=0)


def jumps_at_most(at: Square, squares: frozenset[Square]) -> int:
    """Return an upper bound for the length of a path, by the colours of its squares."""
    same = sum((row + column - at[0] - at[1]) % 2 == 0 for row, column in squares)
    return min(2 * (len(squares) - same), 2 * same + 1)


def central_then_paths(s: State, p: int, threshold: float = 20, deep: float = 12) -> float:
    value = central_mobility(s, p)
    mine, theirs = location(s, p), location(s, other(p))
    if mine is None or theirs is None or abs(value) == INF or len(s.empty) > threshold:
        return value
    parts = region(s, p), region(s, other(p))
    bounds = jumps_at_most(mine, parts[0]), jumps_at_most(theirs, parts[1])
    if parts[0] & parts[1]:
        return value + bounds[0] - bounds[1]
    a, b = (
        jumps_left(at, part) if len(part) <= deep else bound
        for at, part, bound in zip((mine, theirs), parts, bounds, strict=True)
    )
    return 100.0 * (a - b - (0.5 if s.active == p else -0.5))


# Report C: without the terminal rule


def n8(s: State, p: int) -> int:
    """Return how many of the eight squares around L(p) are empty; 0 before placement."""
    here = location(s, p)
    if here is None:
        return 0
    return sum(max(abs(e[0] - here[0]), abs(e[1] - here[1])) == 1 for e in s.empty)


def lines(s: State) -> Iterator[tuple[int, int]]:
    """Yield the winner and the length in plies of each line from s."""
    if is_over(s):
        yield other(s.active), 0
    for x in moves(s, s.active):
        for winner, plies in lines(put(s, x)):
            yield winner, plies + 1


def tree_below(s: State) -> Iterator[State]:
    """Yield the positions of the game tree below s, without s itself."""
    for x in moves(s, s.active):
        yield put(s, x)
        yield from tree_below(put(s, x))


def longest_won(s: State, p: int) -> int:
    """Return V(p), the length of the longest line that p wins."""
    return max((plies for winner, plies in lines(s) if winner == p), default=0)


def mobility(s: State, p: int) -> float:
    return m(s, p) - m(s, other(p))


def space_difference(s: State, p: int) -> float:
    return n8(s, p) - n8(s, other(p))


def space_lookahead(s: State, p: int) -> float:
    return max((n8(put(s, x), p) for x in moves(s, s.active)), default=0)


def space(s: State, p: int) -> float:
    return n8(s, p)


def won_lines(s: State, p: int) -> float:
    if is_over(s):
        return 0
    return sum(1 if winner == p else -1 for winner, _ in lines(s))


def line_count(s: State, p: int) -> float:
    return sum(not has_lost(below, p) for below in tree_below(s))


def longest_line_difference(s: State, p: int) -> float:
    return longest_won(s, p) - longest_won(s, other(p))


def longest_line(s: State, p: int) -> float:
    return longest_won(s, p)


def stages(s: State, p: int, cutoff: float = 0.2) -> float:
    if proportion(s) < cutoff:
        return won_lines(s, p)
    return proportion(s) * mobility(s, p) + space_difference(s, p)


def stages_hard(s: State, p: int, early: float = 0.7, cutoff: float = 0.2) -> float:
    if proportion(s) > early:
        return mobility(s, p)
    if proportion(s) < cutoff:
        return won_lines(s, p)
    return space_difference(s, p)


def stages_lines(s: State, p: int, cutoff: float = 0.2) -> float:
    if proportion(s) < cutoff:
        return line_count(s, p)
    return proportion(s) * mobility(s, p) + space_difference(s, p)


def stages_lines_hard(s: State, p: int, early: float = 0.7, cutoff: float = 0.2) -> float:
    if proportion(s) > early:
        return mobility(s, p)
    if proportion(s) < cutoff:
        return line_count(s, p)
    return space_difference(s, p)


def stages_open(s: State, p: int) -> float:
    return proportion(s) * mobility(s, p) + space_difference(s, p)


def stages_improved(s: State, p: int) -> float:
    if math.isinf(improved(s, p)):
        return improved(s, p)
    return proportion(s) * improved(s, p) + space_difference(s, p)


# Report D


@terminal_rule
def squared_ratio(s: State, p: int) -> float:
    q = other(p)
    return m(s, p) if m(s, q) == 0 else m(s, p) / m(s, q) ** 2


@terminal_rule
def least_opponent(s: State, p: int) -> float:
    q = other(p)
    return 1 / m(s, q) if m(s, p) > m(s, q) > 0 else m(s, p)


@terminal_rule
def near_opponent(s: State, p: int, sign: float = 1) -> float:
    there = location(s, other(p))
    if there is None or not both_placed(s) or not m(s, p) > m(s, other(p)) > 0:
        return m(s, p)
    return sign * mean(d2(x, there) for x in moves(s, p))


# Report E


def reached(s: State, p: int, k: int) -> set[Square]:
    """Return R_k(p), the squares that p reaches in 1 to k moves over empty squares; empty before placement."""
    here = location(s, p)
    if here is None:
        return set()
    found: set[Square] = set()
    edge = {here}
    for _ in range(k):
        edge = {y for x in edge for y in knight_jumps(x) & s.empty}
        found |= edge
    return found


def is_attacker(s: State, p: int) -> bool:
    """Return whether p is the attacker; both knights must be placed.

    The active player is the attacker if both knights are on one colour, otherwise the other player.
    """
    here, there = s.locations
    assert here is not None
    assert there is not None
    same_colour = sum(here) % 2 == sum(there) % 2
    return same_colour == (s.active == p)


@terminal_rule
def shared_square(s: State, p: int, bonus: float = 3) -> float:
    q = other(p)
    return m(s, p) - m(s, q) + (bonus if moves(s, p) & moves(s, q) else 0)


@terminal_rule
def reach(s: State, p: int, k: int = 2) -> float:
    return len(reached(s, p, k)) - len(reached(s, other(p), k))


@terminal_rule
def contested_reach(s: State, p: int, k: int = 2, c: float = 0.5) -> float:
    own, opponent = reached(s, p, k), reached(s, other(p), k)
    difference = len(own) - len(opponent)
    if not both_placed(s):
        return difference
    contested = c * len(own & opponent)
    return difference + contested if is_attacker(s, p) else difference - contested


# The project's own


def distances(s: State, p: int) -> dict[Square, int]:
    """Return how many jumps p needs to each empty square if the opponent does not move."""
    here = location(s, p)
    assert here is not None
    found, edge, jumps = {}, {here}, 0
    while edge:
        jumps += 1
        edge = {x for y in edge for x in knight_jumps(y) & s.empty if x not in found}
        found.update(dict.fromkeys(edge, jumps))
    return found


@terminal_rule
def knightfall(s: State, p: int, entry: float = 1.3, attack: float = 30.0, deep: float = 12) -> float:
    if not both_placed(s):
        return 0.0
    q = other(p)
    own, opponent = distances(s, p), distances(s, q)
    if not own.keys() & opponent.keys() and max(len(own), len(opponent)) <= deep:
        here, there = s.locations if p == 1 else s.locations[::-1]
        assert here is not None
        assert there is not None
        lead = jumps_left(here, frozenset(own)) - jumps_left(there, frozenset(opponent))
        return 1000.0 * (lead - (0.5 if s.active == p else -0.5))
    # If both need the same number of jumps, the player to move is there first.
    early = 0.5 if s.active == p else -0.5
    mine = {x for x in own if own[x] - early < opponent.get(x, INF)}
    theirs = opponent.keys() - mine

    def worth(squares: Iterable[Square]) -> float:
        return sum(len(knight_jumps(x) & set(squares)) - entry for x in squares)

    bonus = attack * len(s.empty) / (s.width * s.height)
    return worth(mine) - worth(theirs) + (bonus if is_attacker(s, p) else -bonus)


# All functions


def _of_position(function: Callable[..., float]) -> Callable[..., float]:
    def score(position: Position, player: int, **parameters: object) -> float:
        return function(state_of(position), player, **parameters)

    return score


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "null": null,
    "open": open_moves,
    "improved": improved,
    "center": center,
    "weighted_mobility": weighted_mobility,
    "lookahead_own": lookahead_own,
    "opponent_mobility": opponent_mobility,
    "lookahead_opponent": lookahead_opponent,
    "center_deviation": center_deviation,
    "lookahead_both": lookahead_both,
    "aggressive_mobility": aggressive_mobility,
    "central_mobility": central_mobility,
    "chase": chase,
    "flee": flee,
    "pursue": pursue,
    "space_proximity": space_proximity,
    "central_then_proximity": central_then_proximity,
    "central_then_paths": central_then_paths,
    "mobility": mobility,
    "space_difference": space_difference,
    "space_lookahead": space_lookahead,
    "space": space,
    "won_lines": won_lines,
    "line_count": line_count,
    "longest_line_difference": longest_line_difference,
    "longest_line": longest_line,
    "stages": stages,
    "stages_hard": stages_hard,
    "stages_lines": stages_lines,
    "stages_lines_hard": stages_lines_hard,
    "stages_open": stages_open,
    "stages_improved": stages_improved,
    "squared_ratio": squared_ratio,
    "least_opponent": least_opponent,
    "near_opponent": near_opponent,
    "shared_square": shared_square,
    "reach": reach,
    "contested_reach": contested_reach,
    "knightfall": knightfall,
}

FORMULAS: dict[str, Callable[..., float]] = {name: _of_position(function) for name, function in _FUNCTIONS.items()}
"""The functions by name. Each takes ``(position, player, **parameters)`` and returns the score."""
