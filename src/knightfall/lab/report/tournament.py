"""The sections of one tournament."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from knightfall.agents.budget import DEFAULT_NODES
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.arena.verdicts import OVER_THE_PANEL
from knightfall.lab.attackers import attacker_share
from knightfall.lab.report.boards import board, notable
from knightfall.lab.report.charts import Dot, Panel, draw_bars, draw_dots, draw_histogram, short
from knightfall.lab.report.document import (
    Alert,
    Block,
    Board,
    Cell,
    Chart,
    Figures,
    Fold,
    Points,
    Section,
    Table,
    Text,
)
from knightfall.lab.report.facts import (
    Effort,
    Endings,
    between,
    duel,
    efforts,
    endings,
    histogram,
    pairs_of,
    ratios,
)
from knightfall.lab.report.recommend import Recommendation, recommend
from knightfall.lab.report.words import (
    badge,
    elo_words,
    listed,
    percent,
    plural,
    range_of,
    rate_words,
    time_words,
    verdict_words,
)

_MOST_LEFT_OUT = 10


# --- the summary


def state_words(results: Results) -> str | None:
    """What is missing, if something is."""
    if results.is_complete:
        return None
    done, total = results.pairs_done, len(results.pairs)
    return (
        f"Experiment {results.experiment.id} is not finished: {done:,} of {plural(total, 'pair')} are played. "
        "All figures are those of the pairs played so far."
    )


def key_figures(results: Results) -> Figures:
    """The size of a tournament."""
    plan = results.plan
    opponents = "each other" if plan.is_round_robin else str(len(plan.opponents))
    return Figures(
        (
            ("games", f"{results.games_played:,}"),
            ("pairs", f"{results.pairs_done:,}"),
            ("openings", f"{len({pair.opening_number for pair in results.pairs if pair.state == 'done'}):,}"),
            ("candidates", str(len(plan.candidates))),
            ("opponents", opponents),
            ("board", plan.board.replace("x", "×")),
            ("budget", budget_words(results)),
        )
    )


def budget_words(results: Results) -> str:
    """What a move may cost, for agents that say nothing else."""
    budget = results.plan.budget
    told = [
        f"{value:,} {noun}" if isinstance(value, int) else f"{value:g} {noun}"
        for value, noun in ((budget.nodes, "nodes"), (budget.ms, "ms"), (budget.playouts, "playouts"))
        if value is not None
    ]
    if budget.depth is not None:
        told.append(f"depth {budget.depth}")
    return ", ".join(told) or f"{DEFAULT_NODES:,} nodes"


def summary(results: Results, found: Recommendation) -> Section:
    """What came out, in a few lines."""
    blocks: list[Block] = []
    state = state_words(results)
    if state is not None:
        blocks.append(Alert(state))
    if results.faults:
        count = sum(results.faults.values())
        blocks.append(Alert(f"{plural(count, 'game')} ended by a fault, which counts as lost: see Faults."))
    blocks.append(Text(found.headline, "Recommendation."))
    plan = results.plan
    if plan.sprt is None:
        order = sorted(results.standings, key=lambda standing: -standing.estimate.mean)
        told = [f"{standing.candidate} {rate_words(standing.rate)}" for standing in order[:6]]
        more = f"; {len(order) - 6} more below" if len(order) > 6 else ""
        blocks.append(Text(f"{listed(told)}{more}. In brackets: 95% intervals.", "Games won."))
        counts = [verdict.word for verdict in results.verdicts if verdict.kind == OVER_THE_PANEL]
        if counts:
            words = [f"{counts.count(word)} {word}" for word in dict.fromkeys(counts)]
            text = f"Over the panel, compared with {plan.baseline}: {listed(words)}."
            blocks.append(Text(text, "Verdicts."))
    else:
        blocks.append(Text(" ".join(f"{verdict.sentence}." for verdict in results.verdicts), "Verdict."))
    blocks.append(key_figures(results))
    return Section("summary", "Summary", tuple(blocks))


# --- who won


def standings(results: Results) -> Section:
    """Win rates with intervals; after a sequential test, without."""
    plan = results.plan
    shown = sorted(results.standings, key=lambda standing: -standing.estimate.mean)
    sequential = plan.sprt is not None
    columns = ["candidate", "games won", "95% interval", "won", "lost", "LL / WL / WW", "losing records"]
    rows = []
    for standing in shown:
        counts = pairs_of(results, standing.candidate)
        is_known = bool(counts.pairs)
        row = [
            standing.candidate,
            percent(standing.estimate.mean) if is_known else "–",
            range_of(standing.rate) if is_known and not sequential else "–",
            f"{standing.won:,}",
            f"{standing.lost:,}",
            f"{counts.ll} / {counts.wl} / {counts.ww}",
            str(standing.losing_records),
        ]
        rows.append(tuple(cell for at, cell in enumerate(row) if at != 2 or not sequential))
    if sequential:
        columns.remove("95% interval")
    table = Table("Standings", tuple(columns), tuple(rows), frozenset(range(1, len(columns))))
    pairs = (
        "LL, WL and WW are the pairs lost twice, split and won twice. A losing record is an opponent to whom more "
        "games were lost than won."
    )
    if sequential:
        text = f"No intervals are shown: a sequential test chose how many pairs were played. {pairs}"
        return Section("standings", "Standings", (Text(text), table))
    base = next((standing for standing in shown if standing.candidate == plan.baseline), None)
    chart = Chart(
        "Games won, with 95% intervals",
        f"Dots with intervals for {plural(len(shown), 'candidate')}, best first: "
        f"{'; '.join(f'{standing.candidate} {rate_words(standing.rate)}' for standing in shown)}.",
        draw_dots(
            [Dot(standing.candidate, (standing.rate,)) for standing in shown],
            "games won, %",
            reference=None if base is None else (base.estimate.mean, short(base.candidate, 24)),
        ),
        table,
        is_open=True,
    )
    whom = "all others" if plan.is_round_robin else "the panel"
    words = f"Every candidate against {whom}, from the same openings. {pairs}"
    return Section("standings", "Standings", (Text(words), chart))


def ratio_section(results: Results) -> Section | None:
    """Win rates divided by the baseline's."""
    found = ratios(results)
    if not found:
        return None
    baseline = results.plan.baseline
    order = sorted(found.items(), key=lambda item: -item[1].estimate)
    rows = tuple((name, f"{r.estimate:.3f}", range_of(r, 1, 3)) for name, r in order)
    table = Table(f"Ratio to {baseline}", ("candidate", "ratio", "interval"), rows, frozenset({1, 2}))
    title = f"Win ratio to {baseline}"
    told = "; ".join(f"{name} {r.estimate:.3f} {range_of(r, 1, 3)}" for name, r in order)
    chart = Chart(
        title,
        f"Dots with intervals around 1: {told}.",
        draw_dots(
            [Dot(name, (ratio,)) for name, ratio in order],
            f"win rate divided by that of {short(str(baseline), 30)}",
            reference=(1.0, "equal"),
            scale=1.0,
        ),
        table,
    )
    text = (
        f"The share of games that a candidate won over the panel, divided by what {baseline} won against the same "
        "opponents from the same openings. Above 1 it won more. The interval is that of the paired difference, "
        "corrected for the number of comparisons, divided by the baseline's rate."
    )
    return Section("ratio", "Win ratio to the baseline", (Text(text), chart))


