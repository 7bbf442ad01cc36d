"""`simulate`: equations, numbers and a time -> Trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...algebra.graph.node_table import gc_paused
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...errors import SimulationError
from ...options import OptionSet
from ...simulation_options import SimulationOptions
from ..contact.impacts import Contact
from ..contact.jamming import jammed_start, with_jamming_outcome
from ..events.events import Event
from ..inputs.inputs import with_inputs
from ..result.trajectory import Trajectory
from ..start.consistent_start import ConsistentStart, consistent_start, start_request
from ..start.state import Amount, Start, State
from . import typed_calls
from .event_loop import handlers_of
from .form_and_method import chosen_options
from .simulation import Simulation
from .time_span import TimeSpan, time_span


@values_by_name(SimulationError, options=OptionSet(SimulationOptions), checked_as=typed_calls.simulate)
@of_equations
def simulate(
    equations: Equations,
    t: Any,
    start: Start | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    events: Sequence[Event | Contact] = (),
    options: SimulationOptions,
    **named: Amount,
) -> Trajectory:
    """Simulate the motion from an initial state: `simulate(eq, 10, q1=0.5, q1_dot=2, m1=3, rtol=1e-10)`.

    t            the end time, or begin and end (two numbers in a tuple or list), to keep every step; or the times at
                 which to store states: an array of any length, or more than two numbers. An end time alone must be
                 after the time of the start, which is that of a `State` or a `Trajectory`, or 0
    start        a `State` (`assemble` finds one on the constraints), a `SteadyMotion`, a `Trajectory` (its end), or
                 values by name or symbol
    values       further values by name or symbol; also as keywords if the name is not that of an option: q1=0.5,
                 q1_dot=2, m1=3. With constraints they are kept exactly, including outputs (tip_x=0.4); values of
                 `start` are kept if the constraints allow it, and all others follow. `sim.outcome.notes` lists computed
                 and changed values
    inputs       for each input a number; an expression, which is differentiated if the equations contain rates of the
                 input; samples (times, values), a cubic spline, (times, values, "linear"), or (times, values, "held"):
                 each value up to the next time, where a step ends; a Python function of t or of (t, q, u), which
                 returns the number, or a tuple of it and its rates; a `SampledLaw`, evaluated at equal intervals and held
    events       zero crossings of expressions: `Event`, and impacts: `Contact`
    options      any of these by name: {"alpha": 5}, where the model has an alpha too; or `SimulationOptions`

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> sim = sb.simulate(sb.derive(m), 2.0, theta=0.5, l=0.8)
    >>> bool(sim.outcome), sim.final["theta"]
    (True, 0.410221)
    >>> sim.at([0.5, 1.0])["theta"]
    array([-0.076484, -0.477068])

    See also: `Trajectory`, `Event`, `assemble`, `simulate_batch`, `plot`.
    """
    eq, constants = with_inputs(equations, inputs) if inputs else (equations, {})
    with gc_paused():
        begin, span = start_in_time(eq, start, {**constants, **(values or {})}, t)
        picked = chosen_options(eq, options, span)
        try:
            simulation = Simulation(eq, picked, begin, span)
        except SimulationError:
            if (stuck := jammed_start(begin.state)) is None:
                raise
            return stuck
    handlers = handlers_of(simulation.form, events, picked.rtol, simulation.atol, span.end > span.begin)
    return Trajectory.of(with_jamming_outcome(simulation.run(handlers)))


# ------------------------------------------------------------------------------------------------------------- the start


def start_in_time(
    eq: Equations, start: Start | None, values: Mapping[str, float], t: Any
) -> tuple[ConsistentStart, TimeSpan]:
    """The start of a motion, on the constraints that hold when it begins, and its time."""
    asked = start_request(eq, start, values)
    span = time_span(t, f"simulate {eq.name!r}", asked.t)
    begin = consistent_start(eq, asked.at(span.begin))
    _refuse_moving_constants(begin.state)
    return begin, span


def _refuse_moving_constants(state: State) -> None:
    """Rates of inputs that are numbers, and so do not change while the mechanism moves."""
    eq = state.equations
    if moving := [(s, x) for s, x in zip(eq.r, state.r, strict=True) if s.order and x]:
        s, x = moving[0]
        raise SimulationError(
            f"simulate {eq.name!r}: {s.name} = {x:g} at the start, but {s.stem} is a constant; give it as a function of time, as in "
            f"inputs={{{s.stem!r}: {x:g} * eq.t}}"
        )
