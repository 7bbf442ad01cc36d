"""`Study`: all analyses of a model, each computed on first access.

Every command and the report use the same object, so that they agree. An analysis that fails raises an error with its
reason, which a report shows in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from .. import integrate, stability
from ..algebra.graph.graph import Expr, Symbol
from ..algebra.nonlinear.continuation import CurveEnd
from ..argument_kinds import answered_class
from ..bodies.mechanism.existence import first_refusal, requirements
from ..bodies.mechanism.mechanism import Mechanism
from ..bodies.model.model import Model
from ..derivation.entry.derive import derive
from ..derivation.equations.equations import Equations
from ..derivation.equations.named_rows import output_rows
from ..derivation.equations.own_terms import in_own_terms
from ..derivation.programs.forward_dynamics import has_many_pairs
from ..derivation.questions.audit import Audit, audit
from ..derivation.questions.certify import Certificate, certify
from ..errors import ModelError, StabilityError, listed, unknown
from ..formats.robot.robot import Robot
from ..interruption import ended_by_interruption
from ..later import later
from ..summary import Introduced
from . import robot_defaults as robots
from .contact_requests import contacts_of
from .operating_point import MOTION, NEAREST, START, VALUES, OperatingPoint, point_of, without_rounding
from .requests import BranchRequest, EigenvalueRequest, LinearRequest, OrbitRequest, Range, ResponseRequest
from .sources import ModelSource

if TYPE_CHECKING:
    from ..integrate.start.consistent_start import ConsistentStart, StartRequest

SECONDS: Final = 10.0  # duration of a simulation without a requested one, in seconds
SLOWEST: Final = 6  # modes of large mechanisms
POINTS: Final = 200  # default number of points of a locus


@answered_class
@dataclass(frozen=True, eq=False)
class Study(Introduced):
    """A model with parameter values and requests; its results are computed on first access.

    changed   values by name that replace those of the model: parameters, initial values, parameters of a steady motion
    vary      parameters over which eigenvalues are followed, instead of those in the model
    wanted    responses, instead of those in the model
    branching branches, instead of those in the model
    orbiting  orbits, instead of those in the model
    options   of the simulation: t, method, form, rtol, ...

    source   the model and its requests
    route    the route of derivation

    >>> study = sb.study.Study(sb.study.find_model("double_pendulum"), options={"t": 1.0})
    >>> study.equations.q
    (q1, q2)

    See also: `study.find_model`, `write.write_report`.
    """

    source: ModelSource
    changed: Mapping[str, float] = field(default_factory=dict)
    vary: Mapping[str, Range] = field(default_factory=dict)
    wanted: tuple[ResponseRequest, ...] = ()
    branching: BranchRequest | None = None
    orbiting: OrbitRequest | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    route: str = "recursive"

    def __post_init__(self) -> None:
        known = {*self.parameters, *self.states, *self.outputs, *self.of_motion}
        for name in (*self.changed, *self.vary, *(self.branching.vary if self.branching is not None else ())):
            if name not in known:
                raise unknown(
                    f"{self.source.name!r}", "parameter, coordinate, speed, variable or output", name, sorted(known)
                )

    # ------------------------------------------------------------------------------------------------ the model

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism of the model.

        >>> study = sb.study.Study(sb.study.find_model("double_pendulum"), {"q1": 0.3, "m": 2.0}, options={"t": 0.1})
        >>> study.mechanism.q, study.parameters[:2], study.states, study.outputs, study.is_robot, study.is_large
        ((q1, q2), ['g', 'l'], ['q1', 'q2', 'q1_dot', 'q2_dot'], [], False, False)
        >>> study.values, study.given["q1"], study.start["q1"], study.placed_start.state["q1"], study.span
        ({'m': 2.0}, 0.3, 0.3, 0.3, (0.0, 0.1))
        >>> study.audit.passed, study.certificate.passed, study.contacts, study.without_modes("example") is study.equations
        (True, True, None, True)
        >>> study.trajectory.outcome.t, study.laws, sorted(study.simulation_options), study.of_motion
        (0.1, {}, [], {})
        >>> abs(study.steady["q2"]) < 1e-9, study.linear.x, study.at, len(study.spectrum), study.state_at_point["m"]
        (True, ('q1', 'q2', 'q1_dot', 'q2_dot'), {'m': 2.0}, 4, 2.0)
        >>> study.varied, study.locus, study.branches, study.branch_curves, study.orbit, study.orbit_families, study.responses
        ({}, None, (), (), None, (), [])
        >>> study.start_request.given["q1"], study.branch_request, study.orbit_request, str(study.operating_point)
        (0.3, None, None, 'about the steady motion nearest to the start: everything is zero (the start, q1 = 0.3, is not steady)')

        See also: `study.find_model`, `simulate`, `linearize`.
        """
        model = self.source.model
        return model.freeze() if isinstance(model, Model) else model

    @property
    def parameters(self) -> list[str]:
        """Parameters, in order."""
        return [s.name for s in self.mechanism.p]

    @cached_property
    def states(self) -> list[str]:
        """Names of coordinates, speeds, rates, additional variables and inputs, each once."""
        m = self.mechanism
        rates = [q.dot for q in m.q]
        return list(dict.fromkeys(s.name for s in (*m.q, *m.u, *rates, *m.z, *m.r) if isinstance(s, Symbol)))

    @property
    def outputs(self) -> list[str]:
        """Outputs, and their entries such as place[0], which initial values may specify."""
        return [name for name in output_rows(self.mechanism.outputs) if name not in self.states]

    @property
    def of_motion(self) -> Mapping[str, float]:
        """Parameters that belong only to the steady motion, with their values."""
        asked = self.source.requests.steady
        return {} if asked is None else asked.parameters

    @cached_property
    def audit(self) -> Audit:
        """The audit of the mechanism with its values; parameters that make a body impossible are refused."""
        m = self.mechanism
        numbers = {s: self.values.get(s.name, m.values.get(s)) for s in m.p}
        known = {s: float(x) for s, x in numbers.items() if x is not None}
        if wrong := first_refusal(requirements(m.bodies), known):
            raise ModelError(f"{self.source.name!r}: {wrong}")
        return audit(m)

    @cached_property
    def equations(self) -> Equations:
        """The equations of motion of the mechanism."""
        return derive(self.mechanism, self.route)

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the equations, from `certify`."""
        return certify(self.equations)

    # ------------------------------------------------------------------------------------------------ numbers

    @cached_property
    def values(self) -> dict[str, Any]:
        """Parameter values that differ from those of the model."""
        chosen = {**self.source.requests.values, **self.changed}
        return {k: v for k, v in chosen.items() if k in self.parameters}

    @property
    def is_robot(self) -> bool:
        """Whether the model was read from the file of a robot."""
        return isinstance(self.source.model, Robot)

    @cached_property
    def given(self) -> dict[str, float]:
        """The given initial values."""
        model = self.source.model
        usual = robots.resting_place(model) if isinstance(model, Robot) else {}
        usual = {k: v for k, v in usual.items() if k in self.states}
        chosen = {**usual, **self.source.requests.start, **self.changed}
        return {k: v for k, v in chosen.items() if k not in self.parameters and k not in self.of_motion}

    @property
    def start(self) -> integrate.State:
        """The initial state: as given, or, if that violates the constraints, a consistent state with the given values,
        or the nearest one."""
        return self.placed_start.state

    @cached_property
    def placed_start(self) -> ConsistentStart:
        """The initial state, and the given values that could not be kept."""
        return later("integrate.start.consistent_start", "consistent_start")(self.equations, self.start_request)

    @property
    def start_request(self) -> StartRequest:
        """The given initial values, and which of them are kept exactly."""
        asked = self.source.requests.simulate
        laws = {} if asked is None else asked.inputs
        firm = (*self.changed, *(() if asked is None else asked.fix))
        given = {k: v for k, v in self.given.items() if k not in laws}
        is_rough = asked is not None and asked.assemble
        near = {k: v for k, v in self._moving.items() if k not in given}
        return later("integrate.start.consistent_start", "StartRequest")(
            {**self.values, **given}, firm, is_rough, near, laws
        )

    @property
    def _moving(self) -> dict[str, float]:
        """The steady motion, if the model requests one: unspecified values of the start are taken from it."""
        if self.source.requests.steady is None or self.source.requests.contacts:
            return {}
        here = self.steady.state.values
        return {s.name: here[s.name] for s in self.equations.state}

    # ------------------------------------------------------------------------------------------------ motion

    @cached_property
    def contacts(self) -> integrate.Contacts | None:
        """The equations with the contacts and friction of the model; None without contacts."""
        given, asked = self.source.requests.contacts, self.source.requests.simulate
        impacts = "newton" if asked is None else asked.impacts
        return contacts_of(self.equations, given, impacts) if given else None

    def without_modes(self, what: str) -> Equations:
        """The equations, for analyses without contacts; refused if the model has contacts."""
        if given := self.source.requests.contacts:
            raise ModelError(
                f"{self.source.name!r}: {what} would be without {listed(c.name for c in given)}, under `contacts`, which "
                "open, close, stick and slip; as a load, friction with `smooth` is in all equations"
            )
        return self.equations

    @cached_property
    def trajectory(self) -> integrate.Trajectory:
        """The simulated motion."""
        modes, options = self.contacts, self.simulation_options
        if modes is None:
            sim = integrate.simulate(self.equations, self._times, self.start, options=options)
        else:
            sim = integrate.simulate_modes(modes, self._times, self.start, options=options)
        if sim.outcome.ending is integrate.Ending.INTERRUPTED:
            raise ended_by_interruption(str(sim.outcome))  # half a motion is no answer to a command
        return replace(sim, outcome=sim.outcome.noted(self.placed_start.notes))

    @property
    def simulation_options(self) -> dict[str, Any]:
        """Options of `simulate`: those of the model, updated by those of the study."""
        asked = self.source.requests.simulate
        options = dict(asked.options) if asked is not None else {}
        options |= {k: v for k, v in self.options.items() if k not in ("t", "points")}
        if self.laws:
            options.setdefault("inputs", self.laws)
        return options

    @cached_property
    def laws(self) -> dict[Any, Any]:
        """Input laws along the motion: those of the model, or those that hold a robot in place."""
        asked = self.source.requests.simulate
        if asked is not None:
            return dict(asked.inputs)
        if not self.is_robot:
            return {}
        numbers = {s: self.start[s] for s in self.equations.variables.of("q p t").symbols}
        return dict(robots.holding_laws(self.equations, numbers))

    @property
    def span(self) -> tuple[float, float]:
        """Begin and end of the motion."""
        asked = self.source.requests.simulate
        usual = robots.SECONDS if self.is_robot else SECONDS
        end = self.options.get("t", usual if asked is None else asked.end)
        return self.start.t if asked is None or asked.begin is None else asked.begin, end

    @property
    def _times(self) -> Any:
        asked = self.source.requests.simulate
        begin, end = self.span
        points = self.options.get("points", None if asked is None else asked.points)
        return (begin, end) if points is None else _evenly(begin, end, points)

    # --------------------------------------------------------------------------------------------- near a steady motion

    @cached_property
    def steady(self) -> stability.SteadyMotion:
        """The requested steady motion, or the one nearest to the initial state; undetermined quantities (the speed of a
        vehicle) keep their initial values."""
        asked, eq = self.source.requests.steady, self.without_modes("steady motions")
        if asked is None:
            found = self._nearest_steady()
        else:
            numbers = {**asked.parameters, **self.changed}
            own: dict[str, Any] = {k: numbers[k] for k in asked.parameters}
            values: dict[Any, Any] = {s.name: v for s, v in asked.values} | self.values | own
            found = stability.steady(
                eq, values, zero=asked.zero, free=asked.free, start=asked.start, inputs=asked.inputs
            )
        if not found.is_steady:
            raise StabilityError(f"{self.source.name!r}: {found.outcome}")
        return found

    def _nearest_steady(self) -> stability.SteadyMotion:
        """If something is undetermined, the motion is computed again from the one found, without rounding noise: in
        closed form it does not drift when parameters change."""
        eq = self.equations
        values = {**self.values, **{k: v for k, v in self.given.items() if k in eq.variables.of("r")}}
        found = stability.steady(eq, values, start=self.start)
        if not (found.is_steady and found.undetermined and found.unknowns):
            return found
        here = found.state.values
        tidy = without_rounding({s.name: here[s.name] for s in eq.state})
        again = stability.steady(eq, values, start=integrate.State.of(eq, {**here, **tidy}))
        return again if again.is_symbolic else found

    @cached_property
    def linear(self) -> stability.LinearSystem:
        """The system linearised about the steady motion; of large mechanisms in loops about the initial state, unless the model
        requests another point."""
        asked = self._linear_request
        about: Any = asked.about
        eq, inputs = self.without_modes("linear systems"), dict(asked.inputs)
        if asked.about == "steady":
            about = self.steady
            eq, inputs = about.equations, {k: v for k, v in inputs.items() if k in about.equations.variables.of("r")}
        elif asked.about == "start":
            about = {k: v for k, v in self.start.values.items() if k in self.states}
        drop: Any = "cyclic" if asked.drop == ("cyclic",) else asked.drop
        values = {} if asked.about == "steady" else self.values
        return stability.linearize(
            eq, about, values=values, independent=asked.independent, drop=drop, inputs=inputs, moving=asked.moving
        )

    @property
    def _linear_request(self) -> LinearRequest:
        if (asked := self.source.requests.linearize) is not None:
            return asked
        if self.source.requests.steady is None and self.is_large:
            return LinearRequest(about="start")
        return LinearRequest(about="steady", drop=("cyclic",))

    @cached_property
    def is_large(self) -> bool:
        """Whether the equations are loops over so many links that what takes a number for each pair of speeds is left out, unless
        it is requested by name."""
        return has_many_pairs(self.equations)

    @cached_property
    def operating_point(self) -> OperatingPoint:
        """The operating point of `linear`, at the values of `at`."""
        units = {v.name: v.shown_in for v in self.equations.variables if v.factor != 1.0}
        return replace(self._operating_point, units=units)

    @property
    def _operating_point(self) -> OperatingPoint:
        asked = self._linear_request
        if asked.about == "steady":
            here = point_of(self.linear, self.at)
            if self.source.requests.steady is not None:
                return OperatingPoint(MOTION, here)
            moves = later("integrate.start.consistent_start", "moves")
            return OperatingPoint(NEAREST, here, moves({k: v for k, v in self.given.items() if k in here}, here))
        if asked.about == "start":
            return OperatingPoint(START, {k: v for k, v in self.start.values.items() if k in self.states})
        given = asked.about if isinstance(asked.about, Mapping) else {}
        return OperatingPoint(VALUES, point_of(self.linear, self.at) or given)

    @cached_property
    def state_at_point(self) -> integrate.State:
        """The operating point as a state."""
        own = self.equations.variables.of("q u z r")
        point = {k: v for k, v in self.operating_point.values.items() if k in own}
        return integrate.State.of(self.equations, {**self.values, **point})

    @cached_property
    def at(self) -> dict[str, float]:
        """Values of the parameters of the linear system that do not belong to the model."""
        known = {s.name for s in self.linear.parameters}
        chosen = {**self.of_motion, **self.source.requests.values, **self._eig.values, **self.changed}
        return {k: v for k, v in chosen.items() if k in known}

    @property
    def _eig(self) -> EigenvalueRequest:
        return self.source.requests.eig or EigenvalueRequest({}, {})

    @cached_property
    def spectrum(self) -> stability.Spectrum:
        """Modes of the linear system at the values of the study; of large mechanisms in loops the slowest."""
        return self.linear.modes(self.at, count=SLOWEST) if self.is_large else self.linear.modes(self.at)

    @property
    def varied(self) -> Mapping[str, Range]:
        """Parameters over which eigenvalues are followed, with their ranges."""
        return self.vary or self._eig.vary

    @cached_property
    def locus(self) -> stability.RootLocus | stability.StabilityChart | None:
        """Eigenvalues over one parameter, or a chart over two, or None if not requested."""
        varied = self.varied
        if not varied:
            return None
        others = {k: v for k, v in self.at.items() if k not in varied}
        ranges: dict[str, Any] = {k: (r.begin, r.end) for k, r in varied.items()}
        counts = [r.points or POINTS for r in varied.values()]
        if len(varied) == 1:
            return self.linear.root_locus({**others, **ranges}, points=counts[0])
        return self.linear.stability_chart({**others, **ranges}, points=(min(counts[0], 200), min(counts[1], 200)))

    @property
    def branch_request(self) -> BranchRequest | None:
        """The requested branches."""
        return self.branching or self.source.requests.branch

    @cached_property
    def branches(self) -> tuple[stability.Branch, ...]:
        """Branches of steady motions, the first through the steady motion of the study; empty if not requested."""
        asked = self.branch_request
        if asked is None:
            return ()
        (name, span), *_ = asked.vary.items()
        numbers = {s.name: x for s, x in self.steady.defaults.items() if s in self.steady.parameters}
        own = {
            k: v for k, v in {**self.of_motion, **self.changed, **asked.values}.items() if k in numbers and k != name
        }
        found = stability.branch(self.equations, self.steady, {**own, name: tuple(sorted((span.begin, span.end)))})
        every = found.connected() if asked.connected else (found,)
        if any(CurveEnd.INTERRUPTED.value in b.outcome for b in every):
            raise ended_by_interruption("interrupted while branches were followed")
        return every

    @cached_property
    def branch_curves(self) -> tuple[stability.SpecialCurve, ...]:
        """Folds and Hopf points of the branches over a second value, if two values are varied."""
        asked = self.branch_request
        if asked is None or len(asked.vary) < 2:
            return ()
        name, span = list(asked.vary.items())[1]
        interval = tuple(sorted((span.begin, span.end)))
        return tuple(
            b.curve_of(p, {name: interval})
            for b in self.branches
            for p in b.special
            if p.kind == "fold" or (p.kind == "Hopf" and p.form is not None)
        )

    # ------------------------------------------------------------------------------------------------ periodic motions

    @property
    def orbit_request(self) -> OrbitRequest | None:
        """The requested orbit."""
        return self.orbiting or self.source.requests.orbit

    @cached_property
    def orbit(self) -> stability.Orbit | None:
        """The requested periodic motion; None if not requested."""
        asked = self.orbit_request
        if asked is None:
            return None
        period = asked.period if asked.period is None else _in_own_symbols(asked.period, self.equations)
        found = self._hopf_orbit(asked) if asked.hopf is not None else self._simulated_orbit(asked, period)
        if not found.is_periodic:
            raise StabilityError(f"{self.source.name!r}: {found.outcome}")
        return found

    def _hopf_orbit(self, asked: OrbitRequest) -> stability.Orbit:
        """The orbit that begins at a Hopf point of the branches, counted through all of them."""
        left = asked.hopf or 0
        for b in self.branches:
            count = sum(p.kind == "Hopf" for p in b.special)
            if left < count:
                return stability.orbit(b.equations, b, at=left, mirror=asked.mirror)
            left -= count
        raise StabilityError(
            f"{self.source.name!r}: the branches have no Hopf point {asked.hopf}; request branches that have "
            "one, or give the orbit a period or a time to settle"
        )

    def _simulated_orbit(self, asked: OrbitRequest, period: Expr | None) -> stability.Orbit:
        """The orbit near the start, or where the motion from there has settled."""
        if period is None and asked.settle is None:
            raise StabilityError(
                f"{self.source.name!r}: the search for an orbit begins at the start with an approximate period, at a settled motion, or at a Hopf point; give "
                "period, settle or hopf"
            )
        simulated = self.source.requests.simulate
        laws = {} if simulated is None else dict(simulated.inputs)
        eq = integrate.closed_loop(self.equations, laws) if laws else self.equations
        known = eq.variables.of("q u z r p t")
        start = integrate.State.of(
            eq, {k: v for k, v in {**self.start.values, **self.values, **asked.values}.items() if k in known}
        )
        modes = None if self.contacts is None else self.contacts.with_inputs(laws)[0]
        if asked.settle is None:
            return stability.orbit(modes or eq, start, period=period, mirror=asked.mirror)
        span = (start.t, start.t + asked.settle)
        settled = integrate.simulate(eq, span, start) if modes is None else integrate.simulate_modes(modes, span, start)
        if not settled.outcome:
            raise StabilityError(f"{self.source.name!r}: orbit, settle: {asked.settle:g}: {settled.outcome}")
        return stability.orbit(modes or eq, settled, period=period, mirror=asked.mirror)

    @cached_property
    def orbit_families(self) -> tuple[stability.OrbitBranch, ...]:
        """Families of orbits over one value, the first through the orbit of the study; empty if not requested."""
        asked = self.orbit_request
        if asked is None or not asked.vary or self.orbit is None:
            return ()
        ((name, span),) = asked.vary.items()
        found = stability.orbits(self.orbit.equations, self.orbit, {name: tuple(sorted((span.begin, span.end)))})
        every = found.connected(generations=asked.generations)
        if any(stability.OrbitEnd.INTERRUPTED.value in f.outcome for f in every):
            raise ended_by_interruption("interrupted while orbits were followed")
        return every

    @cached_property
    def responses(self) -> list[stability.FrequencyResponse]:
        """The requested frequency and time responses."""
        out = []
        for r in self.wanted or self.source.requests.frf:
            hertz = (
                None
                if r.hertz is None
                else stability.frequency_grid(r.hertz.begin, r.hertz.end, r.hertz.points or POINTS)
            )
            numbers = {**self.at, **r.values}
            out.append(self.linear.frequency_response(r.input, r.output, hertz, values=numbers))
        return out

    def __repr__(self) -> str:
        return (
            f"<Study of {self.source.name} "
            f"({self.source.origin}){f', with {listed(self.changed)} changed' if self.changed else ''}>"
        )


def _evenly(begin: float, end: float, points: int) -> list[float]:
    """Times from begin to end, both included."""
    step = (end - begin) / max(points - 1, 1)
    return [begin + k * step for k in range(points - 1)] + [end if points > 1 else begin]


def _in_own_symbols(period: Expr, eq: Equations) -> Expr:
    """A period in terms of the equations' own symbols."""
    found = in_own_terms(eq, [period])[0]
    assert isinstance(found, Expr)
    return found
