"""Move inner functions that Numba cannot compile in place to the top of the file.

Numba inlines inner functions. This is impossible for a function that calls itself or that yields. Such a function moves
to the top of the file, and the variables that it uses from the outer function become parameters.
"""

from __future__ import annotations

import ast
import copy


def lift(node: ast.FunctionDef) -> tuple[ast.FunctionDef, list[ast.FunctionDef]]:
    """Return a function without the inner functions that have to move, and a list of these.

    If none has to move, the function itself is returned.
    """
    moved = [
        inner
        for inner in node.body
        if isinstance(inner, ast.FunctionDef) and _must_move(inner) and _can_move(inner, node)
    ]
    if not moved:
        return node, []
    node = copy.deepcopy(node)
    names = {inner.name for inner in moved}
    moved = [inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name in names]
    node.body = [part for part in node.body if part not in moved] or [ast.Pass()]
    bound = _bound(node) - names
    lifted = {}
    for inner in moved:
        taken = sorted(_read(inner) & bound - _bound(inner))
        lifted[inner.name] = (f"_kf_{node.name}_{inner.name}", taken, len(inner.args.args))
    # A function that calls another also needs the variables that the other one needs.
    for _ in moved:
        for inner in moved:
            known_as, taken, count = lifted[inner.name]
            needed = {name for called in _read(inner) & names for name in lifted[called][1]} - _bound(inner)
            lifted[inner.name] = (known_as, sorted({*taken, *needed}), count)
    for inner in moved:
        known_as, taken, _ = lifted[inner.name]
        inner.name = known_as
        inner.args.args += [ast.copy_location(ast.arg(name), inner) for name in taken]
        if inner.args.defaults:
            inner.args.defaults += [ast.copy_location(ast.Constant(None), inner) for _ in taken]
        _Calls(lifted).visit(inner)
    _Calls(lifted).visit(node)
    return ast.fix_missing_locations(node), [ast.fix_missing_locations(inner) for inner in moved]


class _Calls(ast.NodeTransformer):
    """Adds the variables of the outer function to the calls of moved functions."""

    def __init__(self, lifted: dict[str, tuple[str, list[str], int]]) -> None:
        self.lifted = lifted

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.lifted:
            name, taken, count = self.lifted[node.func.id]
            node.func.id = name
            values = [ast.copy_location(ast.Name(part, ast.Load()), node) for part in taken]
            if len(node.args) == count:
                node.args += values
            else:
                node.keywords += [ast.keyword(part, value) for part, value in zip(taken, values, strict=True)]
        return node


def _must_move(inner: ast.FunctionDef) -> bool:
    parts = [part for statement in inner.body for part in ast.walk(statement)]
    calls_itself = any(isinstance(part, ast.Name) and part.id == inner.name for part in parts)
    return calls_itself or any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts)


def _can_move(inner: ast.FunctionDef, outer: ast.FunctionDef) -> bool:
    """Return whether a function is only called by its name and does not rebind outer variables."""
    if inner.args.vararg or inner.args.kwarg or inner.args.kwonlyargs or inner.decorator_list:
        return False
    if any(isinstance(part, ast.Nonlocal | ast.Global) for part in ast.walk(inner)):
        return False
    called = {id(part.func) for part in ast.walk(outer) if isinstance(part, ast.Call)}
    used = (part for part in ast.walk(outer) if isinstance(part, ast.Name) and part.id == inner.name)
    return all(id(part) in called for part in used)


def _bound(node: ast.FunctionDef) -> set[str]:
    """Return the names that a function binds: parameters, assigned variables and inner functions."""
    found = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    for statement in node.body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                found.add(part.id)
            elif isinstance(part, ast.FunctionDef):
                found.add(part.name)
    return found


def _read(node: ast.FunctionDef) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
