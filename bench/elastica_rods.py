"""The stiff rod of `bench stiff` as a Cosserat rod of PyElastica, which stretches and shears too, without damping.

One more element lies before the clamped end: PyElastica holds a whole element, and bends between elements. The radius only
sets how stiff stretch and shear are; E and the density follow from EI and the mass. Explicit steps are bounded by the time in which
waves pass a radius or an element.
"""

from __future__ import annotations

import contextlib
import io
import time
from typing import Any, Final

import numpy as np

RADIUS: Final = 0.05
STEPS: Final = 1.6, 0.6  # radii and elements that a wave passes in a step; a rod of 100 diverges with 0.7


def elastica(n: int, end: float, *, length: float, density: float, stiffness: float) -> tuple[float, Any]:
    """CPU seconds of the motion, and the position of the free end; `density` in kg/m, `stiffness` EI in N m²."""
    import elastica as ea  # type: ignore[import-not-found, import-untyped, unused-ignore]

    area, moment, element = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4, length / n
    modulus = stiffness / moment

    class Rods(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):  # type: ignore[misc, unused-ignore]
        pass

    def moved(end: float, steps: int) -> Any:
        rods = Rods()
        rod = ea.CosseratRod.straight_rod(
            n + 1, np.array([-element, 0, 0]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), length + element, RADIUS, density / area,
            youngs_modulus=modulus, shear_modulus=modulus / 2.6,
        )  # fmt: skip
        rods.append(rod)
        rods.constrain(rod).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
        rods.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0, -9.81, 0]))
        rods.finalize()
        with contextlib.redirect_stdout(io.StringIO()):
            ea.integrate(ea.PositionVerlet(), rods, end, steps, progress_bar=False)
        return rod.position_collection[:2, -1].copy()

    step = min(STEPS[0] * RADIUS, STEPS[1] * element) / np.sqrt(modulus * area / density)
    moved(step, 1)  # functions are compiled
    began = time.process_time()
    found = moved(end, int(np.ceil(end / step)))
    return time.process_time() - began, found
