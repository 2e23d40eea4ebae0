"""A parsed user file: the names that its top level binds, and the functions that can be heuristics."""

from __future__ import annotations

import ast
import codecs
import io
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

from knightfall.compiler.errors import HeuristicError, shown_path
from knightfall.compiler.source_texts import SourceTexts

_CHANGES = ("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update")


@dataclass
class SourceFile:
    """A parsed file and the names that its top level binds."""

    path: Path
    text: str
    tree: ast.Module
    bindings: dict[str, ast.stmt] = field(default_factory=dict)
    stars: list[ast.ImportFrom] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, texts: SourceTexts | None = None) -> SourceFile:
        """Read and parse a file; errors are reported as user errors.

        If ``texts`` is given, a text in it is not read again, and a new text is added to it.
        """
        text = None if texts is None else texts.get(path)
        if text is None:
            text = _decoded(path)
            if texts is not None:
                texts.keep(path, text)
        try:
            tree = ast.parse(text, str(path))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            cause = getattr(error, "msg", None) or str(error)
            raise HeuristicError(f"{shown_path(path)}, line {line}: does not parse: {cause}") from None
        except (RecursionError, MemoryError):
            raise HeuristicError(f"{shown_path(path)}: does not parse: nested too deeply") from None
        found = cls(path, text, tree)
        found._bind(tree.body)
        return found

    def _bind(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.bindings[node.name] = node
            elif isinstance(node, ast.Assign):
                for name in (n for target in node.targets for n in ast.walk(target)):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        self.bindings[name.id] = _as_function(name.id, node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.bindings[node.target.id] = node
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if alias.name == "*" and isinstance(node, ast.ImportFrom):
                        self.stars.append(node)
                    else:
                        self.bindings[alias.asname or alias.name.split(".")[0]] = node
            elif isinstance(node, ast.If | ast.Try) and not _is_main_block(node):
                self._bind(node.body)  # `try: import …`, `if TYPE_CHECKING:` and the like: only the first branch

    def changes_of(self, name: str) -> list[ast.stmt]:
        """Return the top-level statements that modify a name's value, such as `TABLE[0] = 9`, or loops that do."""
        return [
            node
            for node in self.tree.body
            if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.While) and _changes(node, name)
        ]

    def functions(self) -> list[str]:
        """Return the names of functions that can be heuristics: two parameters, and any others with defaults.

        If some of them have AIND's parameters, (game, player) or similar names, only those are returned.
        """
        found = {
            name: [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            for name, node in self.bindings.items()
            if isinstance(node, ast.FunctionDef) and _could_be_heuristic(node)
        }
        named = [
            name for name, arguments in found.items() if arguments[0] in _GAMES and "player" in arguments[1].lower()
        ]
        return named or list(found)


_GAMES = ("game", "board", "state", "game_state", "gamestate", "g", "b")


def _could_be_heuristic(node: ast.FunctionDef) -> bool:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    return (
        len(positional) >= 2
        and required <= 2
        and arguments.vararg is None
        and arguments.kwarg is None
        and positional[0].arg not in ("self", "cls")
    )


def _is_main_block(node: ast.stmt) -> bool:
    """Return whether a statement is ``if __name__ == "__main__":``, which runs only if the file is the program."""
    return isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))


def _decoded(path: Path) -> str:
    """Return a file's text, decoded with its declared encoding, by default UTF-8."""
    encoding = "utf-8"
    try:
        content = path.read_bytes()
        if b"coding" in b"".join(content.splitlines()[:2]) or content.startswith(codecs.BOM_UTF8):
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except OSError as error:
        raise HeuristicError(f"{shown_path(path)}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise HeuristicError(f"{shown_path(path)}: byte {error.start + 1} is not {encoding.upper()} text") from None
    except SyntaxError as error:
        raise HeuristicError(f"{shown_path(path)}: {error.msg}") from None
    except ValueError as error:  # an invalid file name
        raise HeuristicError(f"{str(path)!r}: {error}") from None


def _as_function(name: str, node: ast.Assign) -> ast.stmt:
    """Return ``f = lambda game, player: …`` as a function definition."""
    if not isinstance(node.value, ast.Lambda):
        return node
    body = ast.copy_location(ast.Return(node.value.body), node.value.body)
    function = ast.FunctionDef(name, node.value.args, [body], [])
    return ast.fix_missing_locations(ast.copy_location(function, node))


def _changes(node: ast.stmt, name: str) -> bool:
    for inner in ast.walk(node):
        match inner:
            case ast.Subscript(ast.Name(changed), _, ast.Store()) if changed == name:
                return True
            case ast.AugAssign(ast.Name(changed)) if changed == name:
                return True
            case ast.Call(ast.Attribute(ast.Name(changed), method)) if changed == name and method in _CHANGES:
                return True
    return False
