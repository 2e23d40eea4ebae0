"""What is shipped is what is tested."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import knightfall

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=900)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_has_everything(wheel: Path) -> None:
    assert wheel.name == f"knightfall-{knightfall.__version__}-py3-none-any.whl"
    shipped = set(zipfile.ZipFile(wheel).namelist())
    package = Path(knightfall.__file__).parent
    for file in package.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert f"knightfall/{file.relative_to(package).as_posix()}" in shipped
    assert "knightfall/py.typed" in shipped
    assert any(name.endswith("licenses/LICENSE") for name in shipped)


def test_the_wheel_works(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import knightfall as kf; "
        "print(kf.__file__); print(kf.perft(kf.Position.start(kf.Geometry(7, 7)), 2))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900, cwd=tmp_path)
    assert done.stdout.split() == [str(tmp_path / "knightfall" / "__init__.py"), "2352"]


def test_public_names_are_there_and_no_others() -> None:
    for name in knightfall.__all__:
        assert getattr(knightfall, name) is not None
    assert set(dir(knightfall)) == set(knightfall.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = knightfall.nothing  # type: ignore[attr-defined]
