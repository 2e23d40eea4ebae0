"""Shell completion: in a real bash, and as scripts for zsh and fish."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import environment, run

import knightfall as kf
from knightfall.agents.make import NAMES
from knightfall.arena import panels
from knightfall.catalogue.registry import heuristics
from knightfall.cli import completion
from knightfall.cli.app import command

ASK = """
source <(knightfall --show-completion; true)
ask() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=()
    _knightfall_completion knightfall
    echo "${COMPREPLY[@]}"
}
"""

QUESTIONS = {
    "to": "tournament",
    "truth ''": "build show list",
    "tournament --pan": "--panel",
    "tournament --panel ''": "gen1 gen2 E all",
    "tournament impro": "improved",
    "compare old.py new": "new.py",
    "play --first AB_knight": "AB_knightfall",
    "experiments ''": "1",
    "games --player Ra": "Random",
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes_commands_options_and_names(tmp_path: Path) -> None:
    kf.tournament("open", ["Random"], pairs=1, nodes=20, workers=0, baseline=None, db=tmp_path / "knightfall.db")
    (tmp_path / "new.py").write_text("")
    script = ASK + "".join(f"ask knightfall {words}\n" for words in QUESTIONS)
    path = f"{Path(sys.executable).parent}:{environment()['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert dict(zip(QUESTIONS, done.stdout.splitlines(), strict=True)) == QUESTIONS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_a_shell(shell: str, tmp_path: Path) -> None:
    # Typer finds out which shell has called; here it is told.
    env = {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = run("--show-completion", shell, env=env)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"_KNIGHTFALL_COMPLETE=complete_{shell}" in shown.stdout
    done = run("--install-completion", shell, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    scripts = [path for path in tmp_path.rglob("*") if path.is_file() and "knightfall" in path.name]
    assert [path.read_text().strip() for path in scripts] == [shown.stdout.strip()]


def test_the_lists_are_the_real_ones() -> None:
    assert sorted(completion.heuristic_names()) == sorted(heuristics)
    assert set(completion.AGENTS) == set(NAMES)
    assert (*panels.PANELS, "all") == completion.PANELS


def test_every_completer_belongs_to_a_parameter() -> None:
    found = command()
    groups = [found, found.commands["book"], found.commands["truth"], found.commands["experiments"]]
    inner = [(name, each) for group in groups for name, each in group.commands.items()]
    known = {(name, param.name) for name, each in inner for param in each.params}
    for name, parameter in completion.COMPLETERS:
        assert (name, parameter) in known if name else any(parameter == other for _, other in known), parameter
