"""The eighteen published claims: their wording, the data behind them, and how each one is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scipy import stats

from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.arena.verdicts import answer
from knightfall.lab.replication.costs import cost_of
from knightfall.lab.replication.game_statistics import attacker_share, mean_depth
from knightfall.lab.replication.judging import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Answer,
    Evidence,
    Finding,
    about_equal,
    beats,
    combine,
    judged,
    worse,
)
from knightfall.lab.replication.papers import REPORTS, Sweep


@dataclass(frozen=True)
class Claim:
    """A published claim: its wording, the figure and sample behind it, and the function that judges it."""

    id: str
    words: str
    original: str
    sample: str
    judge: Callable[[Evidence], Answer] = field(repr=False)

    @property
    def report(self) -> str:
        """The id of the report that makes the claim."""
        return self.id[0]


def _b1(evidence: Evidence) -> Answer:
    rivals = [name for name in REPORTS["B"].candidates if name not in ("central_mobility", "central_then_paths")]
    questions = [evidence.question("B", "central_mobility", rival) for rival in rivals]
    return combine(judged([evidence.duel("B", "central_mobility"), *questions]))


def _b2(evidence: Evidence) -> Answer:
    """Judge how much matches of a few games vary: the 95 % range of AB_Improved against itself."""
    trial, results = evidence.of("B")
    matchup = results.plan.panel_matchups[
        [m.candidate for m in results.plan.panel_matchups].index(trial.agent("improved"))
    ]
    itself = next(
        m
        for m in results.plan.panel_matchups
        if m.candidate == matchup.candidate and results.plan.identity(m.opponent) == results.plan.identity(m.candidate)
    )
    counts = results.matches[itself].counts
    findings = []
    for games, low, high in ((10, 0.3, 0.7), (20, 0.4, 0.6), (40, 0.45, 0.55)):
        verdicts = set()
        shown: Interval | None = None
        for split in _split_range(counts):
            found = match_range(games, split)
            verdicts.add(HOLDS if found.low <= low and found.high >= high else FAILS)
            shown = shown or found
        said = verdicts.pop() if len(verdicts) == 1 else UNDECIDED
        # The claim is about ten and twenty games. The range for forty games is reported but not judged.
        findings.append(Finding(f"95% of {games}-game matches within", said if games < 40 else HOLDS, shown, "%"))
    return combine(findings)


def _split_range(counts: PairCounts) -> tuple[float, float, float]:
    """Return the share of split pairs and the ends of its 95 % interval."""
    if not counts.pairs:
        return 0.5, 0.0, 1.0
    found = stats.binomtest(counts.wl, counts.pairs).proportion_ci(method="wilson")
    return counts.wl / counts.pairs, float(found.low), float(found.high)


def match_range(games: int, split: float) -> Interval:
    """Return the range of win rates that contains 95 % of matches between equal players.

    ``games`` is the length of a match and ``split`` the share of pairs in which each player wins one game.

    >>> match_range(10, 0.5).low, match_range(10, 0.5).high
    (0.2, 0.8)
    """
    pairs = games // 2
    chances = [0.0] * (2 * pairs + 1)
    one = {0: (1 - split) / 2, 1: split, 2: (1 - split) / 2}
    chances[0] = 1.0
    for _ in range(pairs):
        after = [0.0] * len(chances)
        for won, chance in enumerate(chances):
            for more, part in one.items():
                if chance and won + more < len(after):
                    after[won + more] += chance * part
        chances = after
    total = 0.0
    for won, chance in enumerate(chances):
        total += chance
        if total > 0.025:
            return Interval(0.5, won / games, 1 - won / games)
    return Interval(0.5, 0.5, 0.5)


def _b3(evidence: Evidence) -> Answer:
    worse = judged([evidence.duel("B", "space_proximity")], "worse")
    return combine([*worse, *judged([evidence.duel("B", "central_then_proximity")])])


def _b5(evidence: Evidence) -> Answer:
    """Judge whether a cheap function searches deeper in the same time.

    The depth that it reaches at this budget is compared with that of the other functions of the report.
    """
    trial, results = evidence.of("B")
    depths = {name: mean_depth(results, trial.agent(name)) for name in REPORTS["B"].candidates}
    own = depths["central_mobility"]
    findings = [Finding("depth reached by central_mobility", HOLDS, own, "plies")]
    for rival in ("space_proximity", "central_then_proximity"):
        other = depths[rival]
        said = HOLDS if own.low > other.high else FAILS if own.high < other.low else UNDECIDED
        findings.append(Finding(f"by {rival}", said, other, "plies"))
    findings.append(Finding("by improved", HOLDS, depths["improved"], "plies"))
    costs = ", ".join(f"{name} {cost_of(name):.2f}" for name in ("central_mobility", "space_proximity"))
    findings.append(Finding(f"cost interpreted, improved = 1: {costs}", HOLDS))
    return combine(findings)


def _c4(evidence: Evidence) -> Answer:
    better = [evidence.question("C", name, "improved") for name in ("space_difference", "space")]
    equal = [evidence.question("C", "space_difference", "space")]
    return combine([*about_equal(equal), *judged(better)])


def _d1(evidence: Evidence) -> Answer:
    trial, results = evidence.of("D")
    rivals = [name for name in REPORTS["D"].candidates if name != "squared_ratio"]
    findings = judged([evidence.question("D", "squared_ratio", rival) for rival in rivals])
    losing = {standing.candidate: standing.losing_records for standing in results.standings}
    records = {name: losing[trial.agent(name)] for name in REPORTS["D"].candidates}
    best = min(records.values())
    told = ", ".join(f"{name} {count}" for name, count in records.items())
    findings.append(Finding(f"losing records: {told}", HOLDS if records["squared_ratio"] == best else FAILS))
    findings += judged([evidence.duel("D", "squared_ratio")])
    # Head to head, the report claims only a shared best result, so here it must not be worse than even.
    last = findings[-1]
    shared = HOLDS if last.verdict != FAILS else FAILS
    return combine([*findings[:-1], Finding(last.words, shared, last.interval, last.unit)])


def _e1(evidence: Evidence) -> Answer:
    best = judged([evidence.question("E", "contested_reach", rival) for rival in ("shared_square", "reach")])
    return combine(
        [*best, *about_equal([evidence.question("E", name, "improved") for name in ("shared_square", "reach")])]
    )


def _e2(evidence: Evidence) -> Answer:
    rivals = ("contested_reach", "improved", "shared_square", "reach")
    return combine(judged([evidence.question("E", "Custom", rival) for rival in rivals]))


def _e3(evidence: Evidence) -> Answer:
    """Compare the recommended values with all others of their sweeps."""
    findings = []
    for sweep in REPORTS["E"].sweeps:
        best = {"k of reach": ("2", "3"), "k of contested_reach": ("2", "3")}.get(sweep.name, (sweep.published,))
        findings.append(_best_of(evidence, sweep, best))
    return combine(findings)


def _best_of(evidence: Evidence, sweep: Sweep, recommended: Sequence[str]) -> Finding:
    """Return whether the recommended values are the best of a sweep."""
    own = [name for name in sweep.candidates if value_of(name) in recommended]
    others = [name for name in sweep.candidates if name not in own]
    trial, results = evidence.of("E sweeps")
    rates = {standing.candidate: standing for standing in results.standings}
    leader = max(own, key=lambda name: rates[trial.agent(name)].estimate.mean)
    top = max(sweep.candidates, key=lambda name: rates[trial.agent(name)].estimate.mean)
    verdicts = answer([evidence.question("E sweeps", leader, other) for other in others])
    words = {verdict.word for verdict in verdicts}
    said = FAILS if "worse" in words else HOLDS if words == {"better"} else UNDECIDED
    rate = rates[trial.agent(top)].rate
    return Finding(f"{sweep.name}: best {value_of(top)}, winning", said, rate, "%")


def value_of(candidate: str) -> str:
    """Return the value of the parameter that a sweep varies.

    >>> value_of("reach(k=3)"), value_of("flee")
    ('3', 'flee')
    """
    return candidate.rstrip(")").partition("=")[2] if candidate.count("=") == 1 else candidate


_JUDGED = "deepening against deepening"


def _e4(evidence: Evidence) -> Answer:
    findings = []
    for key in ("E", "A", "B", "C", "D"):
        if key in evidence.trials:
            _, results = evidence.of(key)
            # Sort the judged kind first.
            for kind, share in sorted(attacker_share(results).items(), key=lambda item: item[0] != _JUDGED):
                said = HOLDS if share.low > 0.5 else FAILS if share.high < 0.5 else UNDECIDED
                # Colours matter little if one of the players is weak, so the other kinds are reported but not judged.
                counted = said if kind == _JUDGED else HOLDS
                findings.append(Finding(f"{key}, {kind}: the attacker wins", counted, share, "%"))
    return combine(findings)


CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for claim in (
        Claim(
            "A1",
            "lookahead_both beats ID_Improved by about 9 %",
            "+5.7 points, ratio 1.086",
            "140 games",
            beats("A", "lookahead_both", "improved"),
        ),
        Claim(
            "A2",
            "mix 0.5 is the best of 0.3, 0.5 and 0.7",
            "ratio 1.086, against 1.032 and 1.041",
            "140 games each",
            beats("A", "lookahead_both", "lookahead_both(mix=0.3)", "lookahead_both(mix=0.7)"),
        ),
        Claim(
            "A3",
            "lookahead_both is the best of the functions measured",
            "ratio 1.086, the others 0.939 to 0.978",
            "140 games each",
            beats(
                "A", "lookahead_both", "lookahead_own", "opponent_mobility", "lookahead_opponent", "center_deviation"
            ),
        ),
        Claim(
            "B1",
            "central_mobility is best overall and beats AB_Improved in about 60 % of games",
            "73.2 %, the others 62.9 to 67.9; 24 of 40",
            "280 games each",
            _b1,
        ),
        Claim(
            "B2",
            "ten games are too few: AB_Improved against itself swings between 30 and 70 %; twenty are still noisy",
            "30 to 70 %",
            "not told",
            _b2,
        ),
        Claim(
            "B3",
            "space_proximity loses to AB_Improved more often than not; central_then_proximity has a slight edge",
            "13 and 22 of 40",
            "40 games each",
            _b3,
        ),
        Claim(
            "B4",
            "a late-game function with board partition and longest jump paths would be better still",
            "a wish",
            "none",
            beats("B", "central_then_paths", "central_mobility", "central_then_proximity"),
        ),
        Claim(
            "B5",
            "central_mobility is cheap, so it searches deeper in the same time",
            "no figure",
            "none",
            _b5,
        ),
        Claim(
            "C1",
            "stages beats ID_Improved by 10 to 15",
            "+11.4 points",
            "140 games",
            beats("C", "stages", "improved"),
        ),
        Claim(
            "C2",
            "hard staging is much worse than blending",
            "57.9 against 78.6 %, 62.9 against 73.6 %",
            "140 games each",
            worse("C", ("stages_hard", "stages"), ("stages_lines_hard", "stages_lines")),
        ),
        Claim(
            "C3",
            "looking ahead is worse than not: space_lookahead against space",
            "57.9 against 69.3 %",
            "140 games each",
            worse("C", ("space_lookahead", "space")),
        ),
        Claim(
            "C4",
            "space_difference and space are about equal, and slightly better than ID_Improved",
            "69.3 and 69.3 against 67.1 %",
            "140 games each",
            _c4,
        ),
        Claim(
            "C5",
            "stages_improved scales better to larger boards than stages",
            "no figure",
            "none",
            beats("C large", "stages_improved", "stages"),
        ),
        Claim(
            "D1",
            "squared_ratio is best overall and in losing records, and shares the best result against AB_Improved",
            "71.4 %, the others 64.3 to 67.1; 0 losing records; 5 of 10",
            "70 games each",
            _d1,
        ),
        Claim(
            "E1",
            "contested_reach is best of the three; shared_square and reach are about as good as improved",
            "71.0 % against 63.2 and 65.5; improved 65.2",
            "400 games each",
            _e1,
        ),
        Claim(
            "E2",
            "best move first adds to it: Custom is the strongest agent",
            "72.5 against 71.0 %",
            "400 games each",
            _e2,
        ),
        Claim(
            "E3",
            "k of 2 or 3, c of 0.5 and a bonus of 3 are best",
            "no figure",
            "not told",
            _e3,
        ),
        Claim(
            "E4",
            "the attacker has the advantage",
            "no figure",
            "none",
            _e4,
        ),
    )
}
"""All claims in order, by id."""


def needs(claim: Claim) -> str:
    """Return the key of the trial that is needed to judge a claim."""
    return {"C5": "C large", "E3": "E sweeps"}.get(claim.id, claim.report)
