"""Student's t and the normal distribution from SciPy, which is imported on first use.

Workers never need it, and the import takes as long as playing a thousand games.
"""

from __future__ import annotations


def student_quantile(share: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution for a share (probability)."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def student_share(value: float, freedom: float) -> float:
    """Return the share of Student's t distribution below a value."""
    from scipy.special import stdtr

    return float(stdtr(freedom, value))


def normal_quantile(share: float) -> float:
    """Return the quantile of the normal distribution for a share (probability)."""
    from scipy.special import ndtri

    return float(ndtri(share))
