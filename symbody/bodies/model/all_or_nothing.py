"""Calls that add to a model add everything or nothing: where one fails, the model is what it was before, and the corrected
call goes through.

A checkpoint costs the lengths of the model's tables: they are only added to, at their ends, or replaced by others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from ...algebra.graph.node_table import gc_paused
from ...errors import ModelError, listed, shown

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)
STAGE: Final = __name__.rsplit(".", 2)[0]  # bodies


class HasCheckpoint(Protocol):
    """What `Parts` has.

    is_covered   whether a call is under way that undoes everything if something inside of it fails
    is_large     whether the collector, which traverses the whole model again and again while it grows, is to be paused
    """

    is_covered: bool
    is_large: bool

    def checkpoint(self) -> Callable[[], None]: ...


def all_or_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a function that adds parts to a model, one of its arguments: if the function fails, the model is
    restored. All methods of `Model` and functions of kits behave this way; use it for your own functions.

    >>> @sb.bodies.all_or_nothing
    ... def pendulum(m, name, length):
    ...     bob = m.body(name, mass=1)
    ...     return m.revolute(f"{name}_angle", m.ground, bob, on=(0, length, 0))
    >>> m = sb.Model("clock")
    >>> try:
    ...     joint = pendulum(m, "bob", "long")
    ... except sb.ModelError:
    ...     print(list(m.bodies))
    []
    >>> pendulum(m, "bob", 0.5)
    <Joint bob_angle: revolute from ground to bob by bob_angle>

    See also: `Model`, `bodies.Parts`.
    """

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> R:
        builder = next(filter(None, map(_builder, (*args, *named.values()))), None)
        if builder is None:
            return _without_a_model(function, args, named)
        return _undone_if_it_fails(builder, False, function, args, named)

    return called


def _undone_if_it_fails(
    builder: HasCheckpoint, covers: bool, function: Callable[..., R], args: tuple[Any, ...], named: dict[str, Any]
) -> R:
    """`covers`: the function lets errors of calls inside of it pass, which then need no checkpoint of their own."""
    undo, before = builder.checkpoint(), builder.is_covered
    builder.is_covered = covers
    try:
        if not builder.is_large:
            return function(*args, **named)
        with gc_paused():
            return function(*args, **named)
    except BaseException:
        undo()
        raise
    finally:
        builder.is_covered = before


def _builder(argument: Any) -> HasCheckpoint | None:
    """The builder of a model, of an object that has one (`Hardpoints.model`), or the builder itself (`Parts`)."""
    holders = (argument, getattr(argument, "parts", None), getattr(getattr(argument, "model", None), "parts", None))
    return next((holder for holder in holders if hasattr(holder, "checkpoint")), None)


def _without_a_model(function: Callable[..., R], args: tuple[Any, ...], named: dict[str, Any]) -> R:
    try:
        inspect.signature(function).bind(*args, **named)
    except TypeError:
        return function(*args, **named)  # whose answer is better
    raise ModelError(f"{function.__name__}: a model is expected, got {listed(map(shown, args))}")


def all_or_nothing_class(cls: C) -> C:
    """The same for the public methods of a class, and of those of this stage that it is made of."""
    for base in cls.__mro__:
        if base.__module__.startswith(STAGE):
            for name, member in list(vars(base).items()):
                if inspect.isfunction(member) and not name.startswith("_") and name != "checkpoint":
                    setattr(base, name, _whole_method(member))
    return cls


def _whole_method(method: Callable[..., R]) -> Callable[..., R]:
    """A method of `Model` or `Parts`. Only the outermost call takes a checkpoint: methods do not catch errors of those
    that they call."""

    @wraps(method)
    def called(*args: Any, **named: Any) -> R:
        builder = getattr(args[0], "parts", args[0]) if args else None
        if getattr(builder, "is_covered", True):
            return method(*args, **named)
        return _undone_if_it_fails(builder, True, method, args, named)  # type: ignore[arg-type]

    return called
