"""Steady motions, linearisation, spectra, responses and sensitivities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .branches.branch import Branch, branch
    from .branches.branch_points import SpecialPoint
    from .branches.special_curve import DegeneratePoint, SpecialCurve
    from .design.design import Design, design_parameters
    from .design.feedback import Feedback
    from .equilibria.steady import steady, steady_motions
    from .equilibria.steady_motion import SteadyMotion
    from .linear.convert import to_control, to_scipy
    from .linear.frequency_formulas import frequency_formulas
    from .linear.linear_integrals import linear_integrals
    from .linear.linear_system import LinearSystem, linear_system
    from .linear.linearize import linearize
    from .linear.matrix_numbers import MatrixNumbers, matrix_program, operating_points
    from .linear.second_order import SecondOrder
    from .linear.state_choice import cyclic_states, exact_entries
    from .long_run.attractors import Attractors, attractors
    from .long_run.basins import Basins, basins
    from .long_run.lyapunov import LyapunovExponents, lyapunov
    from .long_run.poincare import PoincareSection, poincare
    from .periodic.families.degenerate_orbits import DegenerateOrbit
    from .periodic.families.grazing import Grazing, grazing
    from .periodic.families.orbit_branch import OrbitBranch, orbits
    from .periodic.families.orbit_curve import OrbitEnd
    from .periodic.families.orbit_points import SpecialOrbit
    from .periodic.families.special_orbit_curve import SpecialOrbitCurve
    from .periodic.orbits.find_orbit import orbit
    from .periodic.orbits.orbit import Orbit
    from .periodic.orbits.orbit_iterations import OrbitIteration
    from .spectra.critical_values import Critical
    from .spectra.eigenvalue_sensitivities import (
        EigenvalueSensitivities,
        eigenvalue_sensitivities,
        response_sensitivities,
    )
    from .spectra.response import FrequencyResponse, StateSpace, TimeResponse, frequency_grid, impulse_response
    from .spectra.root_locus import RootLocus
    from .spectra.sparse_pencil import SparsePencil
    from .spectra.spectrum import Mode, Spectrum, infinite_eigenvalues
    from .spectra.stability_chart import StabilityChart

__all__ = [  # noqa: RUF022  (in order of flow)
    "StabilityChart", "to_control", "to_scipy", "Design", "design_parameters", "EigenvalueSensitivities", "eigenvalue_sensitivities", "response_sensitivities", "infinite_eigenvalues", "Feedback", "LinearSystem", "MatrixNumbers", "matrix_program", "operating_points", "linear_system", "exact_entries", "cyclic_states", "linear_integrals", "frequency_formulas",
    "linearize", "Critical", "RootLocus", "frequency_grid", "FrequencyResponse", "StateSpace", "TimeResponse", "impulse_response", "SecondOrder", "Mode", "SparsePencil",
    "Spectrum", "SteadyMotion", "steady", "steady_motions",
    "Branch", "SpecialPoint", "SpecialCurve", "DegeneratePoint", "branch",
    "Orbit", "orbit", "OrbitIteration", "OrbitBranch", "SpecialOrbit", "SpecialOrbitCurve", "DegenerateOrbit", "OrbitEnd", "orbits", "Grazing", "grazing",
    "PoincareSection", "poincare", "LyapunovExponents", "lyapunov", "Attractors", "attractors", "Basins", "basins",
]  # fmt: skip

offer(__name__)
