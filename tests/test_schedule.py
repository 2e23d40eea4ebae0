"""The schedule of a tournament: pairs, openings, sides."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tournaments import hold

import knightfall as kf
from knightfall.arena.openings import OpeningError
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request


def test_every_candidate_meets_every_opponent_on_the_same_openings() -> None:
    plan = prepare(Request(["improved", "open"], "gen2", pairs=30)).plan
    pairs = list(plan.pairs())
    assert len(pairs) == 30 * 2 * 7 + 0
    by_matchup: dict[object, list[str]] = {}
    for pair in pairs:
        by_matchup.setdefault(pair.matchup, []).append(pair.opening)
    [openings] = {tuple(found) for found in by_matchup.values()}
    assert len(set(openings)) == 30
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert [pair.number for pair in pairs] == list(range(len(pairs)))


def test_the_same_wish_gives_the_same_plan_and_another_seed_another() -> None:
    request = Request(["improved"], "E", pairs=20, seed=4)
    assert list(prepare(request).plan.pairs()) == list(prepare(request).plan.pairs())
    assert prepare(request).plan.openings != prepare(Request(["improved"], "E", pairs=20, seed=5)).plan.openings


def test_more_openings_than_there_are_of_two_plies() -> None:
    plan = prepare(Request(["improved"], ["Random"], pairs=2_500)).plan
    plies = Counter(kf.Position.from_fen(text).ply for text in plan.openings)
    assert len(set(plan.openings)) == 2_500
    assert plies[2] + plies[4] == 2_500
    assert plies[2] <= 2_352


def test_all_openings_and_openings_from_a_file(tmp_path: Path) -> None:
    everything = prepare(Request(["improved"], ["Random"], openings="all", board="4x4")).plan
    assert len(everything.openings) == sum(
        not kf.Position.start(kf.Geometry(4, 4)).play(a).play(b).is_over for a in range(16) for b in range(16) if a != b
    )
    file = tmp_path / "openings.txt"
    file.write_text("# mine\n7/7/3n3/7/7/2N4/7 w\n\n7/7/3N3/7/7/2n4/7 b\n")
    assert prepare(Request(["improved"], ["Random"], openings=file)).plan.openings == (
        "7/7/3n3/7/7/2N4/7 w",
        "7/7/3N3/7/7/2n4/7 b",
    )
    with pytest.raises(OpeningError, match="only 2 positions; 3 requested"):
        prepare(Request(["improved"], ["Random"], openings=file, pairs=3))
    with pytest.raises(OpeningError, match="on 7x7, not on 6x6"):
        prepare(Request(["improved"], ["Random"], openings=file, board="6x6"))


def test_balanced_openings_have_each_kind_equally_often_as_far_as_there_are() -> None:
    geometry = kf.Geometry(5, 5)
    kinds: dict[str, Counter[tuple[bool, bool]]] = {}
    for name, request in (
        ("all", Request(["improved"], ["Random"], openings="all", board="5x5")),
        ("balanced", Request(["improved"], ["Random"], pairs=200, balanced=True, board="5x5")),
    ):
        kinds[name] = Counter()
        for text in prepare(request).plan.openings:
            position = kf.Position.from_fen(text)
            first, second = position.locations
            assert first is not None
            assert second is not None
            same = geometry.colour(first) == geometry.colour(second)
            kinds[name][kf.solve(position).winner == 1, same] += 1
    most = max(kinds["balanced"].values())
    assert sum(kinds["balanced"].values()) == 200
    for kind, there in kinds["all"].items():
        assert kinds["balanced"][kind] in (min(there, most), min(there, most - 1))


def test_a_pair_is_one_opening_from_both_sides() -> None:
    results = hold("improved", pairs=4)
    games = results.games
    assert len(games) == 2 * 4 * 1 + 0
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert one.opening == two.opening
        assert one.players == two.players[::-1]
        for game in (one, two):
            assert game.outcome is not None
            assert game.final.is_over  # and so every move was legal: a Game checks them
            assert game.outcome.winner == game.final.winner


def test_the_openings_of_a_file_may_have_the_second_player_to_move(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("7/7/3N3/7/7/2n4/7 b\n")
    results = hold("improved", panel=["Random"], pairs=1, openings=file)
    first, second = results.games
    assert first.players == ("Random", "AB_improved")  # the candidate has the first move, and that is player 2's
    assert second.players == ("AB_improved", "Random")
    winners = [game.players[(game.outcome.winner or 0) - 1] for game in results.games if game.outcome is not None]
    assert results.standings[0].won == winners.count("AB_improved")
