"""A report as one self-contained HTML file: no network, no fonts, and scripts only for interactive parts."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.resources import files
from itertools import count
from typing import Any

from knightfall.reporting.charts.svg import themed
from knightfall.reporting.document import Board, Chart, Document
from knightfall.rules import KnightfallError

NEEDS = ("jinja2", "matplotlib")
_PIECE = re.compile(r"[^_(,]*[_(,]?")  # parts of a long name, which may be broken between them


def check_extra() -> None:
    """Raise an error if a package needed for pages is not installed."""
    for name in NEEDS:
        try:
            import_module(name)
        except ImportError:
            raise KnightfallError(f"a report needs {name}: pip install 'knightfall[report]'") from None


def render_page(document: Document) -> str:
    """Return the whole report as an HTML page."""
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    folder = files(__package__)
    sources = {
        name: folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.html.j2", "page.css.j2", "page.js")
    }
    environment = Environment(
        loader=DictLoader(sources), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    numbers = count(1)

    def chart(block: Chart) -> Markup:
        # ElementTree has escaped the SVG.
        return Markup(themed(block.draw(), f"c{next(numbers)}", block.title, block.description))

    def picture(block: Board) -> Markup:
        return Markup(block.draw(f"g{next(numbers)}"))

    return environment.get_template("page.html.j2").render(
        document=document,
        kind=lambda block: type(block).__name__,
        chart=chart,
        picture=picture,
        game_facts=_game_facts,
        breakable=lambda text: Markup("<wbr>").join(Markup.escape(part) for part in _PIECE.findall(text)),
        js=Markup(sources["page.js"]),
    )


def _game_facts(game: Board) -> dict[str, Any]:
    """Return the data that the script needs to step through a game."""
    return {
        "moves": game.moves,
        "told": game.told,
        "places": game.places,
        "players": game.players,
        "mover": game.first_mover,
        "outcome": game.outcome,
    }
