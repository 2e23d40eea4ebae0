"""Build a heuristic's program: as Python modules or as machine code compiled by Numba."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import sys
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError, UnsupportedError

from knightfall.compiler import builtins as runtime
from knightfall.compiler.complaints import why_not_compiled
from knightfall.compiler.dictionaries import ConstantDictionary
from knightfall.compiler.errors import HeuristicError
from knightfall.compiler.lifting import lift
from knightfall.compiler.rewrite import FORMS, Count, Form, ForNumba, Randomness, TextsAsNumbers, number_of_text
from knightfall.compiler.simplify import Simplify, undefined_names
from knightfall.compiler.source import Definition, Key, Link, Program, Unit, decorators_of
from knightfall.native.cache import COMPILED_LAYERS, PACKAGE, FolderCache, hash_of_sources
from knightfall.native.store import read_sealed, real_root, write_sealed
from knightfall.native.user_output import user_code
from knightfall.native.view import PARAMETERS, heuristic_signature

_ENTRY = "_kf_entry"
_FAILED = "failed: "


class CannotCompile(Exception):
    """The program cannot be compiled; the message gives the reason in one line."""


def _read_note(file: Path) -> str:
    return (read_sealed(file) or b"").decode()


def _write_note(file: Path, text: str) -> None:
    with contextlib.suppress(OSError):  # if the note is not written, the next process only tries again
        write_sealed(file, text.encode())


class Builder:
    """Create one module per file of a program.

    For Numba, the code is rewritten in one of several forms (:class:`Form`).
    """

    def __init__(self, program: Program, for_numba: bool, form: Form = FORMS[0]) -> None:
        self.program = _lifted(program) if for_numba else program
        program = self.program
        self.for_numba = for_numba
        self.form = form
        self.recursive = program.recursive()
        self.modules: dict[Path, ModuleType] = {}
        self.needs_game = self._needs_game()
        functions = [Count(set()).visit(copy.deepcopy(n)) for unit in program.units.values() for n in _functions(unit)]
        self.texts_as_numbers = for_numba and TextsAsNumbers.possible(
            [ForNumba({}, set(), set()).visit(n) for n in functions]
        )

    def function(self) -> Any:
        """Return the heuristic's function, ready to be called."""
        return getattr(self.module(self.program.path), self.program.function)

    def module(self, path: Path) -> ModuleType:
        """Return the module of one file."""
        if not self.modules:
            self._make_all()
        return self.modules[path]

    def _make_all(self) -> None:
        units = self.program.units
        for path in units:
            # Numba finds the module by this name when it loads code from the cache.
            kind = f"n_{self.form}".replace("-", "_") if self.for_numba else "p"
            name = f"_knightfall_{self.program.digest()}_{len(self.modules)}_{kind}"
            module = ModuleType(name)
            module.__dict__.update(runtime.WORDS)
            module.__file__ = str(path)
            self.modules[path] = sys.modules[name] = module
        # Files may import from each other, and constants may be computed by functions. So all functions are defined
        # first. Then the constants are evaluated, starting with the files that were reached last.
        late = []  # functions whose default values are constants of the file
        for path, unit in units.items():
            for node in _functions(unit):
                counted = self._counted(copy.deepcopy(node), path, unit)
                try:
                    self._run([counted], path)
                except NameError:
                    late.append((path, counted))
        for path, unit in reversed(units.items()):
            self._link()
            constants = {id(n): n for n in unit.definitions.values() if not isinstance(n, ast.FunctionDef)}
            in_order = sorted([*constants.values(), *unit.changes], key=lambda node: node.lineno)
            self._run([copy.deepcopy(node) for node in in_order], path)
        for path, counted in late:
            self._run([counted], path)
        self._link()
        if self.for_numba:
            for path, unit in units.items():
                self._translate(path, unit)
            self._link()
        else:
            for path, unit in units.items():
                for node in _functions(unit):
                    self._decorate(path, node)
            self._link()

    def _decorate(self, path: Path, node: ast.FunctionDef) -> None:
        """Apply the decorators of a function that change what it computes."""
        module = self.modules[path]
        for decorator in reversed(decorators_of(node)):
            code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(decorator))), str(path), "eval")
            setattr(module, node.name, eval(code, module.__dict__)(getattr(module, node.name)))

    def _link(self) -> None:
        """Set the imported names in every module, as far as they are already defined."""
        for path, unit in self.program.units.items():
            for name, link in unit.links.items():
                setattr(self.modules[path], name, self._linked(link))

    def _translate(self, path: Path, unit: Unit) -> None:
        """Rewrite the functions of one file for Numba and wrap them for compilation."""
        module = self.modules[path]
        dictionaries = self._freeze(module, [*unit.definitions])

        def add_constant(value: Any) -> str:
            name = f"_kf_constant_{len(module.__dict__)}"
            setattr(module, name, self._dictionary(value) or value)
            return name

        translate = ForNumba(dictionaries, self._means(unit), self._recursive_here(path, unit), self.form)
        rewritten = []
        for node in _functions(unit):
            undefined = undefined_names(getattr(module, node.name))
            counted = self._counted(copy.deepcopy(node), path, unit)
            rewritten.append(translate.visit(Simplify(module, undefined, add_constant).visit(counted)))
        if self.texts_as_numbers:
            rewritten = [TextsAsNumbers().visit(node) for node in rewritten]
        self._run(rewritten, path)
        functions = _functions(unit)
        wrappers = {
            name.id for n in functions for d in decorators_of(n) for name in ast.walk(d) if type(name) is ast.Name
        }
        for node in functions:
            if node.name not in wrappers:
                inline = (path, node.name) not in self.recursive and not _is_generator(node)
                setattr(module, node.name, _jit(getattr(module, node.name), inline))
        for node in functions:
            if decorators_of(node):
                self._decorate(path, node)
                setattr(module, node.name, _jit(getattr(module, node.name), False))

    def _counted(self, node: ast.FunctionDef, path: Path, unit: Unit) -> ast.stmt:
        recursive = {name for file, name in self.recursive if file == path}
        entry = self.program.function if path == self.program.path else ""
        counted: ast.stmt = Count(recursive, self._needs_game_here(path, unit), entry).visit(node)
        rewritten: ast.stmt = _randomness(unit).visit(counted)
        return rewritten

    def _needs_game(self) -> set[Key]:
        """Return the functions that need the game.

        These functions count iterations or recursive calls, draw random numbers or ask for the time, directly or
        through others.
        """
        direct = set(self.recursive)
        for path, unit in self.program.units.items():
            randomness = _randomness(unit)
            for node in _functions(unit):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.While) or (isinstance(inner, ast.Call) and randomness.word(inner.func)):
                        direct.add((path, node.name))
                    if isinstance(inner, ast.Attribute) and inner.attr == "time_left":
                        direct.add((path, node.name))
        return self.program.callers_of(direct)

    def _needs_game_here(self, path: Path, unit: Unit) -> dict[str, int]:
        """Map the names of such functions in one file to the number of their parameters."""
        found: dict[str, int] = {}
        for file, name in self.needs_game:
            node = self.program.units[file].definitions.get(name)
            if isinstance(node, ast.FunctionDef):
                count = len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)
                names = [name] if file == path else []
                names += [n for n, link in unit.links.items() if link.file == file and link.name == name]
                modules = {n: link for n, link in unit.links.items() if link.file == file and link.name is None}
                names += [f"{link.path or known_as}.{name}" for known_as, link in modules.items()]
                found.update(dict.fromkeys(names, count))
        return found

    def _recursive_here(self, path: Path, unit: Unit) -> set[str]:
        """Return the names in one file that refer to recursive functions, its own or imported ones."""
        own = {name for file, name in self.recursive if file == path}
        return own | {n for n, link in unit.links.items() if (link.file, link.name) in self.recursive}

    def _run(self, nodes: list[ast.stmt], path: Path) -> None:
        tree = ast.fix_missing_locations(ast.Module(nodes, []))
        with user_code:
            exec(compile(tree, str(path), "exec"), self.modules[path].__dict__)

    def _linked(self, link: Link) -> Any:
        if link.file is not None:
            further = self.program.units[link.file].links.get(link.name or "")
            if further is not None and further != link:
                return self._linked(further)  # that file imports the name from another file
            module = self.modules[link.file]
            if link.path is not None:
                return _package(link.path, module)
            return module if link.name is None else getattr(module, link.name, None)
        assert link.module is not None
        module = importlib.import_module(link.module)
        if link.path is not None:
            return sys.modules[link.path.split(".")[0]]
        if link.attribute is None:
            return module
        found = getattr(module, link.attribute, None)
        # `from concurrent import futures`: the name may be a submodule of a package.
        return found if found is not None else _submodule(link.module, link.attribute)

    def _means(self, unit: Unit) -> set[str]:
        means = set()
        for name, link in unit.links.items():
            if link.module in ("statistics", "numpy"):
                if link.attribute is None:
                    means.add(f"{name}.mean")
                elif link.attribute in ("mean", "fmean"):
                    means.add(name)
        return means

    def _freeze(self, module: ModuleType, names: list[str]) -> dict[str, dict[Any, Any]]:
        """Convert constants to a form that Numba accepts; return the dictionaries that cannot be converted."""
        dictionaries = {}
        for name in names:
            value = getattr(module, name)
            if isinstance(value, dict) and value:
                constant = self._dictionary(value)
                if constant is not None:
                    setattr(module, name, constant)
                else:
                    dictionaries[name] = value
                    setattr(module, f"_kf_keys_{name}", self.frozen(list(value)))
                    setattr(module, f"_kf_values_{name}", self.frozen(list(value.values())))
            elif isinstance(value, list | set | tuple | str):
                setattr(module, name, self.frozen(value))
        return dictionaries

    def _dictionary(self, value: dict[Any, Any]) -> ConstantDictionary | None:
        """Return a dictionary as a compiled constant.

        Return None unless all keys have one type and all values have one type.
        """
        keys = tuple(self.frozen(key) for key in value)
        values = tuple(
            [self.frozen(item) for item in v] if isinstance(v, list) else self.frozen(v) for v in value.values()
        )
        return ConstantDictionary(keys, values) if _is_even(keys) and _is_even(values) else None

    def frozen(self, value: Any) -> Any:
        """Return a constant in the form that compiled code uses."""
        return _frozen(value, self.texts_as_numbers)


