"""Second derivatives of a stepper's step along a direction, for one state or rows of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, unknown
from ...summary import counted
from ..time_stepping.moreau_programs import moreau_switching
from .contact_steps import ContactSteps
from .second_order_steps import SecondOrderSteps
from .step_results import StepDerivatives

if TYPE_CHECKING:
    from .stepper import Stepper

GROUPS: Final = ("x", "r", "p")


def second_order_step(
    env: Stepper,
    memory: Callable[[tuple[str, ...]], SecondOrderSteps],
    given: Array,
    along: Any,
    wrt: tuple[str, ...],
    inputs: Mapping[str, Any],
    rows: Callable[[], Array],
) -> StepDerivatives:
    """See `Stepper.second_derivatives`: `memory` for groups of columns; `inputs` are r, t and p, `rows` those as numbers for each
    state."""
    _check_steps(env)
    way = dict(along) if isinstance(along, Mapping) else {"x": along}
    for what, names in (("wrt", wrt), ("along", tuple(way))):
        if strange := [g for g in names if g not in GROUPS]:
            raise unknown(f"{env}: {what} of second_derivatives", "group", strange[0], GROUPS, SimulationError)
    groups = tuple(g for g in GROUPS if g in wrt or g in way)
    first, states = env.derivatives(given, wrt=groups, **inputs), np.atleast_2d(given)
    direction = np.concatenate([_direction(env, g, way.get(g), len(states)) for g in groups], axis=1)
    steps, sizes = memory(groups), [_size(env, g) for g in groups]
    found = np.array([steps.taken(y, row, v).both for y, row, v in zip(states, rows(), direction, strict=True)])
    found[np.isnan(first.state).reshape(len(found), -1).any(axis=1)] = np.nan
    parts = np.split(found, np.cumsum(sizes)[:-1], axis=-1)
    shaped = {g: a.reshape(*given.shape, -1) for g, a in zip(groups, parts, strict=True) if g in wrt}
    return StepDerivatives(first.state, **shaped, one_sided=first.one_sided)


def _check_steps(env: Stepper) -> None:
    """Whether they are those with contacts, of one length and with inputs held."""
    if not isinstance(env.scheme, ContactSteps):
        raise SimulationError(
            f"{env}: second derivatives are those of steps with contacts; make it of `sb.Contacts(eq)`, also without contacts"
        )
    if env.scheme.is_linear:
        raise SimulationError(
            f"{env}: second derivatives are those of steps whose inputs are held, these are linear; make it with inputs='held'"
        )
    if moreau_switching(env.equations).count:
        raise SimulationError(
            f"{env}: second derivatives are those of steps that nothing divides, and its equations switch at certain times; "
            "take differences of `derivatives` there"
        )


def _size(env: Stepper, group: str) -> int:
    return len({"x": env.state_names, "r": env.input_names, "p": env.parameter_names}[group])


def _direction(env: Stepper, group: str, value: Any, count: int) -> Array:
    """A row for each state."""
    size = _size(env, group)
    given = np.zeros(size) if value is None else np.asarray(value, dtype=np.float64)
    if given.shape not in ((size,), (count, size)):
        raise SimulationError(
            f"{env}: a direction along {group!r} has {counted(size, 'number')}, one row or one for each state; got shape "
            f"{given.shape}"
        )
    return np.broadcast_to(given, (count, size))
