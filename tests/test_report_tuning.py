"""`knightfall report --study`: the figures of the study, and pictures that a real browser shows without complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest
from browsers import SCHEMES, Opened, axe_complaints
from playwright.sync_api import Browser
from report_pages import MOST_BYTES, Tables, percent

from knightfall.arena.statistics.pairs import Interval
from knightfall.cli import main
from knightfall.lab.truth.sets import shipped_truth, to_text
from knightfall.lab.tuning.space import NUMBER, Parameter, Setting
from knightfall.lab.tuning.study import Study, Trial, read_study
from knightfall.lab.tuning.tune import tune
from knightfall.lab.tuning.words import conclusion
from knightfall.reporting.charts.surfaces import Surface, draw_surface
from knightfall.reporting.sections.tuning import tuning_sections

TEXTS = {
    "curve": ("weighted_mobility(mix=?)", "mix=0.1"),
    "bands": ("central_mobility(peak=?, opponent=?)", "peak=0, opponent=4"),
    "grid": ("contested_reach(k=?1..4, c=?)", ""),
    "choices": ("space_proximity(metric=?, whose=?)", ""),
    "dots": ("space_proximity(whose=?)", "whose=opponent"),
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small study for each kind of picture."""
    folder = tmp_path_factory.mktemp("studies")
    late = [entry for entry in shipped_truth("7x7") if entry.position.ply >= 26 and entry.is_critical]
    (folder / "truth.txt").write_text(to_text(late[::10], "7x7"))
    found = {}
    for name, (text, start) in TEXTS.items():
        found[name] = folder / f"{name}.jsonl"
        tune(
            text,
            start=start,
            truth=folder / "truth.txt",
            trials=16,
            path=found[name],
            command=f"knightfall tune {text!r}",
        )
    return found


