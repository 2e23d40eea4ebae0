"""The benchmarks run, print ratios, and the signature is what it was."""

from __future__ import annotations

import json

import pytest
from commands import run

from knightfall.bench.perft import JOUST, ON_11X9
from knightfall.bench.signature import nodes_by_agent, signature

SIGNATURE = 361_898
"""Changes only when a commit says that an agent searches something else than before."""


def test_the_agents_search_what_they_did() -> None:
    assert signature() == SIGNATURE, nodes_by_agent()


@pytest.mark.long
def test_the_signature_is_the_same_in_a_process_of_its_own() -> None:
    done = run("bench", "signature", "--json", env={"PYTHONHASHSEED": "7"})
    assert json.loads(done.stdout)["signature"]["signature"] == SIGNATURE
    assert run("bench", "signature", env={"PYTHONHASHSEED": "8"}).stdout.rstrip().endswith(f"Signature: {SIGNATURE}")


@pytest.mark.long
def test_perft_is_measured_as_ratios() -> None:
    result = json.loads(run("bench", "perft", "--quick", "--json").stdout)["perft"]
    assert [(part["fen"], part["depth"]) for part in result] == [(JOUST, 10), (ON_11X9, 9)]
    assert all(part["ratio_to_python"] > 1 for part in result)
    assert "to plain Python" in run("bench", "perft", "--quick").stdout


@pytest.mark.long
def test_everything_is_measured() -> None:
    done = run("bench", "--quick", "--json")
    parts = set(json.loads(done.stdout)) - {"format", "version"}
    assert parts == {"signature", "perft", "heuristics", "search", "solver", "arena", "start"}


def test_an_unknown_part_is_refused_in_one_line() -> None:
    done = run("bench", "speed")
    assert done.returncode == 2
    assert done.stderr == (
        "knightfall: there is no benchmark 'speed'; "
        "one of signature, perft, heuristics, search, solver, arena, start is expected\n"
    )
