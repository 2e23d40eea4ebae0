"""Fast compilation of recursion: a call of the function that is being compiled.

To infer the types of a recursive function, Numba repeats the inference of the whole function for each call of itself.
If the types are known in advance, this is unnecessary, and it takes half of the compilation time.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils


def emit_call(c: Any, b: Any, code: Any, sig: Any, args: Any) -> Any:
    """Emit a call of a function. If it raises, return from the caller with the error."""
    status, value = c.call_conv.call_function(b, code, sig.return_type, sig.args, args)
    with cgutils.if_unlikely(b, status.is_error):
        c.call_conv.return_status_propagate(b, status)
    return value


def call_of_itself(signature: Any) -> Any:
    """Return the signature and code of an intrinsic that calls the function it is used in.

    That function must have this signature.
    """
    return signature, lambda c, b, sig, args: emit_call(c, b, b.function, sig, args)
