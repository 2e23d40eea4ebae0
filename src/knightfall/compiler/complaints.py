"""Translate Numba's error messages: what cannot be compiled, in which line, and what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

_ADVICE = {
    "Counter": "count with a loop or len([…])",
    "defaultdict": "use a list, or a dictionary with get",
    "OrderedDict": "use a list of pairs",
    "namedtuple": "use a tuple",
    "deepcopy": "use game.copy() or list(…)",
    "reduce": "write the loop",
    "product": "write two nested loops",
    "combinations": "write two nested loops",
    "permutations": "write nested loops",
    "open": "put the data into a constant",
}
_TYPES = (  # Numba's name of a type and our description; the first match is used
    (r"Optional(?:Type)?\((.+)\)", "{} or None"),
    (r"(?:reflected )?list\((.+?)\)(?:<iv=[^>]*>)?", "a list of {}"),
    (r"(?:reflected )?set\((.+?)\)", "a set of {}"),
    (r"UniTuple\(int64 x 2\)|Tuple\(int64, int64\)|Location", "a square"),
    (r"UniTuple\((.+?) x \d+\)", "a tuple of {}"),
    (r"Tuple\(.*\)", "a tuple"),
    (r"Squares\d+", "a list of moves"),
    (r"Game\d+", "the game"),
    (r"Literal\[(?:int|bool)\]\([^)]*\)|u?int\d+|intp|bool(?:ean)?", "a whole number"),
    (r"float\d+", "a number"),
    (r"Literal\[str\]\([^)]*\)|unicode_type", "a text"),
    (r"none", "None"),
    (r"DictType\[.*\]|ConstantDictionary\w+", "a dictionary"),
    (r"array\(.*\)", "an array"),
    (r"undefined", "nothing"),
    (r"MaybePlayer", "a player"),
)
_PLURALS = {"a square": "squares", "a whole number": "numbers", "a number": "numbers", "a text": "texts"}
_OPERATORS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "iadd": "+=",
    "sub": "-",
    "isub": "-=",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "ior": "|=",
    "contains": "in",
    "getitem": "[…]",
    "setitem": "[…] =",
    "neg": "-",
    "not_": "not",
}

_WORDS = {  # our functions and the Python functions that they replace
    "as_list": "list",
    "to_float": "float",
    "np_array": "np.array",
    "np_norm": "np.linalg.norm",
    "copied": "copy",
    "pairs_of": "product",
    "pairs_among": "combinations",
    "as_set": "set",
    "as_changing_set": "set",
    "as_tuple": "tuple",
    "largest": "max",
    "smallest": "min",
    "pick_largest": "max",
    "pick_smallest": "min",
    "total": "sum",
    "in_order": "sorted",
    "any_true": "any",
    "all_true": "all",
    "power": "pow",
    "transposed": "zip",
    "flattened": "chain",
    "random_choice": "random.choice",
    "random_sample": "random.sample",
    "random_shuffle": "random.shuffle",
}


def why_not_compiled(error: Exception, path: Path | None) -> str:
    """Return a Numba error as one sentence: the line, what is not supported and, if available, advice."""
    text = str(error)
    lines = re.findall(r'File "[^"]*?([^"/]+)", line (\d+)', text)
    lines += re.findall(r"Raised from \S*?([^/\s]+) \((\d+)\)", text)
    at = next((f"line {number}: " for file, number in reversed(lines) if path is not None and file == path.name), "")
    if "as_number(none)" in text:
        return "it returns no number"
    if "count_call(" in text:
        return f"{at}a function that calls itself must be called by its name, with the game at hand"
    return at + _sentence(text, error)


def _sentence(text: str, error: Exception) -> str:
    for pattern, tell in (
        (r"Untyped global name '([^']+)'", _unknown_name),
        (r"NameError: name '([^']+)' is not defined", _unknown_name),
        (r"Unknown attribute '([^']+)' of type (\S+)", _unknown_attribute),
        (r"Cannot unify (.+?) and (.+?) for '([^']+)'", _two_kinds),
        (r"Cannot unify (.+?) and (.+?)(?:,|\n|$)()", _two_kinds),
        (
            r"No implementation of function Function\(<[^>]*>\) found for signature:\s+>>> (\w+)\(([^\n]*)\)",
            _no_function,
        ),
        (r"No implementation of function \S+ found for signature:\s+>>> (\w+)\(([^\n]*)\)", _no_function),
        (r"Invalid use of BoundFunction\(\w+\.(\w+) for .*?\) with parameters \(([^\n]*)\)", _no_function),
        (r"Can't unify return type from the following types: ([^\n]+)", _two_results),
        (r"Type of variable '([^']+)' cannot be determined", _no_kind),
        (r"Cannot infer the type of variable '([^']+)'", _no_kind),
        (r"Use of unsupported opcode \((\w+)\)", _opcode),
        (r"Cannot convert native (\S+) to a Python object", _object),
        (r"The '(with)[ (]", _opcode),
        (r"[Uu]nsupported ([^\n]+)", _unsupported),
    ):
        match = re.search(pattern, text)
        if match:
            return tell(*match.groups())
    if "'NoneType' object has no attribute" in text:  # an internal error of the compiler for `helper(...)[0]`
        return (
            "a value that may be None is indexed; let the helper return a square that does not exist, such as (-1, -1)"
        )
    kind = type(error).__name__
    skipped = ("nopython", "During:", "File ", "Failed in ")
    first = next((line for line in text.splitlines() if line.strip() and not line.strip().startswith(skipped)), "")
    if not re.search(r"[a-z]{3} [a-z]{2}", first) or re.search(r"_kf_|Undecided|<class|0x", first):
        return f"the compiler fails on it ({kind})"
    first = " ".join(re.sub(r"\.? ?Raised from .*|\x1b\[[0-9;]*m", "", first).split())[:120]
    return f"the compiler says: {first}"


def _unknown_name(name: str) -> str:
    advice = f"; {_ADVICE[name]}" if name in _ADVICE else ""
    return f"{name!r} is not supported in compiled code{advice}"


def _unknown_attribute(name: str, kind: str) -> str:
    if kind.startswith("Module("):
        return _unknown_name(name)
    if re.fullmatch(r"u?int\d+", kind):
        return f"the attribute {name!r} of a player or number is not known in compiled code"
    return f"{_named(kind)} has no {name!r} in compiled code"


def _two_kinds(one: str, other: str, variable: str) -> str:
    name = re.sub(r"\.\d+$", "", variable)
    what = f"the variable {name!r}" if name and not name.startswith("$") else "one value"
    return f"{what} is {_named(one)} in one place and {_named(other)} in another; use one kind"


def _two_results(kinds: str) -> str:
    named = list(dict.fromkeys(_named(kind) for kind in _split(kinds)))
    return f"a function returns {' in one place and '.join(named)} in another; use one kind"


def _no_function(name: str, arguments: str) -> str:
    kinds = [_named(kind) for kind in _split(arguments)]
    if name == "as_number":
        return f"it returns {kinds[0]}, which is no number"
    name = _WORDS.get(name, name)
    called = _OPERATORS.get(name, f"{name}()")
    return f"{called} is not supported for {' and '.join(kinds) or 'nothing'}"


def _no_kind(variable: str) -> str:
    name = re.sub(r"\.\d+$", "", variable)
    if name.startswith("$"):
        return "the compiler cannot tell what kind of value an expression has; an empty list needs an item"
    return f"the compiler cannot tell what kind of value {name!r} holds; an empty list needs an item"


def _opcode(name: str) -> str:
    known = {
        "STORE_GLOBAL": "setting a global variable",
        "SETUP_WITH": "with",
        "BEFORE_WITH": "with",
        "IMPORT_NAME": "an import",
        "YIELD_FROM": "yield from",
    }
    return f"{known.get(name, name)} is not supported in compiled code"


def _object(kind: str) -> str:
    return f"{_named(kind)} is put where compiled code takes only numbers and lists of them"


def _unsupported(what: str) -> str:
    what = re.sub(r"\(.*?File.*|\x1b\[[0-9;]*m", "", what).strip(" .")
    return (
        f"the compiler does not support {what[:120]}" if len(what) > 2 else "a construct the compiler does not support"
    )


def _split(arguments: str) -> list[str]:
    """Split the types of a signature at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(arguments):
        depth += (sign in "([<") - (sign in ")]>")
        if sign == "," and depth == 0:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return [part for part in [*parts, arguments[start:].strip()] if part]


def _named(kind: str) -> str:
    """Return a readable description of a Numba type."""
    kind = re.sub(r"<iv=[^>]*>", "", kind.strip().rstrip(","))
    for pattern, name in _TYPES:
        match = re.fullmatch(pattern, kind)
        if match:
            if "{}" not in name:
                return name
            inner = _named(match[1])
            return name.format(inner if "or None" in name else _PLURALS.get(inner, "items"))
    return "a value of another kind"
