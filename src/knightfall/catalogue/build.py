"""A heuristic's program made to run: interpreted by Python, or compiled by Numba."""

from __future__ import annotations

import ast
import copy
import importlib
import sys
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from knightfall.catalogue import runtime
from knightfall.catalogue.rewrite import Count, ForNumba, Randomness, TextsAsNumbers, number_of_text
from knightfall.catalogue.source import Link, Program, Unit
from knightfall.native.cache import COMPILED_LAYERS, PACKAGE, FolderCache, cache_root, hash_of_sources
from knightfall.native.user_output import user_code
from knightfall.native.view import PARAMETERS, heuristic_signature

_ENTRY = "_kf_entry"


class Builder:
    """Makes the modules of a program, each file a module of its own."""

    def __init__(self, program: Program, for_numba: bool) -> None:
        self.program = program
        self.for_numba = for_numba
        self.recursive = program.recursive()
        self.modules: dict[Path, ModuleType] = {}
        functions = [Count(set()).visit(copy.deepcopy(n)) for unit in program.units.values() for n in _functions(unit)]
        self.texts_as_numbers = for_numba and TextsAsNumbers.possible(
            [ForNumba({}, set(), set()).visit(n) for n in functions]
        )

    def function(self) -> Any:
        """The heuristic itself, ready to be called."""
        return getattr(self.module(self.program.path), self.program.function)

    def module(self, path: Path) -> ModuleType:
        """The module of one file."""
        if not self.modules:
            self._make_all()
        return self.modules[path]

    def _make_all(self) -> None:
        units = self.program.units
        for path in units:
            # The name is what Numba finds the module by when it loads code from the cache.
            name = f"_knightfall_{self.program.digest()}_{len(self.modules)}_{'n' if self.for_numba else 'p'}"
            module = ModuleType(name)
            module.__dict__.update(runtime.WORDS)
            module.__file__ = str(path)
            self.modules[path] = sys.modules[name] = module
        # Files may import from each other, and constants may be worked out by functions: so functions first, which are
        # only defined; then the constants, those of files that were reached last first.
        for path, unit in units.items():
            self._run([self._counted(copy.deepcopy(n), path, unit) for n in _functions(unit)], path)
        for path, unit in reversed(units.items()):
            self._link()
            constants = {id(n): n for n in unit.definitions.values() if not isinstance(n, ast.FunctionDef)}
            in_order = sorted([*constants.values(), *unit.changes], key=lambda node: node.lineno)
            self._run([copy.deepcopy(node) for node in in_order], path)
        self._link()
        if self.for_numba:
            for path, unit in units.items():
                self._translate(path, unit)
            self._link()

    def _link(self) -> None:
        """Give every file the names it imports, as far as they are there yet."""
        for path, unit in self.program.units.items():
            for name, link in unit.links.items():
                setattr(self.modules[path], name, self._linked(link))

    def _translate(self, path: Path, unit: Unit) -> None:
        """The functions of one file in words that Numba knows, and ready to be compiled."""
        module = self.modules[path]
        dictionaries = self._freeze(module, [*unit.definitions])
        translate = ForNumba(dictionaries, self._means(unit), self._recursive_here(path, unit))
        rewritten = [translate.visit(self._counted(copy.deepcopy(n), path, unit)) for n in _functions(unit)]
        if self.texts_as_numbers:
            rewritten = [TextsAsNumbers().visit(node) for node in rewritten]
        self._run(rewritten, path)
        for node in _functions(unit):
            setattr(module, node.name, _jit(getattr(module, node.name), (path, node.name) not in self.recursive))

    def _counted(self, node: ast.FunctionDef, path: Path, unit: Unit) -> ast.stmt:
        recursive = {name for file, name in self.recursive if file == path}
        modules = {name for name, link in unit.links.items() if link.module == "random" and link.attribute is None}
        names = {
            name: link.attribute for name, link in unit.links.items() if link.module == "random" and link.attribute
        }
        counted: ast.stmt = Count(recursive).visit(node)
        rewritten: ast.stmt = Randomness(modules, names).visit(counted)
        return rewritten

    def _recursive_here(self, path: Path, unit: Unit) -> set[str]:
        """The names in one file that stand for recursive functions, its own and others'."""
        own = {name for file, name in self.recursive if file == path}
        return own | {n for n, link in unit.links.items() if (link.file, link.name) in self.recursive}

    def _run(self, nodes: list[ast.stmt], path: Path) -> None:
        tree = ast.fix_missing_locations(ast.Module(nodes, []))
        with user_code:
            exec(compile(tree, str(path), "exec"), self.modules[path].__dict__)

    def _linked(self, link: Link) -> Any:
        if link.file is not None:
            module = self.modules[link.file]
            return module if link.name is None else getattr(module, link.name, None)
        assert link.module is not None
        module = importlib.import_module(link.module)
        return module if link.attribute is None else getattr(module, link.attribute, None)

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
        """Constants in the form Numba takes them; the dictionaries among them."""
        dictionaries = {}
        for name in names:
            value = getattr(module, name)
            if isinstance(value, dict) and value:
                dictionaries[name] = value
                setattr(module, f"_kf_keys_{name}", self.frozen(list(value)))
                setattr(module, f"_kf_values_{name}", self.frozen(list(value.values())))
            elif isinstance(value, list | set | tuple | str):
                setattr(module, name, self.frozen(value))
        return dictionaries

    def frozen(self, value: Any) -> Any:
        """A constant in the form that compiled code takes it."""
        return _frozen(value, self.texts_as_numbers)


