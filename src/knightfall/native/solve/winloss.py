"""Win or loss: a position is won if one move leads to a position that is lost for the opponent."""

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

_INTERVAL = 1024  # nodes between looks at the clock
_MOVES = 8  # a knight has no more

RICH = 20
"""With this many empty squares or more, moves are ordered by what can be reached in two jumps, too."""

TABLE_FROM = 8
"""With fewer empty squares a position is sooner solved than looked up."""


@inlined
def step(block: Any) -> Any:
    """Count a node; True when the search has to end before it."""
    nodes = peek(block, Field.NODES)
    if nodes >= peek(block, Field.NEXT) and ended(block, nodes):
        return True
    write(block, Field.NODES, nodes + 1)
    return False


@outlined
def ended(block: Any, nodes: Any) -> Any:
    """Whether the budget is used up or someone has said stop; if not, when to look again."""
    deadline = peek(block, DEADLINE)
    limit = peek(block, Field.LIMIT)
    if nodes >= limit or read(block, STOP) != 0 or (deadline != 0 and now() >= deadline):
        write(block, Field.STOPPED, 1)
        return True
    write(block, Field.NEXT, min(nodes + _INTERVAL, limit))
    return False


@part
def at_once(tables: Any, empty: Any, mover: Any, other: Any) -> Any:
    """What can be seen without a search: the mover is stuck, or the opponent will be after one move."""
    moves = jumps_from(tables, mover) & empty
    if not moves:
        return LOST
    theirs = jumps_from(tables, other) & empty
    if not theirs or (len(theirs) == 1 and (theirs & moves)):
        return WON
    return UNKNOWN


@part
def in_two(tables: Any, squares: Any, empty: Any) -> Any:
    """The empty squares a jump away from some of these."""
    found = none_of(empty)
    for square in squares:
        found |= jumps_from(tables, square)
    return found & empty


@inlined
def is_mistake(mine: Any, replies: Any) -> Any:
    """Whether the opponent wins at once: the mover has no next move, or one that the opponent can take."""
    return len(mine) == 0 or (len(mine) == 1 and len(mine & replies) == 1)


@part
def ordered(block: Any, tables: Any, empty: Any, mover: Any, other: Any, size: Any) -> Any:
    """Write the moves that do not lose at once into the scratch row of this node, best first; how many there are.

    A move is good when it leaves the opponent few replies and the mover many next moves; where there are many empty
    squares, also when it leaves the opponent few squares in two jumps and the mover many. The keys of the positions
    that the moves lead to are kept, and their places in the table fetched early.
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
    """The recursion of :func:`wins`."""
    word = types.int64
    return call_of_itself(types.boolean(control_type, BitsType(empty.width), word, word, word, word))


@part
def wins(block: Any, empty: Any, mover: Any, other: Any, index: Any, mark: Any) -> Any:
    """Whether the player to move wins a position in which nothing is decided at once; its key is given.

    When the search was stopped (STOPPED says so) the answer means nothing.
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
    """How hard something was to find, from 0 to 15: one more for four times the nodes."""
    work = 0
    while nodes > 0 and work < 15:
        nodes >>= 2
        work += 1
    return work


@compiled
def solve(address: Any, state: Any) -> Any:
    """WON or LOST for the player to move, both knights placed; UNKNOWN when the budget ended first."""
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
