"""Logistic regression: maximum likelihood, with a covariance for clustered observations.

It computes the same as statsmodels, whose import takes longer than a small tournament; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

_ITERATIONS = 100
_TOLERANCE = 1e-8
_LEAST = np.finfo(np.float64).eps  # minimum distance of probabilities from 0 and 1


@dataclass(frozen=True)
class Logit:
    """Estimates with two covariances: the model's own, and one for observations that are dependent within clusters."""

    estimates: Numbers
    covariance: Numbers
    clustered: Numbers


def fit_logit(design: Numbers, outcomes: Numbers, clusters: npt.NDArray[np.int64]) -> Logit:
    """Fit the log odds of outcomes (0 or 1) as a linear function of the columns of a design matrix.

    The method is iteratively reweighted least squares (McCullagh and Nelder, Generalized Linear Models, 1989, 2.5),
    until the deviance no longer changes. The clustered covariance is the sandwich estimator of Liang and Zeger (1986),
    with the usual correction for few clusters.
    """
    chances = (outcomes + 0.5) / 2.0
    linear = np.log(chances / (1.0 - chances))
    deviance = np.inf
    estimates = np.zeros(design.shape[1])
    for _ in range(_ITERATIONS):
        weights = chances * (1.0 - chances)
        response = linear + (outcomes - chances) / weights
        root = np.sqrt(weights)
        estimates = np.linalg.pinv(design * root[:, None]) @ (response * root)
        linear = design @ estimates
        chances = np.clip(1.0 / (1.0 + np.exp(-linear)), _LEAST, 1.0 - _LEAST)
        before, deviance = deviance, _deviance(outcomes, chances)
        if abs(before - deviance) <= _TOLERANCE:
            break
    # The covariance uses the weights of the last step.
    covariance = _inverse((design * weights[:, None]).T @ design)
    return Logit(estimates, covariance, _clustered(design, outcomes, chances, clusters))


def _inverse(matrix: Numbers) -> Numbers:
    return np.asarray(np.linalg.pinv(matrix), np.float64)


def _deviance(outcomes: Numbers, chances: Numbers) -> float:
    return float(-2.0 * np.sum(np.log(np.where(outcomes > 0.5, chances, 1.0 - chances))))


def _clustered(design: Numbers, outcomes: Numbers, chances: Numbers, clusters: npt.NDArray[np.int64]) -> Numbers:
    rows, columns = design.shape
    bread = _inverse((design * (chances * (1.0 - chances))[:, None]).T @ design)
    scores = np.zeros((int(clusters.max()) + 1, columns))
    np.add.at(scores, clusters, design * (outcomes - chances)[:, None])
    count = len(np.unique(clusters))
    correction = count / (count - 1.0) * (rows - 1.0) / (rows - columns)
    found: Numbers = correction * bread @ (scores.T @ scores) @ bread
    return found
