"""A heuristic's source: the function and the names it uses, taken from the syntax tree.

The file's top level is not run, and names that the function does not use are ignored. So ``game_agent.py:custom_score``
can be loaded although the file imports ``isolation`` and ``sample_players`` and defines whole players. The names that
it does use are collected here, file by file: helper functions, constants, standard modules, and names from files in the
same folder.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib.util
import inspect
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from knightfall.compiler.errors import HeuristicError, shown_path
from knightfall.compiler.source_file import SourceFile
from knightfall.compiler.source_texts import SourceTexts

_AIND = "knightfall.compiler.aind_names"
# Decorators that do not change what a function computes.
_HARMLESS = {
    "heuristic",
    "lru_cache",
    "cache",
    "wraps",
    "staticmethod",
    "njit",
    "jit",
    "profile",
    "timeit",
    "typechecked",
}
# AIND's own score functions; student files import them from a module that may be missing.
_SAMPLE_PLAYERS = "knightfall.catalogue.sample_players"

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
Key = tuple[Path, str]


@dataclass
class Link:
    """A name that refers to something in another file, or to an imported module."""

    file: Path | None = None  # a file of the user or of the catalogue
    name: str | None = None  # the name in that file; None: the file itself
    module: str | None = None  # a standard module or library
    attribute: str | None = None
    path: str | None = None  # `import a.b` binds `a`: the dotted path of the module or file


@dataclass
class Unit:
    """The parts of one file that a function uses."""

    source: SourceFile
    definitions: dict[str, Definition] = field(default_factory=dict)
    changes: list[ast.stmt] = field(default_factory=list)  # statements that modify the values of definitions
    links: dict[str, Link] = field(default_factory=dict)


class Program:
    """A function and everything it uses."""

    def __init__(self, path: Path, function: str, texts: SourceTexts | None = None) -> None:
        self.texts = texts or SourceTexts()
        self.path = path if self.texts.is_complete else path.resolve()
        self.function = function
        self.units: dict[Path, Unit] = {}
        self.following: set[Key] = set()
        self.path, self.function = self._home(self.path, function)
        source = self._unit(self.path).source
        node = source.bindings.get(self.function)
        if not isinstance(node, ast.FunctionDef):
            raise HeuristicError(_no_function(source, function))
        self.node = node
        if node.args.vararg is not None or node.args.kwarg is not None:
            raise HeuristicError(
                f"{shown_path(self.path)}, line {node.lineno}: {function}: a heuristic cannot take *args or **kwargs"
            )
        if len(node.args.posonlyargs + node.args.args) < 2:
            raise HeuristicError(
                f"{shown_path(self.path)}, line {node.lineno}: {function}: "
                "a heuristic takes (game, player), and parameters"
            )
        self._need(self.path, self.function)

    def _home(self, path: Path, function: str) -> Key:
        """Return where a function is defined; ``score = other`` and ``from scores import score`` are followed."""
        seen: set[Key] = set()
        while (path, function) not in seen:
            seen.add((path, function))
            unit = self._unit(path)
            node = unit.source.bindings.get(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                function = node.value.id
            elif isinstance(node, ast.ImportFrom):
                link = self._follow(unit, node, function)
                if link.file is None or link.name is None:
                    break
                path, function = link.file, link.name
        return path, function

    def _unit(self, path: Path) -> Unit:
        if path not in self.units:
            self.units[path] = Unit(SourceFile.read(path, self.texts))
        return self.units[path]

    def _need(self, path: Path, name: str) -> None:
        unit = self._unit(path)
        if name in unit.definitions or name in unit.links:
            return
        node = unit.source.bindings.get(name)
        if isinstance(node, Definition):
            unit.definitions[name] = node
            changes = [] if isinstance(node, ast.FunctionDef | ast.ClassDef) else unit.source.changes_of(name)
            unit.changes += [change for change in changes if change not in unit.changes]
            self._need_inner_imports(unit, node)
            decorators = {name for part in decorators_of(node) for name in free_names(part)}
            for used in sorted(decorators.union(*(free_names(part) for part in (node, *changes)))):
                self._need(path, used)
            self._need_attributes(unit, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if (path, name) in self.following:
                where = f"{shown_path(path)}, line {node.lineno}"
                raise HeuristicError(f"{where}: {name} is imported in a circle")
            self.following.add((path, name))
            unit.links[name] = self._follow(unit, node, name)
        elif node is None and name not in vars(builtins):
            for star in unit.source.stars:
                other = self._sibling(unit, star.module or "", star.level)
                if other is not None and name in self._unit(other).source.bindings:
                    self._need(other, name)
                    unit.links[name] = Link(file=other, name=name)
                    return

    def _need_inner_imports(self, unit: Unit, node: ast.AST) -> None:
        """Bind the imports inside a function at the top of its file; :class:`Count` removes them from the function."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import | ast.ImportFrom) and not isinstance(node, ast.ClassDef):
                for alias in inner.names:
                    name = alias.asname or alias.name.split(".")[0]
                    if alias.name != "*" and name not in unit.definitions:
                        unit.links[name] = self._follow(unit, inner, name)

    def _need_attributes(self, unit: Unit, node: ast.AST) -> None:
        """Collect names such as ``helpers.distance``, if ``helpers`` is a user's file."""
        for attribute in ast.walk(node):
            if isinstance(attribute, ast.Attribute):
                path = ast.unparse(attribute.value)
                link = unit.links.get(path.split(".")[0])
                if link is not None and link.file is not None and link.name is None and path == (link.path or path):
                    self._need(link.file, attribute.attr)

    def _follow(self, unit: Unit, node: ast.Import | ast.ImportFrom, name: str) -> Link:
        alias = next(a for a in node.names if (a.asname or a.name.split(".")[0]) == name)
        if isinstance(node, ast.Import):
            dotted = alias.name if "." in alias.name and not alias.asname else None
            file = self._sibling(unit, alias.name, 0)
            if file is not None:
                self._unit(file)
                return Link(file=file, path=dotted)
            return self._library(unit, node, alias.name, None, dotted)
        module = node.module or ""
        file = self._sibling(unit, module, node.level)
        if file is not None:
            if module == "" or alias.name not in self._unit(file).source.bindings:
                inner = self._sibling(unit, f"{module}.{alias.name}".strip("."), node.level)
                if inner is not None:
                    self._unit(inner)
                    return Link(file=inner)
            self._need(file, alias.name)
            return Link(file=file, name=alias.name)
        return self._library(unit, node, module, alias.name)

    def _library(self, unit: Unit, node: ast.stmt, module: str, attribute: str | None, path: str | None = None) -> Link:
        top = module.split(".")[0]
        if top == "isolation":
            # A heuristic can use only the board's constants.
            return Link(module=_AIND, attribute=attribute)
        try:
            known = top in sys.stdlib_module_names or importlib.util.find_spec(top) is not None
        except (ImportError, ValueError):
            known = False
        if known:
            return Link(module=module, attribute=attribute, path=path)
        raise HeuristicError(
            f"{shown_path(unit.source.path)}, line {node.lineno}: {self.function} uses the module {module!r}, "
            "which is neither beside it nor installed"
        )

    def _sibling(self, unit: Unit, module: str, level: int) -> Path | None:
        """Return the file that an import refers to, if it belongs to the user or to Knightfall."""
        if level == 0 and module.split(".")[0] == "knightfall":
            spec = importlib.util.find_spec(module)
            return Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if not module or (level == 0 and module.split(".")[0] in {*sys.stdlib_module_names, "isolation"}):
            return None  # AIND's own module may exist in the folder, but our board replaces it
        folder = unit.source.path.parent
        for _ in range(max(level - 1, 0)):
            folder = folder.parent
        file = folder.joinpath(*module.split(".")).with_suffix(".py")
        place = self.texts.find(file)
        if place is not None:
            return place
        return self._sibling(unit, _SAMPLE_PLAYERS, 0) if module == "sample_players" else None

    def digest(self) -> str:
        """Return a hash of everything that the function consists of."""
        digest = hashlib.blake2b(digest_size=12)
        for unit in self.units.values():
            for name, node in unit.definitions.items():
                digest.update(f"{name}\0{ast.dump(node, include_attributes=True)}\0".encode())
            for change in unit.changes:
                digest.update(ast.dump(change, include_attributes=True).encode())
            digest.update(repr(sorted((name, repr(link)) for name, link in unit.links.items())).encode())
        return digest.hexdigest()

    def size(self) -> int:
        """Return the number of syntax tree nodes of its functions."""
        definitions = [node for unit in self.units.values() for node in unit.definitions.values()]
        functions = (node for node in definitions if isinstance(node, ast.FunctionDef))
        return sum(sum(1 for _ in ast.walk(function)) for function in functions)

    def has_open_loops(self) -> bool:
        """Return whether something may repeat without end: a `while`, a range, a recursive function."""
        definitions = [node for unit in self.units.values() for node in unit.definitions.values()]
        inside = (node for definition in definitions for node in ast.walk(definition))
        return bool(self.recursive()) or any(
            isinstance(node, ast.While) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range")
            for node in inside
        )

    def mentions(self, words: set[str]) -> bool:
        """Return whether one of these names is used or imported."""
        for unit in self.units.values():
            if any(link.module in words or link.attribute in words for link in unit.links.values()):
                return True
            for definition in unit.definitions.values():
                for node in ast.walk(definition):
                    if getattr(node, "attr", None) in words or getattr(node, "id", None) in words:
                        return True
        return False

    def recursive(self) -> set[Key]:
        """Return the functions that can call themselves, directly or through others."""
        calls = self._uses()
        return {key for key in calls if key in _reachable(calls, key)}

    def callers_of(self, functions: set[Key]) -> set[Key]:
        """Return these functions and all functions that use one of them, directly or through others."""
        calls = self._uses()
        return {key for key in calls if key in functions or _reachable(calls, key) & functions}

    def _uses(self) -> dict[Key, set[Key]]:
        """Map each definition to the definitions that it uses."""
        found: dict[Key, set[Key]] = {}
        for path, unit in self.units.items():
            for name, node in unit.definitions.items():
                used = {self._target(unit, path, name) for name in free_names(node)}
                for inner in ast.walk(node):  # `helpers.distance`
                    if isinstance(inner, ast.Attribute):
                        link = unit.links.get(ast.unparse(inner.value).split(".")[0])
                        if link is not None and link.file is not None and link.name is None:
                            used.add((link.file, inner.attr))
                found[path, name] = used
        return found

    def _target(self, unit: Unit, path: Path, name: str) -> Key:
        link = unit.links.get(name)
        return (link.file, link.name) if link is not None and link.file and link.name else (path, name)


