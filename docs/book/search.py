"""Search that finds names first, then the guide to them, then titles, then text.

Names of the package are objects of a domain, so that Sphinx's search knows them. Guides get entries of the index: the functions that
they explain, and what else the field calls their subject (`WORDS`). `scorer.js` has the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain, ObjType

from .reference import Place, places

WORDS: Final = {  # pages, or sections by a word of their heading, and what else people call their subject
    "batch": "simulate_batch, vectorise, vectorize, batches, ensembles, threads",
    "biomechanics": "muscle, tendon, OpenSim",
    "branches": "branch, bifurcation, bifurcations, continuation, fold, Hopf, pitchfork",
    "certificates": "certify, verification",
    "command-line": "CLI, terminal, shell",
    "contact": "simulate_modes, friction, impact, collision, restitution, stick-slip, unilateral",
    "elastic": "flexible, beam, finite elements, FEM, modal, Craig-Bampton",
    "equations": "derive, minimal, readable, compile, mass matrix, Lagrange, Kane, Newton-Euler, LaTeX, symbolic",
    "errors": "exception, message, troubleshooting",
    "expressions": "symbol, substitute, evaluate, derivative, simplify, algebra",
    "export": "FMU, FMI, code generation, C code, MATLAB, Modelica, CasADi, JAX",
    "gpu": "CUDA, GPU, graphics card",
    "identification": "identify, parameter identification, parameter estimation, fit, regressor",
    "linear": "steady, closed_loop, linearise, linearize, linearisation, linearization, stability, eigenvalues, equilibrium, trim, LQR, Bode, root locus",
    "model-files": "read_model, YAML, TOML, JSON, file format",
    "large-mechanisms": "repeat, chain, rope, track, tree, copies, thousands of bodies, scale",
    "modelling": "from_lagrangian, from_sympy, audit, inertia, description, joint, body, constraint, Lagrangian",
    "modelling#unit": "degrees, degree, deg, radians, rad, rpm, mm, dimensions, SI",
    "notation": "conventions, quaternion, Euler angles, Euler parameters, sign",
    "optimisation": "optimise, optimize, optimization, optimal control, direct collocation",
    "orbits": "orbit, poincare, periodic, limit cycle, Floquet, Poincaré, Lyapunov exponents, shooting, collocation",
    "sensitivity": "sensitivities, gradient, parameter derivatives",
    "simulation": "simulate, assemble, integrate, integration, solver, ODE, DAE, step size, tolerance, event, stiff, drift",
    "steppers": "stepper, reinforcement learning, environment, gym, real time",
    "sweeps": "sweep, parameter study, parameter sweep, Monte Carlo, cluster, dask",
    "urdf": "read_urdf, URDF, SDF, MJCF, robot description, ROS",
    "vehicles": "car, bicycle, motorcycle, tyre, suspension",
    "viewing": "plot, figure, animation, video, 3-D, scene",
}


class Names(Domain):
    """Names of the package, with the places where the reference explains them."""

    name = "names"
    label = "names of the package"
    object_types = {kind: ObjType(kind) for kind in ("class", "function", "value", "method", "property")}

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        return map(_object, places())

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """Nothing is gathered while pages are read."""


def _object(p: Place) -> tuple[str, str, str, str, str, int]:
    return p.name, p.name, p.kind, f"reference/{p.page}", p.anchor, p.rank


def index_words(page: str) -> dict[str, list[str]]:
    """Words that lead to a page: to the section whose heading contains the key, or to its top."""
    return {k.partition("#")[2]: words.split(", ") for k, words in WORDS.items() if k.partition("#")[0] == page}


def _mark(app: Any, doctree: nodes.document) -> None:
    """Put the words of a page into the index."""
    for place, words in index_words(app.env.docname).items():
        sections = list(doctree.findall(nodes.section))
        headed = (s for s in sections if place and place in s[0].astext().lower())
        section = next(headed, sections[0])
        target = section["ids"][0] if place else ""
        section.insert(1, addnodes.index(entries=[("single", word, target, "main", None) for word in words]))


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_domain(Names)
    app.connect("doctree-read", _mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
