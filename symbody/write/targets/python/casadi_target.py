"""The CasADi target: a Python module whose functions become `casadi.Function`s, the Jacobian of the rates attached."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...printers.templates import template_parts
from .array_python import CASADI
from .python_check import python_check
from .python_module import array_functions, module_text, python_readme


def casadi_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n = made.identifier
    text = module_text(made, CASADI, "import casadi", [*array_functions(made, CASADI), _function(made)])
    check = python_check(made, "casadi", 'model.function("{0}")', needed=("rhs", "rhs_x"))
    page = python_readme(made, "casadi", "functions of CasADi that take SX")
    return {f"{n}_casadi.py": text, f"{n}_check.py": check, "README.md": page}


def _function(made: Artefact) -> str:
    parts = template_parts(__package__, "module.py.txt")
    sizes = {"t": 1, "x": len(made.state), "r": len(made.inputs), "p": len(made.parameters)}
    directions = {f.name: {g.name: len(g) for g in f.program.inputs[4:]} for f in made.functions if f.directions}
    has_jacobian = made.has("rhs") and made.has("rhs_x") and all(made.has(f"rhs_{g}") for g in "xrp" if sizes[g])
    blocks = [f"rhs_{g}(*symbols)" if sizes[g] else f"casadi.SX({sizes['x']}, 0)" for g in "xrp"]
    jacobian = parts["casadi_jacobian"].filled(blocks=", ".join(blocks), name=made.identifier) if has_jacobian else ""
    return parts["casadi_function"].filled(
        sizes=repr(sizes), directions=repr(directions), jacobian=jacobian, name=made.identifier
    )
