"""The project's own logistic regression against that of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from knightfall.arena.statistics.logit import fit_logit
from knightfall.arena.statistics.ratings import RatedGame, rate


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(3, 60), st.floats(0, 4))
def test_estimates_and_errors_are_those_of_statsmodels(seed: int, columns: int, rows: int, size: float) -> None:
    random = np.random.default_rng(seed)
    # Each column has a win and a loss of its own, as in ratings: without them there may be no finite estimate.
    own = np.repeat(np.eye(columns), 2, axis=0)
    design = np.vstack([random.integers(-1, 2, (rows, columns)).astype(float), own])
    chances = 1 / (1 + np.exp(-design @ random.normal(0, size, columns)))
    outcomes = (random.random(len(design)) < chances).astype(float)
    outcomes[rows:] = np.tile([0.0, 1.0], columns)
    clusters = np.concatenate([random.integers(0, rows, rows), rows + np.repeat(np.arange(columns), 2)])

    model = sm.GLM(outcomes, design, family=sm.families.Binomial())
    plain = model.fit()
    clustered = model.fit(cov_type="cluster", cov_kwds={"groups": clusters})
    found = fit_logit(design, outcomes, clusters)
    np.testing.assert_allclose(found.estimates, plain.params, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.covariance, plain.cov_params(), rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(found.clustered, clustered.cov_params(), rtol=1e-4, atol=1e-8)


def test_agents_that_won_everything_have_finite_ratings() -> None:
    games = [RatedGame("a", "b", True, str(pair), None) for pair in range(40)]
    ratings = rate(games)
    assert ratings.agents["a"].estimate > 0 > ratings.agents["b"].estimate
    assert np.isfinite([ratings.agents["a"].low, ratings.agents["a"].high]).all()
    assert ratings.agents["a"].estimate == pytest.approx(-ratings.agents["b"].estimate)
