"""Steady motions, linearisation, spectra, responses, sensitivities: the neighbourhood of a motion. No joints, no
plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .branches.branch import Branch, branch
    from .branches.branch_points import SpecialPoint
    from .branches.special_curve import DegeneratePoint, SpecialCurve
    from .design.design import Design
    from .design.feedback import Feedback
    from .equilibria.steady import steady, steady_motions
    from .equilibria.steady_motion import SteadyMotion
    from .linear.convert import to_control, to_scipy
    from .linear.linear_integrals import linear_integrals
    from .linear.linear_system import LinearSystem, linear_system
    from .linear.linearize import linearize
    from .linear.matrix_numbers import MatrixNumbers
    from .linear.second_order import SecondOrder
    from .linear.state_choice import exact_entries
    from .long_run.attractors import Attractors, attractors
    from .long_run.basins import Basins, basins
    from .long_run.lyapunov import LyapunovExponents, lyapunov
    from .long_run.poincare import PoincareSection, poincare
    from .periodic.degenerate_orbits import DegenerateOrbit
    from .periodic.find_orbit import orbit
    from .periodic.orbit import Orbit
    from .periodic.orbit_branch import OrbitBranch, orbits
    from .periodic.orbit_curve import OrbitEnd
    from .periodic.orbit_iterations import OrbitIteration
    from .periodic.orbit_points import SpecialOrbit
    from .periodic.special_orbit_curve import SpecialOrbitCurve
    from .spectra.critical_values import Critical
    from .spectra.eigenvalue_sensitivities import (
        EigenvalueSensitivities,
        eigenvalue_sensitivities,
        response_sensitivities,
    )
    from .spectra.response import FrequencyResponse, StateSpace, TimeResponse, frequency_grid
    from .spectra.root_locus import RootLocus
    from .spectra.spectrum import Mode, Spectrum, infinite_eigenvalues
    from .spectra.stability_chart import StabilityChart

__all__ = [  # noqa: RUF022  (in order of flow)
    "StabilityChart", "to_control", "to_scipy", "Design", "EigenvalueSensitivities", "eigenvalue_sensitivities", "response_sensitivities", "infinite_eigenvalues", "Feedback", "LinearSystem", "MatrixNumbers", "linear_system", "exact_entries", "linear_integrals",
    "linearize", "Critical", "RootLocus", "frequency_grid", "FrequencyResponse", "StateSpace", "TimeResponse", "SecondOrder", "Mode",
    "Spectrum", "SteadyMotion", "steady", "steady_motions",
    "Branch", "SpecialPoint", "SpecialCurve", "DegeneratePoint", "branch",
    "Orbit", "orbit", "OrbitIteration", "OrbitBranch", "SpecialOrbit", "SpecialOrbitCurve", "DegenerateOrbit", "OrbitEnd", "orbits",
    "PoincareSection", "poincare", "LyapunovExponents", "lyapunov", "Attractors", "attractors", "Basins", "basins",
]  # fmt: skip

offer(__name__)
