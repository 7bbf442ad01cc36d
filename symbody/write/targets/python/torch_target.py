"""The PyTorch target: a Python module on tensors, with derivatives of the graph attached to the rates in both modes."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...artefacts.readme import LanguageWords, readme
from .array_python import TORCH
from .python_target import (
    CHECK_END,
    array_functions,
    check_head,
    module_files,
    module_text,
    motion_lines,
    supplied_words,
)


def torch_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n = made.identifier
    text = module_text(made, TORCH, ["import torch"], [*array_functions(made, TORCH), *_attached(made)])
    words = LanguageWords(
        "functions of PyTorch",
        f"python {n}_check.py",
        _EXAMPLE.format(n),
        "python",
        f"{n}_torch.",
        module_files(n, "torch"),
        (*_MORE, *supplied_words(made, "functions of PyTorch")),
    )
    return {f"{n}_torch.py": text, f"{n}_check.py": _check(made), "README.md": readme(made, words)}


_EXAMPLE = """\
import torch
import {0}_torch as model

t, x, r = model.initial_state()
p = model.default_parameters()                   # tensors of doubles
model.rhs(t, x, r, p)                            # one state, or many: all arguments may have leading dimensions
torch.func.jacrev(model.rhs, 1)(t, x, r, p)      # jacfwd, vmap, backward() too"""
_MORE = (
    "`rhs` is an `autograd.Function` with the derivatives of the graph attached where `rhs_adjoint` and `rhs_along` are written: reverse mode is one reverse sweep, "
    "forward mode one directional derivative, in which linear systems are solved with the matrix of the rates. Parameters are a tensor in the order below.",
    (
        "`torch.compile` does not trace functions with a forward mode of their own (PyTorch 2.15): "
        "`torch.compile(model.traced_rhs)` compiles the text itself, with PyTorch's own derivatives."
    ),
)
_TENSORS = """

def _tensors(t, x, r, p):
    x = torch.as_tensor(x)
    return torch.as_tensor(t, dtype=x.dtype, device=x.device), x, torch.as_tensor(r, device=x.device), torch.as_tensor(p, device=x.device)


def _number(x, value):
    return value if isinstance(value, torch.Tensor) else torch.full((), value, dtype=x.dtype, device=x.device)


def _vector(x, entries):
    if not entries:
        return x[..., :0]
    return torch.stack(torch.broadcast_tensors(*(_number(x, e) for e in entries)), dim=-1)


def _matrix(x, entries, rows, columns):
    flat = _vector(x, entries)
    return flat.reshape(*flat.shape[:-1], rows, columns)"""
_RHS = '''

class _Rhs(torch.autograd.Function):
    """x' with its derivatives: by weights (reverse mode) and along changes (forward mode)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(t, x, r, p):
        return traced_rhs(t, x, r, p)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, weights):
        t, x, r, p = ctx.saved_tensors
        found = rhs_adjoint(t, x, r, p, weights)
        found = found if isinstance(found, tuple) else (found,)
        by_group = dict(zip({groups!r}, found))
        by_time = None
        if ctx.needs_input_grad[0]:
            by_time = {by_time}
        grads = [by_time, *(by_group.get(k) for k in "xrp")]
        return tuple(None if g is None else g.sum_to_size(a.shape) for g, a in zip(grads, (t, x, r, p)))

    @staticmethod
    def jvp(ctx, dt, dx, dr, dp):
        t, x, r, p = ctx.saved_tensors
        given = (torch.zeros_like(a) if d is None else d for d, a in zip((dt, dx, dr, dp), (t, x, r, p)))
        dt, dx, dr, dp = given
        return rhs_along(t, x, r, p, {changes})


def rhs(t, x, r, p):
    """x' = (q', u', z')"""
    return _Rhs.apply(*_tensors(t, x, r, p))'''


