"""Hybrid systems: modes with equations of their own, and transitions between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ...algebra.graph.functions import where as choice
from ...algebra.graph.graph import ONE, ZERO, Expr, as_expr
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.variables import Variables
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError, listed, shown, unknown
from ...summary import Introduced, Summarized, Summary, listing, one_line_tag, summary_rows
from ..contact.contact_modes import FREE, ContactMode, ModeTable
from ..contact.contacts import ContactHandler, check_names
from ..contact.friction_handler import NEWTON, POISSON, FrictionHandler
from ..contact.frictions import Friction
from ..contact.impacts import Contact
from ..contact.separation import separated_state
from ..contact.shared_forces import is_held
from ..events.event_handlers import EventHandler, EventResult, Instant, Transition
from ..events.events import DIRECTIONS, check_guard, check_name, checked_direction, in_state
from ..forms.forms import Form
from ..forms.impulses import constraint_impulses
from ..inputs.inputs import with_inputs
from ..result.outcome import Ending
from ..result.segment import Occurrence
from ..start.consistent_start import consistent_start, start_request
from ..start.state import Start, State
from ..time_stepping.time_stepping import TimeStepping


class HybridSystem(Protocol):
    """A hybrid system as `simulate_modes` sees it."""

    @property
    def name(self) -> str: ...

    @property
    def initial(self) -> str: ...

    def equations(self, mode: str) -> Equations: ...

    def handlers(self, mode: str, form: Form, rtol: float, atol: Array, p: Mapping[str, float]) -> list[EventHandler]:
        """Handlers of the transitions out of a mode; p: parameters and constant inputs by name."""

    def with_inputs(self, inputs: Mapping[Any, Any]) -> tuple[HybridSystem, dict[str, float]]:
        """The same with inputs substituted, and the numbers of those that are constant."""

    @property
    def all_modes(self) -> Sequence[str]:
        """Modes that have names and parameters of their own."""


# --------------------------------------------------------------------------------------------------- modes and switches


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Switch(Introduced):
    """A transition from mode `source` to mode `target` at a zero crossing of `when`, the event function.

    name        in `sim.events`
    when        an expression in the variables of mode `source`, also in its multipliers and u'
    direction   of the crossing, as in `Event`. A mode with a rising switch lasts while `when` is negative; if `when` is
                positive at the beginning of the mode, it ends at once (falling: reversed)
    reset       reset map: the new state as expressions in the old one; other variables keep the value of the same name
    where       a condition on the state, as in `Event`: a crossing while it is false does not cause a transition

    >>> x = sb.symbol("x")
    >>> off = sb.Switch("off", x - 0.8, "heat", "cool", "rising")
    >>> off.source, off.target
    ('heat', 'cool')

    See also: `Modes`, `Event`, `simulate_modes`.
    """

    name: str
    when: Expr
    source: str
    target: str
    direction: str | int = "both"
    reset: Mapping[Any, Any] = field(default_factory=dict)
    where: Any = None

    def __post_init__(self) -> None:
        check_name(f"switch {shown(self.name)}", self.name)
        object.__setattr__(self, "when", as_expr(self.when))
        object.__setattr__(self, "direction", checked_direction(f"switch {self.name!r}", self.direction))
        check_guard(f"switch {self.name!r}", self.where)

    def __repr__(self) -> str:
        guard = "" if self.where is None else f" where {self.where}"
        return one_line_tag(
            f"Switch {self.name} from {self.source} to {self.target}, {self.direction}: {outline(self.when)} = 0{guard}"
        )

    @property
    def sense(self) -> int:
        """The direction as a number: 1 rising, -1 falling, 0 both.

        >>> sb.Switch("off", sb.symbol("x") - 0.8, "heat", "cool", "rising").sense
        1

        See also: `Switch`.
        """
        return DIRECTIONS[str(self.direction)]


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Modes(Summarized):
    """Sets of equations, each with its own coordinates, speeds and constraints, and the switches between them.

    Modes({"stick": ..., "slip": ...}, [Switch("breaks away", friction - limit, "stick", "slip"), ...], initial="stick")

    If the state violates constraints of the new mode, coordinates are projected onto them, and speeds jump by
    constraint impulses through the mass matrix.

    modes      equations by name of the mode
    switches   transitions between modes; `initial` names the first mode

    >>> x = sb.symbol("x", "variable")
    >>> heat, cool = sb.from_equations({x: 1 - x}, name="heat"), sb.from_equations({x: -x}, name="cool")
    >>> thermostat = sb.Modes(
    ...     {"heat": heat, "cool": cool},
    ...     [sb.Switch("off", x - 0.8, "heat", "cool", "rising"), sb.Switch("on", x - 0.2, "cool", "heat", "falling")],
    ...     initial="heat",
    ... )
    >>> sb.simulate_modes(thermostat, 4.0).modes
    ('heat', 'cool', 'heat')

    See also: `Switch`, `simulate_modes`, `Contacts`.
    """

    modes: Mapping[str, Equations]
    switches: Sequence[Switch]
    initial: str

    def __post_init__(self) -> None:
        sets = list(self.modes.values()) if isinstance(self.modes, Mapping) else []
        if not sets or not all(isinstance(eq, Equations) for eq in sets):
            raise SimulationError(
                f"Modes: give at least one set of equations by name, Modes({{'free': derive(model)}}, "
                f"switches), got {shown(self.modes)}"
            )
        if strange := [s for s in self.switches if not isinstance(s, Switch)]:
            raise SimulationError(
                f"Modes: the second argument must be a list of Switch(...), got {shown(strange[0])} in it"
            )
        for name in (self.initial, *(m for s in self.switches for m in (s.source, s.target))):
            if name not in self.modes:
                raise unknown("modes", "mode", name, self.modes, SimulationError)
        for s in self.switches:
            _carried_state(self.modes[s.source], self.modes[s.target], s)

    def _summary(self) -> Summary:
        rows = summary_rows(
            modes=listing(self.modes), switches=listing(f"{s.source} to {s.target}" for s in self.switches)
        )
        return Summary(f"Modes of {self.name}, beginning in {self.initial}", rows)

    @property
    def name(self) -> str:
        """Name of the model, that of the mode in which motions begin.

        >>> x, F = sb.symbol("x", "variable"), sb.symbol("F", "input")
        >>> heat, cool = sb.from_equations({x: F - x}, name="heat"), sb.from_equations({x: -x}, name="cool")
        >>> system = sb.Modes({"heat": heat, "cool": cool}, [sb.Switch("off", x - 0.8, "heat", "cool", "rising")], initial="heat")
        >>> system.name, system.all_modes, system.kinds["x"], system.equations("cool") is cool
        ('heat', ['heat', 'cool'], 'variable', True)
        >>> held, numbers = system.with_inputs({"F": 1 - x / 2})
        >>> held.equations("heat").r, numbers
        ((), {})

        See also: `Modes`, `simulate_modes`.
        """
        return self.modes[self.initial].name

    @property
    def all_modes(self) -> Sequence[str]:
        """Names of the modes."""
        return list(self.modes)

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name, over all modes."""
        return {name: kind for eq in self.modes.values() for name, kind in eq.kinds.items()}

    def equations(self, mode: str) -> Equations:
        """The equations of a mode."""
        if mode not in self.modes:
            raise unknown(f"modes of {self.name!r}", "mode", mode, self.modes, SimulationError)
        return self.modes[mode]

    def handlers(self, mode: str, form: Form, rtol: float, atol: Array, p: Mapping[str, float]) -> list[EventHandler]:
        """Handlers of the switches out of a mode, for the event loop: expressions to watch, and what happens where one is zero.

        >>> from symbody.integrate import SimulationOptions
        >>> from symbody.integrate.run.form_and_method import choice, form_of
        >>> x = sb.symbol("x", "variable")
        >>> heat, cool = sb.from_equations({x: 1 - x}, name="heat"), sb.from_equations({x: -x}, name="cool")
        >>> system = sb.Modes({"heat": heat, "cool": cool}, [sb.Switch("off", x - 0.8, "heat", "cool", "rising")], initial="heat")
        >>> form = form_of(heat, choice(heat, SimulationOptions()))
        >>> [handler.watched for handler in system.handlers("heat", form, 1e-9, np.array([1e-9]), {})]
        [((x - 0.8, 1),)]
        """
        return [SwitchHandler(form, s, self.modes[s.target], p) for s in self.switches if s.source == mode]

    def with_inputs(self, inputs: Mapping[Any, Any]) -> tuple[Modes, dict[str, float]]:
        """The same with laws of inputs put into the equations, and the numbers of inputs that are constant."""
        numbers: dict[str, float] = {}
        made: dict[str, Equations] = {}
        everywhere = Variables(self.name, ("r",), ()).having((r for eq in self.modes.values() for r in eq.r), "r")
        given = everywhere.resolved(inputs, f"inputs of {self.name!r}", SimulationError)
        for mode, eq in self.modes.items():
            made[mode], constant = with_inputs(eq, {s: law for s, law in given.items() if s in eq.variables.of("r")})
            numbers |= constant
        return replace(self, modes=made), numbers


