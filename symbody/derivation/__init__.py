"""Derivation of the equations of motion by several independent routes; reactions, energies, power, certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .entry.derive import derive
    from .equations.augmented_system import AugmentedSystem
    from .equations.constraint_rank import ConstraintRank, constraint_rank
    from .equations.energies import (
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
    from .equations.equations import Equations
    from .equations.named_rows import EquationRows, NamedRow
    from .equations.own_terms import composed, in_own_symbols, in_own_terms, speed_index
    from .equations.random_states import random_state
    from .equations.undetermined_forces import undetermined
    from .equations.variable import Variable
    from .equations.variables import Variables
    from .forms.minimal import minimal
    from .forms.sharing import shared_work
    from .forms.transform import (
        christoffel_symbols,
        coriolis_matrix,
        diagonalized,
        gram_schmidt,
        mass_matrix_sparsity,
        partial_velocities,
        tangent_vectors,
    )
    from .programs.dynamics_derivatives import ForwardDerivatives, forward_derivatives, inverse_derivatives
    from .programs.first_order import FirstOrder, first_order
    from .programs.inverse_dynamics import InverseDynamics, inverse_dynamics, joint_forces
    from .programs.second_derivatives import inverse_second_derivatives, second_derivatives
    from .questions.audit import Audit, audit
    from .questions.body_forces import BodyForce, body_forces
    from .questions.certify import Certificate, certify
    from .questions.reactions import Reaction, reaction, reactions
    from .questions.working_forces import PowerBalance, power_balance
    from .written.from_equations import from_equations
    from .written.from_lagrangian import from_lagrangian

__all__ = [  # noqa: RUF022  (in order of flow)
    "Audit", "audit", "Certificate", "certify", "derive", "from_equations", "from_lagrangian", "ForwardDerivatives", "forward_derivatives",
    "inverse_derivatives", "second_derivatives", "inverse_second_derivatives", "angular_momentum", "centre_of_mass", "constraint_power", "energy", "kinetic_energy",
    "momentum", "potential_energy", "power", "load_powers", "PowerBalance", "power_balance", "generalized_force", "FirstOrder", "first_order", "Equations", "Variables", "Variable", "NamedRow", "EquationRows", "AugmentedSystem", "ConstraintRank", "constraint_rank", "undetermined", "random_state", "in_own_terms", "in_own_symbols", "composed", "speed_index", "InverseDynamics", "inverse_dynamics",
    "joint_forces", "minimal", "Reaction", "reaction", "reactions", "BodyForce", "body_forces", "christoffel_symbols", "partial_velocities", "shared_work", "coriolis_matrix", "diagonalized", "gram_schmidt",
    "mass_matrix_sparsity", "tangent_vectors",
]  # fmt: skip

offer(__name__)
