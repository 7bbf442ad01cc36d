"""`orbit`: from equations and a start to an `Orbit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ....algebra.calculus.evaluate import evaluate
from ....algebra.graph.graph import Expr, Symbol, as_expr
from ....derivation.equations.equation_arguments import of_equations_or
from ....derivation.equations.equations import Equations
from ....derivation.equations.keywords import values_by_name
from ....derivation.equations.own_terms import in_own_terms
from ....derivation.equations.sampling import refuse_samples
from ....emit.run.callable import Array
from ....errors import StabilityError, finite_number, in_number, listed, shown, unknown
from ....integrate.modes.modes import Contacts, Modes
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.state import State, start_values
from ...branches.branch import Branch
from ...branches.branch_points import SpecialPoint
from ..methods.orbit_collocation import FIRST_INTERVALS, CollocationProblem
from ..methods.orbit_mesh import on_mesh, values_and_slopes
from ..methods.shooting import ShootingProblem
from ..problem.drive_period import refuse_other_period
from ..problem.itineraries import EventItinerary, HybridSystem, Itinerary
from ..problem.orbit_flow import OrbitFlow, conserved_quantities
from ..problem.orbit_problem import NewtonIterate, OrbitPoint, OrbitProblem, OrbitSetting
from .find_hybrid_orbit import home_of, image_of, refuse_false_image, refuse_unsuited
from .hybrid_orbit import HybridOrbit
from .orbit import TRIVIAL_TOLERANCE, Orbit, flow_of
from .orbit_start import (
    around_an_equilibrium,
    between_events,
    from_function,
    mesh_of_steps,
    settled_period,
    shooting_guess,
    states_of,
)

NOT_FOUND: Final = (
    "Newton's method did not converge to a periodic motion from this start; try a closer one (a simulation that has "
    "settled), another period=, or more intervals="
)
NOT_ALONG: Final = (
    "the result is not an orbit: its multiplier along the motion is far from 1. If the equations depend on time, give "
    "period=; otherwise tolerance= is too large"
)
ONE_OF_MANY: Final = (
    "found; it is one of a family of neighbouring orbits, because of a conserved quantity or a symmetry: further multipliers "
    "are 1, to about the square root of rounding; conserved= names the quantity"
)
AT_REST: Final = "the start is an equilibrium; give a start at which the system moves"
# difference between rates and their mirror image, relative to the rates, below which they agree
MIRROR_TOLERANCE: Final = 1e-7
AMPLITUDE: Final = 0.03  # default amplitude of an orbit next to a Hopf point
MIRROR_SAMPLES: Final = 64  # number of points at which the halves of an orbit are compared
# difference between the halves of an orbit, relative to the sizes of states, below which they are mirror images
SAME_HALVES: Final = 1e-5
SEGMENTS: Final = 6  # default number of segments of multiple shooting
REST: Final = 1e-12  # change over a period, relative to the states' sizes, that counts as rest
RESOLVED: Final = (
    1e-3  # residual of a motion on an even mesh, relative to the states' sizes, above which others are tried
)
FORMS_OF_ORBITS: Final = ("collocation", "shooting")


@dataclass(frozen=True)
class OrbitOptions:
    """Options of `orbit`."""

    period: Any
    mirror: tuple[str, ...]
    conserved: dict[str, Expr]
    intervals: int
    tolerance: float
    amplitude: float
    form: str
    course: Itinerary
    segments: int


@values_by_name(StabilityError)
@of_equations_or(Modes, Contacts)
def orbit(
    equations: Equations | HybridSystem, start: Any, values: Mapping[Any, Any] | None = None, *, period: Any = None, mirror: Sequence[Any] | str = (),
    conserved: Mapping[str, Any] | str = "auto", events: Sequence[Any] = (), swap: Mapping[Any, Any] | None = None, form: str = "auto", segments: int | None = None, at: int = 0, amplitude: float = AMPLITUDE, intervals: int = FIRST_INTERVALS, tolerance: float = 1e-9,
    options: Mapping[str, Any] | None = None, **named: Any,
) -> Orbit:  # fmt: skip
    """Find a periodic motion: `orbit(eq, simulate(eq, 100, x=1))`, `orbit(eq, {"x": 2}, period=6.6)`, `orbit(eq,
    branch)` at a Hopf point.

    equations   of a mechanism; or `Modes` or `Contacts`, whose orbits have mode transitions: stick and slip, gaits
    start       a trajectory that has settled; values or a state, with a period near that of the orbit; a branch of
                steady motions that has a Hopf point (the one numbered `at`), where an orbit of a small `amplitude`
                begins; or another orbit
    values      of parameters and inputs, and `energy` if it is conserved; also as keywords
    period      of the excitation (a number or an expression of parameters) if the equations depend on time; otherwise a
                guess of the period
    mirror      coordinates and variables that change sign after half a period, while the others repeat: the orbit is
                computed on half a period; "auto": detected from the orbit found, if it is its own mirror image
    conserved   conserved quantities other than constraints, by name; "auto": the energy of a conservative system, and
                momenta of cyclic coordinates
    events      zero crossings with resets and impacts on the way, as in `simulate`: a gait, a bouncing ball
    swap        of `Modes` and `Contacts`: coordinates and variables that are exchanged from one step to the next, such
                as legs that stand in turn, `{"left": "right"}`, or change sign, `{"lean": "-lean"}`, and their rates.
                The orbit is one step; the motion continues as its image
    form        "collocation", or "shooting" in so many `segments`, which events require
    intervals   of the first mesh; it is refined until halving its intervals changes the orbit by less than `tolerance`

    The result is an `Orbit`, even if the search failed: check `is_periodic` and `outcome`.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})  # van der Pol
    >>> found = sb.orbit(eq, {"x": 2.0}, period=6.6)
    >>> found.period, found.is_stable
    (6.66329, True)

    See also: `stability.Orbit`, `orbits`, `simulate`, `poincare`.
    """
    if isinstance(equations, Equations):
        refuse_samples(equations, "orbit", StabilityError)
    given = dict(values or {})
    if not isinstance(equations, Equations):
        refuse_unsuited(equations, form, segments, mirror)
        return _of_modes(equations, start, given, period, conserved, tuple(events), tolerance, swap or {})
    if swap:
        raise StabilityError(
            f"orbit of {equations.name!r}: swap= is for Modes and Contacts; in one set of equations mirror= names what "
            "changes its sign, and the reset of an event may change places"
        )
    kind = _form(equations, form, events)
    rows = {} if events and conserved == "auto" else conserved_rows(equations, conserved)
    is_sought = isinstance(mirror, str) and mirror == "auto"
    names = (
        ()
        if is_sought
        else tuple(str(getattr(s, "name", s)) for s in ([mirror] if isinstance(mirror, str) else mirror))
    )
    several = segments or (1 if events else SEGMENTS)
    course = EventItinerary(tuple(events))
    asked = OrbitOptions(period, names, rows, intervals, tolerance, amplitude, kind, course, several)
    if isinstance(start, Branch):
        made = _from_hopf(equations, start, at, given, asked)
    else:
        guess, setting = _guess(equations, start, given, asked)
        flow = flow_of(equations, rows, None, course)
        refuse_other_period(flow, setting, guess)
        made = found_orbit(problem_of(flow, setting, asked.form, course), guess, asked.tolerance)
    return _on_half_period(made, asked) if is_sought and made.is_periodic else made


def _form(eq: Equations, form: str, events: Sequence[Any]) -> str:
    if form not in ("auto", *FORMS_OF_ORBITS):
        raise unknown(f"orbit of {eq.name!r}", "form", form, ["auto", *FORMS_OF_ORBITS], StabilityError)
    if events and form == "collocation":
        raise StabilityError(f"orbit of {eq.name!r}: collocation does not handle events; use form='shooting'")
    return ("shooting" if events else "collocation") if form == "auto" else form


def _of_modes(
    system: HybridSystem, start: Any, values: dict[Any, Any], period: Any, conserved: Any, events: tuple[Any, ...], tolerance: float,
    swap: Mapping[Any, Any],
) -> Orbit:  # fmt: skip
    """The orbit of a hybrid system near a motion, or near another orbit."""
    if isinstance(start, Branch):
        raise StabilityError(f"orbit of {system.name!r}: branches are those of one set of equations; give a motion")
    if isinstance(start, Orbit):
        course, rows = start.course, dict(zip(start.conserved, start.conserved_rows, strict=True))
        flow = flow_of(start.equations, rows, None, course)
        asked = OrbitOptions(None, (), rows, 0, tolerance, 0.0, "shooting", course, 1)
        guess, setting = _from_orbit(flow, start, values, {}, asked)
    else:
        expression, T = _period(system, period, _numbers(system, start, values) if isinstance(period, Expr) else {})
        course, state, T = home_of(system, start, values, T, events, 2 if swap else 1)
        rows = {} if conserved == "auto" else conserved_rows(state.equations, conserved)
        flow = flow_of(state.equations, rows, None, course)
        if flow.is_driven and expression is None:
            raise StabilityError(
                f"orbit of {system.name!r}: its equations depend on time; give period=, that of what drives it or a multiple"
            )
        x = np.array([[state[s.name] for s in flow.x]] * 2)
        guess = OrbitPoint(np.array([0.0, 1.0]), x, np.zeros((1, 0, flow.n)), T, 0.0)
        of_drive = (expression, state.t) if flow.is_driven else (None, 0.0)
        setting = OrbitSetting(
            np.concatenate([state.p, state.r]), np.zeros(len(flow.rows)), None, None, None, *of_drive,
            image_of(system, course.mode, swap),
        )  # fmt: skip
        setting = with_levels(flow, setting, x[0], {})
    refuse_other_period(flow, setting, guess)
    found = found_orbit(ShootingProblem(flow, setting, course), guess, tolerance)
    if isinstance(found, HybridOrbit) and found.is_periodic:
        refuse_false_image(found)
    return found


def _numbers(system: HybridSystem, start: Any, values: Mapping[Any, Any]) -> dict[Symbol, float]:
    """Numbers of parameters, from which a period follows."""
    eq = system.equations(system.initial)
    given = {**start_values(start, f"orbit of {system.name!r}"), **{str(k): v for k, v in values.items()}}
    return {s: float(given.get(s.name, x)) for s, x in eq.variables.defaults.items() if s in eq.variables.constants}


def problem_of(
    flow: OrbitFlow, setting: OrbitSetting, form: str, course: Itinerary
) -> CollocationProblem | ShootingProblem:
    """Orbits of a flow by one of the forms."""
    return ShootingProblem(flow, setting, course) if form == "shooting" else CollocationProblem(flow, setting)


def found_orbit(
    problem: CollocationProblem | ShootingProblem, guess: OrbitPoint, tolerance: float, normal: OrbitPoint | None = None
) -> Orbit:
    """The orbit near a guess, refined, with its multipliers: at the guess's value, or in the plane with a normal."""
    way: list[NewtonIterate] = []
    rests = normal is None and not problem.flow.is_driven and _rests(problem, guess)
    found = None if rests else problem.refined(guess, tolerance, normal, way)
    if found is None:
        none, said = np.zeros(0, dtype=complex), AT_REST if rests else NOT_FOUND
        return orbit_of(problem, guess, none, (problem.residual(guess), np.nan), said, tuple(way))
    corrected, error = found
    said = (
        (ONE_OF_MANY if corrected.is_one_of_many else "found")
        if error <= tolerance
        else f"the finest mesh changes it by {error:z.1e} still; tolerance is {tolerance:z.1e}"
    )
    multipliers = problem.multipliers(corrected.point, problem.maps(corrected.point))
    errors = (problem.residual(corrected.point), error)
    made = orbit_of(problem, corrected.point, multipliers, errors, said, tuple(way))
    _refuse_false_mirror(problem, made)
    if made.trivial_error > TRIVIAL_TOLERANCE:
        return replace(made, outcome=f"{NOT_ALONG} (it is off by {made.trivial_error:z.1e})", is_periodic=False)
    return made


