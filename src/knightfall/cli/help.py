"""The help: options in groups, ranges in words, examples at the end, for any width.

It uses only Typer's plain parts. The decorated help takes longer to import than everything else together.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from knightfall.cli.completion import attach
from knightfall.cli.examples import EXAMPLES

WIDEST = 110
"""Maximum columns of the help, because longer lines are hard to read."""

_LARGEST_TOLD = 10**9  # larger limits only keep numbers within a machine word, so the help omits them

GROUPS: dict[str, tuple[str, ...]] = {
    "Players": ("first", "second", "agent", "analyst", "panel", "baseline", "round-robin", "against", "start"),
    "Board and position": ("fen", "board", "load"),
    "Budget": ("nodes", "ms", "depth", "depths", "exact", "memory", "threads", "no-theory"),
    "Options": (
        *("distance", "openings", "recompute", "moves", "divide", "goal", "stage", "trials", "screening"),
        *(
            "check",
            "interpreted",
            "rank-of",
            "by-ply",
            "worst",
            "truth",
            "half",
            "critical",
            "winning",
            "sample",
            "all",
        ),
        *("positions", "empty", "quick", "seed"),
    ),
    "Pairs and openings": ("pairs", "confirm", "most", "elo", "sprt", "model", "plies", "balanced"),
    "Which games": ("player", "won-by", "lost-by", "reason", "opening", "longer", "shorter", "limit"),
    "Ledger and files": ("db", "resume", "experiment", "study", "fresh", "file", "run-files"),
    "Workers": ("workers", "cluster"),
    "Output": ("output", "save", "export", "svg", "theme", "pdf", "json", "csv", "markdown", "ascii", "lines"),
    "Help": ("version", "install-completion", "show-completion", "help"),
}
"""Headings in order, and the options below each."""

_ELSEWHERE = {
    ("games", "against"): "Which games",
    ("games", "experiment"): "Which games",
    ("tournament", "openings"): "Pairs and openings",
    ("compare", "openings"): "Pairs and openings",
    ("solve", "openings"): "Options",
    ("tournament", "seed"): "Pairs and openings",
    ("compare", "seed"): "Pairs and openings",
    ("replicate", "seed"): "Pairs and openings",
    ("play", "seed"): "Players",
    ("analyze", "seed"): "Players",
    ("accuracy", "plies"): "Options",
    ("truth list", "plies"): "Options",
    ("book build", "plies"): "Options",
    ("tune", "truth"): "Ledger and files",
    ("accuracy", "truth"): "Ledger and files",
}
"""Options whose meaning in one command differs from that elsewhere, with their headings."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "Play and solve": ("play", "show", "analyze", "solve", "review", "book"),
    "Heuristics and agents": ("heuristics", "agents", "accuracy", "tune", "truth"),
    "Tournaments": ("tournament", "compare", "experiments", "games", "replicate", "report"),
    "The engine": ("perft", "bench"),
}
"""Headings of the list of commands."""


