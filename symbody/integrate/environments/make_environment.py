"""`environment`: an `Environment` for a stepper, with observations, rewards and ends as expressions."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...algebra.graph.functions import where as value_by_condition
from ...algebra.graph.graph import FALSE, Condition
from ...algebra.graph.walk import scalars
from ...argument_kinds import answered
from ...errors import SimulationError, shown, unknown
from ..inputs.meanings import Quantity, plain, quantity_expressions
from ..steppers.stepper import Stepper
from ..time_stepping.moreau_programs import compiled_program
from .drawn_starts import DrawnStarts
from .drawn_values import DrawnValues, drawn_values
from .environment import Environment, Episodes

STEPS: Final = 1000
AUTORESETS: Final = ("same step", "next step")


@answered
def environment(
    stepper: Stepper,
    members: int,
    *,
    reward: Quantity,
    observation: Sequence[Quantity] | None = None,
    ends: Condition | None = None,
    start: Mapping[Any, Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    actions: Mapping[Any, Any] | None = None,
    steps: int = STEPS,
    autoreset: str = "same step",
    watch: int | None = None,
) -> Environment:
    """Members that take steps of a stepper, for learning: observation, reward and end are expressions in the state after a
    step, its inputs, parameters and the time since the start, compiled together.

    members       number of members
    reward        of a step; an expression or the name of an output
    observation   expressions and names; by default the state
    ends          a condition, such as `abs(x) > 2.4`, in which a member ends
    start         values of the state at the start by name or symbol: numbers, or intervals (low, high) to draw from
    parameters    the same for parameters, drawn for each member when it begins
    actions       intervals of the inputs that are actions, which are kept; other inputs are zero. By default all inputs
                  without limits
    steps         after which an episode is cut
    autoreset     members that ended begin anew in the "same step", or in the "next step", which ignores their actions and has
                  the reward 0 (wrappers of Gymnasium that change observations want that)
    watch         the member whose states are kept, for `trajectory`

    A member whose action is not a number, whose step fails or whose start
    is not consistent is named in `failures`; the others go on.

    >>> m = sb.Model("cart and pole")
    >>> x, theta = m.coordinates("x theta")
    >>> cart = m.particle("cart", m.ground.point(x, 0, 0), mass=1.0)
    >>> pole = m.particle("pole", m.ground.point(x + sb.sin(theta), sb.cos(theta), 0), mass=0.1)
    >>> m.gravity(0, -9.81, 0)
    >>> push = m.generalized_force("push", x, m.input("F"))
    >>> env = sb.environment(
    ...     sb.stepper(sb.derive(m), 0.02), 64, observation=[x, x.dot, sb.sin(theta), sb.cos(theta), theta.dot],
    ...     reward=sb.cos(theta), ends=abs(theta) > 0.2, start={theta: (-0.05, 0.05)}, actions={"F": (-10, 10)},
    ... )
    >>> seen = env.reset(seed=1)
    >>> found = env.step(np.zeros((64, 1)))
    >>> found.observation.shape, found.ended.any()
    ((64, 5), np.False_)

    See also: `stepper`, `integrate.Environment`, `integrate.EnvironmentStep`.
    """
    where = "environment"
    if not isinstance(stepper, Stepper):
        raise SimulationError(f"{where}: takes a stepper, `sb.stepper(eq, 0.01)`; got {shown(stepper)}")
    eq, where = stepper.own_equations, f"environment of {stepper.own_equations.name!r}"
    for what, number in (("members", members), ("steps", steps)):
        if not isinstance(number, int) or number < 1:
            raise SimulationError(f"{where}: {what} = {shown(number)}: a whole number of at least 1")
    if autoreset not in AUTORESETS:
        raise unknown(where, "way of autoreset", autoreset, AUTORESETS, SimulationError)
    if watch is not None and watch not in range(members):
        raise SimulationError(f"{where}: watch = {shown(watch)}: members have the numbers 0 to {members - 1}")
    given: list[Any] = [reward, *(observation or ())]
    if wrong := next((f for f in given if inspect.isfunction(f)), None):
        raise SimulationError(
            f"{where}: rewards and observations are expressions of the model, which are compiled, such as sb.cos(theta) - 0.01 * F**2; "
            f"got the function {wrong.__name__}"
        )
    names = [s.name for s in eq.state] if observation is None else list(observation)
    seen = quantity_expressions(eq, [*names, reward], where, SimulationError)
    is_over = FALSE if ends is None else ends
    if not isinstance(is_over, Condition):
        raise SimulationError(f"{where}: ends= is a condition, such as abs(x) > 2.4; got {shown(ends)}")
    flat = [(n, e) for name, whole in zip(names, seen, strict=False) for n, e in _components(name, whole)]
    (over,) = quantity_expressions(eq, [value_by_condition(is_over, 1, 0)], where, SimulationError)
    outputs = {"observation": [e for _, e in flat], "reward": [seen[-1]], "ended": [over]}
    outcome = compiled_program(eq, "outcome", outputs)
    episodes = Episodes(
        DrawnStarts(
            eq, stepper.start, drawn_values(start, stepper.state_names, where, "variable"), stepper.parameter_names
        ),
        drawn_values(parameters, stepper.parameter_names, where, "parameter"),
        _limits(actions, stepper, where),
        steps,
        outputs,
        autoreset == AUTORESETS[1],
    )
    return Environment(stepper, members, outcome, tuple(n for n, _ in flat), episodes, watch)


def _components(name: Any, whole: Any) -> list[tuple[str, Any]]:
    """Numbers of a quantity with their names."""
    parts, text = scalars([plain(whole)]), name if isinstance(name, str) else str(getattr(name, "name", name))
    return [(text, parts[0])] if len(parts) == 1 else [(f"{text}[{i}]", e) for i, e in enumerate(parts)]


def _limits(actions: Mapping[Any, Any] | None, stepper: Stepper, where: str) -> DrawnValues:
    if actions is not None:
        return drawn_values(actions, stepper.input_names, where, "input")
    n = len(stepper.input_names)
    every = drawn_values(dict.fromkeys(stepper.input_names, 0.0), stepper.input_names, where, "input")
    return replace(every, low=np.full(n, -np.inf), high=np.full(n, np.inf))