def _functions(unit: Unit) -> list[ast.FunctionDef]:
    return [node for node in unit.definitions.values() if isinstance(node, ast.FunctionDef)]


def _frozen(value: Any, texts_as_numbers: bool) -> Any:
    """A list as a tuple, a table of numbers as an array, whole numbers among real ones as real ones."""
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
    # A call costs as much as a small heuristic: what can be put in its place is.
    return numba.njit(error_model="python", boundscheck=True, nogil=True, forceinline=inline)(function)


class CompiledProgram:
    """A program's machine code, by width; parameters travel in one tuple, so that changing them compiles nothing."""

    def __init__(self, program: Program, parameters: dict[str, Any], choices: dict[str, tuple[str, ...]]) -> None:
        self.program = program
        self.parameters = parameters
        self.choices = choices
        self._dispatchers: dict[int, Any] = {}

    def dispatcher(self, width: int) -> Any:
        """The compiled heuristic for boards of that width; raises what Numba raises."""
        if width not in self._dispatchers:
            dispatcher = numba.njit(error_model="python", boundscheck=True, nogil=True)(self._entry)
            dispatcher._cache = FolderCache(self._entry, self.folder)
            dispatcher.compile(heuristic_signature(width))
            self._dispatchers[width] = dispatcher
        return self._dispatchers[width]

    @cached_property
    def folder(self) -> Path:
        """Where its machine code is kept: named by its own source and by all that compiles it."""
        # Not what is in native/search: no heuristic can depend on it.
        layers = [file for layer in COMPILED_LAYERS for file in (PACKAGE / layer).glob("*.py")]
        compilers = [
            Path(__file__).with_name(f"{name}.py") for name in ("build", "rewrite", "runtime", "source", "twin")
        ]
        shape = "".join(f"{name}:{type(value).__name__}," for name, value in self.parameters.items())
        return cache_root() / hash_of_sources([*layers, *compilers], extra=f"{self.program.digest()} {shape}")

    @cached_property
    def _entry(self) -> Any:
        builder = Builder(self.program, for_numba=True)
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
        return module.__dict__[_ENTRY]

    def pack(self, values: dict[str, Any]) -> tuple[float, ...]:
        """Parameters as the tuple that the machine code takes."""
        numbers = [
            float(self.choices[name].index(values[name]) if name in self.choices else values[name])
            for name in self.parameters
        ]
        return tuple(numbers + [0.0] * (PARAMETERS - len(numbers)))