def _lifted(program: Program) -> Program:
    """Return a copy of the program without inner functions that Numba cannot compile.

    They are moved to the top of their files.
    """
    units = {}
    for path, unit in program.units.items():
        definitions: dict[str, Definition] = {}
        for name, node in unit.definitions.items():
            moved: list[ast.FunctionDef] = []
            if isinstance(node, ast.FunctionDef):
                node, moved = lift(node)
            definitions[name] = node
            definitions.update({inner.name: inner for inner in moved})
        units[path] = replace(unit, definitions=definitions)
    made = copy.copy(program)
    made.units = units
    return made


def _randomness(unit: Unit) -> Randomness:
    """Return the transformer for the random functions that one file uses."""
    modules = {}
    names = {}
    for name, link in unit.links.items():
        if link.module in ("random", "numpy", "numpy.random") and link.attribute is None:
            modules[name] = "numpy" if link.path else link.module
        elif link.module == "random" and link.attribute:
            names[name] = link.attribute
        elif link.module == "numpy" and link.attribute == "random":
            modules[name] = "numpy.random"
    return Randomness(modules, names)


def _package(path: str, module: ModuleType) -> ModuleType:
    """Return what `import a.b` binds to `a`, if `a/b.py` is a user's file."""
    for name in reversed(path.split(".")[:-1]):
        outer = ModuleType(name)
        setattr(outer, path.rpartition(".")[2], module)
        path, module = path.rpartition(".")[0], outer
    return module