def crosstable(results: Results, title: str = "Pairs by match") -> Table:
    """Every match: games won and lost, and below the pairs."""
    plan = results.plan
    others = list(plan.candidates if plan.is_round_robin else plan.opponents)
    has_duels = plan.rivals and plan.baseline is not None
    rows = []
    for name in plan.candidates:
        cells: list[Cell | str] = [name]
        for other in others:
            meets = other != name or not plan.is_round_robin
            cells.append(_pair_cell(between(results, name, other) if meets else None))
        if has_duels:
            cells.append(_pair_cell(duel(results, name)))
        rows.append(tuple(cells))
    columns = ("candidate", *others, *([f"{plan.baseline} (outside the panel)"] if has_duels else []))
    return Table(title, columns, tuple(rows), frozenset(range(1, len(columns))))


def _pair_cell(counts: PairCounts | None) -> Cell:
    if counts is None or not counts.pairs:
        return Cell("–")
    return Cell(
        f"{counts.games_won}–{counts.games_lost}", f"{counts.ll} / {counts.wl} / {counts.ww}", share=counts.score
    )


def matches(results: Results) -> Section:
    """The crosstable."""
    text = (
        "Games won and lost by the candidate on the left; below, its pairs: lost twice / split / won twice. "
        "Blue cells are won by the candidate, orange ones by the opponent; the stronger the colour, the clearer."
    )
    return Section("matches", "Match by match", (Text(text), crosstable(results)))