def _attached(made: Artefact) -> list[str]:
    """Helpers, and `rhs` with its derivatives attached where they are written."""
    lines = _TENSORS.split("\n")
    if not made.has("rhs"):
        return lines
    if not (made.has("rhs_along") and made.has("rhs_adjoint")):
        return [*lines, "", "", "rhs = traced_rhs"]
    changes = {"dt": "dt[..., None]", "dx": "dx", "dr": "dr", "dp": "dp"}
    along = [g.name for g in made.function("rhs_along").program.inputs[4:]]
    still = {"dt": "torch.ones_like(t)[..., None]", **{f"d{g}": f"torch.zeros_like({g})" for g in "xrp"}}
    by_time = "torch.zeros_like(t)"
    if "dt" in along:
        by_time = f"(weights * rhs_along(t, x, r, p, {', '.join(still[g] for g in along)})).sum(-1)"
    text = _RHS.replace("{changes}", ", ".join(changes[g] for g in along)).replace("{by_time}", by_time)
    groups = [o.name.removesuffix("_adjoint") for o in made.function("rhs_adjoint").program.outputs]
    return [*lines, *text.replace("{groups!r}", repr(tuple(groups))).split("\n")]


# ---------------------------------------------------------------------------------------------------- check

_CHECK = """\
t, x, r, p = torch.tensor(T, dtype=torch.float64), *(torch.tensor(v, dtype=torch.float64) for v in (X, R)), model.default_parameters()
for name, (inputs, outputs) in VALUES.items():
    found = getattr(model, name)(t, x, r, p, *(torch.tensor(v, dtype=torch.float64) for v in inputs))
    found = found if isinstance(found, tuple) else (found,)
    verdict(name, np.concatenate([np.ravel(f) for f in found]), np.concatenate(outputs))
"""
_DERIVATIVES = """\
J = model.rhs_x(t, x, r, p)
verdict("jacfwd", torch.func.jacfwd(model.rhs, 1)(t, x, r, p), J)
verdict("jacrev", torch.func.jacrev(model.rhs, 1)(t, x, r, p), J)
along, weights = torch.linspace(-1, 1, len(X), dtype=torch.float64), torch.linspace(1, 2, len(X), dtype=torch.float64)
verdict("jvp by time and state", torch.func.jvp(model.rhs, (t, x, r, p), (torch.ones_like(t), along, 0 * r, 0 * p))[1],
    torch.func.jvp(model.traced_rhs, (t, x, r, p), (torch.ones_like(t), along, 0 * r, 0 * p))[1])
for k, what in enumerate(("time", "state", "inputs", "parameters")):
    found = [torch.func.vjp(f, t, x, r, p)[1](weights)[k] for f in (model.rhs, model.traced_rhs)]
    verdict(f"vjp by {what}", *(f.detach().numpy() for f in found))
many = torch.stack([x, 1.1 * x, 0.9 * x])
wanted = torch.stack([model.rhs(t, y, r, p) for y in many])
verdict("many states", model.rhs(t, many, r, p), wanted)
verdict("vmap", torch.vmap(model.rhs, (None, 0, None, None))(t, many, r, p), wanted)
verdict("vmap of jacrev", torch.vmap(torch.func.jacrev(model.rhs, 1), (None, 0, None, None))(t, many, r, p), [model.rhs_x(t, y, r, p).numpy() for y in many])
shared = p.clone().requires_grad_()
model.rhs(t, many, r, shared).sum().backward()
apart = sum(torch.func.jacrev(model.traced_rhs, 3)(t, y, r, p).sum(0) for y in many)
verdict("backward of shared p", shared.grad, apart)
"""


def _check(made: Artefact) -> str:
    lines = [*check_head(made, "torch", ["import torch"]), *_CHECK.splitlines()]
    if all(map(made.has, ("rhs", "rhs_x", "rhs_along", "rhs_adjoint"))):
        lines += _DERIVATIVES.splitlines()
    return "\n".join([*lines, *motion_lines(made, "model.{0}"), *CHECK_END])
