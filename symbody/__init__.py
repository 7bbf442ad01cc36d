"""symbody: symbolic multibody dynamics. This module offers the names of everyday use, in the order of the pipeline. All
other names are in the module of their stage: `sb.stability.StateSpace`, `sb.emit.Cost`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .later import offer
from .version import VERSION

if TYPE_CHECKING:
    from . import algebra, bodies, derivation, emit, errors, formats, integrate, kits, stability, study, view, write
    from .algebra import (
        Expr,
        Matrix,
        Symbol,
        acos,
        asin,
        atan,
        atan2,
        cos,
        cosh,
        cross,
        derivative,
        diagonal,
        dot,
        evaluate,
        exp,
        fraction,
        free_symbols,
        from_sympy,
        gradient,
        identity,
        jacobian,
        latex,
        log,
        matrix,
        maximum,
        minimum,
        outer,
        pi,
        sequence,
        sign,
        simplified,
        sin,
        sinh,
        skew,
        solve,
        sqrt,
        stack,
        substitute,
        symbol,
        symbols,
        tan,
        tanh,
        text,
        tidy,
        time_derivative,
        to_sympy,
        vector,
        where,
        zeros,
    )
    from .bodies import (
        Ball,
        Body,
        Coulomb,
        Ellipsoid,
        Frame,
        HalfSpace,
        HeightField,
        LuGre,
        Model,
        Point,
        Ring,
        Tube,
        Vector,
        bar,
        box,
        corners,
        cylinder,
        disc,
        inertia,
        shell,
        sphere,
        torus,
        touch,
    )
    from .derivation import (
        Equations,
        angular_momentum,
        audit,
        centre_of_mass,
        certify,
        derive,
        energy,
        first_order,
        from_equations,
        from_lagrangian,
        inverse_dynamics,
        joint_forces,
        kinetic_energy,
        minimal,
        momentum,
        potential_energy,
        reaction,
    )
    from .emit import compile, program
    from .errors import (
        ModelError,
        SymbodyError,
    )
    from .formats import (
        finite_elements,
        read_mjcf,
        read_osim,
        read_sdf,
        read_solids,
        read_urdf,
    )
    from .integrate import (
        Contact,
        Contacts,
        Event,
        Friction,
        Modes,
        SampledLaw,
        State,
        Switch,
        Trajectory,
        all_assemblies,
        assemble,
        closed_loop,
        environment,
        simulate,
        simulate_batch,
        simulate_modes,
        stepper,
    )
    from .stability import (
        LinearSystem,
        attractors,
        basins,
        branch,
        linear_system,
        linearize,
        orbit,
        orbits,
        poincare,
        steady,
        steady_motions,
    )
    from .study import (
        Measurement,
        Pile,
        identify,
        read_model,
        sweep,
    )
    from .view import Solid, plot, scene
    from .write import (
        c_source,
        load,
        write_model,
    )

__version__ = VERSION

__all__ = [  # noqa: RUF022  (in order of flow)
    # algebra: symbols and numbers
    "Expr", "Symbol", "symbol", "symbols", "fraction", "pi",
    # algebra: functions
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "sign", "minimum", "maximum", "where",
    # algebra: matrices and linear systems
    "Matrix", "matrix", "vector", "zeros", "identity", "diagonal", "dot", "cross", "outer", "skew", "stack", "solve",
    # algebra: derivatives, substitution, values
    "derivative", "gradient", "jacobian", "time_derivative", "substitute", "free_symbols", "evaluate",
    # algebra: printing, simplification and SymPy
    "text", "latex", "sequence", "tidy", "from_sympy", "to_sympy", "simplified",
    # bodies: the mechanism as described
    "Model", "Body", "Frame", "Point", "Vector",
    "read_model", "write_model", "load", "read_urdf", "read_mjcf", "read_sdf", "read_osim", "read_solids", "finite_elements",
    "inertia", "bar", "disc", "cylinder", "sphere", "shell", "torus", "box",
    "Coulomb", "LuGre", "HalfSpace", "Ball", "Ring", "Tube", "Ellipsoid", "HeightField", "touch", "corners",
    # derive: equations of motion
    "audit", "derive", "from_equations", "from_lagrangian", "Equations", "certify", "minimal",
    "kinetic_energy", "potential_energy", "energy", "momentum", "angular_momentum", "centre_of_mass",
    "reaction", "inverse_dynamics", "joint_forces", "first_order",
    # emit
    "program", "compile", "c_source",
    # integrate: initial states
    "assemble", "all_assemblies", "State",
    # integrate: motions
    "simulate", "closed_loop", "SampledLaw", "Event", "Trajectory",
    "Contact", "Friction", "simulate_modes", "Contacts", "Modes", "Switch", "simulate_batch", "stepper", "environment", "Pile",
    # stability: steady motions, linearisation and orbits
    "steady", "steady_motions", "branch", "orbit", "orbits",
    "poincare", "attractors", "basins", "linearize", "linear_system", "LinearSystem",
    # study: sweeps and parameter identification
    "sweep", "identify", "Measurement",
    # view: figures and scenes
    "plot", "scene", "Solid",
    # stages, with their special names, and errors
    "algebra", "bodies", "derivation", "emit", "formats", "integrate", "stability", "study", "view", "write", "kits", "errors",
    "SymbodyError", "ModelError",
]  # fmt: skip

_moved = {  # names that are no longer here, by the namespace that has them now
    "algebra": "ExternalFunction directional_derivative equal factorize gc_paused linearized operations resolve sparsity unshared_operations",
    "bodies": "LynchInput SystemVector Dyad ElasticBody Mechanism axial express material model_schema",
    "derivation": "Audit Certificate FirstOrder ForwardDerivatives InverseDynamics NamedRow Reaction Variable Variables "
    "christoffel_symbols constraint_power coriolis_matrix diagonalized forward_derivatives generalized_force gram_schmidt "
    "inverse_derivatives load_powers mass_matrix_sparsity partial_velocities power reactions shared_work tangent_vectors",
    "emit": "device_array numpy_function numpy_source",
    "errors": "AssemblyError CompileError DerivationError EvaluationError ExpressionError ModelFileError ProgramError SimulationError "
    "StabilityError StudyError ViewError",
    "formats": "FiniteElements ReducedBody interpolated_body read_reduced",
    "integrate": "cuda_motions violation",
    "kits.robots": "base_parameters regressor task",
    "stability": "Branch Orbit OrbitBranch linear_integrals lyapunov to_control to_scipy",
    "study": "Identification SweepResult load_sweep read_model_text",
    "write": "film load_branch load_orbit load_orbits load_trajectory model_text save_trajectory",
}

offer(__name__, renamed={name: f"{path}.{name}" for path, names in _moved.items() for name in names.split()})
