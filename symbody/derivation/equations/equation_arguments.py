"""Functions whose first argument are equations: anything else, such as the model itself, is refused with advice."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ...argument_kinds import answered, argument_kinds, positional_names, refuse_other_kinds
from ...bodies.mechanism.mechanism import Mechanism
from ...bodies.model.model import Model
from ...errors import ModelError, shown

P = ParamSpec("P")
R = TypeVar("R")


class AnyEquations:
    """Base of `Equations`, known to the functions that `Equations` itself uses."""

    __slots__ = ()


def of_equations(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a function whose first argument are equations: anything else, as the model itself, is refused with
    what to do."""
    return _of(function, (AnyEquations,))


def of_equations_or(*others: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same where some other types will do too."""
    return lambda function: _of(function, (AnyEquations, *others))


def _of(function: Callable[P, R], types: tuple[type, ...]) -> Callable[P, R]:
    signature = inspect.signature(function)
    names, call = positional_names(signature), function.__name__
    first = names[0]
    kinds = {} if hasattr(function, "keyword_call") else argument_kinds(signature)

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> R:
        if (args or first in named) and not isinstance(given := args[0] if args else named[first], types):
            raise _no_equations(call, given)
        refuse_other_kinds(kinds, (*zip(names, args, strict=False), *named.items()), call, ModelError)
        return function(*args, **named)

    called.takes_first, called.without_check = (types, _no_equations), function  # type: ignore[attr-defined]  # for `values_by_name`
    return answered(called)


def _no_equations(call: str, given: Any) -> ModelError:
    if isinstance(given, (Model, Mechanism)):
        return ModelError(
            f"{call}: takes the equations of a model, not the model {given.name!r}: eq = derive(model), "
            f"then {call}(eq, ...)"
        )
    own = "; it has a method simulate of its own" if callable(getattr(type(given), "simulate", None)) else ""
    return ModelError(
        f"{call}: the first argument is the equations, as derive(model) gives them; got {shown(given)}{own}"
    )
