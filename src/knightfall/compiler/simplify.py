"""Simplifications of a heuristic before Numba compiles it.

:class:`Simplify` removes code that does not change the value (printing, logging, messages). It replaces what Numba does
not support by what it does: a deque becomes a list, constant dictionaries move to the top of the file, and setting a
board's player to move creates a new board. Line numbers are kept.
"""

from __future__ import annotations

import ast
import builtins
import logging
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from knightfall.compiler import aind_names, array_words
from knightfall.compiler.rewrite import HIDDEN_GAME, call_of, name_of

_LOG_METHODS = {"debug", "info", "warning", "warn", "error", "critical", "exception", "log"}
_ACTIVE = {"_active_player", "__active_player__"}
_INACTIVE = {"_inactive_player", "__inactive_player__"}
_DICT_CHANGES = {"update", "pop", "popitem", "setdefault", "clear"}
_QUEUE_METHODS = {"put": "append", "put_nowait": "append"}
_PLAYER_CONSTANTS = {"TIMER_THRESHOLD": 10.0, "search_depth": 3}

Constant = Callable[[Any], str]


def undefined_names(function: FunctionType) -> set[str]:
    """Return the global names that a function uses but neither its module nor Python defines."""
    found: set[str] = set()
    codes: list[CodeType] = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        found.update(_global_names(code))
    return found - set(function.__globals__) - set(vars(builtins))


