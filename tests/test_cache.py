"""Compiled code is kept between processes, and never used when anything it depends on has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import KNIGHTFALL, environment, run_on_terminal

import knightfall
from knightfall.native.store import _MARK as MARK
from knightfall.native.store import MAGIC, MARKER, read_sealed

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
    # Without bytecode, which Python would believe although the source has changed, if size and time are the same.
    env = environment(KNIGHTFALL_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1")
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=env, timeout=900)
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
        out, _ = process.communicate(timeout=900)
        assert out.split()[0] == "0"
    assert perft_and_compilations(tmp_path) == (0, 0)
    assert not list(tmp_path.glob("*/.*"))  # no temporary file is left


def old_folder(path: Path, *, marked: bool = True, days: int = 40) -> Path:
    """A folder of the cache, as another version would have left it some days ago."""
    path.mkdir()
    (path / "f-0123456789abcdef01234567.machine").write_bytes(MAGIC + b"code")
    if marked:
        (path / MARKER).write_bytes(MARK)
    make_old(path, days)
    return path


def make_old(path: Path, days: int = 40) -> None:
    then = time.time() - days * 86400
    os.utime(path, (then, then))


def test_only_our_own_unused_folders_are_removed(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    cache.mkdir()
    ours = old_folder(cache / ("a" * 24))
    kept = [
        old_folder(cache / ("b" * 24), days=29),  # in use
        old_folder(cache / "Documents"),  # not a name of ours
        old_folder(cache / ("c" * 24), marked=False),
        old_folder(cache / ("d" * 24)),
        old_folder(cache / ("e" * 24)),
        old_folder(elsewhere),
    ]
    (kept[3] / "thesis.txt").write_text("mine")
    (kept[4] / "folder").mkdir()
    for folder in kept[3:]:
        make_old(folder)
    link = cache / ("f" * 24)
    link.symlink_to(elsewhere)
    perft_and_compilations(cache)
    assert not ours.exists()
    assert all(folder.is_dir() for folder in kept)
    assert (kept[3] / "thesis.txt").read_text() == "mine"
    assert link.is_symlink()
    assert len(list(elsewhere.iterdir())) == 2


def test_flipped_bits_are_noticed_and_the_file_is_replaced(tmp_path: Path) -> None:
    perft_and_compilations(tmp_path)
    damaged = {}
    for number, file in enumerate(machine_code(tmp_path)):
        content = bytearray(file.read_bytes())
        content[len(content) * (number % 7 + 1) // 9] ^= 1 << number % 8
        file.write_bytes(content)
        damaged[file] = bytes(content)
    leaves, compilations = perft_and_compilations(tmp_path)
    assert leaves == 0
    assert compilations > 0
    assert perft_and_compilations(tmp_path) == (0, 0)
    assert any(file.read_bytes() != content for file, content in damaged.items())


def test_code_of_another_function_is_not_used_in_its_place(tmp_path: Path) -> None:
    perft_and_compilations(tmp_path)
    first, *_, last = machine_code(tmp_path)
    first.write_bytes(last.read_bytes())
    assert read_sealed(first) is None
    assert read_sealed(last) is not None


def warned_perft(cache: Path) -> str:
    """Standard error of a perft with a cache that is not safe. It must be right, and leave the cache alone."""
    before = {file: file.read_bytes() for file in machine_code(cache)}
    env = environment(KNIGHTFALL_CACHE_DIR=str(cache))
    done = subprocess.run([*KNIGHTFALL, "perft", "3", "--json"], capture_output=True, text=True, env=env, timeout=900)
    assert done.returncode == 0
    assert json.loads(done.stdout)["leaves"] == 11_280
    assert {file: file.read_bytes() for file in machine_code(cache)} == before
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_a_cache_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    perft_and_compilations(cache)
    cache.chmod(0o777)
    assert "everyone can write to" in warned_perft(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_the_cache_of_someone_else_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    perft_and_compilations(cache)
    os.chown(cache, 65534, 65534)
    assert "not to you" in warned_perft(cache)


IMPATIENT = (
    "import knightfall.native.announce as a; a.PATIENCE = 0.0\n"
    "import knightfall as kf; kf.perft(kf.Position.from_fen('N2/3/2n w'), 2)"
)


@pytest.mark.parametrize("warm", [False, True])
def test_compilation_is_announced_once_on_a_terminal(tmp_path: Path, warm: bool) -> None:
    env = {"KNIGHTFALL_CACHE_DIR": str(tmp_path)}
    if warm:
        subprocess.run([sys.executable, "-c", IMPATIENT], env=environment(**env), check=True, timeout=900)
    code, shown = run_on_terminal([sys.executable, "-c", IMPATIENT], env)
    assert code == 0
    expected = "" if warm else f"compiling, once: the machine code is kept in {tmp_path}\r\n"
    assert shown == expected


def test_compilation_is_not_announced_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT],
        env=environment(KNIGHTFALL_CACHE_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
