from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from strategies import positions

from knightfall.rules import Geometry, KnightfallError, Position, draw_svg, draw_text

POSITION = Position.from_fen("*N2/3n/4 w")
SVG = "{http://www.w3.org/2000/svg}"

UNICODE_BOARD = """\
  ┌───┬───┬───┬───┐
3 │░░░│ ♘ │   │   │
  ├───┼───┼───┼───┤
2 │   │   │   │(♞)│
  ├───┼───┼───┼───┤
1 │ · │   │+3.│   │
  └───┴───┴───┴───┘
    a   b   c   d
♘ first (to move)   ♞ second"""


def test_the_terminal_board_to_the_letter() -> None:
    assert draw_text(POSITION, last_move=7, marks={8: "·", 10: "+3.75"}) == UNICODE_BOARD


def test_the_end_of_a_game_is_told() -> None:
    assert str(Position.from_fen("N1/1n w")).endswith("♘ first (stuck)   ♞ second (has won)")


def test_tall_boards_keep_their_rows_in_line() -> None:
    lines = draw_text(Position.start(Geometry(2, 10)), ascii=True).splitlines()
    assert lines[1].startswith("10 |")
    assert lines[3].startswith(" 9 |")
    assert len({len(line) for line in lines[:21]}) == 1


def test_colours_are_added_only_when_asked_for() -> None:
    plain, coloured = draw_text(POSITION), draw_text(POSITION, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;36m ♘ \x1b[0m" in coloured


@settings(max_examples=50, deadline=None)
@given(positions())
def test_every_position_can_be_drawn(position: Position) -> None:
    text = draw_text(position, ascii=True)
    assert text.isascii()
    assert text.count("*") == position.ply - sum(square is not None for square in position.locations)
    root = ElementTree.fromstring(position.svg())
    squares = [e for e in root.iter(f"{SVG}rect") if e.get("class") != "kf-paper"]
    assert len(squares) == position.geometry.size
    knights = [e for e in root.iter(f"{SVG}path") if "kf-knight" in (e.get("class") or "")]
    assert len(knights) == sum(square is not None for square in position.locations)


def test_the_picture_shows_what_it_is_told() -> None:
    picture = draw_svg(POSITION, theme="dark", last_move=7, marks={8: "good"}, labels={10: "<+3>"})
    root = ElementTree.fromstring(picture)
    classes = [element.get("class") for element in root.iter()]
    assert "kf-board kf-dark" in classes
    assert "kf-last" in classes
    assert "kf-mark kf-good" in classes
    assert "kf-used" in classes
    assert any(element.text == "<+3>" for element in root.iter(f"{SVG}text"))
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == ("4x3 board: first player on b3, second player on d2; 3 squares used; first player to move")


def test_themes_differ_and_auto_has_both() -> None:
    light, dark, auto = (draw_svg(POSITION, theme=theme) for theme in ("light", "dark", "auto"))
    assert light != dark
    assert "prefers-color-scheme: dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert POSITION._repr_svg_() == auto


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(KnightfallError, match="unknown theme 'blue'"):
        draw_svg(POSITION, theme="blue")
    with pytest.raises(KnightfallError, match="unknown mark 'great'"):
        draw_svg(POSITION, marks={0: "great"})
    with pytest.raises(KnightfallError, match="no square 12"):
        draw_svg(POSITION, labels={12: "x"})
