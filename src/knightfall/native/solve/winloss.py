"""Win or loss: a position is won if a move leads to a position that is lost for the opponent."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from knightfall.native.bits import BitsType, none_of, single
from knightfall.native.block_access import block_at, tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import DEADLINE, STOP, control_type, now, peek, read, write
from knightfall.native.itself import call_of_itself
from knightfall.native.jit import compiled, inlined, outlined, part
from knightfall.native.memory import load_word, store_word
from knightfall.native.solve.block import ROW, Field
from knightfall.native.solve.facts import LOST, UNKNOWN, WON, fact, fetch_fact, find_key, note

_INTERVAL = 1024  # nodes between two checks of the clock
_MOVES = 8  # the maximum number of moves of a placed knight

RICH = 20
"""With at least this many empty squares, the move order also considers the squares that are two jumps away."""

TABLE_FROM = 8
"""With fewer empty squares, solving a position is faster than looking it up."""


@inlined
def step(block: Any) -> Any:
    """Count a node; return True if the search must end before it."""
    nodes = peek(block, Field.NODES)
    if nodes >= peek(block, Field.NEXT) and ended(block, nodes):
        return True
    write(block, Field.NODES, nodes + 1)
    return False


@outlined
def ended(block: Any, nodes: Any) -> Any:
    """Return whether the budget is used up or a stop was requested. If not, set when to check again."""
    deadline = peek(block, DEADLINE)
    limit = peek(block, Field.LIMIT)
    if nodes >= limit or read(block, STOP) != 0 or (deadline != 0 and now() >= deadline):
        write(block, Field.STOPPED, 1)
        return True
    write(block, Field.NEXT, min(nodes + _INTERVAL, limit))
    return False


@part
def at_once(tables: Any, empty: Any, mover: Any, other: Any) -> Any:
    """Return the result if no search is needed: the mover is stuck, or the opponent will be after one move."""
    moves = jumps_from(tables, mover) & empty
    if not moves:
        return LOST
    theirs = jumps_from(tables, other) & empty
    if not theirs or (len(theirs) == 1 and (theirs & moves)):
        return WON
    return UNKNOWN


@part
def in_two(tables: Any, squares: Any, empty: Any) -> Any:
    """Return the empty squares a jump away from any of these squares."""
    found = none_of(empty)
    for square in squares:
        found |= jumps_from(tables, square)
    return found & empty


@inlined
def is_mistake(mine: Any, replies: Any) -> Any:
    """Return whether the opponent wins at once: the mover has no next move, or only one that the opponent can take."""
    return len(mine) == 0 or (len(mine) == 1 and len(mine & replies) == 1)


@part
def ordered(block: Any, tables: Any, empty: Any, mover: Any, other: Any, size: Any) -> Any:
    """Write the moves that do not lose at once into the scratch row of this node, best first; return their number.

    A move is good if it leaves the opponent few replies and the mover many next moves. If there are many empty squares,
    it is also good if it leaves few squares two jumps from the opponent and many two jumps from the mover. The keys of
    the resulting positions are stored, and their buckets in the table are prefetched.
    """
    row = peek(block, Field.SCRATCH) + size * ROW * 8
    twist = peek(block, Field.TWIST)
    theirs = jumps_from(tables, other) & empty
    count = 0
    for square in jumps_from(tables, mover) & empty:
        left = empty - single(empty, square)
        replies = theirs - single(empty, square)
        mine = jumps_from(tables, square) & left
        if is_mistake(mine, replies):
            continue
        rank = 4 * len(mine) - 8 * len(replies)
        if size >= RICH:
            rank += 3 * (len(in_two(tables, mine, left)) - len(in_two(tables, replies, left)))
        rank = (rank << 3) ^ ((square * twist) & 7)
        if size > TABLE_FROM:
            index, mark = find_key(block, left, other, square)
            store_word(row, _MOVES + count, index)
            store_word(row, 2 * _MOVES + count, mark)
            fetch_fact(block, left, index)
        packed = rank << 16 | square << 8 | count
        at = count
        while at > 0 and load_word(row, at - 1) < packed:
            store_word(row, at, load_word(row, at - 1))
            at -= 1
        store_word(row, at, packed)
        count += 1
    return count


@intrinsic
def _wins_itself(context: Any, block: Any, empty: Any, mover: Any, other: Any, index: Any, mark: Any) -> Any:
    """Call :func:`wins` recursively."""
    word = types.int64
    return call_of_itself(types.boolean(control_type, BitsType(empty.width), word, word, word, word))


@part
def wins(block: Any, empty: Any, mover: Any, other: Any, index: Any, mark: Any) -> Any:
    """Return whether the player to move wins a position in which nothing is decided at once. The key is given.

    The result has no meaning if the search was stopped, that is, if STOPPED is set.
    """
    size = len(empty)
    if size >= TABLE_FROM:
        known = fact(block, empty, index, mark)
        if known != UNKNOWN:
            return known == WON
    row = peek(block, Field.SCRATCH) + size * ROW * 8
    before = peek(block, Field.NODES)
    won = False
    for at in range(ordered(block, tables_in(block, empty), empty, mover, other, size)):
        packed = load_word(row, at)
        square, key = packed >> 8 & 255, packed & 255
        if step(block):
            return False
        left = empty - single(empty, square)
        reply_wins = _wins_itself(
            block, left, other, square, load_word(row, _MOVES + key), load_word(row, 2 * _MOVES + key)
        )
        if peek(block, Field.STOPPED) != 0:
            return False
        if not reply_wins:
            won = True
            break
    if size >= TABLE_FROM:
        note(block, empty, index, mark, WON if won else LOST, work_of(peek(block, Field.NODES) - before))
    return won


@inlined
def work_of(nodes: Any) -> Any:
    """Return how hard a result was to find, from 0 to 15. It increases by one for four times the nodes."""
    work = 0
    while nodes > 0 and work < 15:
        nodes >>= 2
        work += 1
    return work


@compiled
def solve(address: Any, state: Any) -> Any:
    """Return WON or LOST for the player to move, with both knights placed; UNKNOWN if the budget ended first."""
    block = block_at(address)
    empty, mover, other = state.empty, state.mover, state.other
    found = at_once(tables_in(block, empty), empty, mover, other)
    if found != UNKNOWN:
        return found
    index, mark = find_key(block, empty, mover, other)
    won = wins(block, empty, mover, other, index, mark)
    if peek(block, Field.STOPPED) != 0:
        return UNKNOWN
    return WON if won else LOST
