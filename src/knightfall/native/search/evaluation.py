"""The evaluation at the horizon of a search, and the counting of nodes."""

from __future__ import annotations

from typing import Any

from knightfall.native.board_tables import jumps_from
from knightfall.native.control import DEADLINE, FRAME, RANDOM, STOP, TICKS, WORK, now, peek, read, work_for, write
from knightfall.native.jit import inlined, outlined
from knightfall.native.search.block import Field, evaluate
from knightfall.native.search.value import HEURISTIC, LONGEST, PLY, NotANumber
from knightfall.native.seeds import high_word, low_word, seed_of_words
from knightfall.native.view import make_game

# The clock is read after at most this many nodes, so that a heuristic that becomes slow deep in the tree is noticed in
# time. If nodes are slow, it is read more often.
_MOST_NODES = 64
_PATIENCE = 50_000  # nanoseconds
_WITHOUT_CLOCK = 4096  # nodes between two checks of the stop flag if there is no deadline


@inlined
def lost(block: Any, depth: Any) -> Any:
    """Return the value of a position whose player to move is stuck, ``depth`` plies above the horizon."""
    return (peek(block, Field.COUNT_BASE) - depth - LONGEST) * PLY


@inlined
def leaf(block: Any, tables: Any, empty: Any, mover: Any, other: Any, depth: Any) -> Any:
    """Return the value of a position at the horizon (or ``depth`` above it) for its player to move."""
    if peek(block, Field.HORIZON) == 0 and not (jumps_from(tables, mover) & empty):
        return lost(block, depth)
    return asked(block, tables, empty, mover, other, depth)


@inlined
def asked(block: Any, tables: Any, empty: Any, mover: Any, other: Any, depth: Any) -> Any:
    """Return the heuristic's value of a position for the player who searches, as seen by the player to move."""
    active = 1 + ((depth ^ peek(block, Field.PARITY)) & 1)
    searcher = peek(block, Field.SEARCHER)
    first = mover if active == 1 else other
    second = other if active == 1 else mover
    if peek(block, Field.CAREFUL) != 0:
        prepare(block, empty, mover, other, active)
    count = peek(block, Field.COUNT_BASE) - depth
    value = evaluate(block, make_game(tables, empty, first, second, active, count, block), searcher)
    if not (-HEURISTIC <= value <= HEURISTIC):
        if value > HEURISTIC:
            value = HEURISTIC
        elif value < -HEURISTIC:
            value = -HEURISTIC
        else:
            trace(block, empty, first, second, active)
            raise NotANumber("it returns nan, which is no number")
    return value if active == searcher else -value


@outlined
def trace(block: Any, empty: Any, first: Any, second: Any, active: Any) -> None:
    """Record the position in which an error occurred."""
    write(block, Field.LEAF_LOW, low_word(empty))
    write(block, Field.LEAF_HIGH, high_word(empty))
    write(block, Field.LEAF_FIRST, first)
    write(block, Field.LEAF_SECOND, second)
    write(block, Field.LEAF_ACTIVE, active)


@outlined
def prepare(block: Any, empty: Any, mover: Any, other: Any, active: Any) -> None:
    """Prepare the call of a heuristic that loops, recurses, checks the time or draws random numbers."""
    write(block, TICKS, peek(block, Field.ALLOWED_TICKS))
    write(block, WORK, work_for(peek(block, Field.ALLOWED_TICKS)))
    write(block, FRAME, 0)
    if peek(block, Field.SEEDED) != 0:
        write(block, RANDOM, seed_of_words(0, empty, mover, other, active))


@inlined
def step(block: Any) -> Any:
    """Count a node; return True if the search must end before it."""
    nodes = peek(block, Field.NODES)
    if nodes >= peek(block, Field.NEXT) and ended(block, nodes):
        return True
    write(block, Field.NODES, nodes + 1)
    return False


@outlined
def overdue(block: Any, nodes: Any) -> Any:
    """Return whether the time is up or a stop was requested. A value that a heuristic returned then is unreliable."""
    deadline = peek(block, DEADLINE)
    if read(block, STOP) != 0 or (deadline != 0 and now() >= deadline):
        write(block, Field.STOPPED, 1)
        return True
    return False


@outlined
def ended(block: Any, nodes: Any) -> Any:
    """Return whether the budget is used up or a stop was requested. If not, set when to check again."""
    limit = peek(block, Field.NODE_LIMIT)
    deadline = peek(block, DEADLINE)
    interval = _WITHOUT_CLOCK
    stopped = nodes >= limit or read(block, STOP) != 0
    if deadline != 0:
        time = now()
        stopped = stopped or time >= deadline
        interval = peek(block, Field.INTERVAL)
        passed = time - peek(block, Field.CHECKED)
        if passed > _PATIENCE:
            interval = max(interval // 4, 1)
        elif passed < _PATIENCE // 4:
            interval = min(interval * 2, _MOST_NODES)
        write(block, Field.INTERVAL, interval)
        write(block, Field.CHECKED, time)
    if stopped:
        write(block, Field.STOPPED, 1)
        return True
    write(block, Field.NEXT, min(nodes + interval, limit))
    return False
