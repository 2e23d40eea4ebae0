"""Student's and the normal distribution, by scipy, which is loaded when it is first needed.

Workers never need it, and loading it takes as long as playing a thousand games.
"""

from __future__ import annotations


def student_quantile(share: float, freedom: float) -> float:
    """Below this lies that share of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def student_share(value: float, freedom: float) -> float:
    """The share of Student's distribution below a value."""
    from scipy.special import stdtr

    return float(stdtr(freedom, value))


def normal_quantile(share: float) -> float:
    """Below this lies that share of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(share))