def _submodule(package: str, name: str) -> Any:
    try:
        return importlib.import_module(f"{package}.{name}")
    except ImportError:
        return None


def _is_generator(node: ast.FunctionDef) -> bool:
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))


def _is_even(values: tuple[Any, ...]) -> bool:
    """Return whether the constants fit one type: all numbers, all strings, or all tuples or lists of such values."""
    if all(isinstance(value, int | float) for value in values) or all(isinstance(value, str) for value in values):
        return True
    if all(isinstance(value, list) for value in values):
        return _is_even(tuple(item for value in values for item in value))
    if all(isinstance(value, tuple) for value in values) and len({len(value) for value in values}) == 1:
        columns = list(zip(*values, strict=True))
        kinds = [{type(item) for item in column} for column in columns]
        return all(len(kind) == 1 and kind <= {int, float, bool, str} for kind in kinds)
    return False


def _functions(unit: Unit) -> list[ast.FunctionDef]:
    return [node for node in unit.definitions.values() if isinstance(node, ast.FunctionDef)]


def _frozen(value: Any, texts_as_numbers: bool) -> Any:
    """Return a constant that Numba can compile.

    A list becomes a tuple and a table of numbers an array. Integers that occur together with floats become floats.
    """
    if isinstance(value, str):
        return number_of_text(value) if texts_as_numbers else value
    if isinstance(value, set):
        value = sorted(value)
    if not isinstance(value, list | tuple) or not value:
        return tuple(value) if isinstance(value, list) else value
    if all(isinstance(row, list) and len(row) > 3 for row in value) and len({len(row) for row in value}) == 1:
        table = np.array(value)
        if table.dtype.kind in "if" and table.ndim == 2:
            return table.astype(np.int64 if table.dtype.kind == "i" else np.float64)
    if all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
        return tuple(float(item) for item in value) if any(isinstance(i, float) for i in value) else tuple(value)
    return tuple(_frozen(item, texts_as_numbers) for item in value)


