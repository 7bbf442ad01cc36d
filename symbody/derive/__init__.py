"""Mechanism -> Equations, by several independent routes; reactions, energies, power, certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .audit import Audit, audit
    from .certify import Certificate, certify
    from .derive import derive
    from .dynamics_derivatives import ForwardDerivatives, forward_derivatives, inverse_derivatives
    from .energies import (
        angular_momentum,
        centre_of_mass,
        constraint_power,
        energy,
        generalized_force,
        kinetic_energy,
        load_powers,
        momentum,
        potential_energy,
        power,
    )
    from .equations import Equations
    from .first_order import FirstOrder, first_order
    from .from_equations import from_equations
    from .from_lagrangian import from_lagrangian
    from .inverse import InverseDynamics, inverse_dynamics, joint_forces
    from .minimal import minimal
    from .named_rows import NamedRow
    from .reactions import Reaction, reaction, reactions
    from .sharing import shared_work
    from .transform import (
        christoffel_symbols,
        coriolis_matrix,
        diagonalized,
        gram_schmidt,
        mass_matrix_sparsity,
        partial_velocities,
        tangent_vectors,
    )
    from .variables import Variable, Variables

__all__ = [  # noqa: RUF022  (in order of flow)
    "Audit", "audit", "Certificate", "certify", "derive", "from_equations", "from_lagrangian", "ForwardDerivatives", "forward_derivatives",
    "inverse_derivatives", "angular_momentum", "centre_of_mass", "constraint_power", "energy", "kinetic_energy",
    "momentum", "potential_energy", "power", "load_powers", "generalized_force", "FirstOrder", "first_order", "Equations", "Variables", "Variable", "NamedRow", "InverseDynamics", "inverse_dynamics",
    "joint_forces", "minimal", "Reaction", "reaction", "reactions", "christoffel_symbols", "partial_velocities", "shared_work", "coriolis_matrix", "diagonalized", "gram_schmidt",
    "mass_matrix_sparsity", "tangent_vectors",
]  # fmt: skip

offer(__name__)
