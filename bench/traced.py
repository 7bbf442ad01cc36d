"""Models as functions of JAX and PyTorch: seconds of the first Jacobian of the rates, by the derivatives that are
attached, beside that of the traced text.

Reverse mode for both (`jacrev`; in JAX forward mode, compiled by `jit`, whose time is the larger part, ours with the
compiler options that the module offers); packages that are not installed have no row. Then microseconds of the same
Jacobian when it is known, of one state and of each of a thousand.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import symbody as sb

from .export import equations
from .timing import Row, repeated

MODELS: Final = {
    "slider_crank": ("jax", "torch"),
    "panda": ("jax", "torch"),
}
MANY: Final = 1000


def rows() -> Iterator[Row]:
    makers = {"jax": _jax, "torch": _torch}
    for name, targets in MODELS.items():
        for target in targets:
            if importlib.util.find_spec(target) is not None:
                with tempfile.TemporaryDirectory() as folder:
                    yield _row(name, target, makers[target], Path(folder))


def _row(name: str, target: str, make: Callable[..., Any], folder: Path) -> Row:
    begun = time.process_time()
    functions = ["rhs", "rhs_along", "rhs_adjoint"]
    sb.write.export(equations(name), target, folder, functions=functions, reference=None, name=f"bench_{name}")
    write_s = time.process_time() - begun
    sys.path.insert(0, str(folder))
    model = importlib.import_module(f"bench_{name}_{target}")
    sys.path.remove(str(folder))
    (first, one, many), (peer_first, peer_one, peer_many) = (make(model, f) for f in (model.rhs, model.traced_rhs))
    return {
        "case": name, "target": target, "write_s": write_s, "first_s": first, "call_us": one, "batch_us": many, "peer": "traced text",
        "peer_s": peer_first, "peer_us": peer_one, "peer_batch_us": peer_many, "ratio": peer_first / first,
    }  # fmt: skip


def _measured(one: Callable[[], Any], many: Callable[[], Any]) -> tuple[float, float, float]:
    begun = time.perf_counter()
    one()
    first = time.perf_counter() - begun
    many()
    return (
        first,
        repeated(one, 3, clock=time.perf_counter).least * 1e6,
        repeated(many, 3, clock=time.perf_counter).least * 1e6 / MANY,
    )


def _jax(model: Any, f: Any) -> tuple[float, float, float]:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    (t, x, r), p = model.initial_state(), model.default_parameters()
    states = x + 0.01 * jax.numpy.arange(MANY)[:, None] / MANY
    by_state, options = jax.jacfwd(f, 1), model.QUICK if f is model.rhs else None
    one = jax.jit(by_state, compiler_options=options)
    many = jax.jit(jax.vmap(by_state, (None, 0, None, None)), compiler_options=options)
    return _measured(lambda: one(t, x, r, p).block_until_ready(), lambda: many(t, states, r, p).block_until_ready())


def _torch(model: Any, f: Any) -> tuple[float, float, float]:
    torch = importlib.import_module("torch")
    (t, x, r), p = model.initial_state(), model.default_parameters()
    torch.func.jacrev(torch.sin)(x)  # loads what PyTorch loads once
    states = x + 0.01 * torch.arange(MANY)[:, None] / MANY
    one = torch.func.jacrev(f, 1)
    many = torch.vmap(one, (None, 0, None, None))
    return _measured(lambda: one(t, x, r, p), lambda: many(t, states, r, p))
