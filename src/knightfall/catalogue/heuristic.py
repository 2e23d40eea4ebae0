"""A heuristic: a function ``(game, player) -> float`` with its parameters, its metadata and its machine code."""

from __future__ import annotations

import inspect
import math
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from knightfall.compiler.build import Builder, CannotCompile, CompiledProgram
from knightfall.compiler.builtins import ReturnsNone
from knightfall.compiler.complaints import why_not_compiled
from knightfall.compiler.errors import HeuristicError, HeuristicWarning, Refused, one_line, shown_path
from knightfall.compiler.interpreted import TwinControl, TwinGame
from knightfall.compiler.source import FunctionProgram, Program
from knightfall.compiler.source_texts import Snapshot, SourceTexts
from knightfall.native import pulse
from knightfall.native.background import interruptible
from knightfall.native.board_tables import bit_width
from knightfall.native.containment import most_memory
from knightfall.native.control import DEFAULT_TICKS, Control
from knightfall.native.search.value import NotANumber
from knightfall.native.seeds import seed_of
from knightfall.native.store import read_sealed
from knightfall.native.user_output import user_code
from knightfall.native.view import PARAMETERS, View
from knightfall.rules import Geometry, Position

VALUE_TICKS = 1_000_000
"""The default budget of ``value``, in ticks."""

# The limit for a native call during which Ctrl-C must wait. Longer calls run in a separate thread, which costs 100 µs.
_PATIENCE = 0.1  # seconds
_QUICK_TICKS = 50_000
_COMPARED = 20  # number of positions for the comparison of both forms at the first compilation
_TYPICAL_CALL = 50e-9  # seconds; a typical compiled call, to estimate how much slower an interpreted one is

_MOST_NODES = 20_000  # syntax tree nodes; compiling them takes half a minute, and the time grows more than linearly

TOO_LONG = "it is so long that compiling it would take minutes"
"""The reason why a function that could be compiled is not."""

Score = Callable[..., Any]


@dataclass(frozen=True)
class Metadata:
    """The origin of a heuristic and its meaning."""

    report: str = ""
    aliases: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    idea: str = ""
    formula: str = ""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    invariant: str = ""
    raw: bool = False


class Verdict(NamedTuple):
    """The comparison of a heuristic's compiled form with Python, for boards of one width."""

    failure: str | None = None
    """The reason why the compiled form must not be used; None if it may."""
    is_guarded: bool = False
    """Whether positions are evaluated by Python until both knights are placed."""


