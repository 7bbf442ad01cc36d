"""Inputs as functions: numbers stay parameters, everything else is put into the equations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, Final

import numpy as np

from ..algebra.functions import ExternalFunction
from ..algebra.graph import Expr, Symbol
from ..algebra.walk import free_symbols, substitute_all
from ..derive.equations import Equations
from ..emit.run.lookup import looked_up
from ..errors import SimulationError, listed, shown

SETS: Final = 8  # of laws for which equations are kept: each has programs of its own


def with_inputs(eq: Equations, inputs: Mapping[Any, Any]) -> tuple[Equations, dict[str, float]]:
    """Equations in which inputs that are functions are replaced, and the numbers of those that are constant.

    An input is a number; an expression in t, q, u, z and parameters; a Python function of t, or of (t, q, u); or samples
    (times, values), between which it is a straight line.
    """
    numbers: dict[str, float] = {}
    laws: dict[Symbol, Any] = {}
    for s, law in eq.variables.of("r").resolved(inputs, f"inputs of {eq.name!r}", SimulationError).items():
        if isinstance(law, Expr) or callable(law) or _is_sampled(law):
            laws[s] = law
        else:
            numbers[s.name] = _number(eq, s.name, law)
    if not laws:
        return eq, numbers
    contents = tuple((s.name, _content(law)) for s, law in laws.items())
    return eq.cached("inputs", contents, lambda: _replaced(eq, laws), most=SETS), numbers


def _is_sampled(law: Any) -> bool:
    return isinstance(law, (tuple, list)) and len(law) == 2 and np.ndim(law[0]) == 1


def _content(law: Any) -> Hashable:
    """The cache key of a law. An object without a hash is identified by its address: it lives as long as the equations it went into."""
    if _is_sampled(law):
        return tuple(np.asarray(x, dtype=np.float64).tobytes() for x in law)
    return law if isinstance(law, Hashable) else id(law)


def _number(eq: Equations, name: str, law: Any) -> float:
    try:
        return float(law)
    except (TypeError, ValueError):
        raise SimulationError(
            f"input {name!r} of {eq.name!r}: {shown(law)} is no number, expression, function of t or of (t, q, u), or samples (times, values)"
        ) from None


def _law(eq: Equations, name: str, law: Any) -> Expr:
    if not isinstance(law, Expr):
        return _python(eq, name, law) if callable(law) else looked_up(name, law[0], law[1], eq.t)
    allowed = eq.variables.of("t q u z p").symbols
    if strange := [s for s in free_symbols(law) if s not in allowed]:
        raise SimulationError(
            f"input {name!r} of {eq.name!r} depends on {listed(strange)}; it may depend on t, coordinates, speeds, variables and parameters"
        )
    return law


def _python(eq: Equations, name: str, law: Callable[..., float]) -> Expr:
    required = [p for p in signature(law).parameters.values() if p.default is Parameter.empty]
    if len(required) == 1:
        return ExternalFunction(name, 1, python=law)(eq.t)
    if len(required) != 3:
        raise SimulationError(
            f"input {name!r} of {eq.name!r}: a function takes t, or (t, q, u); this one takes {len(required)}"
        )
    n_q, n_u = len(eq.q), len(eq.u)

    def of_state(t: float, *x: float) -> float:
        return law(t, np.array(x[:n_q]), np.array(x[n_q:]))

    return ExternalFunction(name, 1 + n_q + n_u, python=of_state)(*eq.variables.of("t q u").symbols)


def _replaced(eq: Equations, laws: Mapping[Symbol, Any]) -> Equations:
    table = {s: _law(eq, s.name, law) for s, law in laws.items()}
    names = list(eq.outputs)
    parts = [eq.rates, eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h, *(eq.outputs[n] for n in names)]
    rates, M, f, phi, Jc, b, c, h, *outputs = substitute_all(parts, table)
    return replace(
        eq, rates=rates, M=M, f=f, phi=phi, Jc=Jc, b=b, c=c, h=h, outputs=dict(zip(names, outputs, strict=True)),
        r=tuple(s for s in eq.r if s not in table), dependent=eq.composed(table),
    )  # fmt: skip
