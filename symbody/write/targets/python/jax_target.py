"""The JAX target: a Python module whose functions trace, batch and differentiate, the derivative of the rates attached."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...printers.templates import template_parts
from .array_python import JAX
from .python_check import python_check
from .python_module import array_functions, module_text, python_readme


def jax_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n, parts = made.identifier, template_parts(__package__, "module.py.txt")
    text = module_text(made, JAX, parts["jax_imports"].filled(), [*array_functions(made, JAX), *_rhs(made)])
    imports = ("import jax", "", 'jax.config.update("jax_enable_x64", True)')
    check = python_check(made, "jax", "jax.jit(model.{0})", imports, ("rhs", "rhs_x", "rhs_along"))
    return {f"{n}_jax.py": text, f"{n}_check.py": check, "README.md": python_readme(made, "jax", "`jax.numpy`")}


def _rhs(made: Artefact) -> list[str]:
    """`rhs`, with its derivative attached where that is written."""
    if not (made.has("rhs") and made.has("rhs_along")):
        return ["rhs = traced_rhs"] if made.has("rhs") else []
    tangents = {"dt": "jnp.reshape(dt, (1,))", "dx": "dx", "dr": "dr", "dp": "dp"}
    groups = [g.name for g in made.function("rhs_along").program.inputs[4:]]
    text = template_parts(__package__, "module.py.txt")["jax_rhs"]
    return [text.filled(tangents=", ".join(tangents[g] for g in groups))]
