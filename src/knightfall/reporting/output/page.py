"""A report as one HTML file that needs nothing else: no network, no fonts, and of scripts only for what moves."""

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
_PIECE = re.compile(r"[^_(,]*[_(,]?")  # where a long name may be broken


def check_extra() -> None:
    """Refuse at once where what a page is made with is not installed."""
    for name in NEEDS:
        try:
            import_module(name)
        except ImportError:
            raise KnightfallError(f"a report needs {name}: pip install 'knightfall[report]'") from None


def render_page(document: Document) -> str:
    """The whole page."""
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
        # What comes from ElementTree is escaped.
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
    """What the script needs to go through a game."""
    return {
        "moves": game.moves,
        "told": game.told,
        "places": game.places,
        "players": game.players,
        "mover": game.first_mover,
        "outcome": game.outcome,
    }