class Code:
    """The parts that all variants of a heuristic share: function, source and machine code."""

    def __init__(
        self,
        name: str,
        function: Score | None,
        path: Path | None,
        metadata: Metadata,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.name = name
        self.python = function
        self.path = path
        self.metadata = metadata
        self._snapshot = snapshot
        self.failure: str | None = None
        self._warned = False
        self._dispatchers: dict[int, Any] = {}
        self.verdicts: dict[int, Verdict] = {}
        self.judge: Callable[[int], Verdict] | None = None
        """Compares the two forms in another process; set for functions that are not trusted."""
        self.warning: str | None = None
        """The warning from another process that this heuristic runs interpreted."""

    @cached_property
    def program(self) -> Program | None:
        """The source; None if it is not available, for example for a function typed into a plain shell."""
        if self.path is not None:
            return Program(self.path, self.name, None if self._snapshot is None else SourceTexts(self._snapshot))
        try:
            return FunctionProgram(self.python) if isinstance(self.python, FunctionType) else None
        except (OSError, TypeError, SyntaxError, HeuristicError):
            return None

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The parameters and their default values."""
        if self.python is not None:
            found = list(inspect.signature(self.python).parameters.values())[2:]
            return {p.name: p.default for p in found if isinstance(p.default, bool | int | float | str)}
        assert self.program is not None
        return _defaults(self.program)

    @cached_property
    def can_run_long(self) -> bool:
        """Whether it has loops or recursion that only a budget can limit."""
        return self.program is not None and self.program.has_open_loops()

    @cached_property
    def needs_care(self) -> bool:
        """Whether a search must set its time limit or its random seed before each call."""
        asks = {"out_of_time", "time_left", "random"}
        return self.can_run_long or self.program is None or self.program.mentions(asks)

    @cached_property
    def interpreted(self) -> Score:
        """The function that Python runs, with counters in its loops and recursive calls."""
        if self.program is None:
            assert self.python is not None
            return self.python
        found: Score = Builder(self.program, for_numba=False).function()
        return found

    @cached_property
    def _compiled(self) -> CompiledProgram:
        assert self.program is not None
        return CompiledProgram(self.program, self._numbers, dict(self.metadata.choices))

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        """The parameters that are passed as numbers; a string without declared choices keeps its default."""
        return {n: v for n, v in self.defaults.items() if not isinstance(v, str) or n in self.metadata.choices}

    def pack(self, values: dict[str, Any]) -> tuple[float, ...]:
        """Convert parameters to the tuple that machine code takes."""
        return self._compiled.pack(values)

    @property
    def is_cached(self) -> bool:
        """Whether machine code for any board width is in the cache."""
        return self.program is not None and any(map(read_sealed, self._compiled.folder.glob("*.machine")))

    def dispatcher(self, width: int) -> Any:
        """Return the machine code for boards of this width; None if it cannot be compiled.

        ``failure`` contains the reason. Raises Refused if the function hangs or crashes in its trial.
        """
        if self.failure is not None:
            return None
        if width in self._dispatchers:
            return self._dispatchers[width]
        try:
            if self.program is None:
                raise HeuristicError("its source cannot be found")
            if self.program.size() > _MOST_NODES:
                raise HeuristicError(TOO_LONG)
            if len(self._numbers) > PARAMETERS:
                raise HeuristicError(f"it has more than {PARAMETERS} parameters")
            self._dispatchers[width] = self._compiled.dispatcher(width)
            self._compare(width)
            return None if self.failure else self._dispatchers[width]
        except Refused:
            raise
        except (CannotCompile, HeuristicError) as error:
            self.failure = str(error)
            return None
        except Exception as error:
            self.failure = why_not_compiled(error, self.path)
            return None

    def _compare(self, width: int) -> None:
        """Reject a compiled form whose values differ from Python's: correctness before speed.

        The usual causes are integers beyond 64 bits and functions that change global variables. If the two forms differ
        only before both knights are placed, Python evaluates those positions.
        """
        if self.path is not None and self.path.is_relative_to(Path(__file__).parent):
            return  # the heuristics of the catalogue have their own tests
        verdict = self.verdicts[width] = self._compared(width) if self.judge is None else self.judge(width)
        if verdict.failure is not None:
            self.failure = verdict.failure
        elif verdict.is_guarded:
            from knightfall.compiler.unplaced import guarded

            self._dispatchers[width] = guarded(self._dispatchers[width], width, self._before_placement)

    def _compared(self, width: int) -> Verdict:
        from knightfall.catalogue.sandbox_check import random_positions

        size = (7, 7) if width == 64 else (11, 9)
        positions = list(random_positions(_COMPARED, seed=3, sizes=(size,)))
        placed = [position for position in positions if None not in position.locations]
        difference = self._difference(placed)
        if difference is not None:
            return Verdict(f"differs: {difference}")
        start = Position.start(Geometry(*size))
        unplaced = [start, *(start.play(square) for square in (0, start.geometry.size // 2))]
        return Verdict(is_guarded=self._difference(unplaced) is not None)

    def _difference(self, positions: list[Position]) -> str | None:
        """Return the first difference between the compiled form and Python; None if they agree."""
        from knightfall.catalogue.sandbox_check import compare

        try:
            return compare(Heuristic(self), positions, 1_000).difference
        except HeuristicError:
            return None  # it raises in every position, which is reported when it is used

    def _before_placement(self, position: Position, player: int, params: tuple[float, ...], deadline: int) -> float:
        made = Heuristic(self, self._compiled.unpack(params))
        seconds = deadline / 1e9 - time.monotonic() if deadline else None
        control = TwinControl(DEFAULT_TICKS if seconds is None else 2**60, seconds, lambda: seed_of(position))
        return made.checked(made.interpret(position, player, control), position, player)

    def warn_if_interpreted(self) -> None:
        """Warn once that a heuristic is not compiled, why, and how much slower it is."""
        if self.failure is None or self._warned:
            return
        self._warned = True
        if self.warning is not None:
            warnings.warn(self.warning, HeuristicWarning, stacklevel=4)
            return
        position = Position.start(Geometry(7, 7)).play(24).play(8)
        began = time.perf_counter()
        calls = 0
        try:
            while calls < 100 and time.perf_counter() - began < 0.05:
                game = TwinGame.of(position, TwinControl())
                with user_code:
                    self.interpreted(game, game.player(1))
                calls += 1
        except (Exception, SystemExit):  # the evaluation itself will report the error
            calls = 0
        slower = ""
        if calls:
            seconds = (time.perf_counter() - began) / calls
            slower = f", {seconds * 1e6:.0f} µs a call, some {max(seconds / _TYPICAL_CALL, 1):.0f} times slower"
        warnings.warn(
            f"{self.shown}: cannot be compiled ({self.failure}); it runs interpreted{slower}",
            HeuristicWarning,
            stacklevel=4,
        )

    def forget_warning(self) -> None:
        """Allow the warning to be shown again."""
        self._warned = False

    @property
    def shown(self) -> str:
        """The name of the heuristic in messages."""
        if self.path is None or self.path.is_relative_to(Path(__file__).parent):
            return self.name
        return f"{shown_path(self.path)}: {self.name}"


class Heuristic:
    """A heuristic with parameters. Call it with other values to get a variant, without a new compilation.

    Called with positional arguments, it calls the function itself.

    >>> import knightfall as kf
    >>> position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    >>> kf.heuristics["improved"].value(position, player=1)
    -2.0
    >>> kf.heuristics["lookahead_both"](mix=0.25)
    <heuristic lookahead_both(mix=0.25)>
    """

    def __init__(self, code: Code, changes: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.changes = dict(changes or {})

    @property
    def name(self) -> str:
        """The name, without file and parameters."""
        return self.code.name

    @property
    def metadata(self) -> Metadata:
        """The report, idea, formula, parameter ranges and other metadata."""
        return self.code.metadata

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their current values."""
        return {**self.code.defaults, **self.changes}

    @property
    def compiled(self) -> bool:
        """Whether the heuristic can be compiled; compiles it if necessary."""
        return self.code.dispatcher(64) is not None

    def is_invariant(self, geometry: Geometry) -> bool:
        """Return whether all images of a position under the board's symmetries have the same value."""
        odd = geometry.width % 2 == 1 and geometry.height % 2 == 1
        return self.metadata.invariant == "always" or (self.metadata.invariant == "odd" and odd)

    def __call__(self, *arguments: Any, **changes: Any) -> Any:
        if arguments:  # called as an ordinary function
            function = self.code.python or self.code.interpreted
            return function(*arguments, **{**self.changes, **changes})
        return Heuristic(self.code, {**self.changes, **self._checked(changes)})

    def _checked(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        checked = {}
        for name, value in changes.items():
            if name not in self.code.defaults:
                known = ", ".join(self.code.defaults) or "none"
                raise HeuristicError(f"{self.name} has no parameter {name!r}; it has {known}")
            default = self.code.defaults[name]
            choices = self.metadata.choices.get(name)
            if choices is not None:
                if value not in choices:
                    raise HeuristicError(f"{self.name}: {name} is one of {', '.join(choices)}, not {value!r}")
                checked[name] = value
                continue
            if isinstance(value, bool | int | float) and not isinstance(default, str):
                whole = isinstance(default, int)
                if not math.isfinite(value) or (whole and value != int(value)):
                    kind = "a whole number" if whole else "a number"
                    raise HeuristicError(f"{self.name}: {name} must be {kind}, not {value!r}")
                checked[name] = type(default)(value)
                continue
            raise HeuristicError(f"{self.name}: {name} must be a number, not {value!r}")
        return checked

    def __repr__(self) -> str:
        return f"<heuristic {self}>"

    def __str__(self) -> str:
        if not self.changes:
            return self.name
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.changes.items())})"

    @property
    def text(self) -> str:
        """The heuristic in the form used in agents' strings: with its file, unless it is from the catalogue."""
        path = self.code.path
        if path is None or path.is_relative_to(Path(__file__).parent):
            return str(self)
        return f"{shown_path(path)}:{self}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heuristic) and self.code is other.code and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((id(self.code), tuple(sorted(self.parameters.items()))))

    def value(
        self,
        position: Position,
        player: int,
        *,
        ms: float | None = None,
        ticks: int | None = None,
        interpreted: bool = False,
    ) -> float:
        """Return the function's value of a position for player 1 or 2.

        ``ms`` or ``ticks`` limit the call; the default is one million ticks. A function that calls
        ``game.out_of_time()`` returns the value it has when the limit is reached. A function that does not end raises
        an error.

        ``interpreted=True`` runs the function in Python instead of compiled code.

        Raises HeuristicError if an argument is invalid, or if the function raises or does not return a number.
        """
        if not isinstance(position, Position):
            raise HeuristicError(f"a Position is expected, not {position!r:.60}")
        if player not in (1, 2) or isinstance(player, bool):
            raise HeuristicError(f"the player is 1 or 2, not {player!r}")
        if ticks is not None and not (isinstance(ticks, int) and 0 <= ticks < 2**60):
            raise HeuristicError(f"ticks must be a whole number from 0 to 2^60, not {ticks!r}")
        if ms is not None and (not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 < ms < 1e12):
            raise HeuristicError(f"ms must be more than 0 and less than 1e12, not {ms!r}")
        bound = VALUE_TICKS if ticks is None else ticks
        seconds = None if ms is None else ms / 1e3
        if seconds is not None and ticks is None:
            bound = 2**60
        run = self._interpreted if interpreted or not self._ready(position) else self._native
        pulse.note(position, player)
        try:
            result = run(position, player, bound, seconds)
        except (Exception, SystemExit) as error:
            raise self.error_in(position, player, error) from None
        return self.checked(result, position, player)

    def _ready(self, position: Position) -> bool:
        if self.code.dispatcher(bit_width(position.geometry)) is None:
            self.code.warn_if_interpreted()
            return False
        return True

    def _native(self, position: Position, player: int, ticks: int, seconds: float | None) -> Any:
        control = Control()
        view = View(position, control)
        packed = self.code.pack(self.parameters)
        dispatcher = self.code.dispatcher(view.width)
        control.allow(ticks, seconds, seed_of(position))
        pulse.watch(control)
        soon = ticks <= _QUICK_TICKS or (seconds is not None and seconds <= _PATIENCE)

        def call() -> Any:
            with user_code:
                return dispatcher(view, player, packed)

        if soon or not self.code.can_run_long:
            return call()
        try:
            return interruptible(call)
        except KeyboardInterrupt:
            control.stop()
            raise

    def _interpreted(self, position: Position, player: int, ticks: int, seconds: float | None) -> Any:
        return self.interpret(position, player, TwinControl(ticks, seconds, lambda: seed_of(position)))

    def interpret(self, position: Position, player: int, control: TwinControl) -> Any:
        """Run the function in Python and return its result.

        Errors that the function must not hide are raised even if it caught them.
        """
        game = TwinGame.of(position, control)
        control.score = self.code.interpreted
        with user_code:
            result = self.code.interpreted(game, game.player(player), **self.changes)
        if control.problem is not None:
            raise control.problem
        return result

    def checked(self, result: Any, position: Position, player: int) -> float:
        """Return the function's result as a number; raise HeuristicError if it is not one."""
        if result is None:
            raise self._error(position, player, "it returns None")
        try:
            if isinstance(result, str):
                raise TypeError
            number = float(result)
        except (TypeError, ValueError, OverflowError):
            raise self._error(position, player, f"it returns {result!r:.60}, which is no number") from None
        if math.isnan(number):
            raise self._error(position, player, "it returns nan, which is no number")
        return number

    def _cause(self, error: BaseException) -> str:
        if isinstance(error, SystemExit):
            return "it calls exit"
        if isinstance(error, RecursionError):
            return "TooDeep: the recursion is too deep"
        if isinstance(error, ReturnsNone):
            return str(error)
        if isinstance(error, MemoryError) and pulse.pulse is not None:
            error.args = (f"it needs more than {most_memory() / 2**30:g} GiB of memory",)
        if isinstance(error, AttributeError) and isinstance(error.obj, TwinGame):
            error.args = (f"the game has no {error.name!r}",)
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(self.code.path)]
        return one_line(error) + (f" (line {lines[-1]})" if lines else "")

    def error_in(self, position: Position, player: int, error: BaseException) -> HeuristicError:
        """Return an exception of the function as a one-line error with its location."""
        if isinstance(error, HeuristicError):
            return error
        return self._error(position, player, str(error) if isinstance(error, NotANumber) else self._cause(error))

    def _error(self, position: Position, player: int, cause: str) -> HeuristicError:
        return HeuristicError(f"{self.code.shown}: {cause}; player {player} in {position.fen()}")


def _defaults(program: Program) -> dict[str, Any]:
    import ast

    arguments = program.node.args
    names = [a.arg for a in arguments.posonlyargs + arguments.args]
    pairs = list(zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True))
    pairs += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    found = {}
    for name, node in pairs:
        try:
            value = ast.literal_eval(node)
        except ValueError:
            continue
        if isinstance(value, bool | int | float | str):
            found[name] = value
    missing = names[2 : len(names) - len(arguments.defaults)]
    if missing:
        raise HeuristicError(
            f"{shown_path(program.path)}, line {program.node.lineno}: {program.function}: "
            f"the parameter {missing[0]!r} needs a default value"
        )
    return found
