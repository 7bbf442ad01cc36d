"""symbody: symbolic multibody dynamics. Everything public is here, in the order in which data passes through."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from .algebra.derivatives import derivative, directional_derivative, gradient, jacobian, sparsity, time_derivative
from .algebra.evaluate import evaluate
from .algebra.functions import (
    ExternalFunction,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    equal,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from .algebra.graph import PI as pi  # noqa: N811  (the usual name)
from .algebra.graph import Condition, Expr, Symbol, fraction, symbol, symbols, undisturbed
from .algebra.linear import Factors, factorize, solve
from .algebra.matrix import (
    Matrix,
    cross,
    diagonal,
    dot,
    identity,
    matrix,
    outer,
    skew,
    stack,
    vector,
    zeros,
)
from .algebra.printing import Sequence, latex, sequence, text
from .algebra.walk import free_symbols, resolve, substitute
from .bodies.frames import Dyad, Frame, Point, Vector
from .bodies.mass import bar, cuboid, cylinder, disc, inertia, shell, sphere
from .bodies.mechanism import Body, Mechanism
from .bodies.model import Model
from .bodies.urdf.read_urdf import read_urdf
from .bodies.urdf.robot import Robot, UrdfReport
from .derive.audit import Audit, audit
from .derive.certify import Certificate, certify
from .derive.derive import derive
from .derive.dynamics_derivatives import ForwardDerivatives, forward_derivatives, inverse_derivatives
from .derive.energies import (
    angular_momentum,
    centre_of_mass,
    constraint_power,
    energy,
    kinetic_energy,
    momentum,
    potential_energy,
    power,
    powers,
)
from .derive.equations import Equations
from .derive.inverse import InverseDynamics, inverse_dynamics, joint_forces
from .derive.minimal import minimal
from .derive.reactions import Reaction, reaction, reactions
from .derive.transform import coriolis_matrix, diagonalized, gram_schmidt, mass_matrix_sparsity, tangent_vectors
from .emit.program.lower import program
from .emit.program.program import Cost, Program
from .emit.run.callable import Compiled
from .emit.run.dynamics import Dynamics, compile
from .emit.text.numpy_text import numpy_function, numpy_source
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
from .integrate.assembly import all_assemblies, assemble
from .integrate.batch import Batch, simulate_batch
from .integrate.events import Event
from .integrate.impacts import Contact
from .integrate.modes import Contacts, Modes, Switch
from .integrate.motion import Motion
from .integrate.outcome import Ending, Outcome, Statistics
from .integrate.simulate import simulate
from .integrate.state import State, Violation, violation
from .integrate.switching import simulate_modes
from .integrate.trajectory import Occurrence, Trajectory
from .write.code.c import CSource, c_source
from .write.trajectory_file import load_trajectory, save_trajectory

if TYPE_CHECKING:
    from .algebra.sympy_border import SympyForm, from_sympy, simplified, to_sympy
    from .bodies.file.keys import model_schema
    from .stability.chart import StabilityChart
    from .stability.convert import to_control, to_scipy
    from .stability.design import Design
    from .stability.eigenvalue_sensitivities import EigenvalueSensitivities
    from .stability.linear_system import LinearSystem, linear_system
    from .stability.linearize import linearize
    from .stability.locus import Critical, RootLocus
    from .stability.response import FrequencyResponse, StateSpace, TimeResponse
    from .stability.second_order import SecondOrder
    from .stability.spectrum import Mode, Spectrum
    from .stability.steady import SteadyMotion, steady
    from .study.read_model import ModelFile, read_model, read_model_text
    from .view.figure import Figure
    from .view.plots import plot
    from .view.scene import Scene, scene
    from .view.scene_items import Solid
    from .write.film import film
    from .write.model_file import model_text, write_model

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  (in order of flow)
    # algebra: symbols and numbers
    "Expr", "Symbol", "Condition", "symbol", "symbols", "fraction", "pi", "undisturbed",
    # algebra: functions
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "sign", "minimum", "maximum", "equal", "where", "ExternalFunction",
    # algebra: matrices and linear systems
    "Matrix", "matrix", "vector", "zeros", "identity", "diagonal", "dot", "cross", "outer", "skew", "stack",
    "Factors", "factorize", "solve",
    # algebra: derivatives, substitution, values
    "derivative", "directional_derivative", "gradient", "jacobian", "sparsity", "time_derivative",
    "substitute", "resolve", "free_symbols", "evaluate",
    # algebra: to the eye and to SymPy
    "text", "latex", "sequence", "Sequence", "from_sympy", "to_sympy", "SympyForm", "simplified",
    # bodies: the mechanism as described
    "Model", "Mechanism", "Body", "Frame", "Point", "Vector", "Dyad",
    "read_model", "read_model_text", "ModelFile", "write_model", "model_text", "model_schema",
    "read_urdf", "Robot", "UrdfReport",
    "inertia", "bar", "disc", "cylinder", "sphere", "shell", "cuboid",
    # derive: equations of motion
    "audit", "Audit", "derive", "Equations", "certify", "Certificate", "minimal",
    "kinetic_energy", "potential_energy", "energy", "momentum", "angular_momentum", "centre_of_mass",
    "power", "powers", "constraint_power", "reaction", "reactions", "Reaction",
    "inverse_dynamics", "InverseDynamics", "joint_forces",
    "forward_derivatives", "ForwardDerivatives", "inverse_derivatives",
    "diagonalized", "gram_schmidt", "tangent_vectors", "coriolis_matrix", "mass_matrix_sparsity",
    # emit
    "Program", "Cost", "program", "compile", "Compiled", "Dynamics",
    "numpy_function", "numpy_source", "c_source", "CSource",
    # integrate: initial states
    "assemble", "all_assemblies", "State", "Violation", "violation",
    # integrate: motions
    "simulate", "Event", "Trajectory", "Outcome", "Ending", "Occurrence", "Statistics",
    "Contact", "simulate_modes", "Contacts", "Modes", "Switch", "Motion",
    "simulate_batch", "Batch", "save_trajectory", "load_trajectory",
    # stability: near a motion
    "steady", "SteadyMotion", "linearize", "linear_system", "LinearSystem", "SecondOrder", "Spectrum", "Mode",
    "RootLocus", "Critical", "StabilityChart", "FrequencyResponse", "TimeResponse", "StateSpace",
    "EigenvalueSensitivities", "Design", "to_scipy", "to_control",
    # view: figures and scenes
    "plot", "Figure", "scene", "Scene", "Solid", "film",
    # errors
    "SymbodyError", "ExpressionError", "EvaluationError", "ModelError", "ModelFileError", "DerivationError", "ProgramError",
    "StabilityError", "CompileError", "AssemblyError", "SimulationError", "ViewError",
]  # fmt: skip

_WHEN_NEEDED: Final = {  # SymPy and SciPy each take as long to load as all the rest
    **dict.fromkeys(("from_sympy", "to_sympy", "SympyForm", "simplified"), "symbody.algebra.sympy_border"),
    **dict.fromkeys(("read_model", "read_model_text", "ModelFile"), "symbody.study.read_model"),
    "model_schema": "symbody.bodies.file.keys",
    **dict.fromkeys(("write_model", "model_text"), "symbody.write.model_file"),
    **dict.fromkeys(("steady", "SteadyMotion"), "symbody.stability.steady"),
    "linearize": "symbody.stability.linearize",
    **dict.fromkeys(("linear_system", "LinearSystem"), "symbody.stability.linear_system"),
    "SecondOrder": "symbody.stability.second_order",
    **dict.fromkeys(("Spectrum", "Mode"), "symbody.stability.spectrum"),
    **dict.fromkeys(("RootLocus", "Critical"), "symbody.stability.locus"),
    "StabilityChart": "symbody.stability.chart",
    **dict.fromkeys(("FrequencyResponse", "TimeResponse", "StateSpace"), "symbody.stability.response"),
    "EigenvalueSensitivities": "symbody.stability.eigenvalue_sensitivities",
    "Design": "symbody.stability.design",
    **dict.fromkeys(("to_scipy", "to_control"), "symbody.stability.convert"),
    "plot": "symbody.view.plots",
    "Figure": "symbody.view.figure",
    "Solid": "symbody.view.scene_items",
    "film": "symbody.write.film",
    **dict.fromkeys(("scene", "Scene"), "symbody.view.scene"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHEN_NEEDED:
        raise AttributeError(f"module 'symbody' has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(_WHEN_NEEDED[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
