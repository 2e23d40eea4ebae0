"""`kf.play`: the same game whether it is one native call or many, whatever was played before, in any thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import knightfall as kf
from knightfall.agents import prototypes
from knightfall.agents.native_agent import NativeAgent
from knightfall.agents.prototypes import prototype
from knightfall.arena.referee import play_one
from knightfall.native.seeds import key_of

START = kf.Position.start(kf.Geometry(5, 5))
LATER = kf.Position.from_fen("*N3/2*2/1*3/4n/5 b")
LATE = kf.Position.from_fen("*N3/2*2/1*3/4n/5 w")
WIDE = kf.Position.start(kf.Geometry(13, 5)).play("a1").play("g3")

TEXTS = [
    "random",
    "AB5_Improved",
    "MM_Open",
    "alphabeta(improved, nodes=200)",
    "alphabeta(improved, nodes=200, reuse=on)",
    "mcts(playouts=50)",
    "mcts(improved, playouts=30, cutoff=4)",
]


class Asked(kf.Agent):
    """A native agent behind an interface that is not: its games are played move by move."""

    kind = "asked"
    settings: list[str] = []  # noqa: RUF012 - the class has one instance per test

    def __init__(self, inner: kf.Agent) -> None:
        super().__init__(inner.seed)
        self.inner = inner

    def with_seed(self, seed: int) -> Asked:
        return Asked(self.inner.with_seed(seed))

    def choose(self, position: kf.Position) -> kf.Choice:
        return self.inner.choose(position)


def by_move(first: str, second: str, opening: kf.Position, seed: int) -> kf.Game:
    """The game as agents that were never used before play it."""
    agents = [kf.agent(text, key_of("play", seed, side)) for side, text in ((1, first), (2, second))]
    position, moves = opening, []
    while not position.is_over:
        moves.append(agents[position.to_move - 1].choose(position).square)
        position = position.play(moves[-1])
    return kf.Game(opening, tuple(moves), players=(first, second), seed=seed)


@pytest.mark.parametrize("opening", [START, LATER, WIDE], ids=["empty", "late", "wide"])
@pytest.mark.parametrize("text", TEXTS)
def test_one_native_call_plays_what_the_agents_choose(text: str, opening: kf.Position) -> None:
    for seed in (1, 2):
        game = kf.play(text, "AB5_Open", opening, seed)
        expected = by_move(text, "AB5_Open", opening, seed)
        assert game.moves == expected.moves
        assert game.outcome == expected.outcome
        assert game.players == (text, "AB5_Open")
        assert game.seed == seed


def test_what_is_known_of_each_move_is_what_the_agent_says() -> None:
    names = ("alphabeta(improved, nodes=300)", "mcts(playouts=40)")
    game = kf.play(*names, START, seed=4)
    agents = [kf.agent(text, key_of("play", 4, side)) for side, text in ((1, names[0]), (2, names[1]))]
    for position, data in zip(game.positions(), game.data, strict=False):
        choice = agents[position.to_move - 1].choose(position)
        assert (data.nodes, data.depth, data.score) == (choice.nodes, choice.depth, choice.score)
        assert data.seconds is not None
    random = kf.play("random", names[0], START, seed=4)
    assert all(data == kf.MoveData(seconds=0.0) for data in random.data[::2])
    assert all(data.nodes for data in random.data[1::2])


def test_a_warm_agent_plays_as_a_new_one_in_any_order() -> None:
    pairs = [(first, second) for first in TEXTS for second in ("AB5_Open", TEXTS[4])]
    cold = {pair: kf.play(*pair, LATER, seed=3).moves for pair in pairs}
    warm = {pair: kf.play(*pair, LATER, seed=3).moves for pair in reversed(pairs)}
    assert warm == cold
    # Another seed and another board in between leave nothing behind.
    for pair in pairs:
        kf.play(*pair, START, seed=9)
        assert kf.play(*pair, LATER, seed=3).moves == cold[pair]


def test_nothing_is_remembered_from_the_game_before() -> None:
    """With reuse=on an agent keeps its table from move to move, which may not reach into the next game.

    The game before is a short one, so that the next can begin at a position that it has searched but not reached.
    """
    text = "alphabeta(improved, nodes=2000, reuse=on)"
    games = sorted((kf.play(text, "random", LATE, seed) for seed in range(20)), key=lambda game: len(game.moves))
    short, long = games[0].seed, games[-1]
    assert short is not None
    later = list(long.positions())[len(games[0].moves) + 1]
    assert later.to_move == 1
    assert not later.is_over

    def told(game: kf.Game) -> list[tuple[object, ...]]:
        return [(square, data.nodes, data.depth) for square, data in zip(game.moves, game.data, strict=True)]

    def new() -> kf.Agent:
        return kf.agent(text, key_of("play", short, 1))

    def asked() -> Asked:  # not native: its games are played move by move
        return Asked(kf.agent("random", key_of("play", short, 2)))

    expected = told(kf.play(new(), "random", later, short))
    by_name, shared = text, new()
    for agent in (by_name, shared):
        for opponent in ("random", asked()):
            kf.play(agent, "random", LATE, short)
            assert told(kf.play(agent, opponent, later, short)) == expected


def test_threads_may_play_with_the_same_strings_and_agents() -> None:
    shared = kf.agent("alphabeta(improved, nodes=300, reuse=on)", seed=5)
    wanted = [(first, second, seed) for first in TEXTS for second in TEXTS[1:3] for seed in (1, 2)]
    expected = {want: by_move(want[0], want[1], START, want[2]).moves for want in wanted}
    alone = kf.play(shared, "AB5_Open", START).moves
    wrong: list[object] = []
    barrier = threading.Barrier(4)

    def work(index: int) -> None:
        barrier.wait()
        for first, second, seed in wanted[index:] + wanted[:index]:
            game = kf.play(first, second, START, seed)
            if game.moves != expected[first, second, seed]:
                wrong.append((first, second, seed))
            if kf.play(shared, "AB5_Open", START).moves != alone:
                wrong.append("shared")

    threads = [threading.Thread(target=work, args=(3 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_agent_chooses_by_its_own_seed_after_a_tournaments_game() -> None:
    position = START.play("c3").play("a1")
    agent = kf.agent("AB5_open", seed=5)
    before = {seed: agent.with_seed(seed).choose(position).square for seed in range(8)}
    assert len(set(before.values())) > 1  # or this shows nothing
    for seed in range(8):
        play_one(agent, agent, position, (seed, seed))
        assert agent.choose(position).square == before[5]


def test_a_choice_of_its_own_is_obeyed() -> None:
    class Lowest(type(kf.agent("AB5_Improved"))):  # type: ignore[misc]
        def choose(self, position: kf.Position) -> kf.Choice:
            return kf.Choice(position.legal_moves()[0])

    given = kf.agent("AB5_Improved")
    lowest = Lowest(given.kind, given.heuristic, given.search)  # type: ignore[attr-defined]
    assert isinstance(lowest, NativeAgent)
    game = kf.play(lowest, lowest, START)
    assert all(
        square == position.legal_moves()[0] for square, position in zip(game.moves, game.positions(), strict=False)
    )


def test_an_agents_label_is_a_move_and_an_illegal_one_is_named() -> None:
    class Fixed(kf.Agent):
        kind = "fixed"
        settings: list[str] = []  # noqa: RUF012

        def with_seed(self, seed: int) -> kf.Agent:
            return self

        def choose(self, position: kf.Position) -> kf.Choice:
            return kf.Choice("a1" if position.ply == 0 else "e5")  # type: ignore[arg-type]

    assert kf.play(Fixed(), "random", kf.Position.start(kf.Geometry(1, 1))).moves == (0,)
    with pytest.raises(kf.GameError, match="fixed: move 3: illegal move e5: "):
        kf.play(Fixed(), Fixed(), START)


def test_bad_arguments_are_refused_before_a_game() -> None:
    with pytest.raises(kf.AgentError, match="the opening must be a Position, not '5/5/5/5/5 w'"):
        kf.play("random", "random", "5/5/5/5/5 w")  # type: ignore[arg-type]
    with pytest.raises(kf.AgentError, match="an agent is described by a text, not by 3"):
        kf.play("random", 3)  # type: ignore[arg-type]
    with pytest.raises(kf.AgentError, match="agent 'nobody' not found"):
        kf.play("nobody", "random")
    with pytest.raises(kf.GameError, match="the seed must be a whole number"):
        kf.play("perfect(ms=100000)", "perfect(ms=100000)", seed=-1)
    assert kf.play("random", "random", kf.Position.from_fen("N1/1n w")).moves == ()


def test_what_a_heuristic_raises_is_told_with_the_position() -> None:
    @kf.heuristic
    def fragile(game, player):  # type: ignore[no-untyped-def]
        return 1 / (len(game.get_blank_spaces()) - 12)

    agent = kf.agent("AB5_fragile", heuristic=fragile)
    with pytest.raises(kf.KnightfallError, match=r"fragile: ZeroDivisionError.*; player \d in "):
        kf.play(agent, "random", START)


def test_a_changed_file_is_a_new_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def score(game, player):\n    return float(len(game.get_legal_moves(player)))\n")
    monkeypatch.chdir(tmp_path)
    text = "AB5_mine.py"
    before, moves = prototype(text), kf.play(text, "AB5_Open", START).moves
    assert moves == by_move(text, "AB5_Open", START, 0).moves
    assert prototype(text) is before
    file.write_text("def score(game, player):\n    return -1.0 * len(game.get_legal_moves(player))\n")
    assert prototype(text) is not before
    assert kf.play(text, "AB5_Open", START).moves == by_move(text, "AB5_Open", START, 0).moves != moves
    file.unlink()
    with pytest.raises(kf.KnightfallError, match="No such file"):
        kf.play(text, "AB5_Open", START)


def test_what_is_kept_is_bounded() -> None:
    for depth in range(1, 41):
        kf.play(f"alphabeta(improved, depth={depth}, nodes=1)", "random", LATER)
    assert len(prototypes._known) <= 32
    small, large = "alphabeta(improved, nodes=50)", "alphabeta(improved, nodes=50, tt=20)"
    for text, workspaces in ((small, 1), (large, 0)):
        kf.play(text, "random", LATER)
        kept = prototype(text)
        assert isinstance(kept, NativeAgent)
        assert len(kept._idle[LATER.geometry]) == workspaces


def test_ctrl_c_ends_a_long_game() -> None:
    program = (
        "import knightfall as kf; kf.play('AB5_Improved', 'random'); print('ready', flush=True)\n"
        "kf.play('alphabeta(improved, ms=60000)', 'alphabeta(improved, ms=60000)')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Shells start background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        os.kill(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=900)
    assert b"KeyboardInterrupt" in errors
    assert child.returncode in (1, -signal.SIGINT, 130)
