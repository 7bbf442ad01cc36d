"""symbody: symbolic multibody dynamics. Everyday names are here, in the order in which data passes through; all others are
in the module of their stage: `sb.stability.StateSpace`, `sb.emit.Cost`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .later import offer

if TYPE_CHECKING:
    from . import algebra, bodies, emit, errors, integrate, stability, study, view, write
    from .algebra import (
        Expr,
        ExternalFunction,
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
        directional_derivative,
        dot,
        equal,
        evaluate,
        exp,
        factorize,
        fraction,
        free_symbols,
        from_sympy,
        gc_paused,
        gradient,
        identity,
        jacobian,
        latex,
        linearized,
        log,
        matrix,
        maximum,
        minimum,
        operations,
        outer,
        pi,
        resolve,
        sequence,
        sign,
        simplified,
        sin,
        sinh,
        skew,
        solve,
        sparsity,
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
        unshared_operations,
        vector,
        where,
        zeros,
    )
    from .bodies import (
        Body,
        Dyad,
        ElasticBody,
        Frame,
        LynchInput,
        Mechanism,
        Model,
        Point,
        SystemVector,
        Vector,
        axial,
        bar,
        cuboid,
        cylinder,
        disc,
        express,
        inertia,
        material,
        model_schema,
        read_urdf,
        shell,
        sphere,
    )
    from .derive import (
        Audit,
        Certificate,
        Equations,
        FirstOrder,
        ForwardDerivatives,
        InverseDynamics,
        NamedRow,
        Reaction,
        Variable,
        Variables,
        angular_momentum,
        audit,
        centre_of_mass,
        certify,
        christoffel_symbols,
        constraint_power,
        coriolis_matrix,
        derive,
        diagonalized,
        energy,
        first_order,
        forward_derivatives,
        from_equations,
        from_lagrangian,
        generalized_force,
        gram_schmidt,
        inverse_derivatives,
        inverse_dynamics,
        joint_forces,
        kinetic_energy,
        load_powers,
        mass_matrix_sparsity,
        minimal,
        momentum,
        partial_velocities,
        potential_energy,
        power,
        reaction,
        reactions,
        shared_work,
        tangent_vectors,
    )
    from .emit import compile, device_array, numpy_function, numpy_source, program
    from .errors import (
        AssemblyError,
        CompileError,
        DerivationError,
        EvaluationError,
        ExpressionError,
        ModelError,
        ModelFileError,
        ProgramError,
        SimulationError,
        StabilityError,
        SymbodyError,
        ViewError,
    )
    from .integrate import (
        Contact,
        Contacts,
        Event,
        Modes,
        State,
        Switch,
        Trajectory,
        all_assemblies,
        assemble,
        closed_loop,
        cuda_motions,
        simulate,
        simulate_batch,
        simulate_modes,
        violation,
    )
    from .stability import (
        Branch,
        LinearSystem,
        Orbit,
        OrbitBranch,
        branch,
        linear_integrals,
        linear_system,
        linearize,
        orbit,
        orbits,
        steady,
        steady_motions,
        to_control,
        to_scipy,
    )
    from .study import read_model, read_model_text
    from .view import Solid, plot, scene
    from .write import c_source, film, load_branch, load_trajectory, model_text, save_trajectory, write_model

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  (in order of flow)
    # algebra: symbols and numbers
    "Expr", "Symbol", "symbol", "symbols", "fraction", "pi", "gc_paused",
    # algebra: functions
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "sign", "minimum", "maximum", "equal", "where", "ExternalFunction",
    # algebra: matrices and linear systems
    "Matrix", "matrix", "vector", "zeros", "identity", "diagonal", "dot", "cross", "outer", "skew", "stack",
    "factorize", "solve",
    # algebra: derivatives, substitution, values
    "derivative", "directional_derivative", "gradient", "jacobian", "sparsity", "time_derivative", "linearized",
    "substitute", "resolve", "free_symbols", "evaluate",
    # algebra: to the eye and to SymPy
    "text", "latex", "sequence", "operations", "unshared_operations", "tidy", "from_sympy", "to_sympy", "simplified",
    # bodies: the mechanism as described
    "Model", "LynchInput", "Mechanism", "Body", "Frame", "Point", "Vector", "Dyad", "SystemVector", "axial", "express",
    "read_model", "read_model_text", "write_model", "model_text", "model_schema",
    "read_urdf",
    "inertia", "bar", "disc", "cylinder", "sphere", "shell", "cuboid",
    "ElasticBody", "material",
    # derive: equations of motion
    "audit", "Audit", "derive", "from_equations", "from_lagrangian", "Equations", "Variables", "Variable", "NamedRow", "certify", "Certificate", "minimal",
    "kinetic_energy", "potential_energy", "energy", "momentum", "angular_momentum", "centre_of_mass",
    "power", "load_powers", "generalized_force", "constraint_power", "reaction", "reactions", "Reaction",
    "inverse_dynamics", "InverseDynamics", "joint_forces",
    "forward_derivatives", "ForwardDerivatives", "inverse_derivatives",
    "first_order", "FirstOrder",
    "diagonalized", "gram_schmidt", "tangent_vectors", "partial_velocities", "shared_work", "coriolis_matrix", "christoffel_symbols", "mass_matrix_sparsity",
    # emit
    "program", "compile", "device_array",
    "numpy_function", "numpy_source", "c_source",
    # integrate: initial states
    "assemble", "all_assemblies", "State", "violation",
    # integrate: motions
    "simulate", "closed_loop", "Event", "Trajectory",
    "Contact", "simulate_modes", "Contacts", "Modes", "Switch",
    "simulate_batch", "cuda_motions", "save_trajectory", "load_trajectory",
    # stability: near a motion
    "steady", "steady_motions", "branch", "Branch", "load_branch", "orbit", "Orbit", "orbits", "OrbitBranch", "linearize", "linear_system", "linear_integrals", "LinearSystem",
    "to_scipy", "to_control",
    # view: figures and scenes
    "plot", "scene", "Solid", "film",
    # stages, with their special names, and errors
    "algebra", "bodies", "emit", "integrate", "stability", "study", "view", "write", "errors",
    "SymbodyError", "ExpressionError", "EvaluationError", "ModelError", "ModelFileError", "DerivationError", "ProgramError",
    "StabilityError", "CompileError", "AssemblyError", "SimulationError", "ViewError",
]  # fmt: skip

offer(__name__)
