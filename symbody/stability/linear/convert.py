"""Linear systems as objects of SciPy and of python-control (where that is installed)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scipy.signal import StateSpace as ScipyStateSpace

from ...derivation.equations.keywords import values_by_name
from ...errors import StabilityError
from ...optional_packages import optional_package

if TYPE_CHECKING:
    from .linear_system import LinearSystem


@values_by_name(StabilityError)
def to_scipy(lin: LinearSystem, values: Mapping[Any, float] | None = None, **named: float) -> Any:
    """The system with numbers as `scipy.signal.StateSpace`.

    >>> lin = sb.linear_system([[0, 1], [-4, -1]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> sb.stability.to_scipy(lin).A
    array([[ 0.,  1.],
           [-4., -1.]])

    See also: `stability.to_control`, `LinearSystem.state_space`.
    """
    space = lin.state_space(values)
    return ScipyStateSpace(space.A, space.B, space.C, space.D)


@values_by_name(StabilityError)
def to_control(lin: LinearSystem, values: Mapping[Any, float] | None = None, **named: float) -> Any:
    """The system with numbers as `control.StateSpace`, with names; needs the package python-control.

    >>> lin = sb.linear_system([[0, 1], [-4, -1]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> try:
    ...     poles = sb.stability.to_control(lin).poles()
    ... except sb.errors.StabilityError:  # needs the package python-control
    ...     poles = lin.eigenvalues()
    >>> sorted(poles.real.round(6).tolist())
    [-0.5, -0.5]

    See also: `stability.to_scipy`, `LinearSystem.state_space`.
    """
    control = optional_package("control", "to_control", StabilityError)
    space = lin.state_space(values)
    return control.ss(
        space.A, space.B, space.C, space.D, states=list(space.states), inputs=list(space.inputs), outputs=list(space.outputs),
        name=lin.name.replace(".", "_"),
    )  # fmt: skip
