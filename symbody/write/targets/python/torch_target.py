"""The PyTorch target: a Python module on tensors, with derivatives of the graph attached to the rates in both modes."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...printers.templates import template_parts
from .array_python import TORCH
from .python_check import python_check
from .python_module import array_functions, module_text, python_readme


def torch_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n, page = made.identifier, python_readme(made, "torch", "functions of PyTorch")
    text = module_text(made, TORCH, "import torch", [*array_functions(made, TORCH), *_rhs_with_derivatives(made)])
    call = "lambda t, x, r, p: model.{0}(t, torch.as_tensor(x), r, p)"
    check = python_check(made, "torch", call, ("import torch",), ("rhs", "rhs_x", "rhs_along", "rhs_adjoint"))
    return {f"{n}_torch.py": text, f"{n}_check.py": check, "README.md": page}


def _rhs_with_derivatives(made: Artefact) -> list[str]:
    """Helpers, and `rhs` with its derivatives attached where they are written."""
    parts = template_parts(__package__, "module.py.txt")
    tensors = parts["torch_tensors"].filled()
    if not (made.has("rhs_along") and made.has("rhs_adjoint")):
        return [tensors, "rhs = traced_rhs"] if made.has("rhs") else [tensors]
    changes = {"dt": "dt[..., None]", "dx": "dx", "dr": "dr", "dp": "dp"}
    along = [g.name for g in made.function("rhs_along").program.inputs[4:]]
    still = {"dt": "torch.ones_like(t)[..., None]", **{f"d{g}": f"torch.zeros_like({g})" for g in "xrp"}}
    by_time = "torch.zeros_like(t)"
    if "dt" in along:
        by_time = f"(weights * rhs_along(t, x, r, p, {', '.join(still[g] for g in along)})).sum(-1)"
    groups = tuple(o.name.removesuffix("_adjoint") for o in made.function("rhs_adjoint").program.outputs)
    text = parts["torch_rhs"].filled(groups=repr(groups), by_time=by_time, changes=", ".join(changes[g] for g in along))
    return [tensors, text]