def _global_names(code: CodeType) -> Iterable[str]:
    import dis

    return (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


class Simplify(ast.NodeTransformer):
    """Rewrites Python code in simpler constructs.

    ``add_constant`` stores a value at the top of the file and returns its name.
    """

    def __init__(self, module: ModuleType, undefined: set[str], add_constant: Constant) -> None:
        self.module = module
        self.undefined = undefined
        self.add_constant = add_constant
        self.local: list[set[str]] = []  # the names bound by each enclosing function
        self.queues: set[str] = set()
        self.changed_dictionaries: set[str] = set()

    # --- functions and statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        inside = list(ast.walk(node))
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        self.local.append(stored | {a.arg for a in arguments})
        outer = self.queues, self.changed_dictionaries
        self.queues = self.queues | {
            n.targets[0].id
            for n in inside
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and self._is_queue(n.value)
        }
        self.changed_dictionaries = self.changed_dictionaries | _changed(inside)
        self.generic_visit(node)
        self.queues, self.changed_dictionaries = outer
        self.local.pop()
        node.body = node.body or [ast.copy_location(ast.Pass(), node)]
        return node

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef) and self.undefined:
            name = self._undefined_in(node)
            if name is not None:
                error = ast.Call(name_of("NameError", node), [ast.Constant(f"name '{name}' is not defined")], [])
                return ast.fix_missing_locations(ast.copy_location(ast.Raise(error), node))
        return super().visit(node)

    def _undefined_in(self, node: ast.stmt) -> str | None:
        """Return the first undefined name that this statement uses, without the statements of its blocks."""
        blocks = {"body", "orelse", "finalbody", "handlers"}
        for field, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if field in blocks or not isinstance(part, ast.AST):
                    continue
                for inner in ast.walk(part):
                    if isinstance(inner, ast.Name) and inner.id in self.undefined and not self._is_local(inner.id):
                        return inner.id
        return None

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Constant) or self._only_tells(node.value):
            return None
        self.generic_visit(node)
        return node

    def _only_tells(self, node: ast.expr) -> bool:
        """Return whether a call only prints or logs."""
        match node:
            case ast.Call(ast.Name("print")):
                return True
            case ast.Call(ast.Attribute(ast.Name(name), method)) if method in _LOG_METHODS:
                found = getattr(self.module, name, None)
                return found is logging or isinstance(found, logging.Logger)
            case ast.Call(ast.Attribute(_, "print_board"), [], []):
                return True
        return False

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.msg = None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        match node.exc:
            case ast.Call(ast.Name() as kind, arguments, _) if not all(isinstance(a, ast.Constant) for a in arguments):
                node.exc = ast.copy_location(ast.Call(kind, [], []), node.exc)
        node.cause = None
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body or [ast.copy_location(ast.Pass(), node)]
        if len(node.handlers) != 1:
            return node
        [handler] = node.handlers
        handler.body = handler.body or [ast.copy_location(ast.Pass(), handler)]
        if _catches_all(handler, node.body):
            # Numba supports only this kind of handler.
            handler.type = name_of("Exception", handler)
            used = {n.id for part in handler.body for n in ast.walk(part) if isinstance(n, ast.Name)}
            if handler.name not in used:
                handler.name = None
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body or [ast.copy_location(ast.Pass(), node)]
        return node

    visit_For = visit_If  # type: ignore[assignment]  # noqa: N815
    visit_While = visit_If  # type: ignore[assignment]  # noqa: N815

    def visit_Global(self, node: ast.Global) -> ast.AST | None:
        kept = [name for name in node.names if self.local and name in self.local[-1]]
        return ast.copy_location(ast.Global(kept), node) if kept else None

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign([ast.Name(name)], ast.Dict()) if name in self.changed_dictionaries:
                return node
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Attribute(ast.Name(game), attribute)], value) if attribute in _ACTIVE | _INACTIVE:
                return self._set_active(game, value, attribute in _INACTIVE, node)
            case ast.Assign(
                [ast.Tuple([ast.Attribute(ast.Name(game), one), ast.Attribute(ast.Name(same), two)])], value
            ):
                if game == same and {one in _ACTIVE, two in _ACTIVE} == {True, False} and isinstance(value, ast.Tuple):
                    return self._set_active(game, value.elts[0 if one in _ACTIVE else 1], False, node)
        return node

    def _set_active(self, game: str, player: ast.expr, other: bool, at: ast.stmt) -> ast.AST:
        """Return an assignment of a new board to the name: a compiled board is immutable."""
        word = "with_inactive" if other else "with_active"
        made = ast.Assign([ast.Name(game, ast.Store())], call_of(word, [name_of(game, at), player], at))
        return ast.fix_missing_locations(ast.copy_location(made, at))

    # --- expressions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [part for argument in node.args for part in self._without_star(argument)]
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name(player), "time_left"), [], []) if "player" in player.lower():
                node.func = ast.copy_location(
                    ast.Attribute(name_of(HIDDEN_GAME, node), "player_time_left", ast.Load()), node.func
                )
            case ast.Call(ast.Name("zip"), [ast.Starred(items)], []):
                return call_of("transposed", [items], node)
            case ast.Call(ast.Name("sum"), [items, start], []):
                total = call_of("total", [_as_list(items)], node)
                return ast.copy_location(ast.BinOp(total, ast.Add(), start), node)
            case ast.Call(ast.Name("pow"), [base, power], []):
                return ast.copy_location(ast.BinOp(base, ast.Pow(), power), node)
            case ast.Call(ast.Name("tuple"), [items], []):
                return call_of("as_tuple", [items], node)
            case ast.Call(ast.Name("frozenset"), arguments, []):
                node.func = name_of("set", node)
            case ast.Call(function, arguments, []) if self._stands_for(function, "itertools", "chain"):
                if arguments and not any(isinstance(a, ast.Starred) for a in arguments):
                    lists: ast.expr = call_of("as_list", [arguments[0]], node)
                    for part in arguments[1:]:
                        lists = ast.copy_location(ast.BinOp(lists, ast.Add(), call_of("as_list", [part], node)), node)
                    return lists
                if len(arguments) == 1 and isinstance(arguments[0], ast.Starred):
                    return call_of("flattened", [arguments[0].value], node)
            case ast.Call(ast.Attribute(chain, "from_iterable"), [items], []) if self._stands_for(
                chain, "itertools", "chain"
            ):
                return call_of("flattened", [_as_list(items)], node)
            case ast.Call(function, [one, other], []) if self._stands_for(function, "itertools", "product"):
                return call_of("pairs_of", [one, other], node)
            case ast.Call(function, [items], [ast.keyword("repeat", ast.Constant(2))]) if self._stands_for(
                function, "itertools", "product"
            ):
                return call_of("pairs_of", [items, items], node)
            case ast.Call(function, [items, ast.Constant(2)], []) if self._stands_for(
                function, "itertools", "combinations"
            ):
                return call_of("pairs_among", [items], node)
            case ast.Call(function, [item], []) if self._stands_for(function, "copy", "deepcopy") or self._stands_for(
                function, "copy", "copy"
            ):
                return call_of("copied", [item], node)
            case ast.Call(function, arguments, []) if arguments and self._is_numpy(function):
                return self._numpy(node, arguments)
            case ast.Call() if self._is_queue(node):
                return call_of("as_list", node.args[:1], node) if node.args else _empty_list(node)
            case ast.Call(ast.Attribute(queue, "popleft"), [], []):
                return _method(queue, "pop", [ast.Constant(0)], node)
            case ast.Call(ast.Attribute(queue, "appendleft"), [item], []):
                return _method(queue, "insert", [ast.Constant(0), item], node)
            case ast.Call(ast.Attribute(ast.Name(queue), method), arguments, _) if queue in self.queues:
                return self._on_queue(name_of(queue, node), method, arguments, node)
            case ast.Call(ast.Name("sorted" | "max" | "min"), _, options) | ast.Call(
                ast.Attribute(_, "sort"), _, options
            ):
                for option in options:
                    if option.arg == "key":
                        option.value = self._key(option.value)
        return node

    def _is_numpy(self, function: ast.expr) -> bool:
        """Return whether an expression is a function of NumPy."""
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        found = getattr(self.module, root.id, None) if isinstance(root, ast.Name) else None
        return getattr(found, "__name__", "") == "numpy" and isinstance(function, ast.Attribute)

    def _numpy(self, node: ast.Call, arguments: list[ast.expr]) -> ast.AST:
        """Convert lists and tuples to arrays explicitly; NumPy does so implicitly, but compiled code does not."""
        assert isinstance(node.func, ast.Attribute)
        name = node.func.attr
        first = _as_list(arguments[0])
        if name in ("array", "asarray") and len(arguments) == 1:
            return call_of("np_array", [first], node)
        if name == "norm" and len(arguments) == 1:
            return call_of("np_norm", [first], node)
        if name in array_words.SHORT and len(arguments) <= 2:
            node.args = [call_of("np_array", [_as_list(argument)], node) for argument in arguments]
        return node

    def _on_queue(self, queue: ast.expr, method: str, arguments: list[ast.expr], at: ast.Call) -> ast.AST:
        if method in _QUEUE_METHODS:
            return _method(queue, _QUEUE_METHODS[method], arguments, at)
        if method in ("get", "get_nowait"):
            return _method(queue, "pop", [ast.Constant(0)], at)
        length = ast.copy_location(ast.Call(name_of("len", at), [queue], []), at)
        if method == "qsize":
            return length
        if method == "empty":
            return ast.fix_missing_locations(ast.copy_location(ast.Compare(length, [ast.Eq()], [ast.Constant(0)]), at))
        return at

    def _key(self, key: ast.expr) -> ast.expr:
        """Return ``itemgetter(1)`` as an equivalent lambda."""
        match key:
            case ast.Call(function, [ast.Constant() as index], []) if self._stands_for(
                function, "operator", "itemgetter"
            ):
                item = ast.Subscript(ast.Name("_kf_item", ast.Load()), index, ast.Load())
                arguments = ast.arguments([], [ast.arg("_kf_item")], None, [], [], None, [])
                return ast.fix_missing_locations(ast.copy_location(ast.Lambda(arguments, item), key))
        return key

    def _without_star(self, node: ast.expr) -> list[ast.expr]:
        """Expand ``f(*game.get_player_location(p))`` to two arguments."""
        match node:
            case ast.Starred(ast.Call(ast.Attribute(_, "get_player_location")) as location):
                return [
                    ast.fix_missing_locations(
                        ast.copy_location(ast.Subscript(location, ast.Constant(at), ast.Load()), node)
                    )
                    for at in (0, 1)
                ]
        return [node]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        constant = self._constant(node)
        if constant is not None:
            return ast.copy_location(constant, node)
        match node:
            case ast.Attribute(ast.Name(player), name, ast.Load()) if "player" in player.lower():
                if name in _PLAYER_CONSTANTS:
                    return ast.copy_location(ast.Constant(_PLAYER_CONSTANTS[name]), node)
        self.generic_visit(node)
        return node

    def _constant(self, node: ast.Attribute) -> ast.Constant | None:
        """Return the value of a class constant such as ``Board.BLANK`` or ``Weights.CENTRE``; None for others."""
        parts = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name) or self._is_local(inner.id) or not isinstance(node.ctx, ast.Load):
            return None
        found: Any = vars(self.module).get(inner.id)
        if found is not aind_names and not isinstance(found, type):
            return None
        for part in reversed(parts):
            if not hasattr(found, part):
                return None
            found = getattr(found, part)
        return ast.Constant(found) if found is None or type(found) in (bool, int, float, str) else None

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Subscript(ast.Attribute(game, "__last_player_move__"), player, ast.Load()):
                return _method(game, "get_player_location", [player], node)
            case ast.Subscript(ast.Attribute(_, "__player_symbols__"), player, ast.Load()):
                return player
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Set(items)]):
                node.comparators = [ast.copy_location(ast.Tuple(items, ast.Load()), node.comparators[0])]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError):
            self.generic_visit(node)
            return node
        return name_of(self.add_constant(value), node) if value else node

    # --- names

    def _is_local(self, name: str) -> bool:
        return any(name in names for names in self.local)

    def _stands_for(self, node: ast.expr, module: str, name: str) -> bool:
        """Return whether an expression refers to this name of this library module."""
        import importlib

        meant = getattr(importlib.import_module(module), name)
        match node:
            case ast.Name(called) if not self._is_local(called):
                return getattr(self.module, called, None) is meant
            case ast.Attribute(ast.Name(called), attribute) if not self._is_local(called) and attribute == name:
                return getattr(getattr(self.module, called, None), "__name__", "") == module
        return False

    def _is_queue(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        kinds = (("collections", "deque"), ("queue", "Queue"))
        return any(self._stands_for(node.func, module, name) for module, name in kinds)


def _catches_all(handler: ast.ExceptHandler, body: list[ast.stmt]) -> bool:
    """Return whether a handler seems to catch every error that the statements can raise."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {getattr(kind, "id", "") for kind in kinds if kind is not None}
    if handler.type is None or names & {"Exception", "BaseException"}:
        return True
    inside = [part for statement in body for part in ast.walk(statement)]
    divides = any(isinstance(part, ast.Div | ast.FloorDiv | ast.Mod) for part in inside)
    looks_up = any(isinstance(part, ast.Subscript) for part in inside)
    covered = (not divides or names & {"ZeroDivisionError", "ArithmeticError"}) and (
        not looks_up or names & {"IndexError", "KeyError", "LookupError", "TypeError"}
    )
    return bool(covered)


def _changed(nodes: list[ast.AST]) -> set[str]:
    """Return the names of dictionaries that are changed after their creation."""
    found = set()
    for node in nodes:
        match node:
            case ast.Subscript(ast.Name(name), _, ast.Store() | ast.Del()):
                found.add(name)
            case ast.Call(ast.Attribute(ast.Name(name), method)) if method in _DICT_CHANGES:
                found.add(name)
    return found


def _method(target: ast.expr, name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    made = ast.Call(ast.Attribute(target, name, ast.Load()), arguments, [])
    return ast.fix_missing_locations(ast.copy_location(made, at))


def _empty_list(at: ast.AST) -> ast.List:
    return ast.copy_location(ast.List([], ast.Load()), at)


def _as_list(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    return node
