"""A report as Markdown: tables instead of charts, moves instead of boards."""

from __future__ import annotations

from collections.abc import Iterator

from knightfall.arena.markdown import code, longest_run
from knightfall.arena.markdown import escape as escape  # re-exported for tests and other modules
from knightfall.reporting.document import (
    Alert,
    Block,
    Board,
    Cell,
    Chart,
    Commands,
    Document,
    Figures,
    Fold,
    Points,
    Section,
    Table,
    Text,
)
from knightfall.rules.printable import printable

_SIDES = ("first", "second")


def render_markdown(document: Document) -> str:
    """Return the whole report as Markdown."""
    parts = [f"# {escape(document.title)}", escape(document.subtitle)]
    for section in document.sections:
        parts += _section(section, 2)
    return "\n\n".join([*parts, "---", escape(document.foot)]) + "\n"


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 6)} {escape(section.title)}"
    for block in section.blocks:
        yield from _block(block)
    for inner in section.sections:
        yield from _section(inner, level + 1)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text(text, lead):
            yield f"**{escape(lead)}** {escape(text)}".rstrip() if lead else escape(text)
        case Points(items, numbered):
            yield "\n".join(f"{f'{at}.' if numbered else '-'} {escape(item)}" for at, item in enumerate(items, 1))
        case Alert(text):
            yield f"> **Note:** {escape(text)}"
        case Figures(items):
            yield "\n".join(f"- {escape(name)}: **{escape(value)}**" for name, value in items)
        case Commands(lines):
            fence = "`" * max(3, 1 + max(map(longest_run, lines), default=0))
            yield "\n".join([f"{fence}console", *(f"$ {printable(' '.join(line.split()))}" for line in lines), fence])
        case Table():
            yield from _table(block)
        case Chart():
            yield from _table(block.table)
        case Board():
            yield from _board(block)
        case Fold(_, blocks):
            for inner in blocks:
                yield from _block(inner)


def _table(table: Table) -> Iterator[str]:
    yield f"**{escape(table.title)}**"
    lines = [_row([escape(name) for name in table.columns])]
    lines.append(_row(["---:" if at in table.numeric else "---" for at in range(len(table.columns))]))
    lines += [_row([_cell(cell) for cell in row]) for row in table.cells()]
    yield "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    notes = cell.more or ((cell.note,) if cell.note else ())
    return "<br>".join([escape(cell.text), *(escape(note) for note in notes)])


def _board(game: Board) -> Iterator[str]:
    yield f"**{escape(game.title)}.** {escape(game.reason)}"
    first, second = (escape(name) for name in game.players)
    mover = _SIDES[game.first_mover - 1]
    yield "\n".join(
        [
            f"- first: {first}, second: {second}; the {mover} player moves first",
            f"- opening: {code(game.opening)}",
            f"- moves: {escape(rounds(game.moves))}",
            f"- {escape(game.outcome)}",
            f"- {code(game.command)}",
        ]
    )


def rounds(moves: tuple[str, ...]) -> str:
    """Return moves with the numbers of their rounds.

    >>> rounds(("a1", "b2", "b3"))
    '1. a1 b2 2. b3'
    """
    return " ".join(f"{at // 2 + 1}. {' '.join(moves[at : at + 2])}" for at in range(0, len(moves), 2))
