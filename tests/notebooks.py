"""Running the code cells of a notebook in order, as Jupyter does.

`python tests/notebooks.py FILE` stores the outputs. The cells run in plain Python, so the tests need no Jupyter.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import sys
from pathlib import Path
from typing import Any

Output = dict[str, Any]


def outputs_of(number: int, source: str, names: dict[str, Any]) -> list[Output]:
    """Run a cell and return its printed text and the value of its last line, in the notebook's format."""
    file = f"<cell {number}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # `inspect` finds the source
    body = ast.parse(source, file).body
    last = value = None
    if body and isinstance(body[-1], ast.Expr):
        last = ast.Expression(body[-1].value)
        del body[-1]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), file, "exec"), names)
        if last is not None:
            value = eval(compile(last, file, "eval"), names)
    outputs: list[Output] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(value, method):
                data[kind] = getattr(value, method)().splitlines(keepends=True)
        shown = {
            "data": dict(sorted(data.items())),
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }
        outputs.append(shown)
    return outputs


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with new outputs of all its code cells."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = outputs_of(number, "".join(cell["source"]), names)
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


if __name__ == "__main__":
    path = Path(sys.argv[1])
    notebook = executed(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