class Command(TyperCommand):
    """A command with grouped options and examples in its help, and with shell completion of its values."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        attach(self.params, name or "")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the command's name in the usage line."""
        options = [self.options_metavar] if self.options_metavar else []
        return options + [_usage(param) for param in self.get_params(ctx) if param.param_type_name == "argument"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group."""
        write_sections(formatter, sections(self.get_params(ctx), _path(ctx)))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        write_examples(formatter, _path(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; errors about numbers out of range are in plain words."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            raise _plain_error(error) from None


class Group(TyperGroup):
    """A group of commands, listed under headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        write_sections(formatter, sections(self.get_params(ctx), _path(ctx)))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands with their descriptions."""
        known = {name: _first_sentence(self.commands[name].help or "") for name in self.list_commands(ctx)}
        found = {
            head: [(name, known.pop(name)) for name in names if name in known]
            for head, names in (COMMANDS.items() if not _path(ctx) else ())
        }
        found["More commands" if any(found.values()) else "Commands"] = list(known.items())
        write_sections(formatter, [(head, rows) for head, rows in found.items() if rows])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        write_examples(formatter, _path(ctx))


class ShowGroup(Group):
    """A group with arguments of its own: it shows something unless a command directly follows its name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        attach(self.params, self.name or "")
        for param in self.params:
            # Otherwise the usage of its commands would contain these arguments, as in "experiments [ID] verify".
            param.get_usage_pieces = lambda _: []  # type: ignore[method-assign, assignment]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the group's name in the usage line."""
        options = [self.options_metavar] if self.options_metavar else []
        return options + [_usage(param) for param in self.get_params(ctx) if param.param_type_name == "argument"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line as that of a command in the group, or as that of the group itself."""
        if args and args[0] in self.commands:
            super().parse_args(ctx, [])
            ctx._protected_args, ctx.args = args[:1], args[1:]
            return list(ctx.args)
        ctx.allow_interspersed_args, ctx.allow_extra_args = True, False
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            raise _plain_error(error) from None


Section = tuple[str, list[tuple[str, str]]]


def sections(params: Sequence[Any], command: str) -> list[Section]:
    """Return arguments and options under their headings."""
    arguments = [(_name(param), _text(param)) for param in params if param.param_type_name == "argument"]
    found: dict[str, list[tuple[str, str]]] = {"Arguments": arguments, **{head: [] for head in GROUPS}}
    for param in params:
        if param.param_type_name == "option" and not param.hidden:
            found[_group(param, command)].append((_option(param), _text(param)))
    return [(head, rows) for head, rows in found.items() if rows]


def _group(param: Any, command: str) -> str:
    name = _long(param)
    if (command, name) in _ELSEWHERE:
        return _ELSEWHERE[command, name]
    return next((head for head, names in GROUPS.items() if name in names), "Options")


def _long(param: Any) -> str:
    return str(max(param.opts, key=len)).lstrip("-")


def _option(param: Any) -> str:
    names = ", ".join(sorted(param.opts, key=len))
    return names if param.is_flag else f"{names} {_name(param)}"


def _name(param: Any) -> str:
    """Return the placeholder for a value.

    Brackets and dots belong to the usage line.
    """
    return str(param.metavar or param.name.upper()).strip("[].")


def _usage(param: Any) -> str:
    name = _name(param)
    more = "..." if param.nargs != 1 else ""
    return f"{name}{more}" if param.required else f"[{name}]{more}"


def _text(param: Any) -> str:
    """Return the help of one option with its limits and its default."""
    text = param.help or ""
    told = [limits(param.min, param.max)]
    default = param.default
    if default is not None and default is not False and not callable(default) and "default" not in text:
        told.append(f"default {default:g}" if isinstance(default, float) else f"default {default}" if default else "")
    if param.required and param.param_type_name == "option":
        told.append("required")
    more = "; ".join(part for part in told if part)
    return f"{text} [{more}]" if more else text


def limits(least: float | None, most: float | None) -> str:
    """Return a range in words; very large limits are omitted.

    >>> limits(1, 128), limits(5, None), limits(1, 2**62), limits(0, 2**64 - 1)
    ('1 to 128', 'at least 5', '', '')
    """
    if most is not None and most > _LARGEST_TOLD:
        most = None
    if most is None:
        return f"at least {least:g}" if least and least > 1 else ""
    return f"{least or 0:g} to {_digits(most)}"


def _digits(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.0f}"


def _plain_error(error: typer.BadParameter) -> typer.BadParameter:
    """Return an error that says which numbers are expected, because Typer's own does not."""
    param: Any = error.param
    errors = getattr(error.__cause__, "errors", None)
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    if errors is None or kind not in (int, float, list[int]):
        return error
    noun = "number" if kind is float else "whole number"
    least, most = param.min, param.max
    within = (
        f" from {least or 0:g} to {_digits(most)}" if most is not None else f" of at least {least:g}" if least else ""
    )
    if within and most is not None and most > _LARGEST_TOLD:
        within = f" from {least or 0:g} to {_power(most)}"
    value = errors()[0].get("input")
    shown = f"{value!s:.40}" if isinstance(value, str) else f"{value}"
    return typer.BadParameter(f"a {noun}{within} is expected, not {shown!r}", ctx=error.ctx, param=param)


def _power(most: float) -> str:
    """Return a large limit in words.

    >>> _power(2**62), _power(2**64 - 1), _power(10**12)
    ('2^62', '2^64 - 1', '1,000,000,000,000')
    """
    whole = int(most)
    for offset, words in ((0, ""), (1, " - 1")):
        if (whole + offset).bit_count() == 1:
            return f"2^{(whole + offset).bit_length() - 1}{words}"
    return _digits(most)


def write_sections(formatter: Any, found: Sequence[Section]) -> None:
    """Write rows under headings, with all texts starting in the same column."""
    names = [len(name) for _, rows in found for name, _ in rows]
    column = min(max(names, default=0), formatter.width // 3) + 2
    for head, rows in found:
        with formatter.section(head):
            for name, text in rows:
                for line in _row(name, text, column, formatter.width - formatter.current_indent):
                    formatter.write(f"{' ' * formatter.current_indent}{line}".rstrip() + "\n")


def _row(name: str, text: str, column: int, width: int) -> Iterator[str]:
    lines = textwrap.wrap(text, max(width - column, 20), break_long_words=False, break_on_hyphens=False)
    if len(name) + 2 > column:
        yield name
    else:
        yield f"{name:{column}}{lines.pop(0) if lines else ''}"
    for line in lines:
        yield f"{'':{column}}{line}"


def write_examples(formatter: Any, command: str) -> None:
    """Write the examples of a command. Long commands are continued as in a shell."""
    if command not in EXAMPLES:
        return
    with formatter.section("Examples"):
        for words, example in EXAMPLES[command]:
            indent = " " * formatter.current_indent
            formatter.write(f"{indent}{words}{'' if words.endswith('?') else ':'}\n")
            for line in _continued(example, formatter.width - formatter.current_indent - 2):
                formatter.write(f"{indent}  {line}\n")


def _continued(command: str, width: int) -> Iterator[str]:
    """Break a command between its words, but not inside quotes or between an option and its value.

    >>> list(_continued("knightfall show 'N2/3/2n w' --moves", 30))
    ["knightfall show 'N2/3/2n w' \\\\", '  --moves']
    """
    line = ""
    for word in re.findall(r"(?:-\S+ (?!-))?(?:'[^']*'|\S)+", command):
        if line.strip() and len(line) + len(word) + 3 > width:
            yield f"{line} \\"
            line = f"  {word}"
        else:
            line = f"{line} {word}" if line else word
    yield line


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


def _path(ctx: Any) -> str:
    """Return the name of a command without that of the program."""
    return str(ctx.command_path).partition(" ")[2]