class SwitchHandler:
    """Handler of a switch in its source mode."""

    is_one_sided = False
    sizes: tuple[Expr | None, ...] = (None,)

    def __init__(self, form: Form, switch: Switch, target: Equations, p: Mapping[str, float]) -> None:
        eq, self._switch, self._form = form.equations, switch, form
        where = f"switch {switch.name!r}"
        self.watched: tuple[tuple[Expr, int], ...] = ((in_state(eq, where, [switch.when], form.y)[0], switch.sense),)
        self._carried = _carried_state(eq, target, switch)
        self._carry = form.state.compiled("carried", {"state": self._carried}, eq.state)
        self._guard: Compiled | None = None
        if switch.where is not None:
            holds = in_state(eq, f"{where}, where", [choice(switch.where, ONE, ZERO)], form.y)
            self._guard = form.state.compiled("guard", {"holds": holds}, eq.state)
        self._impulses = constraint_impulses(target)
        self._p = np.array([p[s.name] for s in target.p])
        self._r = np.array([p[s.name] for s in target.r])

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        return self.handle((0,), now) if is_beyond[0] else None

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        switch, numbers = self._switch, np.concatenate([now.p, now.r, np.zeros(len(self._form.levels))])
        if self._guard is not None and self._guard(now.t, now.state, numbers)[0] == 0:
            return EventResult()
        state = self._carry(now.t, now.state, numbers)
        settled = self._impulses.onto_constraints(now.t, state, self._p, self._r)
        if settled is None:
            return EventResult(
                ending=Ending.OFF_CONSTRAINTS,
                stops=(
                    f"switch {switch.name!r}: mode {switch.target!r} cannot begin at {shown(state.tolist())}, too "
                    "far off its constraints"
                ),
            )
        state, impulses = settled
        occurrences = [Occurrence(switch.name, now.t, now.state, state, impulses)]
        return EventResult(target=Transition(switch.target, state, carried=self._carried), occurrences=occurrences)

    def tolerance(self, now: Instant) -> float:
        return 0.0