def _reachable(calls: dict[Key, set[Key]], start: Key) -> set[Key]:
    """Return everything reachable from a definition; the definition itself only if it is part of a cycle."""
    seen: set[Key] = set()
    edge = set(calls.get(start, ()))
    while edge:
        key = edge.pop()
        if key not in seen:
            seen.add(key)
            edge |= calls.get(key, set())
    return seen


def decorators_of(node: ast.stmt) -> list[ast.expr]:
    """Return the decorators of a function that may change what it computes."""
    if not isinstance(node, ast.FunctionDef):
        return []
    found = []
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name not in _HARMLESS:
            found.append(decorator)
    return found


def _no_function(source: SourceFile, function: str) -> str:
    """Return the error message for a missing heuristic, with the available ones."""
    where = shown_path(source.path)
    if "." in function:
        return f"{where}: {function}: methods are not supported; a heuristic is a function at the top level of a file"
    node = source.bindings.get(function)
    if isinstance(node, ast.ClassDef):
        return f"{where}, line {node.lineno}: {function} is a class; a heuristic is a function (game, player)"
    others = source.functions()
    hint = f"; available: {', '.join(others)}" if others else ""
    return f"{where}: function {function!r} not found{hint}"


class FunctionProgram(Program):
    """A function without a file that can be loaded: typed into a notebook, or defined inside another function.

    The names it uses are looked up as Python does, in its closure and its globals. Functions are taken with their
    source, constants with their current value.
    """

    def __init__(self, function: FunctionType) -> None:
        self.path = Path(f"<{function.__name__}>")
        self.function = function.__name__
        self.texts = SourceTexts()
        self.units = {self.path: Unit(SourceFile(self.path, "", ast.Module([], [])))}
        self.node = self._define(function, function.__name__)

    def _define(self, function: FunctionType, name: str) -> ast.FunctionDef:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        node = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)
        if node is None or len(node.args.args) != function.__code__.co_argcount:
            raise HeuristicError(f"{name}: its source cannot be found")
        node.name = name
        unit = self.units[self.path]
        unit.definitions[name] = node
        known = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
        for used in sorted(free_names(node)):
            if used in known and used not in unit.definitions and used not in unit.links:
                self._value(unit, used, known[used])
        return node

    def _value(self, unit: Unit, name: str, value: Any) -> None:
        function = getattr(getattr(value, "code", None), "python", value)  # a heuristic object stands for its function
        if isinstance(value, ModuleType):
            unit.links[name] = Link(module=value.__name__)
        elif isinstance(function, FunctionType):
            self._define(function, name)
        elif getattr(value, "__module__", None) in sys.stdlib_module_names:
            unit.links[name] = Link(module=value.__module__, attribute=value.__name__)
        else:
            try:
                (assignment,) = ast.parse(f"{name} = {value!r}").body
                ast.literal_eval(assignment.value)  # type: ignore[attr-defined]
            except (SyntaxError, ValueError):
                raise HeuristicError(f"{self.function}: {name} is neither a function nor a plain constant") from None
            assert isinstance(assignment, ast.Assign)
            unit.definitions[name] = assignment


def free_names(node: ast.AST) -> set[str]:
    """Return the names that a definition uses and, according to a simple check, does not bind itself."""
    used: set[str] = set()
    nodes: list[ast.AST] = [node]
    while nodes:
        current = nodes.pop()
        children = list(ast.iter_child_nodes(current))
        if isinstance(current, ast.FunctionDef | ast.ClassDef):
            # Decorators and annotations do not affect what is computed.
            children = [*current.body]
            if isinstance(current, ast.FunctionDef):
                children += [*current.args.defaults, *(d for d in current.args.kw_defaults if d is not None)]
            else:
                children += current.bases
        elif isinstance(current, ast.AnnAssign):
            children = [current.target, *([current.value] if current.value else [])]
        elif isinstance(current, ast.Name) and isinstance(current.ctx, ast.Load):
            used.add(current.id)
        nodes += children
    return used
