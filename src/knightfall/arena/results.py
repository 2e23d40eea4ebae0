"""The results of a tournament: matches, standings, verdicts, ratings, games."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from knightfall.arena.ledger import Experiment, Ledger, PairRow
from knightfall.arena.plan import Matchup, Plan
from knightfall.arena.play import GameRow
from knightfall.arena.referee import SCORES
from knightfall.arena.statistics.elo import elo_interval
from knightfall.arena.statistics.estimate import Estimate, estimate
from knightfall.arena.statistics.pairs import Interval, PairCounts, rate_interval
from knightfall.arena.statistics.ratings import RatedGame, Ratings, rate
from knightfall.arena.verdicts import HEAD_TO_HEAD, OVER_THE_PANEL, Question, Verdict, answer, sequential
from knightfall.rules import Game, MoveData, Outcome, Position
from knightfall.rules.display import Displayed, Table


@dataclass(frozen=True)
class Match:
    """All pairs of two players, from the candidate's side."""

    matchup: Matchup
    counts: PairCounts

    @property
    def rate(self) -> Interval:
        """The share of games that the candidate won."""
        return rate_interval(self.counts)

    @property
    def elo(self) -> Interval:
        """The win rate as an Elo difference."""
        return elo_interval(self.counts)


@dataclass(frozen=True)
class Standing:
    """A candidate's result against the whole panel; in a round robin, against all other candidates."""

    candidate: str
    pairs: PairCounts
    estimate: Estimate
    losing_to: tuple[str, ...]
    """The opponents against whom it lost more games than it won."""

    @property
    def won(self) -> int:
        """The number of games won."""
        return self.pairs.games_won

    @property
    def lost(self) -> int:
        """The number of games lost."""
        return self.pairs.games_lost

    @property
    def games(self) -> int:
        """The number of finished games."""
        return 2 * self.pairs.pairs

    @property
    def losing_records(self) -> int:
        """The number of opponents against whom it lost more games than it won: report D's second criterion."""
        return len(self.losing_to)

    @property
    def rate(self) -> Interval:
        """The share of games won."""
        return self.estimate.interval()


