"""Compiled code is kept between processes, and never used when anything it depends on has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import environment, run_on_terminal

import knightfall

PACKAGE = Path(knightfall.__file__).parent
SCRIPT = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
import knightfall as kf
print(kf.perft(kf.Position.from_fen("N4/2*2/1*3/4n/5 w"), 1), len(compiled))
"""


def perft_and_compilations(cache: Path, path: Path | None = None) -> tuple[int, int]:
    """A perft in a new process, and how many functions were compiled for it."""
    env = environment(KNIGHTFALL_CACHE_DIR=str(cache))
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    leaves, compilations = done.stdout.split()
    return int(leaves), int(compilations)


def machine_code(cache: Path) -> list[Path]:
    return sorted(cache.glob("*/*.machine"))


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    leaves, compilations = perft_and_compilations(tmp_path)
    assert leaves == 0
    assert compilations > 0
    assert len(machine_code(tmp_path)) > 0
    assert perft_and_compilations(tmp_path) == (0, 0)


def test_a_changed_dependency_is_seen(tmp_path: Path) -> None:
    """legal_moves stands in another file than the perft that calls it; Numba's own cache would miss the change."""
    copy = tmp_path / "source" / "knightfall"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    assert perft_and_compilations(cache, copy.parent)[0] == 0
    state = copy / "native" / "state.py"
    before = state.stat()
    old = "return jumps_from(state.tables, state.mover) & state.empty"
    source = state.read_text()
    assert old in source
    state.write_text(source.replace(old, old.replace("& state.empty", "| state.empty")))
    os.utime(state, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time: only the content differs
    assert state.stat().st_size == before.st_size
    leaves, compilations = perft_and_compilations(cache, copy.parent)
    assert leaves == 23
    assert compilations > 0
    assert len({file.parent for file in machine_code(cache)}) == 2


def test_the_same_sources_elsewhere_share_the_code(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    perft_and_compilations(cache)
    copy = tmp_path / "source" / "knightfall"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert perft_and_compilations(cache, copy.parent) == (0, 0)


@pytest.mark.long
def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    perft_and_compilations(tmp_path)
    for number, file in enumerate(machine_code(tmp_path)):
        content = file.read_bytes()
        file.write_bytes((b"", content[: len(content) // 2], b"not machine code")[number % 3])
    leaves, compilations = perft_and_compilations(tmp_path)
    assert leaves == 0
    assert compilations > 0
    assert perft_and_compilations(tmp_path) == (0, 0)


def test_without_a_folder_to_write_to_it_works_all_the_same(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    leaves, compilations = perft_and_compilations(in_the_way)
    assert leaves == 0
    assert compilations > 0
    assert in_the_way.read_text() == "not a folder"


def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    env = environment(KNIGHTFALL_CACHE_DIR=str(tmp_path))
    processes = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, env=env, text=True) for _ in range(3)
    ]
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert out.split()[0] == "0"
    assert perft_and_compilations(tmp_path) == (0, 0)
    assert not list(tmp_path.glob("*/.*"))  # no temporary file is left


def test_folders_that_no_one_uses_are_removed(tmp_path: Path) -> None:
    old, recent = tmp_path / "old", tmp_path / "recent"
    for folder, days in ((old, 31), (recent, 29)):
        folder.mkdir()
        (folder / "f.machine").write_bytes(b"")
        then = time.time() - days * 86400
        os.utime(folder, (then, then))
    perft_and_compilations(tmp_path)
    assert not old.exists()
    assert recent.exists()


IMPATIENT = (
    "import knightfall.native.announce as a; a.PATIENCE = 0.0\n"
    "import knightfall as kf; kf.perft(kf.Position.from_fen('N2/3/2n w'), 2)"
)


@pytest.mark.parametrize("warm", [False, True])
def test_compilation_is_announced_once_on_a_terminal(tmp_path: Path, warm: bool) -> None:
    env = {"KNIGHTFALL_CACHE_DIR": str(tmp_path)}
    if warm:
        subprocess.run([sys.executable, "-c", IMPATIENT], env=environment(**env), check=True, timeout=120)
    code, shown = run_on_terminal([sys.executable, "-c", IMPATIENT], env)
    assert code == 0
    expected = "" if warm else f"compiling the engine, once: the machine code is kept in {tmp_path}\r\n"
    assert shown == expected


def test_compilation_is_not_announced_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT],
        env=environment(KNIGHTFALL_CACHE_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