def _carried_state(source: Equations, target: Equations, switch: Switch) -> list[Expr]:
    """The state of the target in terms of the source's."""
    state, known = target.variables.of("q u z"), source.variables.of("q u z")
    where = f"switch {switch.name!r}, mode {switch.target!r}"
    given = state.resolved(switch.reset, where, SimulationError, "state")
    new = {s.name: as_expr(v) for s, v in given.items()}
    if missing := [n for n in state.names if n not in new and n not in known]:
        raise SimulationError(
            f"switch {switch.name!r}: mode {switch.target!r} has {listed(missing)}, which mode {switch.source!r} does not have; give their values by reset={{{missing[0]}: ...}}"
        )
    where = f"switch {switch.name!r} in mode {switch.source!r}"
    return in_state(source, where, [new[n] if n in new else known[n].symbol for n in state.names])


# ---------------------------------------------------------------------------------------------------------- contacts


@answered_class
class Contacts(Introduced):
    """Equations with contacts that bounce, close and open; with friction, contacts stick and slip.

        Contacts(eq, Contact("floor", y, friction=0.3, slip=x.dot), Friction("rail", s.dot, Coulomb(0.1), normal=N),
        impacts="poisson")

    There is a mode for each set of closed contacts, named after them ("left + right"; "free" where all are open), made
    when it is first needed. In it their gaps are constraints with multipliers `lam_name`: the forces in the contacts,
    which are zero in other modes. A contact closes if its next rebound would be lower than the tolerance of the
    simulation, and opens if its force would become tensile. With friction, the name of a mode also states which
    contacts stick and slip ("left slips forwards + right sticks").

    Without any contact they are for the time steps of steppers, also on a card (`stepper(Contacts(eq), dt)`).

    impacts   law of impacts with friction: "newton", e relates speeds after and before; or "poisson", e relates the
              impulses of expansion and compression, which never gains energy

    >>> m = sb.Model("ball")
    >>> y = m.coordinate("y")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    >>> m.gravity(0, -9.81, 0)
    >>> floor = sb.Contacts(sb.derive(m), sb.Contact("floor", y))
    >>> sim = sb.simulate_modes(floor, 1.0, y=0.1)
    >>> sim.modes, float(sim.pieces[-1]["lam_floor"][-1])
    (('free', 'floor'), 19.62)
    >>> [c.name for c in floor.table.contacts]
    ['floor']

    See also: `Contact`, `Friction`, `simulate_modes`, `Modes`.
    """

    initial = FREE

    def __init__(self, equations: Equations, *contacts: Contact | Friction, impacts: str = NEWTON) -> None:
        if impacts not in (NEWTON, POISSON):
            raise unknown(
                f"contacts of {equations.name!r}", "law of impacts", str(impacts), (NEWTON, POISSON), SimulationError
            )
        for c in contacts:
            if not isinstance(c, (Contact, Friction)):
                raise SimulationError(f"contacts of {equations.name!r}: takes `Contact` and `Friction`, got {shown(c)}")
        self.base, self.impacts, self._given = equations, impacts, contacts
        self.contacts = tuple(c for c in contacts if isinstance(c, Contact))
        for contact in self.contacts:
            contact.check(equations)
        check_names(equations, self.contacts)
        self._table = ModeTable(equations, self.contacts, [f for f in contacts if isinstance(f, Friction)])
        self._check_frictions()
        taken = {s.name for s in equations.lam}
        if clash := [str(s) for s in self._table.forces.values() if s.name in taken]:
            raise SimulationError(
                f"contacts of {equations.name!r}: there are multipliers {listed(clash)} already; take other names"
            )

    def _check_frictions(self) -> None:
        eq, names = self.base, [f.name for f in self._table.frictions]
        if twice := [n for n in dict.fromkeys(names) if names.count(n) > 1]:
            raise SimulationError(f"contacts of {eq.name!r}: several frictions are called {listed(twice)}")
        if bare := [f.name for f in self._table.alone if f.normal is None]:
            raise SimulationError(
                f"contacts of {eq.name!r}: friction {bare[0]!r} needs normal=, the force that presses its surfaces"
            )
        for c in self.contacts:
            if c.frictions and is_held(eq, c.gap):
                raise SimulationError(
                    f"contacts of {eq.name!r}: constraints keep the gap of {c.name!r} fixed, so that nothing determines its force and "
                    "friction; leave out the constraint, or take a `Friction` under its force (normal=model.multiplier(...))"
                )
        if names and eq.augmented.multipliers_in_loads:
            raise SimulationError(
                f"contacts of {eq.name!r}: loads contain {listed(eq.augmented.multipliers_in_loads)}; give that "
                "friction to `Contacts` as a `Friction` too"
            )

    def __repr__(self) -> str:
        return one_line_tag(f"Contacts of {self.name}: {listing(c.name for c in self._given) or 'none'}")

    @property
    def name(self) -> str:
        """Name of the model.

        >>> m = sb.Model("ball")
        >>> y, F = m.coordinate("y"), m.input("F")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> push = m.generalized_force("push", y, F)
        >>> system = sb.Contacts(sb.derive(m), sb.Contact("floor", y))
        >>> system.name, system.all_modes, system.kinds["y"], [c.name for c in system.parts]
        ('ball', ['free'], 'coordinate', ['floor'])
        >>> system.mode(frozenset(["floor"])), system.equations("floor").lam
        ('floor', (lam_floor,))
        >>> system.with_inputs({"F": -20.0})[1]
        {'F': -20.0}

        See also: `Contacts`, `simulate_modes`.
        """
        return self.base.name

    @property
    def all_modes(self) -> Sequence[str]:
        """Modes that exist from the beginning: "free". Others are made when they are first needed."""
        return [FREE]

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: coordinate, speed, parameter, ..."""
        return self.base.kinds

    @property
    def parts(self) -> tuple[Contact | Friction, ...]:
        """The contacts and frictions that were passed."""
        return self._given

    @property
    def table(self) -> ModeTable:
        """Its modes by name, with the contacts and frictions of all of them.

        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> system = sb.Contacts(sb.derive(m), sb.Contact("floor", y))
        >>> system.table.equations("floor") is system.equations("floor")
        True
        """
        return self._table

    @values_by_name(SimulationError)
    def separated(
        self,
        start: Start | None = None,
        *,
        values: Mapping[Any, float] | None = None,
        options: Mapping[str, Any] | None = None,
        **named: float,
    ) -> State:
        """The start of a motion with bodies that are inside each other pushed apart until they touch: the nearest state, in the
        sense of kinetic energy, so that light bodies give way to heavy ones. A start without such bodies stays as it is.

        start    as of `simulate`
        values   on top of it, by name or symbol, or as keywords

        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> floor = sb.Contacts(sb.derive(m), sb.Contact("floor", y - 0.1))
        >>> begin = floor.separated(y=-0.3)
        >>> begin["y"], begin.outcome
        (0.1, 'pushed out of contacts')
        >>> bool(sb.simulate_modes(floor, 1.0, begin).outcome)
        True

        See also: `simulate_modes`, `stepper`, `assemble`.
        """
        begin = consistent_start(self.base, start_request(self.base, start, values or {}))
        return separated_state(self.contacts, begin.state)

    def mode(self, closed: frozenset[str]) -> str:
        """Name of the mode in which these contacts are closed."""
        return self._table.name(ContactMode(closed, {}))

    def equations(self, mode: str) -> Equations:
        """The equations of a mode: gaps of closed contacts are constraints, frictions that stick too."""
        return self._table.equations(mode)

    def handlers(self, mode: str, form: Form, rtol: float, atol: Array, p: Mapping[str, float]) -> list[EventHandler]:
        """Handlers of what can happen in a mode: contacts that close or open, friction that begins to slip or to stick.

        >>> from symbody.integrate import SimulationOptions
        >>> from symbody.integrate.run.form_and_method import choice, form_of
        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> system = sb.Contacts(sb.derive(m), sb.Contact("floor", y))
        >>> form = form_of(system.base, choice(system.base, SimulationOptions()))
        >>> [handler.watched for handler in system.handlers("free", form, 1e-9, np.full(2, 1e-9), {})]
        [((y, -1),)]
        """
        now = self._table.read(mode)
        if self._table.frictions:
            return [FrictionHandler(self._table, form, now, rtol, atol, self.impacts)]
        forces = self._table.made(mode).forces
        return [ContactHandler(self.base, form, self.contacts, now.closed, rtol, atol, self.mode, forces)]

    def time_stepping(self, start: State, step: float) -> TimeStepping:
        """Steps of a fixed length from a state, for all contacts at once.

        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> m.gravity(0, -9.81, 0)
        >>> system = sb.Contacts(sb.derive(m), sb.Contact("floor", y))
        >>> steps = system.time_stepping(sb.State.of(system.base, {"y": 0.1}), 1e-3)
        >>> type(steps).__name__
        'TimeStepping'
        """
        return TimeStepping(self._table, self.impacts, start, step)

    def with_inputs(self, inputs: Mapping[Any, Any]) -> tuple[Contacts, dict[str, float]]:
        """The same with laws of inputs put into the equations, and the numbers of inputs that are constant."""
        eq, numbers = with_inputs(self.base, inputs)
        return (self if eq is self.base else Contacts(eq, *self._given, impacts=self.impacts)), numbers


def is_in(e: Expr, eq: Equations) -> bool:
    """Whether a mode has all symbols of an expression."""
    return set(free_symbols(e)) <= {*eq.variables.symbols, *eq.dependent}