def _rests(problem: OrbitProblem, guess: OrbitPoint) -> bool:
    """Whether nothing moves along a guess."""
    times = problem.setting.t0 + guess.T * guess.times
    f, _ = problem.flow.along(times, guess.x, problem.setting.p)
    return bool((np.abs(f) * guess.T <= REST * guess.sizes).all())


def orbit_of(
    problem: CollocationProblem | ShootingProblem,
    point: OrbitPoint,
    multipliers: Any,
    errors: tuple[float, float],
    said: str,
    way: tuple[NewtonIterate, ...] = (),
) -> Orbit:
    """The result, with the varied value as a number like the others."""
    flow, is_found = problem.flow, said not in (NOT_FOUND, AT_REST)
    shown_point = problem.shown(point) if is_found else point
    nodes = None if shown_point is point else replace(point, value=0.0)
    kind = Orbit if problem.course.system is None else HybridOrbit
    return kind(
        flow.equations, fixed_value(problem.setting, point.value), replace(shown_point, value=0.0), tuple(s.name for s in flow.x),
        tuple(flow.conserved), multipliers, *errors, problem.form, said, is_found, tuple(flow.conserved.values()), problem.course, nodes, way,
    )  # fmt: skip


def _on_half_period(whole: Orbit, asked: OrbitOptions) -> Orbit:
    """An orbit that is its own mirror image, on half of its period; any other orbit unchanged."""
    signs = own_mirror(whole)
    if signs is None or asked.form != "collocation":
        return whole
    flow = flow_of(whole.equations, asked.conserved, None, asked.course)
    problem = CollocationProblem(flow, replace(whole.setting, mirror=signs))
    times = np.linspace(0.0, 1.0, len(whole.point.K) // 2 + 1)
    half = on_mesh(whole.point, times / 2)
    guess = replace(half, times=times, T=whole.point.T / 2)
    if _wrongly_mirrored(problem, guess):
        return whole
    found = found_orbit(problem, guess, asked.tolerance)
    return found if found.is_periodic else whole


def own_mirror(whole: Orbit) -> Array | None:
    """Signs of the states for which the second half of an orbit is the mirror image of the first; None if it is
    not, or repeats it."""
    tau = (np.arange(MIRROR_SAMPLES) + 0.5) / (2 * MIRROR_SAMPLES)
    first, second = (values_and_slopes(whole.point, part + tau)[0] for part in (0.0, 0.5))
    near = SAME_HALVES * whole.point.sizes
    repeats, turns = (np.abs(second - sign * first).max(axis=0) <= near for sign in (1, -1))
    return np.where(repeats, 1.0, -1.0) if (repeats | turns).all() and not repeats.all() else None


def _refuse_false_mirror(problem: OrbitProblem, made: Orbit) -> None:
    """A mirror image of the motion is one itself only where the equations are their own mirror image."""
    if made.setting.mirror is not None and (wrong := _wrongly_mirrored(problem, made.point)):
        raise StabilityError(
            f"orbit of {problem.flow.equations.name!r}: with mirror = {listed(made_names(problem.flow, problem.mirror))} {in_number(wrong, 'the rate of {} is', 'the rates of {} are')} not mirrored; "
            "name all coordinates and variables that change their sign, or leave mirror= out"
        )


def _wrongly_mirrored(problem: OrbitProblem, point: OrbitPoint) -> list[str]:
    """States whose rates at the mirror image are not mirrored."""
    flow, signs = problem.flow, problem.mirror
    times, x = (
        problem.setting.t0 + point.T * point.gauss_times.reshape(-1),
        point.at_gauss_points.reshape(-1, problem.flow.n),
    )
    here, _ = flow.along(times, x, problem.p)
    there, _ = flow.along(times + point.T, signs * x, problem.p)
    off = np.abs(there - signs * here).max(axis=0)
    size = np.maximum(np.abs(here).max(axis=0), 1e-6 * np.abs(here).max())
    return [s.name for s, o, z in zip(flow.x, off, size, strict=True) if o > MIRROR_TOLERANCE * z]


def made_names(flow: OrbitFlow, signs: Array) -> list[str]:
    """States that change their sign."""
    return [s.name for s, sign in zip(flow.x, signs, strict=True) if sign < 0]


# ---------------------------------------------------------------------------------------------------- questions


def conserved_rows(eq: Equations, conserved: Mapping[str, Any] | str) -> dict[str, Expr]:
    if conserved == "auto":
        rows: dict[str, Expr] = eq.cached("conserved quantities", (), lambda: conserved_quantities(eq))
        return rows
    if isinstance(conserved, str):
        raise unknown(f"orbit of {eq.name!r}", "choice for conserved=", conserved, ["auto"], StabilityError)
    return {str(k): in_own_terms(eq, [as_expr(e)])[0] for k, e in conserved.items()}


def mirror_signs(flow: OrbitFlow, names: Iterable[str]) -> Array | None:
    """-1 of states that change their sign: those named, and speeds that are rates of named coordinates."""
    eq, wanted = flow.equations, set()
    for name in names:
        wanted.add(eq.variables.of("q u z").symbol(name, f"orbit of {eq.name!r}, mirror", StabilityError))
    if not wanted:
        return None
    turned = {e for q, e in zip(eq.q, eq.rates.entries, strict=True) if q in wanted and isinstance(e, Symbol)}
    return np.array([-1.0 if s in wanted or s in turned else 1.0 for s in flow.x])


def _period(
    eq: Equations | HybridSystem, period: Any, numbers: Mapping[Symbol, float]
) -> tuple[Expr | None, float | None]:
    """The period as an expression of parameters, and its value."""
    if period is None:
        return None, None
    wanted = (
        as_expr(period)
        if isinstance(period, Expr)
        else as_expr(finite_number(period, f"orbit of {eq.name!r}, period", StabilityError))
    )
    value = float(evaluate(wanted, numbers))
    if not value > 0:
        raise StabilityError(
            f"orbit of {eq.name!r}: a period must be a positive number; got {shown(period)} = {value:g}"
        )
    return wanted, value


def _guess(eq: Equations, start: Any, values: dict[Any, Any], asked: OrbitOptions) -> tuple[OrbitPoint, OrbitSetting]:
    """A first orbit on a uniform mesh, and its setting."""
    flow = flow_of(eq, asked.conserved, None, asked.course)
    levels = {k: values.pop(k) for k in list(values) if k in asked.conserved and k not in eq.variables}
    if isinstance(start, Orbit):
        return _from_orbit(flow, start, values, levels, asked)
    state = _state(eq, start, values)
    p = np.concatenate([state.p, state.r])
    numbers = dict(zip(eq.variables.constants, map(float, p), strict=True))
    signs = mirror_signs(flow, asked.mirror)
    expression, T = _period(eq, asked.period, numbers)
    if flow.is_driven and T is None:
        raise StabilityError(
            f"orbit of {eq.name!r}: its equations depend on time; give period=, that of what drives it or a multiple"
        )
    halves = 1 if signs is None else 2
    if isinstance(start, Trajectory):
        T = settled_period(flow, start, signs) * halves if T is None else T
        motion, end = start, float(start.t[-1])
        first = end - T if flow.is_driven else end - T / halves
    elif T is None:
        raise StabilityError(f"orbit of {eq.name!r}: from values the search needs period=, about that of the orbit")
    else:
        rounds = 1 if asked.course.is_smooth else 2
        motion = asked.course.simulated(eq, (state.t, state.t + rounds * T), state, {"progress": False})
        first = state.t
    part = T / halves
    if not asked.course.is_smooth:
        first = between_events([e.t for e in motion.events], first, first + part)
    t0 = first if flow.is_driven else 0.0
    setting = OrbitSetting(
        p, np.zeros(len(flow.rows)), mirror=signs, period=expression if flow.is_driven else None, t0=t0
    )
    times = np.linspace(0.0, 1.0, asked.intervals + 1)
    last = float(motion.t[-1])

    def states(tau: Array) -> Array:
        return states_of(flow, motion, np.minimum(first + part * tau, last))

    if asked.form == "shooting":
        guess = shooting_guess(states, asked.segments, part, None if signs is None else signs)
        return guess, with_levels(flow, setting, guess.x[0], levels)
    guess = from_function(flow, states, part, 0.0, times, t0, p)
    setting = with_levels(flow, setting, guess.x[0], levels)
    own = mesh_of_steps(motion.t, first, part, asked.intervals)
    return _best_resolved(flow, setting, guess, from_function(flow, states, part, 0.0, own, t0, p)), setting


def _best_resolved(flow: OrbitFlow, setting: OrbitSetting, even: OrbitPoint, by_steps: OrbitPoint) -> OrbitPoint:
    """The guess on an even mesh, or on one as dense as the steps of the motion where it resolves the motion better: at
    close encounters."""
    problem = CollocationProblem(flow, setting)
    missed = problem.residual(even)
    return by_steps if missed > RESOLVED and problem.residual(by_steps) < missed else even


def _state(eq: Equations, start: Any, values: Mapping[Any, Any]) -> State:
    """The state that the search begins in: the end of a trajectory, a state, or values by name."""
    where = f"orbit of {eq.name!r}"
    if isinstance(start, Trajectory):
        if values:
            raise StabilityError(
                f"{where}: a trajectory has all its values; leave out {listed(map(str, values))}, or simulate with them"
            )
        if start.state.equations is not eq:
            raise StabilityError(
                f"{where}: the trajectory is one of other equations (where inputs were functions, those with "
                "them put in): give closed_loop(eq, inputs) to both calls"
            )
        return start.state
    return State.of(eq, {**start_values(start, where), **values})


def _from_orbit(
    flow: OrbitFlow, start: Orbit, values: dict[Any, Any], levels: Mapping[str, Any], asked: OrbitOptions
) -> tuple[OrbitPoint, OrbitSetting]:
    eq = flow.equations
    known = {**start.parameters, **{str(getattr(k, "name", k)): v for k, v in values.items()}}
    p = np.array(
        [
            finite_number(known[s.name], f"orbit of {eq.name!r}, {s.name}", StabilityError)
            for s in eq.variables.constants
        ]
    )
    setting = replace(start.setting, p=p, place=None, freed=None)
    given = levels or dict(zip(flow.conserved, start.setting.levels[len(flow.constraints) :], strict=True))
    guess = replace(start.point, value=0.0)
    if asked.form == "shooting":
        tau = np.linspace(0.0, 1.0, asked.segments + 1)
        guess = start.nodes or OrbitPoint(
            tau, values_and_slopes(guess, tau)[0], np.zeros((asked.segments, 0, flow.n)), guess.T, 0.0
        )
    return guess, with_levels(flow, setting, guess.x[0], given)


def with_levels(flow: OrbitFlow, setting: OrbitSetting, x: Array, given: Mapping[str, Any]) -> OrbitSetting:
    """Levels of conserved quantities: those given, others as at a state."""
    levels = np.zeros(len(flow.rows))
    if flow.conserved:
        now = flow.rows_at(setting.t0, x, setting.p)[0][len(flow.constraints) :]
        where = f"orbit of {flow.equations.name!r}"
        own = [
            finite_number(given[k], f"{where}, {k}", StabilityError) if k in given else float(v)
            for k, v in zip(flow.conserved, now, strict=True)
        ]
        levels[len(flow.constraints) :] = own
    return replace(setting, levels=levels)


# ---------------------------------------------------------------------------------------------------- Hopf points


def _from_hopf(eq: Equations, branch: Branch, at: int, values: dict[Any, Any], asked: OrbitOptions) -> Orbit:
    """The orbit of a small amplitude next to a Hopf point, at the value of the varied parameter that it requires."""
    if values:
        raise StabilityError(
            f"orbit of {eq.name!r}: a Hopf point has all its values; leave out {listed(map(str, values))}"
        )
    special = _hopf_point(eq, branch, at)
    varied = {s.name: s for s in eq.variables.constants}.get(branch.varied)
    flow = flow_of(eq, asked.conserved, varied)
    if varied is None and not flow.conserved:
        raise StabilityError(
            f"orbit of {eq.name!r}: the branch varies {branch.varied}, which is neither a parameter nor an input of the equations, and nothing is conserved that could be "
            "varied instead; follow the branch over a parameter"
        )
    setting, x, shape, omega = _at_hopf_point(flow, branch, special, asked)
    halves = setting.halves
    first = special.value if varied is not None else float(setting.levels[setting.freed or 0])
    for part in (1.0, 0.3, 0.1):
        guess, growing = around_an_equilibrium(
            x,
            shape,
            part * asked.amplitude,
            2 * np.pi / omega / halves,
            first,
            np.linspace(0, 1, asked.intervals + 1),
            1 / halves,
        )
        made = found_orbit(CollocationProblem(flow, setting), guess, asked.tolerance, growing)
        if made.is_periodic:
            break
    return made


def _hopf_point(eq: Equations, branch: Branch, at: int) -> SpecialPoint:
    found = [s for s in branch.special if s.kind == "Hopf"]
    if not -len(found) <= at < len(found):
        raise StabilityError(f"orbit of {eq.name!r}: the branch has {len(found)} Hopf points; there is no number {at}")
    return found[at]


def _at_hopf_point(
    flow: OrbitFlow, branch: Branch, special: SpecialPoint, asked: OrbitOptions
) -> tuple[OrbitSetting, Array, Any, float]:
    """The setting, the state, the shape of the oscillation and its frequency."""
    eq, at = flow.equations, branch.problem.numbers_at(special.x)
    p = np.array([at[s] for s in eq.variables.constants])
    x, omega = np.array([at[s] for s in flow.x]), abs(special.eigenvalue.imag)
    s, V = np.linalg.eig(flow.along(np.zeros(1), x[None], p)[1][0])
    shape = V[:, np.argmin(np.abs(s - 1j * omega))]
    shape = shape / shape[np.argmax(np.abs(shape))]
    place = None if flow.varied is None else eq.variables.constants.index(flow.varied)
    freed = len(flow.constraints) if place is None else None
    setting = OrbitSetting(p, np.zeros(len(flow.rows)), place, freed, mirror_signs(flow, asked.mirror))
    return with_levels(flow, setting, x, {}), x, shape, omega


def fixed_value(setting: OrbitSetting, value: float) -> OrbitSetting:
    """The setting with the varied value as a number like the others."""
    p, levels = setting.p.copy(), setting.levels.copy()
    if setting.place is not None:
        p[setting.place] = value
    if setting.freed is not None:
        levels[setting.freed] = value
    return replace(setting, p=p, levels=levels, place=None, freed=None)
