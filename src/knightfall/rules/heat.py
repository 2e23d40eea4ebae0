"""A board coloured by numbers, as SVG. Larger numbers are darker, and every number is also written out."""

from __future__ import annotations

from html import escape

from knightfall.rules.geometry import BySquare, Geometry

_CELL = 56
_MARGIN = 28
_HEAD = 34

_STYLE = """\
.kf-heat{font-family:system-ui,sans-serif;--paper:#ffffff;--ink:#24292f;--cold:#f3ead7;--hot:#1f6f8b;--strong:#ffffff}
.kf-heat text{text-anchor:middle;fill:var(--ink);font-size:13px}
.kf-heat .title{font-size:15px;font-weight:600}
.kf-heat .value{font-size:17px;font-weight:600}
.kf-heat .strong{fill:var(--strong)}
@media
(prefers-color-scheme:dark){.kf-heat{--paper:#14171c;--ink:#d0d7de;--cold:#2b313a;--hot:#4fb3d1;--strong:#0b0d10}}"""


def draw_heat(geometry: Geometry, numbers: BySquare[int], title: str) -> str:
    """Return an SVG image with the numbers on their squares.

    >>> draw_heat(Geometry(3, 3), {"b2": 7}, "an example").startswith("<svg")
    True
    """
    width = geometry.width * _CELL + 2 * _MARGIN
    height = geometry.height * _CELL + 2 * _MARGIN + _HEAD
    by_index = geometry.by_index(numbers)
    least, most = min(by_index.values(), default=0), max(by_index.values(), default=0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" class="kf-heat">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="var(--paper)"/>',
        f'<text class="title" x="{width / 2:g}" y="24">{escape(title)}</text>',
    ]
    for square in range(geometry.size):
        row, column = geometry.coordinates(square)
        x, y = _MARGIN + column * _CELL, _HEAD + row * _CELL + _MARGIN / 2
        parts.append(f'<rect x="{x}" y="{y:g}" width="{_CELL}" height="{_CELL}" fill="var(--cold)"/>')
        if square in by_index:
            share = (by_index[square] - least) / (most - least) if most > least else 0.5
            kind = "value strong" if share > 0.6 else "value"
            parts.append(
                f'<rect x="{x}" y="{y:g}" width="{_CELL}" height="{_CELL}" fill="var(--hot)" opacity="{share:.2f}"/>'
            )
            parts.append(
                f'<text class="{kind}" x="{x + _CELL / 2:g}" y="{y + _CELL / 2 + 6:g}">{by_index[square]}</text>'
            )
    for row in range(geometry.height):
        middle = _HEAD + row * _CELL + _MARGIN / 2 + _CELL / 2 + 5
        parts.append(f'<text x="{_MARGIN / 2:g}" y="{middle:g}">{geometry.height - row}</text>')
    for column in range(geometry.width):
        middle = _MARGIN + column * _CELL + _CELL / 2
        parts.append(f'<text x="{middle:g}" y="{height - 16}">{geometry.column_label(column)}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