class Results(Displayed):
    """The results of one experiment; figures are computed on demand.

    ``print`` shows the tables as text; notebooks display them as HTML.
    """

    def __init__(
        self, experiment: Experiment, plan: Plan, pairs: list[PairRow], games: list[tuple[int, GameRow]]
    ) -> None:
        self.experiment = experiment
        self.plan = plan
        self.pairs = pairs
        self._games = games
        self._by_number = {pair.number: pair for pair in pairs}

    @classmethod
    def read(cls, ledger: Ledger, number: int) -> Results:
        """Return the results of an experiment, finished or not; raise LedgerError if its rows contradict each other."""
        with ledger.snapshot():
            experiment = ledger.experiment(number)
            plan, pairs = ledger.plan_and_pairs(experiment)
            return cls(experiment, plan, pairs, ledger.finished_games(experiment, pairs))

    @property
    def is_complete(self) -> bool:
        """Whether no pair remains to be played."""
        return all(pair.state != "planned" for pair in self.pairs)

    @property
    def pairs_done(self) -> int:
        """The number of finished pairs."""
        return sum(pair.state == "done" for pair in self.pairs)

    @cached_property
    def scores(self) -> dict[Matchup, dict[int, float]]:
        """The candidate's score in every finished pair, by match and opening number."""
        found: dict[Matchup, dict[int, float]] = {matchup: {} for matchup in self.plan.matchups}
        for pair in self.pairs:
            if pair.state == "done" and pair.score is not None:
                found[pair.matchup][pair.opening_number] = pair.score
        return found

    @cached_property
    def matches(self) -> dict[Matchup, Match]:
        """All matches, in the order of the tables."""
        return {matchup: Match(matchup, PairCounts.of(scores.values())) for matchup, scores in self.scores.items()}

    def _own(self, candidate: str) -> Scores:
        return own_scores(self.plan, self.scores, candidate)

    @cached_property
    def standings(self) -> list[Standing]:
        """The standings of all candidates over the panel, in their original order."""
        return [self._standing(candidate) for candidate in self.plan.candidates]

    def _standing(self, candidate: str) -> Standing:
        estimate, pairs = panel_estimate(self.plan, self.scores, candidate)
        records = {opponent: PairCounts.of(scores.values()) for opponent, scores in self._own(candidate).items()}
        losing = tuple(opponent for opponent, record in records.items() if record.games_lost > record.games_won)
        return Standing(candidate=candidate, pairs=pairs, estimate=estimate, losing_to=losing)

    def standing(self, candidate: str) -> Standing:
        """Return the standing of one candidate."""
        return self.standings[self.plan.candidates.index(candidate)]

    def between(self, player: str, other: str) -> PairCounts | None:
        """Return the pairs of two players, from the side of the first; None if they do not meet."""
        if (match := self.matches.get(Matchup(player, other))) is not None:
            return match.counts
        if (match := self.matches.get(Matchup(other, player))) is not None:
            return match.counts.turned()
        return None

    def duel(self, candidate: str) -> PairCounts | None:
        """Return a candidate's pairs against the baseline; None if they do not meet."""
        matchup = self.plan.duel(candidate)
        if matchup is None:
            return None
        counts = self.matches[matchup].counts
        return counts if matchup.candidate == candidate else counts.turned()

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on each candidate against the baseline: over the panel, and head to head."""
        plan = self.plan
        if plan.sprt is not None:
            return [sequential(m.candidate, m.opponent, self.matches[m].counts, plan.sprt) for m in plan.matchups]
        if plan.baseline is None:
            return []
        return [*answer(self._panel_questions()), *answer(self._duels())]

    def verdict_on(self, candidate: str, kind: str) -> Verdict | None:
        """Return the verdict of this kind on a candidate; None if there is none."""
        return next((v for v in self.verdicts if v.candidate == candidate and v.kind == kind), None)

    def _panel_questions(self) -> list[Question]:
        plan = self.plan
        if plan.is_round_robin or plan.baseline is None or plan.baseline not in plan.candidates:
            return []
        found = [self.over_the_panel(name, plan.baseline) for name in plan.candidates if name != plan.baseline]
        return [question for question in found if question.pairs]

    def over_the_panel(self, candidate: str, rival: str) -> Question:
        """Compare two candidates by their scores against the same opponents from the same openings."""
        mine, theirs = self._own(candidate), self._own(rival)
        both = {
            opponent: {at: score - theirs[opponent][at] for at, score in scores.items() if at in theirs[opponent]}
            for opponent, scores in mine.items()
        }
        pairs = sum(len(scores) for scores in both.values())
        rates = (_mean_where(mine, both), _mean_where(theirs, both)) if pairs else (0.5, 0.5)
        told = _by_opening(both, is_difference=True)
        return Question(candidate, rival, OVER_THE_PANEL, told, rates, pairs)

    def _duels(self) -> list[Question]:
        plan = self.plan
        found = []
        for candidate in plan.candidates:
            matchup = plan.duel(candidate)
            if matchup is not None and plan.baseline is not None and self.scores[matchup]:
                found.append(self.head_to_head(matchup, candidate, plan.baseline))
        return found

    def head_to_head(self, matchup: Matchup, candidate: str, rival: str) -> Question:
        """Return the question for one match, from the candidate's side."""
        scores: Mapping[int, float] = self.scores[matchup]
        if matchup.candidate != candidate:
            scores = {at: 1 - score for at, score in scores.items()}
        told = _by_opening({rival: scores})
        return Question(candidate, rival, HEAD_TO_HEAD, told, (told.mean, 1 - told.mean), len(scores))

    @cached_property
    def ratings(self) -> Ratings:
        """The Elo ratings of all players together, with terms for the first move and for the attacker."""
        named: dict[str, str] = {}
        for name in self.plan.names:
            named.setdefault(self.plan.identity(name), name)
        known = {name: named[self.plan.identity(name)] for name in self.plan.names}
        openings = {opening: Position.from_fen(opening) for opening in self.plan.openings}
        first_attacks = {text: _mover_attacks(position) for text, position in openings.items()}
        movers = {text: position.to_move for text, position in openings.items()}
        games = []
        for number, game in self._games:
            pair = self._by_number[number]
            mover = movers[pair.opening]
            ahead, behind = (game.first, game.second) if mover == 1 else (game.second, game.first)
            games.append(
                RatedGame(known[ahead], known[behind], game.winner == mover, pair.opening, first_attacks[pair.opening])
            )
        return rate(games)

    @cached_property
    def games(self) -> list[Game]:
        """All finished games, in the order of the schedule."""
        return [game_of(row, self._by_number[number].opening) for number, row in self._games]

    def rows(self) -> Iterator[tuple[PairRow, GameRow]]:
        """Yield all finished games as stored in the ledger, with their pairs."""
        for number, game in self._games:
            yield self._by_number[number], game

    @property
    def games_played(self) -> int:
        """The number of finished games."""
        return len(self._games)

    @cached_property
    def moves_hash(self) -> str:
        """A hash of all moves; equal games have equal hashes."""
        digest = hashlib.sha256()
        for number, game in self._games:
            digest.update(f"{self._by_number[number].id} {game.game} {game.moves}\n".encode())
        return digest.hexdigest()

    @cached_property
    def faults(self) -> Counter[tuple[str, str]]:
        """The number of games lost for other reasons than being stuck, by player and reason."""
        return Counter(
            (game.second if game.winner == 1 else game.first, game.reason)
            for _, game in self._games
            if game.reason != "stuck"
        )

    @cached_property
    def fault_messages(self) -> dict[tuple[str, str], str]:
        """The message of the first fault of each kind."""
        found: dict[tuple[str, str], str] = {}
        for _, game in self._games:
            if game.reason != "stuck":
                found.setdefault((game.second if game.winner == 1 else game.first, game.reason), game.message)
        return found

    @property
    def left_out(self) -> list[PairRow]:
        """The pairs that could not be played."""
        return [pair for pair in self.pairs if pair.state == "left out"]

    @property
    def table(self) -> str:
        """The table of the reports as text."""
        from knightfall.arena.tables import tournament_table

        return tournament_table(self)

    def __str__(self) -> str:
        from knightfall.arena.tables import results_text

        return results_text(self)

    def __repr__(self) -> str:
        from knightfall.arena.tables import foot

        return f"{self.table}\n\n{foot(self)}"

    def _tables(self) -> Sequence[Table]:
        from knightfall.arena.notebook import results_tables

        return results_tables(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON data; values that differ from run to run are under "run"."""
        from knightfall.arena.export import results_facts

        return results_facts(self)


Scores = dict[str, dict[int, float]]
"""Scores by opponent and opening number."""


def own_scores(plan: Plan, scores: Mapping[Matchup, Mapping[int, float]], candidate: str) -> Scores:
    """Return a candidate's scores against each panel opponent; in a round robin, against all others."""
    found = {}
    for matchup in plan.panel_matchups:
        if matchup.candidate == candidate:
            found[matchup.opponent] = dict(scores[matchup])
        elif plan.is_round_robin and matchup.opponent == candidate:
            found[matchup.candidate] = {at: 1 - score for at, score in scores[matchup].items()}
    return found


def panel_estimate(
    plan: Plan, scores: Mapping[Matchup, Mapping[int, float]], candidate: str
) -> tuple[Estimate, PairCounts]:
    """Return a candidate's win rate over the panel and the counts of its pairs."""
    own = own_scores(plan, scores, candidate)
    counts = sum((PairCounts.of(found.values()) for found in own.values()), PairCounts())
    return _by_opening(own), counts


def _by_opening(scores: Mapping[str, Mapping[int, float]], is_difference: bool = False) -> Estimate:
    """Return the mean over opponents and openings; all pairs from one opening form a cluster."""
    clusters: dict[int, tuple[float, int]] = {}
    for by_opening in scores.values():
        for at, score in by_opening.items():
            total, count = clusters.get(at, (0.0, 0))
            clusters[at] = (total + score, count + 1)
    return estimate(clusters.values(), max(len(scores), 1), is_difference=is_difference)


def _mean_where(scores: Mapping[str, Mapping[int, float]], where: Mapping[str, Mapping[int, float]]) -> float:
    """Return the mean of the scores that have a counterpart in ``where``."""
    values = [scores[opponent][at] for opponent, found in where.items() for at in found]
    return sum(values) / len(values)


def _mover_attacks(position: Position) -> bool | None:
    first, second = position.locations
    if first is None or second is None:
        return None
    return position.geometry.colour(first) == position.geometry.colour(second)


def game_of(row: GameRow, opening: str, seed: int | None = None) -> Game:
    """Return a game of the ledger as a game record."""
    position = Position.from_fen(opening)
    parse = position.geometry.parse_label
    moves = tuple(parse(label) for label in row.moves.split())
    scores = np.frombuffer(row.scores, SCORES)
    data = tuple(_move_data(entry) for entry in scores)
    outcome = Outcome(row.winner, row.reason)
    return Game(position, moves, outcome, data, (row.first, row.second), seed=seed)


def _move_data(entry: np.void) -> MoveData:
    nodes, depth, score = int(entry["nodes"]), int(entry["depth"]), float(entry["score"])
    if not nodes and not depth and np.isnan(score):
        return MoveData()  # a move without a search
    told = None if np.isnan(score) else score
    return MoveData(float(entry["microseconds"]) / 1e6, nodes, depth, told)
