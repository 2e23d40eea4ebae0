"""`kf.replicate`: the published papers put to the test, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from knightfall.arena.ledger import Ledger
from knightfall.arena.plan import PlanError
from knightfall.arena.request import read_budget
from knightfall.arena.run import Execution
from knightfall.lab.replication import replicate as replication
from knightfall.lab.replication.experiments import NODES, Terms
from knightfall.lab.replication.papers import REPORTS


def replicate(
    papers: str | Sequence[str] = tuple(REPORTS),
    *,
    pairs: int = 500,
    nodes: int | None = None,
    ms: float | None = None,
    seed: int = 1,
    workers: int | None = None,
    cluster: str | None = None,
    db: Path | str | None = None,
    fresh: bool = False,
) -> replication.Replication:
    """Play the tournaments of published papers again and answer their claims.

    ``papers`` are letters from A to E. Every match has this many ``pairs``. Without ``ms`` everything is played at
    equal ``nodes`` and at equal cost. ``db`` is the file of the ledger; without it results are kept in memory. Finished
    tournaments in the ledger are not played again, unless ``fresh`` is true.

    >>> import knightfall as kf
    >>> found = kf.replicate("D", pairs=4, nodes=30, workers=0)
    >>> sorted(found.answers)
    ['D1']
    """
    unknown = [name for name in papers if name not in REPORTS]
    if unknown:
        raise PlanError(f"paper {unknown[0]!r} not found; available: {', '.join(REPORTS)}")
    budget = read_budget(None, nodes, ms)
    execution = Execution(workers=workers, cluster=cluster)
    terms = Terms(pairs, budget.nodes or NODES, budget.ms, seed)
    with Ledger(None if db is None else Path(db)) as ledger:
        return replication.replicate(ledger, list(papers), terms, execution, fresh=fresh)
