"""The tables of a solver. They start small, so that they fit into the processor's cache, and grow when full."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.native.board_tables import bit_width
from knightfall.native.solve import distance as distances
from knightfall.native.solve.block import UNLIMITED, Field, SolverBlock
from knightfall.native.solve.facts import BUCKET_BYTES, least_bits, move_facts
from knightfall.native.solve.large_memory import Region, default_memory
from knightfall.native.solve.solution import SolverError
from knightfall.rules import Geometry

_FIRST_BITS = 12  # the first table has 2^12 buckets
_GROWTH = 4  # bits by which a full table grows
_NODES_PER_BUCKET = 8  # after this many nodes per bucket, a table is too small
_LEAST_MEMORY = 2**20
_SLOTS = {64: 4, 128: 2}  # entries per bucket


class GrowingTables:
    """The tables of facts and of distances, shared by all blocks.

    Up to half of the memory is for facts and a quarter for distances. The rest is for the table that a larger one
    replaces.
    """

    def __init__(self, geometry: Geometry, memory: int | None, blocks: Sequence[SolverBlock]) -> None:
        self._geometry = geometry
        self._width = bit_width(geometry)
        self._bucket = BUCKET_BYTES[self._width]
        self._blocks = blocks
        least = max(_LEAST_MEMORY, 2 * self._bucket << least_bits(geometry.size))
        self.memory = max(default_memory(), least) if memory is None else memory
        if self.memory < least:
            raise SolverError(f"a {geometry} board needs a memory of at least {least:,} bytes, not {memory:,}")
        self._most_fact_bits = (self.memory // 2 // self._bucket).bit_length() - 1
        self._most_distance_bits = max((self.memory // 4 // distances.BUCKET_BYTES).bit_length() - 1, _FIRST_BITS)
        self.facts: Region | None = None
        self._new_facts: Region | None = None
        self.fact_bits = 0
        self.distances: Region | None = None
        self._distance_bits = 0

    def prepare(self, *, with_distances: bool = False) -> None:
        """Create the first tables if they do not exist."""
        if self.facts is None:
            self.grow_facts()
        if with_distances and self.distances is None:
            self._grow_distances()

    def grow(self, *, with_distances: bool) -> None:
        """Replace the tables by larger ones, as far as the memory limit allows."""
        if with_distances:
            self._grow_distances()
        self.grow_facts()

    def allowance(self, *, with_distances: bool) -> int:
        """Return how many nodes may be searched before a table is too small for them."""
        most = UNLIMITED
        if self.fact_bits < self._most_fact_bits:
            most = _NODES_PER_BUCKET << self.fact_bits
        if with_distances and self._distance_bits < self._most_distance_bits:
            most = min(most, _NODES_PER_BUCKET << self._distance_bits)
        return most

    @property
    def share_used(self) -> float:
        """The share of the table of facts that is in use."""
        stored = sum(block[Field.STORED] for block in self._blocks)
        return min(stored / (_SLOTS[self._width] << self.fact_bits), 1.0)

    def grow_facts(self) -> None:
        """Create a larger table with the same facts, as far as the memory limit allows."""
        if self.facts is not None and self.fact_bits >= self._most_fact_bits:
            return
        least = max(least_bits(self._geometry.size), min(_FIRST_BITS, self._most_fact_bits))
        bits = least if self.facts is None else min(self.fact_bits + _GROWTH, self._most_fact_bits)
        region = Region((1 << bits) * self._bucket)
        self._new_facts = region  # the blocks point to it below, so it must stay alive even if Ctrl-C interrupts here
        moved = 0
        if self.facts is not None and self._width == 64:
            moved = move_facts(self.facts.address, self.fact_bits, region.address, bits, self._geometry.size)
        for block in self._blocks:
            block[Field.FACTS] = region.address
            block[Field.FACT_BITS] = bits
            block[Field.STORED] = 0
        self._blocks[0][Field.STORED] = moved
        self.facts, self.fact_bits = region, bits

    def _grow_distances(self) -> None:
        if self.distances is not None and self._distance_bits >= self._most_distance_bits:
            return
        bits = min(self._distance_bits + _GROWTH, self._most_distance_bits) if self.distances else _FIRST_BITS
        self.distances, self._distance_bits = Region((1 << bits) * distances.BUCKET_BYTES), bits
        self._blocks[0][Field.DISTANCES] = self.distances.address
        self._blocks[0][Field.DISTANCE_MASK] = (1 << bits) - 1
