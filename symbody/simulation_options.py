"""Options of motions: their names, types, defaults and meanings, for `simulate`, modes, batches, steppers, GPUs, model
files and the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from .argument_kinds import argument_kinds, refuse_other_kinds
from .errors import SimulationError, finite_number, shown

if TYPE_CHECKING:
    from .integrate.kernels.tableaux import Tableau

LEAST_RTOL: Final = 1e-14  # relative tolerance below which rounding errors dominate
_RULES: Final[
    Mapping[str, tuple[Callable[[Any], bool], str]]
] = {  # of options that are numbers, and what refuses others
    "rtol": (lambda x: LEAST_RTOL <= x < 1, f" is not between {LEAST_RTOL:g} (rounding) and 1"),
    "step": (lambda x: x > 0, ": a fixed step is a positive number"),
    "first_step": (lambda x: x > 0, ": a positive number, for steps that error control chooses; step= is a fixed one"),
    "max_step": (lambda x: x > 0, " must be positive"),
    "max_growth": (lambda x: x > 1, ": a step may grow by a factor larger than 1"),
    "alpha": (lambda x: x >= 0, " must be finite and not negative"),
    "beta": (lambda x: x >= 0, " must be finite and not negative"),
    "constraint_tolerance": (lambda x: 0 < x < 1, " is not between 0 and 1"),
    "max_steps": (lambda x: x >= 1, " must be positive"),
    "sensitivity_order": (lambda x: x in (1, 2, 3), ": derivatives of orders 1, 2 and 3 are computed"),
    "max_memory": (lambda x: x > 0, " must be positive"),
    "max_size": (lambda x: x > 1, ": a variable may grow by a factor larger than 1"),
}
_MAY_BE_INFINITE: Final = ("max_step", "max_growth", "max_memory", "max_size")


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """Method and steps:

    method       dp5, dp8: Dormand-Prince 5(4), 8(5,3) (RK45 and DOP853 of SciPy's `solve_ivp`); rk4 with a fixed step;
                 radau: implicit, for stiff systems and differential-algebraic equations; variational: a fixed step,
                 symplectic; auto: dp8 (dp5 from rtol 1e-6 on), and radau while the motion is stiff; or an explicit
                 method of your own, as an `integrate.Tableau`
    rtol, atol   tolerances of the local error; atol is one number, or one for each name, and rtol by default
    step         a fixed step: no error control
    order        of method "variational": 2, 4 or 6
    first_step   length of the first trial step; by default it is chosen automatically
    max_step     upper bound of the steps that error control chooses
    max_growth   upper bound of the ratio of a step to the one before

    Constraints and conserved quantities:

    form         how constraints are treated, such as projection, baumgarte, ggl, partition; see
                 `symbody.integrate.forms.forms`
    metric       of projections: "mass", or "unit"
    alpha, beta  of Baumgarte's stabilisation
    independent  speeds (or coordinates, for their rates) that form "partition" uses as independent as long as they are
                 well conditioned
    project      in forms partition, qr and svd: also project positions onto the constraints after every step
    project_stages        in forms projection and orthogonal: also project the stages of explicit methods onto the
                          constraints, not only the ends of steps
    constraint_tolerance  constraint violation that projections accept; by default the rounding error
    invariants   "energy" (with the work of loads that have no potential), or expressions that are kept at their initial
                 values

    Derivatives of the motion:

    sensitivities  names of initial values and parameters: the derivatives of the motion with respect to them are
                   integrated too
    sensitivity_order  highest order of these derivatives: 1, or 2, 3 for those with respect to pairs and triples of names
    held           with constraints: coordinates and speeds that keep their initial values while one of the names changes
                   and the others follow; by default the independent ones that `linearize` chooses; "nearest": none, the
                   change is the shortest in the metric of M

    Limits:

    max_steps    the simulation ends after this number of steps, and its outcome states it
    max_memory   bytes for results. Beyond it, the polynomials between steps are dropped, then all but every 2nd, 4th,
                 8th or 16th step; then the simulation ends. If times are given, only the states at these are kept
    max_size     the simulation ends if a variable grows exponentially, or faster, to this multiple of its initial size
                 (of 1, if that is larger)
    progress     show a line with the remaining time; by default in a terminal, after two seconds

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> fine = sb.integrate.SimulationOptions(method="dp5", rtol=1e-10)
    >>> sb.simulate(eq, 1.0, x=1.0, options=fine).final["x"], sb.simulate_batch(eq, 1.0, x=[1.0, 2.0], options=fine)[1].final["x"]
    (0.540302, 1.0806)
    >>> fine.given
    {'method': 'dp5', 'rtol': 1e-10}

    See also: `simulate`, `simulate_modes`, `simulate_batch`, `stepper`, `integrate.cuda_motions`.
    """

    method: str | Tableau = "auto"
    rtol: float = 1e-8
    atol: Any = None
    step: float | None = None
    order: int | None = None
    first_step: float | None = None
    max_step: float = inf
    max_growth: float = 10.0
    form: str = "auto"
    metric: str = "mass"
    alpha: float = 10.0
    beta: float = 10.0
    independent: Sequence[Any] = ()
    project: bool = False
    project_stages: bool = False
    constraint_tolerance: float = 1e-13
    invariants: Sequence[Any] = ()
    sensitivities: Sequence[Any] = ()
    sensitivity_order: int = 1
    held: Sequence[Any] | str = ()
    max_steps: int = 10**9
    max_memory: float = 2.0**30
    max_size: float = 1e8
    progress: bool | None = None

    def __post_init__(self) -> None:
        given = self.given
        if not given:
            return
        refuse_other_kinds(_KINDS, given.items(), "options of a simulation", SimulationError)
        for name, value in given.items():
            if name in _RULES:
                _check_number(name, value, *_RULES[name])
            if name in _KEPT:
                object.__setattr__(self, name, _KEPT[name](value))
        if self.first_step is not None and self.step is not None:
            raise SimulationError(f"first_step = {shown(self.first_step)}{_RULES['first_step'][1]}")
        if self.metric not in ("mass", "unit"):
            raise SimulationError(f"metric is 'mass' or 'unit', got {shown(self.metric)}")

    @property
    def given(self) -> dict[str, Any]:
        """Options that differ from their defaults."""
        return {
            name: value
            for name, value in vars(self).items()
            if value is not (default := _DEFAULTS[name]) and not (type(value) is type(default) and value == default)
        }


_DEFAULTS: Final = {name: getattr(SimulationOptions, name) for name in SimulationOptions.__annotations__}
_KINDS: Final = argument_kinds(inspect.signature(SimulationOptions))
_KEPT: Final[Mapping[str, Callable[[Any], Any]]] = {  # as what they are kept, so that they can be compared
    "order": lambda x: None if x is None else int(x),
    "max_steps": int,
    "sensitivity_order": int,
    "independent": tuple,
    "invariants": tuple,
    "sensitivities": lambda names: tuple(map(str, names)),
    "held": lambda names: names if isinstance(names, str) else tuple(map(str, names)),
}


def _check_number(name: str, value: Any, is_allowed: Callable[[Any], bool], words: str) -> None:
    if name not in _MAY_BE_INFINITE or value != inf:
        value = finite_number(value, name, SimulationError)
    if not is_allowed(value):
        raise SimulationError(f"{name} = {shown(value)}{words}")