def ratings_section(results: Results) -> Section | None:
    """Elo of all players together."""
    if results.plan.sprt is not None or len(results.plan.names) < 2:
        return None
    title = "Elo of all players together"
    table, shown = ratings_table(results, title)
    told = "; ".join(f"{name} {elo_words(interval)}" for name, interval in shown)
    chart = Chart(
        title,
        f"Dots with 95% intervals, strongest first: {told}.",
        draw_dots(
            [Dot(name, (interval,)) for name, interval in shown],
            "Elo, compared with the mean of all",
            reference=(0.0, "mean"),
            scale=1.0,
        ),
        table,
    )
    text = (
        "One rating for each player, fitted to all games at once (Bradley and Terry's model), with a term for moving "
        "first and one for being the attacker. For comparisons with the baseline use the verdicts, which are sharper."
    )
    return Section("ratings", "Ratings", (Text(text), chart))


def ratings_table(results: Results, title: str) -> tuple[Table, list[tuple[str, Interval]]]:
    """The ratings, strongest first; then the two terms."""
    ratings = results.ratings
    shown = sorted(ratings.agents.items(), key=lambda item: -item[1].estimate)
    rows: list[tuple[Cell | str, ...]] = []
    for name, interval in shown:
        bound = ratings.bounded.get(name)
        note = "" if bound is None else f"a bound: it {bound} its games"
        rows.append((name, f"{interval.estimate:+.0f}", range_of(interval, 1, 0, "+"), note))
    for what, interval in (("moving first", ratings.first_move), ("being the attacker", ratings.attacker)):
        if interval.high > interval.low:
            rows.append((what, f"{interval.estimate:+.0f}", range_of(interval, 1, 0, "+"), "a term, not a player"))
    return Table(title, ("player", "Elo", "95% interval", "remark"), tuple(rows), frozenset({1, 2})), shown


def verdict_table(results: Results, title: str = "Verdicts") -> Table:
    """What may be said, candidate by candidate."""
    rows = []
    for verdict in results.verdicts:
        rows.append(
            (
                verdict.candidate,
                verdict.kind,
                Cell(verdict.word, badge=badge(verdict.word)),
                verdict_words(verdict),
                "–" if verdict.p_value is None else _p_words(verdict.p_value),
                "–" if verdict.more_pairs is None else f"{verdict.more_pairs:,}",
            )
        )
    columns = ("candidate", "compared", "verdict", "figure, interval", "p", "more pairs to show it")
    whom = f", compared with {results.plan.baseline}" if results.plan.baseline is not None else ""
    return Table(f"{title}{whom}", columns, tuple(rows), frozenset({3, 4, 5}))