def _jit(function: FunctionType, inline: bool) -> Any:
    # A call costs as much as a small heuristic, so functions are inlined where possible.
    return numba.njit(error_model="python", boundscheck=True, nogil=True, forceinline=inline)(function)


class CompiledProgram:
    """The machine code of a program, one version per board width.

    The parameters are passed in one tuple, so new values need no compilation.
    """

    def __init__(self, program: Program, parameters: dict[str, Any], choices: dict[str, tuple[str, ...]]) -> None:
        self.program = program
        self.parameters = parameters
        self.choices = choices
        self._dispatchers: dict[int, Any] = {}
        self._entries: dict[Form, Any] = {}

    def dispatcher(self, width: int) -> Any:
        """Return the compiled heuristic for boards of this width.

        The forms are tried in turn. The result is written to a file beside the machine code, so that the next process
        does not try the failed forms again.

        Raises CannotCompile if no form compiles.
        """
        if width in self._dispatchers:
            return self._dispatchers[width]
        note = self.folder / f"form{width}.note"
        noted = _read_note(note)
        if noted.startswith(_FAILED):
            raise CannotCompile(noted.removeprefix(_FAILED))
        forms = [form for form in FORMS if str(form) == noted] or list(FORMS)
        for form in forms:
            try:
                made = self._compile(width, form)
            except HeuristicError:
                raise
            except Exception as error:  # Numba raises more kinds of errors than it documents
                if form != forms[-1] and not isinstance(error, UnsupportedError):
                    continue
                reason = why_not_compiled(error, self.program.path)
                if isinstance(error, NumbaError | AssertionError):
                    _write_note(note, f"{_FAILED}{reason}")
                raise CannotCompile(reason) from error
            if form != FORMS[0] and noted != str(form):
                _write_note(note, str(form))
            self._dispatchers[width] = made
            return made

    def _compile(self, width: int, form: Form) -> Any:
        entry = self._entry(form)
        dispatcher = numba.njit(error_model="python", boundscheck=True, nogil=True)(entry)
        ours = self.program.path.is_relative_to(PACKAGE)
        dispatcher._cache = FolderCache(entry, self.folder, in_pieces=ours)
        dispatcher.compile(heuristic_signature(width))
        return dispatcher

    @cached_property
    def folder(self) -> Path:
        """The folder of the machine code.

        Its name is a hash of the program's source and of everything that compiles it.
        """
        # native/search is not included: no heuristic can depend on it.
        layers = [file for layer in COMPILED_LAYERS for file in (PACKAGE / layer).glob("*.py")]
        compilers = Path(__file__).parent.glob("*.py")
        shape = "".join(f"{name}:{type(value).__name__}," for name, value in self.parameters.items())
        return real_root() / hash_of_sources([*layers, *compilers], extra=f"{self.program.digest()} {shape}")

    def _entry(self, form: Form) -> Any:
        """Return a wrapper with the signature that all heuristics share.

        It unpacks the parameters and calls the heuristic.
        """
        if form in self._entries:
            return self._entries[form]
        builder = Builder(self.program, for_numba=True, form=form)
        function = builder.function()
        module = builder.module(self.program.path)
        arguments = ["game", "player"]
        for index, (name, default) in enumerate(self.parameters.items()):
            number = f"params[{index}]"
            if name in self.choices:
                setattr(module, f"_kf_choices_{name}", builder.frozen(self.choices[name]))
                number = f"_kf_choices_{name}[int({number})]"
            elif isinstance(default, bool):
                number = f"{number} != 0.0"
            elif isinstance(default, int):
                number = f"int({number})"
            arguments.append(f"{name}={number}")
        module.__dict__["_kf_function"] = function
        code = f"def {_ENTRY}(game, player, params):\n    return _kf_as_number(_kf_function({', '.join(arguments)}))\n"
        exec(compile(code, "<entry>", "exec"), module.__dict__)
        self._entries[form] = entry = module.__dict__[_ENTRY]
        if form != FORMS[0]:
            entry.__qualname__ = f"{_ENTRY}_{form}".replace("-", "_")  # the cache identifies functions by this name
        return entry

    def unpack(self, numbers: tuple[float, ...]) -> dict[str, Any]:
        """Convert a packed tuple to named parameters."""
        return {
            name: self.choices[name][int(number)] if name in self.choices else type(default)(number)
            for (name, default), number in zip(self.parameters.items(), numbers, strict=False)
        }

    def pack(self, values: dict[str, Any]) -> tuple[float, ...]:
        """Convert named parameters to the tuple that the machine code takes."""
        numbers = [
            float(self.choices[name].index(values[name]) if name in self.choices else values[name])
            for name in self.parameters
        ]
        return tuple(numbers + [0.0] * (PARAMETERS - len(numbers)))
