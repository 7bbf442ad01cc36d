"""Members of large classes in groups, in the order in which a reader needs them: pages of the reference begin with a table of
them and follow its order. A class inherits the groups of its bases. Tests hold the groups complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

LARGE: Final = 18  # members of a class that must have groups

MODEL: Final = {
    "Coordinates, speeds and parameters": "coordinate coordinates speed speeds parameter parameters input inputs variable variables",
    "Frames and bodies": "body particle frame moving_frame attach repeat",
    "Joints": "joint fixed revolute prismatic cylindrical screw universal spherical planar free",
    "Loads": "gravity central_gravity force torque spring rotational_spring drag potential generalized_force friction tyre",
    "Paths": "path tension",
    "Constraints": "constrain constrain_speed coincide orthogonal gear prescribe rolling multiplier auxiliary_speed",
    "Elastic bodies": "beam elastic elastic_from line_load",
    "Rates and further equations": "rate kinematic_equation unit_norm equation kinetic_energy balance small",
    "Outputs, labels and units": "output label unlabel show_in note valid_while",
    "The description so far": "name symbols symbols_of_kind frames bodies joints parts freeze",
}

TRAJECTORY: Final = {
    "Times, states and values": "t q u z y p r final state at values max min extremes names columns input_names output_names parameters",
    "Figures, tables and files": "plot scene save to_pandas to_xarray",
    "Energy and forces": "energy kinetic_energy potential_energy load_powers lam reaction reactions",
    "Events and modes": "events modes mode pieces is_switched",
    "Derivatives": "sensitivity variations wrt",
    "How it was computed": "violation singular_positions statistics choices is_dense name kinds equations of reversed",
}

LINEAR_SYSTEM: Final = {
    "Stability": "eigenvalues modes root_locus stability_chart",
    "Responses": "frequency_response step_response zeros plot",
    "Feedback": "lqr place",
    "Matrices": "matrices state_space second_order latex numbers parameters kinds",
    "The same system in another form": "without with_states replace_state with_outputs map",
}

MATRIX_NUMBERS: Final = {
    "Matrices": "matrices matrices_at sparse derivatives_at variation_numbers recovered parts",
    "Parameters and operating points": "parameter nominal values all_values check sets points_at operating_point unknowns",
    "States and inputs": "state input",
}

EQUATIONS: Final = {
    "To read": "readable name degrees_of_freedom variables kinds rows",
    "Matrices": "N n augmented udot multipliers residual whole",
    "Values and states": "state values",
    "For extensions": "map cached",
}

VARIABLES: Final = {
    "Rows": "rows row names symbols symbol kinds",
    "Parts of the table": "of only having",
    "Groups of symbols": "arguments constants inputs rotations_by_angles quaternions",
    "Values": "defaults numbers resolved require check",
}

FRAME: Final = {
    "Frames from frames": "translate rotate rotate_by_cosines rotate_by_euler_parameters denavit_hartenberg place rename",
    "Points and vectors": "origin point x y z vector dyad",
    "Orientation and motion": "dcm pose_in rotation_in angular_velocity angular_acceleration latex",
    "For extensions": "hang_on freeze path depth root common_ancestor ancestors below spin drift unknown_place rates_of_unknown_place angular_velocity_components",
}

PARTS: Final = {
    "Tables": "frames bodies joints driven loads load_names all_loads constraints equations kinetic_energies balances outputs labels validity fields gravity has_gravity has_fields notes symbols symbols_of_kind kinematics default_values units",
    "Adding parts": "add_frame add_body add_joint add_all add_load add_gravity add_constraint add_equation add_expression add_balance add_kinematics add_given_motions add_note declare show_in",
    "Changing parts": "order_bodies place_frame rename_frame remove_label",
    "Reading arguments": "frame_of point_of own_frame carrier owner moved_frame joint_coordinates quantities",
    "Checks": "checkpoint checked checked_vector refuse_twice refuse_load_twice has_rate is_in_a_norm",
}

DYNAMICS: Final = {
    "Rates and accelerations": "rhs udot qdot zdot",
    "Matrices and multipliers": "M f lam constraints jacobian",
    "Inverse dynamics": "inverse inverse_derivatives inverse_second_derivatives",
    "Derivatives": "rhs_derivatives derivatives second_derivatives jacobian_product adjoint_product hessian_product",
    "Outputs": "outputs energies",
    "Parameters and programs": "p parameters parameter_names function program",
}

ORBIT: Final = {
    "Period and stability": "period frequency multipliers is_stable is_driven trivial_error turn drift",
    "The motion": "t at at_times state state_at trajectory extremes columns to_pandas to_xarray save",
    "How it was found": "parameters kinds flow whole iterations",
}

STUDY: Final = {
    "The description": "mechanism equations parameters states outputs values given is_large is_robot audit certificate",
    "Starts": "start placed_start start_request contacts without_modes",
    "Motions": "trajectory of_motion simulation_options laws span",
    "Linear analysis": "steady linear operating_point state_at_point at spectrum varied locus responses",
    "Branches and orbits": "branch_request branches branch_curves orbit_request orbit orbit_families",
}

ROBOT: Final = {
    "Links": "link pose jacobian value_at unused_name",
    "Contacts of the file": "contacts joint_stops action_limits",
}

OPTIMAL_MOTION: Final = {
    "Values": "t times values columns trajectory input_samples durations parameters impulses",
    "Cost and multipliers": "outcome costs active shadow_prices sensitivity",
    "Accuracy": "error errors check",
    "Feedback": "feedback funnel",
    "Output": "plot page save",
}

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Model": MODEL,
    "Trajectory": TRAJECTORY,
    "LinearSystem": LINEAR_SYSTEM,
    "MatrixNumbers": MATRIX_NUMBERS,
    "Equations": EQUATIONS,
    "Variables": VARIABLES,
    "Frame": FRAME,
    "Parts": PARTS,
    "Dynamics": DYNAMICS,
    "Orbit": ORBIT,
    "Study": STUDY,
    "Robot": ROBOT,
    "OptimalMotion": OPTIMAL_MOTION,
}


def member_groups(cls: type, names: Sequence[str]) -> dict[str, list[str]]:
    """The members of a class, by heading; empty where it has no groups. What no group names stands under "Others"."""
    declared: dict[str, list[str]] = {}
    for owner in cls.__mro__:
        for heading, inside in GROUPS.get(owner.__name__, {}).items():
            declared.setdefault(heading, []).extend(inside.split())
    if not declared:
        return {}
    known = {n for inside in declared.values() for n in inside}
    found = {heading: [n for n in inside if n in names] for heading, inside in declared.items()}
    found["Others"] = [n for n in names if n not in known]
    return {heading: inside for heading, inside in found.items() if inside}