def _p_words(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def verdicts(results: Results) -> Section:
    """The verdicts."""
    plan = results.plan
    if not results.verdicts:
        return Section("verdicts", "Verdicts", (Text("Nobody was named as the baseline, so there is none."),))
    if plan.sprt is not None:
        rows = tuple(
            (v.candidate, v.baseline, Cell(v.word, badge=badge(v.word)), percent(v.rates[0]), " ".join(v.notes))
            for v in results.verdicts
        )
        table = Table("Verdicts", ("candidate", "opponent", "verdict", "games won", "the test"), rows, frozenset({3}))
        text = (
            f"A sequential test between Elo differences of {plan.sprt.elo0:g} and {plan.sprt.elo1:g}: a match ends as "
            "soon as the games have said enough."
        )
        return Section("verdicts", "Verdicts", (Text(text), table))
    text = (
        "Better or worse is said where the interval, corrected for the number of comparisons (Holm), lies on one "
        "side; over the panel it is that of the difference in points, head to head that of the games won. Not "
        "distinguishable does not mean equal: the interval tells how large a difference could have been missed."
    )
    return Section(
        "verdicts",
        "Verdicts",
        (Text(text), verdict_table(results), Fold("The same in sentences", (_sentences(results),))),
    )


def _sentences(results: Results) -> Points:
    return Points(tuple(f"{verdict.sentence}." for verdict in results.verdicts))


# --- what else the games tell


def attackers(
    shares: Sequence[tuple[str, Sequence[Interval | None]]], series: Sequence[str], sequential: bool = False
) -> Section | None:
    """How often the attacker won, by kinds of agent; one interval for each series, none after a sequential test."""
    if not shares:
        return None
    text = (
        "The attacker is the player whose turn comes while both knights stand on squares of one colour; it stays "
        "that player to the end, and whatever square both can reach it reaches first. The other one is the defender. "
        "Each opening is played from both sides, so the split says nothing about who is stronger, but how much the "
        "colours decide."
    )
    title = "Games won by the attacker"
    if sequential:
        plain = tuple((kind, *("–" if i is None else percent(i.estimate) for i in found)) for kind, found in shares)
        table = Table(title, ("who played", "won by the attacker"), plain, frozenset({1}))
        return Section("attackers", "Attacker and defender", (Text(text), table))
    columns = ("who played", *(series if len(series) > 1 else ("won by the attacker",)))
    rows = tuple((kind, *("–" if i is None else rate_words(i) for i in found)) for kind, found in shares)
    told = "; ".join(f"{row[0]} {', '.join(row[1:])}" for row in rows[:12])
    chart = Chart(
        title,
        f"Dots with 95% intervals around one half: {told}.",
        draw_dots(
            [Dot(kind, tuple(found)) for kind, found in shares],
            "games won by the attacker, %",
            series=series,
            reference=(0.5, "half"),
        ),
        Table(title, columns, rows, frozenset(range(1, len(columns)))),
    )
    return Section("attackers", "Attacker and defender", (Text(text), chart))


def ending_blocks(found: Endings, where: str = "") -> tuple[Block, ...]:
    """Reasons and lengths."""
    total = found.games
    if not total:
        return (Text("No game is finished."),)
    normal = found.reasons["stuck"]
    words = (
        f"All {plural(total, 'game')}{where} ended because a player could not move."
        if normal == total
        else f"Of {plural(total, 'game')}{where}, {normal:,} ended because a player could not move; "
        f"{listed([f'{count:,} by {reason}' for reason, count in found.reasons.most_common() if reason != 'stuck'])}."
    )
    shown = histogram(found.lengths)
    rows = tuple((str(length), f"{count:,}", percent(count / total)) for length, count in shown if count)
    title = f"Length of games{where}"
    chart = Chart(
        title,
        f"Bars: number of games by moves after the opening, from {shown[0][0]} to {shown[-1][0]}; half of the games "
        f"have {found.median:g} or fewer.",
        draw_histogram(shown, "moves after the opening", found.median),
        Table(title, ("moves", "games", "share"), rows, frozenset({0, 1, 2})),
    )
    return Text(words), chart


def ending_section(results: Results) -> Section:
    """How games ended."""
    return Section("endings", "How games ended", ending_blocks(endings([results])))


def effort_section(results: Results) -> Section | None:
    """What moves took."""
    found = efforts(results)
    shown = [found[name] for name in results.plan.candidates if name in found]
    if not shown:
        return None
    everybody = [found[name] for name in results.plan.names if name in found]
    title = "Time, nodes and depth per move"
    told = "; ".join(
        f"{effort.player} {time_words(effort.milliseconds)} ms, {effort.nodes:,.0f} nodes, depth {effort.depth:.1f}"
        for effort in shown
    )
    chart = Chart(
        title,
        f"Bars for each candidate: {told}.",
        draw_bars(
            [effort.player for effort in shown],
            [
                Panel("milliseconds", tuple(e.milliseconds for e in shown), time_words),
                Panel("nodes", tuple(e.nodes for e in shown), lambda value: f"{value:,.0f}"),
                Panel("depth", tuple(e.depth for e in shown), lambda value: f"{value:.1f}"),
            ],
        ),
        effort_table(everybody, title),
    )
    text = (
        "What a move took on average, moves without a search left out. Depth is that of the first half of each "
        "game: later everybody sees the end. Times are those of the machine named below."
    )
    return Section("effort", "Time, nodes and depth", (Text(text), chart))


def effort_table(found: Iterable[Effort], title: str) -> Table:
    """What moves took."""
    rows = tuple(
        (e.player, f"{e.moves:,}", time_words(e.milliseconds), f"{e.nodes:,.0f}", f"{e.depth:.2f}") for e in found
    )
    columns = ("player", "moves", "ms per move", "nodes per move", "depth")
    return Table(title, columns, rows, frozenset({1, 2, 3, 4}))


def fault_section(many: Sequence[Results]) -> Section:
    """Who lost otherwise than by being stuck, and what could not be played."""
    faults = [
        (name, reason, f"{count:,}", results.fault_messages[name, reason], str(results.experiment.id))
        for results in many
        for (name, reason), count in sorted(results.faults.items())
    ]
    left_out = [(results, pair) for results in many for pair in results.left_out]
    blocks: list[Block] = []
    if faults:
        text = (
            "A player that crashes, takes too long or makes an illegal move loses the game; it counts like any other."
        )
        columns = ("player", "reason", "games", "first message", "experiment")
        blocks += [Text(text), Table("Games lost by a fault", columns, tuple(faults), frozenset({2, 4}))]
    if left_out:
        text = f"{plural(len(left_out), 'pair')} could not be played; the figures of this report are without."
        rows = tuple(
            (
                f"{results.experiment.id}/{pair.number}",
                pair.matchup.candidate,
                pair.matchup.opponent,
                pair.opening,
                pair.note,
            )
            for results, pair in left_out[:_MOST_LEFT_OUT]
        )
        if len(left_out) > _MOST_LEFT_OUT:
            text += f" The first {_MOST_LEFT_OUT}:"
        columns = ("pair", "candidate", "opponent", "opening", "why")
        blocks += [Text(text), Table("Pairs left out", columns, rows)]
    if not blocks:
        blocks.append(Text("None: no game ended by a fault, and no pair was left out."))
    return Section("faults", "Faults", tuple(blocks))


def game_section(many: Sequence[Results], favourites: Sequence[str], db: str) -> Section | None:
    """A few games to go through."""
    found: list[Board] = [board(game, db) for game in notable(many, favourites)]
    if not found:
        return None
    text = (
        "Each board shows the end of a game; the numbers tell in which order squares were used, light ones by the "
        "first player, dark ones by the second, a dot those of the opening. Buttons, or the arrow keys, go through "
        "the moves."
    )
    return Section("games", "Games worth a look", (Text(text), *found))


def recommendation_section(found: Recommendation, results: Results) -> Section:
    """What to use, and why."""
    sequential = results.plan.sprt is not None
    blocks: list[Block] = [Text(found.headline, "In one sentence.")]
    if not sequential and len(found.criteria) > 1:
        blocks.append(criteria_table(found, results))
    blocks += [Points(found.reasons, numbered=True), Text("", "To bear in mind."), Points(found.cautions)]
    return Section("recommendation", "Recommendation", tuple(blocks))


def criteria_table(found: Recommendation, results: Results) -> Table:
    """The three criteria side by side."""
    baseline = results.plan.baseline
    best = max(c.standing.estimate.mean for c in found.criteria)
    fewest = min(c.standing.losing_records for c in found.criteria)
    met = [c.duel.score for c in found.criteria if c.duel is not None and c.duel.pairs]
    most = max(met, default=-1.0)
    rows = []
    for c in sorted(found.criteria, key=lambda c: -c.standing.estimate.mean):
        head = "–"
        if c.duel is not None and c.duel.pairs:
            head = f"{c.duel.games_won}–{c.duel.games_lost}{' ★' if c.duel.score == most else ''}"
        word = "baseline" if c.name == baseline else "–" if c.over is None else c.over.word
        if c.over is None and c.head is not None:
            word = c.head.word
        rows.append(
            (
                c.name,
                f"{percent(c.standing.estimate.mean)}{' ★' if c.standing.estimate.mean == best else ''}",
                f"{c.standing.losing_records}{' ★' if c.standing.losing_records == fewest else ''}",
                *((head,) if baseline is not None else ()),
                Cell(word, badge="" if word in ("baseline", "–") else badge(word)),
            )
        )
    columns = ["candidate", "games won", "losing records"]
    if baseline is not None:
        columns.append(f"against {baseline}")
    columns.append("verdict")
    title = "The three criteria; ★ marks the best figure, whether or not the difference is more than chance"
    return Table(title, tuple(columns), tuple(rows), frozenset(range(1, len(columns) - 1)))


# --- all of it


def attacker_rows(results: Results) -> list[tuple[str, Sequence[Interval | None]]]:
    """The split by kinds of agent."""
    return [(kind, (share,)) for kind, share in attacker_share(results).items()]


def tournament_sections(results: Results, db: str) -> tuple[list[Section], Recommendation]:
    """Everything but method, origin and recommendation, which stand at the end of a whole report."""
    found = recommend(results)
    sections = [
        summary(results, found),
        standings(results),
        ratio_section(results),
        matches(results),
        verdicts(results),
        ratings_section(results),
        attackers(attacker_rows(results), ("",), results.plan.sprt is not None),
        ending_section(results),
        effort_section(results),
        fault_section([results]),
        game_section([results], [found.favourite], db),
    ]
    return [section for section in sections if section is not None], found
