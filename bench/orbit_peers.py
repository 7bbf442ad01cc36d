"""Families of periodic orbits by jaxcont: collocation on an even mesh, 50 intervals of 4 points, in double precision.

It starts from an orbit of ours and goes up to a value; it is run twice, and the second run counts. pycont-lite 0.6 (midpoint
rule, Newton-Krylov) did not come from the Hopf point of the brusselator to b = 4 within three minutes, and is no peer.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

ORBITS: Final = 40
MESH: Final = (50, 4)
SAMPLES: Final = 2001

Rates = Callable[[Any, Any], list[Any]]


@dataclass(frozen=True)
class PeerFamily:
    """Orbits that a package found: values of the parameter and periods, and the seconds that they took."""

    seconds: float
    values: np.ndarray
    periods: np.ndarray

    def period_at(self, value: float) -> float:
        """Between orbits, by a cubic spline."""
        from scipy.interpolate import CubicSpline

        order = np.argsort(self.values)
        values, kept = np.unique(self.values[order], return_index=True)
        return float(CubicSpline(values, self.periods[order][kept])(value))


def jaxcont_family(rates: Rates, first: sb.stability.Orbit, value: float, up_to: float) -> PeerFamily | None:
    """The family from an orbit at a value; None where jaxcont is not installed."""
    if importlib.util.find_spec("jaxcont") is None:
        return None
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import jaxcont as jc
    from jaxcont.core.collocation import Collocation
    from jaxcont.problems.periodic import periodic_orbit_problem

    t = np.linspace(0.0, first.period, SAMPLES)
    states = np.column_stack([first.at(first.t[0] + t, n) for n in first.names])

    def f(u: Any, p: Any, args: Any) -> Any:
        return jnp.stack(rates(u, p))

    problem = periodic_orbit_problem(f, jnp.asarray(states), jnp.asarray(t), first.period, value, Collocation(*MESH))
    settings = jc.ContinuationPar(ds=0.05, ds_max=2.0, max_steps=ORBITS, newton_tol=1e-8, compute_stability=False)

    def run() -> Any:
        found = jc.continuation(problem, p_span=(value, up_to), settings=settings).branch
        return np.asarray(found.params), np.asarray(found.states)[:, -1]

    run()
    before = time.process_time()
    params, periods = run()
    return PeerFamily(time.process_time() - before, params, periods)
