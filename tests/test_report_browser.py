"""Reports in a real browser, which opens them without complaint: light, dark, narrow, on paper, without scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from browsers import SCHEMES, Opened, axe_complaints
from ledgers import CRASH
from playwright.sync_api import Browser
from report_pages import change, copy, page_of

from knightfall.arena.results import Results
from knightfall.cli import main


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", ["tournament", "replication"])
def test_a_browser_and_axe_have_nothing_to_complain_of(
    browser: Browser, html: Path, replication_html: Path, scheme: Literal["light", "dark"], kind: str
) -> None:
    path = html if kind == "tournament" else replication_html
    size: Any = {"width": 1200, "height": 900}
    with Opened(browser, path, color_scheme=scheme, viewport=size) as page:
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in re.findall(r"\d+", paper)[:3]) > 600) == (scheme == "light")
        assert axe_complaints(page) == []


@pytest.mark.parametrize("width", [400, 800, 1200])
def test_the_page_itself_never_scrolls_sideways(
    browser: Browser, html: Path, replication_html: Path, width: int
) -> None:
    for path in (html, replication_html):
        with Opened(browser, path, viewport={"width": width, "height": 800}) as page:
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_button_switches_light_and_dark(browser: Browser, html: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    line = "getComputedStyle(document.querySelector('svg.chart path[style*=\"--one\"]')).stroke"
    with Opened(browser, html, color_scheme="light") as page:
        light = page.evaluate(paper), page.evaluate(line)
        page.click("#theme")
        dark = page.evaluate(paper), page.evaluate(line)
        assert light[0] != dark[0]
        assert light[1] != dark[1]
        assert page.inner_text("#theme") == "Light"
        page.click("#theme")
        assert (page.evaluate(paper), page.evaluate(line)) == light


def test_a_game_can_be_gone_through(browser: Browser, html: Path, results: Results) -> None:
    with Opened(browser, html) as page:
        game = page.locator("figure.game").first
        told = json.loads(game.get_attribute("data-game") or "")
        moves = told["moves"]
        longest = max(results.games, key=lambda one: len(one.moves))
        assert moves == [longest.opening.geometry.label(square) for square in longest.moves]
        shown = game.locator(".b-used:not([hidden])")
        status = game.locator(".status")
        assert shown.count() == longest.final.ply
        assert told["outcome"] in status.inner_text()
        game.locator("[data-step=first]").click()
        assert status.inner_text().startswith("Opening; ")
        assert shown.count() == longest.opening.ply
        assert game.locator("[data-step=back]").is_disabled()
        for at, position in enumerate(list(longest.positions())[1:4], start=1):
            game.locator("[data-step=on]").click()
            assert shown.count() == position.ply
            assert f" to {moves[at - 1]}" in status.inner_text()
            assert game.locator(".moves .now").inner_text() == moves[at - 1]
            for side, square in zip(("first", "second"), position.locations, strict=True):
                assert square is not None
                row, column = position.geometry.coordinates(square)
                where = game.locator(f".b-knight.b-{side}").get_attribute("transform")
                assert where == f"translate({24 + 48 * column} {24 + 48 * row})"
        game.locator(".play").focus()
        page.keyboard.press("ArrowLeft")
        assert status.inner_text().startswith("Move 2 of ")
        page.keyboard.press("End")
        assert status.inner_text().startswith(f"Move {len(moves)} of {len(moves)}: ")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        assert status.inner_text().startswith("Move 1 of ")
        game.locator(".moves [data-ply='5']").click()
        assert status.inner_text().startswith("Move 5 of ")


def test_without_scripts_there_is_a_last_board_and_a_list_of_moves(browser: Browser, html: Path) -> None:
    with Opened(browser, html, java_script_enabled=False) as page:
        game = page.locator("figure.game").first
        assert game.locator("svg.board").is_visible()
        assert not game.locator(".controls").is_visible()
        assert not page.locator("#theme").is_visible()
        moves = [move.inner_text() for move in game.locator(".moves span").all()]
        assert len(moves) >= 5
        assert page.locator("svg.chart").first.is_visible()
        page.locator("details.numbers summary").last.click()
        assert page.locator("details.numbers table").last.is_visible()


def test_on_paper_it_is_light_and_has_no_buttons(browser: Browser, html: Path) -> None:
    with Opened(browser, html, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator("#theme").is_visible()
        assert not page.locator(".controls").first.is_visible()
        assert page.locator("svg.board").first.is_visible()


def test_names_with_markup_do_nothing_in_a_browser(browser: Browser, db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(path, f"UPDATE game SET message = '<img src=x onerror=alert(2)>', {CRASH} WHERE pair = 1")
    page_of(path, tmp_path)
    with Opened(browser, tmp_path / "report.html") as page:
        assert page.locator("img").count() == 0
        assert page.get_by_text("<img src=x onerror=alert(2)>").first.is_visible()


def test_a_pdf_is_printed(browser: Browser, db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert browser.is_connected()
    target = tmp_path / "report.pdf"
    assert main(["report", "--db", str(db), "--pdf", str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert "report printed to" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.pdf"]