@pytest.fixture(scope="module")
def page(studies: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tuning-page") / "report.html"
    given = [word for study in studies.values() for word in ("--study", str(study))]
    assert main(["report", *given, "-o", str(path)]) == 0
    return path


def test_the_page_has_the_figures_of_the_studies(studies: dict[str, Path], page: Path, tmp_path: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert len(html) < MOST_BYTES
    for name, path in studies.items():
        study = read_study(path)
        assert study.confirmation is not None
        assert main(["report", "--study", str(path), "-o", str(tmp_path / "one.html")]) == 0
        read = Tables((tmp_path / "one.html").read_text(encoding="utf-8"))
        assert conclusion(study)[1:] in " ".join(read.text.split())
        rows = read.found["All trials"][1:]
        assert {int(row[0].split()[0]): row[-3] for row in rows} == {
            trial.number: percent(trial.score) for trial in study.trials
        }
        best, start, difference = read.found["Wins kept with 95% intervals"][1:]
        told = study.confirmation.compared
        assert best[2].startswith(percent(told.challenger.estimate))
        assert start[2].startswith(percent(told.start.estimate))
        assert f"{100 * told.difference.estimate:+.1f} points" in difference[2]
        assert len(read.found["Main effects"]) == 1 + len(study.parameters)
        title = {
            "curve": "Wins kept by mix",
            "bands": "Wins kept by peak and opponent, %",
            "grid": "Wins kept by k and c, %",
            "choices": "Wins kept by whose and metric, %",
            "dots": "Wins kept by whose",
        }[name]
        assert title in read.found
        assert f">{title}</title>" in html  # the picture has a name for those who cannot see it


def test_markdown_has_the_same_tables(studies: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["report", "--study", str(studies["bands"]), "--markdown"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Tuning report\n")
    for title in ("Wins kept with 95% intervals", "Wins kept by peak and opponent, %", "Main effects", "All trials"):
        assert f"**{title}**" in text
    assert "<svg" not in text


def test_a_study_stands_beside_a_tournament(studies: dict[str, Path], db: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.html"
    assert main(["report", "--db", str(db), "--study", str(studies["curve"]), "-o", str(path)]) == 0
    read = Tables(path.read_text(encoding="utf-8"))
    assert {"Standings", "Wins kept by mix"} <= set(read.found)


def test_an_unfinished_study_says_so_and_an_empty_one_is_refused(
    studies: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = studies["bands"].read_text().splitlines(keepends=True)
    path = tmp_path / "part.jsonl"
    path.write_text("".join(lines[:6]))
    assert main(["report", "--study", str(path), "--markdown"]) == 0
    assert "This study is not finished: 5 of 16 trials, and nothing is confirmed." in capsys.readouterr().out
    path.write_text("".join(lines[:2]))
    assert main(["report", "--study", str(path), "--markdown"]) == 2
    assert "no trial of the study of central_mobility is finished yet" in capsys.readouterr().err
    assert main(["report", "--study", str(tmp_path / "none"), "--markdown"]) == 2
    assert capsys.readouterr().err == f"knightfall: {tmp_path / 'none'}: No such file or directory\n"


# --- surfaces


def hill(count: int) -> Study:
    """A study of so many parameters in which the first matters most, and the last not at all."""
    names = "abcd"[:count]
    parameters = [Parameter(name, NUMBER, 0, 1) for name in names]
    generator = np.random.default_rng(1)
    settings: list[Setting] = [{n: round(float(generator.random()), 3) for n in names} for _ in range(80)]

    def height(setting: Setting) -> float:
        weights = {"a": 0.3, "b": 0.2, "c": 0.1, "d": 0.0}
        return 0.4 + sum(weights[name] * float(value) for name, value in setting.items())

    values = [height(setting) for setting in settings]
    head = {
        "heuristic": "x",
        "fixed": {},
        "parameters": [parameter.facts() for parameter in parameters],
        "design": {"kind": "Sobol sequence", "settings": settings},
        "goal": {"goal": "accuracy", "board": "7x7", "against": [], "stage": None},
        "unit": "wins kept",
        "seen": "10 positions",
        "trials": 80,
    }
    trials = [
        Trial(at, "screening", setting, Interval(value, value, value))
        for at, (setting, value) in enumerate(zip(settings, values, strict=True))
    ]
    return Study(head, tuple(trials))


def test_of_many_parameters_those_that_matter_are_drawn_in_pairs() -> None:
    [section] = tuning_sections([hill(4)])
    titles = [block.title for block in section.sections[0].blocks if hasattr(block, "title")]
    assert titles == [f"Wins kept by {pair}, %" for pair in ("a and b", "a and c", "b and c")]


def test_the_surface_is_near_what_was_measured() -> None:
    study = hill(2)
    across, up = study.parameters
    assert study.best is not None
    surface = Surface(across, up, study.trials, study.start, study.best)
    for x, y in ((0.3, 0.3), (0.5, 0.7), (0.7, 0.5)):
        found = float(surface.smoothed(np.array([x]), np.array([y]))[0])
        assert found == pytest.approx(0.4 + 0.3 * x + 0.2 * y, abs=0.03)
    ElementTree.fromstring(draw_surface(surface)())
    alike = [Trial(trial.number, trial.how, trial.setting, Interval(0.5, 0.5, 0.5)) for trial in study.trials]
    ElementTree.fromstring(draw_surface(Surface(across, up, alike, alike[0], alike[1]))())  # nothing to see


# --- in a real browser


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_browser_and_axe_have_nothing_to_complain_of(
    browser: Browser, page: Path, scheme: Literal["light", "dark"]
) -> None:
    with Opened(browser, page, color_scheme=scheme, viewport={"width": 1200, "height": 900}) as opened:
        assert axe_complaints(opened) == []
        assert opened.locator("svg.chart[role=img]").count() == len(TEXTS)


@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_itself_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    with Opened(browser, page, viewport={"width": width, "height": 800}) as opened:
        opened.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_names_with_markup_do_nothing_in_a_browser(browser: Browser, studies: dict[str, Path], tmp_path: Path) -> None:
    head, *rest = studies["curve"].read_text().splitlines()
    told = json.loads(head)
    told["heuristic"] = "<img src=x onerror=alert(1)>"
    path = tmp_path / "evil.jsonl"
    path.write_text("\n".join([json.dumps(told), *rest]) + "\n")
    assert main(["report", "--study", str(path), "-o", str(tmp_path / "evil.html")]) == 0
    with Opened(browser, tmp_path / "evil.html") as opened:
        assert opened.locator("img").count() == 0
        assert opened.get_by_text("<img src=x onerror=alert(1)>").first.is_visible()
