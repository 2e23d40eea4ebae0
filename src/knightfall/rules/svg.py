"""A position drawn as SVG, for notebooks, reports and web pages.

The image contains its own style, limited to its theme, so several images can be in one page. ``auto`` follows the
reader's preference for light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from knightfall.rules.errors import KnightfallError
from knightfall.rules.geometry import BySquare, SquareLike
from knightfall.rules.position import Position

THEMES = ("auto", "light", "dark")
MARKS = ("move", "good", "bad", "note")
"""The meanings of a mark on a square: a legal move, a good move, a bad move, or something else of interest."""

_CELL = 48
_MARGIN = 24

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#57606a",
    "light": "#f3ead7",
    "dark": "#dcc9a3",
    "used": "#8c8577",
    "cross": "#6d675b",
    "last": "#e8a33d",
    "first": "#ffffff",
    "second": "#2b2b2b",
    "edge": "#1f1f1f",
    "glint": "#f5f5f5",
    "move": "#4078c0",
    "good": "#2e8b57",
    "bad": "#c0392b",
    "note": "#8250df",
}
_DARK = {
    **_LIGHT,
    "paper": "#14171c",
    "ink": "#9aa4b2",
    "light": "#5b6370",
    "dark": "#474e59",
    "used": "#23272e",
    "cross": "#3a414c",
    "last": "#c98b2b",
    "first": "#f2f2f2",
    "second": "#101214",
    "edge": "#0a0b0d",
    "glint": "#c8ccd2",
    "move": "#6fa8ff",
    "good": "#57c98a",
    "bad": "#ff7b6b",
    "note": "#c39bff",
}
# A horse's head looking left, in a square of 48 units.
_KNIGHT = (
    "M15 40 C15 33 21 30 23 24 C19 26 17 29 13 30 C10 30.5 8 28 9 25 C11 21 13 17 16 13 "
    "L16.5 7 L21 10.5 C31 10 38 19 37 40 Z"
)


def draw_svg(
    position: Position,
    *,
    theme: str = "auto",
    last_move: SquareLike | None = None,
    marks: BySquare[str] | None = None,
    labels: BySquare[str] | None = None,
) -> str:
    """Return the board as an SVG image.

    ``theme`` is ``auto``, ``light`` or ``dark``. ``last_move`` is highlighted. ``marks`` puts dots on squares,
    coloured by meaning (``move``, ``good``, ``bad``, ``note``). ``labels`` writes short texts on squares. Squares
    are labels, (row, column) pairs or indices.

    >>> Position.from_fen("N2/3/2n w").svg(theme="light", marks={"c2": "move"}).startswith("<svg")
    True
    """
    if theme not in THEMES:
        raise KnightfallError(f"unknown theme {theme!r}; one of {', '.join(THEMES)} is expected")
    geometry = position.geometry
    marked, written = geometry.by_index(marks or {}), geometry.by_index(labels or {})
    last = None if last_move is None else geometry.square(last_move)
    for mark in marked.values():
        if mark not in MARKS:
            raise KnightfallError(f"unknown mark {mark!r}; one of {', '.join(MARKS)} is expected")
    width = geometry.width * _CELL + 2 * _MARGIN
    height = geometry.height * _CELL + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" class="kf-board kf-{theme}">',
        f"<title>{escape(_title(position))}</title>",
        f"<style>{_style(theme)}</style>",
        f'<rect class="kf-paper" width="{width}" height="{height}"/>',
    ]
    for square in range(geometry.size):
        parts += _square(position, square, square == last)
    for square, mark in marked.items():
        x, y = _centre(position, square)
        parts.append(f'<circle class="kf-mark kf-{mark}" cx="{x}" cy="{y}" r="8"/>')
    for player in (1, 2):
        location = position.location(player)
        if location is not None:
            parts.append(_knight(position, location, player))
    for square, text in written.items():
        x, y = _centre(position, square)
        parts.append(f'<text class="kf-label" x="{x}" y="{y + 5}">{escape(text)}</text>')
    parts += _border_names(position, width, height)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _title(position: Position) -> str:
    label = position.geometry.label
    places = [
        f"{name} player not placed" if square is None else f"{name} player on {label(square)}"
        for name, square in zip(("first", "second"), position.locations, strict=True)
    ]
    player = "first" if position.to_move == 1 else "second"
    turn = f"the {player} player is stuck" if position.is_over else f"{player} player to move"
    return f"{position.geometry} board: {', '.join(places)}; {position.ply} squares used; {turn}"


def _style(theme: str) -> str:
    if theme != "auto":
        return _rules(f".kf-{theme}", _LIGHT if theme == "light" else _DARK)
    return _rules(".kf-auto", _LIGHT) + "@media (prefers-color-scheme: dark) {" + _rules(".kf-auto", _DARK) + "}"


def _rules(scope: str, colours: Mapping[str, str]) -> str:
    fills = "".join(f"{scope} .kf-{name} {{fill: {value}}}" for name, value in colours.items())
    edge, cross, ink = colours["edge"], colours["cross"], colours["ink"]
    return (
        fills + f"{scope} .kf-knight {{stroke: {edge}; stroke-width: 1.5; stroke-linejoin: round}}"
        f"{scope} .kf-cross {{stroke: {cross}; stroke-width: 3; stroke-linecap: round}}"
        f"{scope} text {{font: 12px system-ui, sans-serif; text-anchor: middle; fill: {ink}}}"
        f"{scope} .kf-label {{font-weight: 600; font-size: 14px; fill: {colours['edge']}; "
        f"paint-order: stroke; stroke: {colours['first']}; stroke-width: 3px}}"
    )


def _square(position: Position, square: int, is_last: bool) -> list[str]:
    geometry = position.geometry
    row, column = geometry.coordinates(square)
    x, y = _MARGIN + column * _CELL, _MARGIN + row * _CELL
    used = position.used_bits >> square & 1 and square not in position.locations
    kind = "used" if used else ("light", "dark")[geometry.colour(square)]
    if is_last:
        kind = "last"
    parts = [f'<rect class="kf-{kind}" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}"/>']
    if used:
        a, b = 17, _CELL - 17
        parts.append(
            f'<path class="kf-cross" d="M{x + a} {y + a} L{x + b} {y + b} M{x + b} {y + a} L{x + a} {y + b}"/>'
        )
    return parts


def _knight(position: Position, square: int, player: int) -> str:
    row, column = position.geometry.coordinates(square)
    name = ("first", "second")[player - 1]
    eye = "edge" if player == 1 else "glint"
    return (
        f'<g transform="translate({_MARGIN + column * _CELL} {_MARGIN + row * _CELL})">'
        f'<path class="kf-knight kf-{name}" d="{_KNIGHT}"/><circle class="kf-{eye}" cx="18" cy="18" r="1.8"/></g>'
    )


def _border_names(position: Position, width: int, height: int) -> list[str]:
    geometry = position.geometry
    parts = []
    for column in range(geometry.width):
        x = _MARGIN + column * _CELL + _CELL // 2
        parts.append(f'<text x="{x}" y="{height - 8}">{geometry.column_label(column)}</text>')
    for row in range(geometry.height):
        y = _MARGIN + row * _CELL + _CELL // 2 + 4
        parts.append(f'<text x="{_MARGIN // 2}" y="{y}">{geometry.height - row}</text>')
    return parts


def _centre(position: Position, square: int) -> tuple[int, int]:
    row, column = position.geometry.coordinates(square)
    return _MARGIN + column * _CELL + _CELL // 2, _MARGIN + row * _CELL + _CELL // 2
