"""Changes to a heuristic's syntax tree before it runs.

:class:`Count` is always applied. It counts every iteration of a `while` loop and every call of a recursive function, so
that endless ones are stopped. :class:`ForNumba` is applied only for compilation. It replaces Python constructs by
equivalents that Numba supports. Line numbers are kept, so that messages refer to the user's file.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HIDDEN_GAME = "_kf_game"
"""The name of the game in every function that counts or draws random numbers, whatever its parameter is called."""

_COUNTER = "_kf_rounds"
_RANDOM = {
    "random": "random_number",
    "uniform": "random_between",
    "randint": "random_whole",
    "randrange": "random_below",
    "choice": "random_choice",
    "sample": "random_sample",
    "shuffle": "random_shuffle",
    "gauss": "random_normal",
    "normalvariate": "random_normal",
    "seed": "random_seed",
}
_NUMPY_RANDOM = {
    "random": "random_number",
    "rand": "random_number",
    "random_sample": "random_number",
    "uniform": "random_uniform",
    "randint": "random_below",
    "choice": "random_choice",
    "shuffle": "random_shuffle",
    "normal": "random_gauss",
    "randn": "random_gauss",
    "seed": "random_seed",
}
_LIST_CHANGES = ("append", "extend", "insert", "remove", "reverse", "sort", "pop", "popleft", "appendleft")
_SET_METHODS = ("intersection", "union", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")
_SQUARE_LISTS = ("get_legal_moves", "get_blank_spaces", "_Board__get_moves", "__get_moves__")
_SET_CHANGES = ("add", "remove", "discard", "update", "pop", "clear")
_ON_LISTS = {
    "max": "largest",
    "min": "smallest",
    "sum": "total",
    "any": "any_true",
    "all": "all_true",
    "set": "as_set",
    "list": "as_list",
}


def name_of(identifier: str, at: ast.AST) -> ast.Name:
    """Return a node that reads a name."""
    return ast.copy_location(ast.Name(identifier, ast.Load()), at)


def call_of(word: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    """Return a call of one of the functions in :mod:`knightfall.compiler.builtins`."""
    return ast.copy_location(ast.Call(name_of(f"_kf_{word}", at), arguments, []), at)


class Count(ast.NodeTransformer):
    """Counts loop iterations and calls of recursive functions, and passes the game to every function that needs it.

    ``recursive`` contains the functions that can call themselves. ``needs_game`` maps the functions that count or draw
    random numbers, directly or through others, to the number of their parameters. The heuristic itself, ``entry``,
    already receives the game. The other functions get one more parameter, which is added to every call by name.
    """

    def __init__(self, recursive: set[str], needs_game: Mapping[str, int] | None = None, entry: str = "") -> None:
        self.recursive = recursive
        self.needs_game = needs_game or {}
        self.entry = entry
        self.depth = 0
        self.has_game = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        at_top = self.depth == 0
        if at_top:
            self.has_game = node.name in self.needs_game
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        first: list[ast.stmt] = []
        if at_top and self.has_game and node.name == self.entry:
            game = (node.args.posonlyargs + node.args.args)[0].arg
            first.append(_assign(HIDDEN_GAME, name_of(game, node), node))
        if at_top and node.name in self.recursive:
            first.append(ast.copy_location(ast.Expr(call_of("count_call", self._game(node), node)), node))
        if any(isinstance(inner, ast.While) for inner in ast.walk(node)):
            first.append(_assign(_COUNTER, ast.copy_location(ast.Constant(0), node), node))
        node.body = first + node.body or [ast.copy_location(ast.Pass(), node)]
        node.decorator_list = []
        defaults = [default for default in node.args.kw_defaults if default is not None]
        if len(defaults) == len(node.args.kwonlyargs):  # Numba does not support keyword-only arguments
            node.args.args += node.args.kwonlyargs
            node.args.defaults += defaults
            node.args.kwonlyargs, node.args.kw_defaults = [], []
        if at_top and self.has_game and node.name != self.entry and node.args.vararg is None:
            node.args.args.append(ast.copy_location(ast.arg(HIDDEN_GAME), node))
            node.args.defaults.append(ast.copy_location(ast.Constant(None), node))
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        return node

    def _game(self, at: ast.AST) -> list[ast.expr]:
        return [name_of(HIDDEN_GAME, at)] if self.has_game else []

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        rounds = call_of("count_loop", [name_of(_COUNTER, node), *self._game(node)], node)
        node.body.insert(0, _assign(_COUNTER, rounds, node))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
        parameters = self.needs_game.get(called)
        if parameters is not None and self.has_game and called != self.entry:
            if len(node.args) == parameters and not any(isinstance(a, ast.Starred) for a in node.args):
                node.args.append(name_of(HIDDEN_GAME, node))
            else:
                node.keywords.append(ast.keyword(HIDDEN_GAME, name_of(HIDDEN_GAME, node)))
        return node

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if self.depth else node  # the import is now at the top of the file

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # classes are not compiled, and loops in their methods are not limited


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.Assign:
    return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), at)], value), at)


class Randomness(ast.NodeTransformer):
    """Replaces the global random generator by the generator of the position."""

    def __init__(self, modules: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.modules = modules  # names that refer to the modules `random`, `numpy` or `numpy.random`
        self.names = names  # names that refer to functions of `random`

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        word = self.word(node.func)
        if word is None:
            return node
        return call_of(word, [name_of(HIDDEN_GAME, node), *node.args], node)

    def word(self, function: ast.expr) -> str | None:
        """Return the replacement for a function of `random` or `numpy.random`; None for any other function."""
        match function:
            case ast.Attribute(ast.Name(module), name) if module in self.modules:
                kind = self.modules[module]
                return {"random": _RANDOM, "numpy.random": _NUMPY_RANDOM}.get(kind, {}).get(name)
            case ast.Attribute(ast.Attribute(ast.Name(module), "random"), name) if self.modules.get(module) == "numpy":
                return _NUMPY_RANDOM.get(name)
            case ast.Name(name) if name in self.names:
                return _RANDOM.get(self.names[name])
        return None


@dataclass(frozen=True)
class Form:
    """The representation of squares in compiled code.

    ``lists``: moves are lists of pairs instead of sets of squares in one machine word, for functions that combine them
    with their own lists.

    ``pairs``: a location is a plain pair instead of a pair or None, for functions that put it into a list or a set. In
    this form, asking for the location of a knight that is not placed yet is an error.
    """

    lists: bool = False
    pairs: bool = False

    def __str__(self) -> str:
        return f"{'lists' if self.lists else 'sets'}-{'pairs' if self.pairs else 'locations'}"


FORMS = (Form(), Form(pairs=True), Form(lists=True), Form(lists=True, pairs=True))
"""The forms to try when a function is compiled, fastest first; the first one that compiles is used."""


class ForNumba(ast.NodeTransformer):
    """Replaces Python constructs by equivalents that Numba supports."""

    def __init__(
        self,
        dictionaries: Mapping[str, dict[Any, Any]],
        means: set[str],
        recursive: set[str],
        form: Form = FORMS[0],
    ) -> None:
        self.form = form
        self.dictionaries = dictionaries  # module-level dictionaries; they are constants here
        self.recursive = recursive  # functions that can call themselves
        self.means = means  # names that refer to a function for the mean of a list
        self.changes_sets = False  # whether the current function needs mutable sets
        self.changed_lists: set[str] = set()  # names of lists that the current function changes
        self.filled_sets: set[str] = set()  # names of sets that the current function adds to

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer = self.changes_sets, self.changed_lists
        inside = list(ast.walk(node))
        self.changes_sets = self.changes_sets or any(
            isinstance(inner, ast.SetComp) or (isinstance(inner, ast.Attribute) and inner.attr in _SET_CHANGES)
            for inner in inside
        )
        self.changed_lists = self.changed_lists | {
            inner.value.id
            for inner in inside
            if isinstance(inner, ast.Attribute) and inner.attr in _LIST_CHANGES and isinstance(inner.value, ast.Name)
        }
        for inner in inside:
            match inner:
                case ast.Call(ast.Attribute(ast.Name(name), "add")):
                    self.filled_sets.add(name)
                case ast.Call(ast.Name("_kf_random_shuffle"), [_, ast.Name(name)]):
                    self.changed_lists.add(name)
        self.generic_visit(node)
        self.changes_sets, self.changed_lists = outer
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Name(name)], ast.List([])) if self.form.lists and name not in self.changed_lists:
                node.value = call_of("no_squares", [], node.value)  # an empty list has no type for Numba
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("set"), [], [])) if self.form.lists:
                if name not in self.filled_sets:
                    node.value = call_of("no_square_set", [], node.value)
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(_, method))) if name in self.changed_lists:
                if method in _SQUARE_LISTS:  # a list that will be changed must be a real list
                    node.value = call_of("as_list", [node.value], node.value)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), "sort"), [], options):
                ordered = self._sorted(name_of(name, node), options, node.value)
                if ordered is not None:
                    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ordered), node)
            case ast.Call(ast.Attribute(ast.Name(board), "apply_move"), [move], []):
                # A compiled board is immutable: the name is bound to a new board.
                forecast = ast.Call(ast.Attribute(name_of(board, node), "forecast_move", ast.Load()), [move], [])
                target = ast.Name(board, ast.Store())
                return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], forecast), node))
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return call_of("as_changing_set", [ast.copy_location(ast.ListComp(node.elt, node.generators), node)], node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [self._as_list(argument) for argument in node.args]
        if isinstance(node.func, ast.Name) and node.func.id in self.recursive:
            # Numba would specialise the function for the constant and call that version in a way that cannot be cached.
            node.args = [call_of("plain", [a], a) if isinstance(a, ast.Constant) else a for a in node.args]
        match node:
            case ast.Call(ast.Name("sorted"), [items], options):
                return self._sorted(items, options, node) or node
            case ast.Call(ast.Name("set"), [items], []) if self.changes_sets:
                return call_of("as_changing_set", [items], node)
            case ast.Call(ast.Name("max" | "min" as name), [items], [ast.keyword("default", default)]):
                return call_of("largest_or" if name == "max" else "smallest_or", [items, default], node)
            case ast.Call(ast.Name("max" | "min" as name), [items], [_, _] as given):
                chosen = {keyword.arg: keyword.value for keyword in given}
                if set(chosen) == {"key", "default"}:
                    word = "pick_largest_or" if name == "max" else "pick_smallest_or"
                    return call_of(word, [items, self._map(chosen["key"], items), chosen["default"]], node)
            case ast.Call(ast.Name("float"), [ast.Constant(str(text))], []):
                return self._float(text, node)
            case ast.Call(ast.Name("float"), [value], []):
                return call_of("to_float", [value], node)
            case ast.Call(ast.Name("max" | "min" as name), [items], [ast.keyword("key", key)]):
                word = "pick_largest" if name == "max" else "pick_smallest"
                return call_of(word, [items, self._map(key, items)], node)
            case ast.Call(ast.Name(name), [items], []) if name in _ON_LISTS:
                return call_of(_ON_LISTS[name], [items], node)
            case ast.Call(ast.Name("map" | "filter" as name), [function, items], []):
                return self._map(function, items) if name == "map" else self._filter(function, items)
            case ast.Call(ast.Name(name), [items], []) if name in self.means:
                return call_of("mean", [items], node)
            case ast.Call(ast.Attribute(ast.Name(module), "mean"), [items], []) if f"{module}.mean" in self.means:
                return call_of("mean", [items], node)
            case ast.Call(ast.Attribute(_, "get_player_location"), _, _) if self.form.pairs:
                return call_of("pair_of", [node], node)
            case ast.Call(ast.Attribute(_, method), _, _) if self.form.lists and method in _SQUARE_LISTS:
                return call_of("as_list", [node], node)
            case ast.Call(ast.Attribute(_, method), [_, *_] as others, []) if method in _SET_METHODS:
                node.args = [call_of("as_set", [other], other) for other in others]
            case ast.Call(ast.Attribute(items, "__len__"), [], []):
                return ast.copy_location(ast.Call(name_of("len", node), [items], []), node)
            case ast.Call(ast.Attribute(ast.Name(name), "get"), [key, *default], []) if name in self.dictionaries:
                return self._look_up(name, key, default, node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.BinOp(_, ast.Pow(), ast.Constant(int(power))) if power >= 0:
                return node
            case ast.BinOp(base, ast.Pow(), power):
                return call_of("power", [base, power], node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Subscript(ast.Name(name), key, ast.Load()) if name in self.dictionaries:
                return self._look_up(name, key, [], node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Compare(ast.Constant(None) | ast.List([]) | ast.Call(ast.Name("list"), [], []), [how], [other]):
                if isinstance(how, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                    node.left, node.comparators = other, [node.left]
        match node:
            case ast.Compare(key, [ast.In() | ast.NotIn() as how], [ast.Name(name)]) if name in self.dictionaries:
                found = call_of("has_key", [name_of(f"_kf_keys_{name}", node), key], node)
                if isinstance(how, ast.In):
                    return found
                return ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
            case ast.Compare(_, [ast.Eq() | ast.NotEq() as how], [ast.Constant(None)]):
                # Numba assumes that only its own optional values can equal None.
                node.ops = [ast.Is() if isinstance(how, ast.Eq) else ast.IsNot()]
            case ast.Compare(items, [ast.Eq() | ast.NotEq()], [ast.List([]) | ast.Call(ast.Name("list"), [], [])]):
                # Numba cannot infer the type of an empty list; comparing the length is equivalent.
                node.left = ast.copy_location(ast.Call(name_of("len", node), [items], []), node)
                node.comparators = [ast.copy_location(ast.Constant(0), node)]
        return node

    def _look_up(self, name: str, key: ast.expr, default: list[ast.expr], at: ast.expr) -> ast.expr:
        known = self.dictionaries[name]
        if isinstance(key, ast.Constant) and key.value in known:
            return ast.copy_location(ast.Constant(known[key.value]), at)
        sides: list[ast.expr] = [name_of(f"_kf_keys_{name}", at), name_of(f"_kf_values_{name}", at), key]
        return call_of("look_up_or" if default else "look_up", [*sides, *default], at)

    def _sorted(self, items: ast.expr, options: list[ast.keyword], at: ast.expr) -> ast.expr | None:
        """Return a replacement for `sorted(items, key=…, reverse=…)`: Numba takes ten seconds to compile its own."""
        given = {keyword.arg: keyword.value for keyword in options}
        if not set(given) <= {"key", "reverse"}:
            return None
        reverse = given.get("reverse") or ast.copy_location(ast.Constant(False), at)
        keys = self._map(given["key"], items) if "key" in given else call_of("as_list", [items], at)
        return call_of("in_order", [items, keys, reverse], at)

    def _as_list(self, node: ast.expr) -> ast.expr:
        """Return a generator as a list comprehension; functions such as sum or max give the same result for both."""
        if isinstance(node, ast.GeneratorExp):
            return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return node

    def _float(self, text: str, at: ast.expr) -> ast.expr:
        try:
            value = float(text)
        except ValueError:
            return at
        if value in (float("inf"), float("-inf")):
            infinity = name_of("_kf_infinity", at)
            return infinity if value > 0 else ast.copy_location(ast.UnaryOp(ast.USub(), infinity), at)
        return at if value != value else ast.copy_location(ast.Constant(value), at)

    def _map(self, function: ast.expr, items: ast.expr) -> ast.expr:
        """Return ``[function(item) for item in items]``; a lambda is replaced by its body."""
        target, value = self._applied(function)
        generator = ast.comprehension(target, items, [], 0)
        return ast.copy_location(ast.ListComp(value, [generator]), items)

    def _filter(self, function: ast.expr, items: ast.expr) -> ast.expr:
        target, value = self._applied(function)
        kept = ast.copy_location(ast.Name(getattr(target, "id", ""), ast.Load()), items)
        generator = ast.comprehension(target, items, [value], 0)
        return ast.copy_location(ast.ListComp(kept, [generator]), items)

    def _applied(self, function: ast.expr) -> tuple[ast.expr, ast.expr]:
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1 and not function.args.defaults:
            name = function.args.args[0].arg
            value = function.body
        else:
            name = "_kf_item"
            value = ast.copy_location(ast.Call(function, [name_of(name, function)], []), function)
        return ast.copy_location(ast.Name(name, ast.Store()), function), value


def number_of_text(text: str) -> int:
    """Return the number that represents a string in compiled code."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "little")


class TextsAsNumbers(ast.NodeTransformer):
    """Replaces strings that are only compared by numbers, which compile quickly and compare in one instruction."""

    @staticmethod
    def possible(nodes: list[ast.FunctionDef]) -> bool:
        """Return whether every string is compared, a default value, or passed to one of these functions."""
        own = {node.name for node in nodes}
        for node in nodes:
            fine: set[int] = set()
            for inner in ast.walk(node):
                if isinstance(inner, ast.Compare):
                    fine.update(id(side) for side in (inner.left, *inner.comparators))
                elif isinstance(inner, ast.FunctionDef):
                    fine.update(map(id, (*inner.args.defaults, *inner.args.kw_defaults)))
                    if ast.get_docstring(inner) is not None:
                        fine.update(id(s.value) for s in inner.body if isinstance(s, ast.Expr))
                elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in own:
                    fine.update(map(id, (*inner.args, *(keyword.value for keyword in inner.keywords))))
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and id(inner) not in fine:
                    return False
                if isinstance(inner, ast.JoinedStr):
                    return False
        return True

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant):
            return node  # a docstring
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return ast.copy_location(ast.Constant(number_of_text(node.value)), node)
        return node
