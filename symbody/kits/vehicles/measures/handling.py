"""Measures of handling: gains and gradients as formulas from linear systems, diagrams from branches of steady turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered
from ....errors import StabilityError
from ....summary import Introduced, Tabular

MAX_STEPS: Final = 20  # largest number of Newton steps for a car on stiff springs
NEGLIGIBLE: Final = 1e-12  # singular values of a balanced A below this fraction of the largest are zero
NO_STEADY_STATE: Final = "steady_gain: the system has no steady state for a constant input; drop cyclic states"


def steady_gain(lin: sb.LinearSystem, r: str, y: str) -> sb.Expr:
    """The value that an output or state ends at for a unit input, as a formula of the parameters:

    0 = A x + B r,   y = C x + D r   ->   y/r = D - C A⁻¹ B

    A number, for the values of the parameters, where the motion that the system is about is known in numbers only, as
    that of `vh.car`.
    """
    n, column = len(lin.x), lin.numbers.input(r)
    if lin.numbers.unknowns:
        return sb.fraction(0, 1) + _gain_in_numbers(lin, column, y)
    draw = np.random.default_rng(1)
    numbers = sb.evaluate(list(lin.A.entries), {s: draw.uniform(0.5, 1.5) for s in sb.free_symbols(lin.A)})
    if np.linalg.matrix_rank(np.array(numbers, dtype=float).reshape(n, n)) < n:
        raise StabilityError(NO_STEADY_STATE)
    x = sb.solve(lin.A, [-lin.B[i, column] for i in range(n)])
    if y in lin.x:
        return sb.tidy(x[lin.x.index(y)])
    row = lin.with_outputs(y)
    return sb.tidy(sum((row.C[0, k] * x[k] for k in range(n)), start=row.D[0, column] + sb.fraction(0, 1)))


def _gain_in_numbers(lin: sb.LinearSystem, column: int, y: str) -> float:
    """The same in numbers. States that no rate depends on, such as the turns of wheels, go on; others may be open, such as
    the speed of a car without drag, as long as the output does not depend on them."""
    at = (lin if y in lin.x else lin.with_outputs(y)).matrices()
    C, D = (np.eye(len(lin.x))[lin.x.index(y)], 0.0) if y in lin.x else (at.C[0], at.D[0, column])
    stays = np.abs(at.A).max(axis=0) > 0
    A = at.A[np.ix_(stays, stays)]
    rows, columns = (np.where((size := np.abs(A).max(axis=k)) > 0, size, 1.0) for k in (1, 0))
    U, s, Vt = np.linalg.svd(A / rows[:, None] * (rows.max() / columns))
    has_force = s > NEGLIGIBLE * s[0]
    b, c = -at.B[stays, column] / rows, C[stays] * rows.max() / columns
    left, open_ = U[:, ~has_force].T @ b, Vt[~has_force] @ c
    if np.abs(left).max(initial=0) > 1e-6 * np.abs(b).max() or np.abs(open_).max(initial=0) > 1e-6 * np.abs(c).max():
        raise StabilityError(NO_STEADY_STATE)
    return float(D + c @ (Vt[has_force].T @ ((U[:, has_force].T @ b) / s[has_force])))


@dataclass(frozen=True)
class Understeer(Introduced):
    """What a car at the speed V does with a small steer angle, as formulas, or as numbers (see `steady_gain`).

    yaw_gain = r/δ = V / (L + K V²)
    gradient K = (V/yaw_gain - L) / V²      [rad s²/m]; positive: understeer
    characteristic speed √(L/K), critical speed √(-L/K)
    """

    yaw_gain: sb.Expr
    gradient: sb.Expr
    wheelbase: sb.Expr

    @property
    def characteristic_speed(self) -> sb.Expr:
        """Of a car that understeers: its yaw gain is largest there."""
        return sb.sqrt(self.wheelbase / self.gradient)

    @property
    def critical_speed(self) -> sb.Expr:
        """Of a car that oversteers: it is unstable above."""
        return sb.sqrt(-self.wheelbase / self.gradient)


@answered
def understeer(
    lin: sb.LinearSystem, wheelbase: Any, *, speed: Any = "V", steer: str = "delta", yaw_rate: str = "r"
) -> Understeer:
    """Yaw gain and understeer gradient of a linear system about straight running, with all its parameters.

    wheelbase   a number or an expression, `sb.symbol("a") + sb.symbol("b")`
    speed       a number, or the name of the parameter or speed that it is: "u" of a `vh.car`
    """
    V = speed if not isinstance(speed, str) else _speed(lin, speed)
    L = wheelbase + sb.fraction(0, 1)
    gain = steady_gain(lin, steer, yaw_rate)
    return Understeer(gain, sb.tidy((V / gain - L) / V**2), L)


def _speed(lin: sb.LinearSystem, name: str) -> Any:
    """A parameter; or the number that a speed has in the motion that the system is about."""
    if not lin.numbers.unknowns:
        return sb.symbol(name)
    known = {p.name: x for p, x in lin.defaults.items()}
    if isinstance(lin.about, sb.stability.SteadyMotion):
        known |= {u.name: lin.about[u.name] for u in lin.about.equations.u}
    if name not in known:
        raise StabilityError(
            f"understeer: speed={name!r} is neither a parameter of {lin.name!r} nor a speed of its steady motion; give a number, or the name of the forward speed: speed='u' for a vh.car"
        )
    return float(known[name])


@answered
def straight(eq: sb.Equations, speed: float, *, settle: float = 4.0, **values: float) -> Any:
    """A car that runs straight at a speed u, its drive torque found. The search begins where the car would stand and roll
    if its suspensions were stiff, which is next to the answer where springs hold the design position; a car without the
    names of `vh.car` is let go at that speed with wheels at rest until it has settled on its springs and rolls.

    settle   how long it is let go [s], where it is
    values   of parameters other than the model's
    """
    found = None
    if (stiff := _on_stiff_springs(eq, speed, values)) is not None:
        found = _running_straight(eq, speed, stiff, values)
    if found is None or not found.is_steady:
        sim = sb.simulate(eq, settle, {"u": speed}, values=values)
        spun_up = speed / float(sim["u"][-1])  # spinning the wheels up took some of the speed
        near = {s.name: float(sim[s.name][-1]) * (spun_up if s.kind == "speed" else 1) for s in (*eq.q, *eq.u)}
        found = _running_straight(eq, speed, near, values)
    return found


def _running_straight(eq: sb.Equations, speed: float, near: Mapping[str, float], values: Mapping[str, float]) -> Any:
    placed = [q.name for q in eq.q if q.name in ("y", "yaw")]
    return sb.steady(eq, {"u": speed, **values}, zero=["v", "r", *placed], free=["drive"], start=near)


def _on_stiff_springs(eq: sb.Equations, speed: float, values: Mapping[str, float]) -> dict[str, float] | None:
    """Height and pitch at which the tyres carry the car, and spins without longitudinal force, everything else as
    designed: by Newton's method on the rows of these forces. None if there is no such motion."""
    rates = [u for u in eq.u if u.name in ("z_dot", "pitch_dot") or u.name.endswith("_spin_dot")]
    if not {"z_dot", "pitch_dot"} < {u.name for u in rates}:
        return None
    named = {s.name: s for s in (*eq.q, *eq.u)}
    unknowns = [u if u.name.endswith("_spin_dot") else named[u.name.removesuffix("_dot")] for u in rates]
    rows = [eq.f.entries[eq.u.index(u)] for u in rates]
    slopes, at = sb.jacobian(rows, unknowns), _design(eq, speed, values)
    x = np.array([at[s] for s in unknowns])
    reach = np.where(x == 0, 0.02, 0.02 * np.abs(x))  # tyres that slide or are in the air have no slopes
    for _ in range(MAX_STEPS):
        at.update(zip(unknowns, map(float, x), strict=True))
        F, J = (np.array(sb.evaluate(list(e), at), dtype=float) for e in (rows, slopes.entries))
        step = np.linalg.lstsq(J.reshape(slopes.shape), F, rcond=1e-12)[0]
        if not np.isfinite(step).all():
            return None
        x = x - np.clip(step, -reach, reach)
        if (np.abs(step) <= 1e-6 * (1 + np.abs(x))).all():
            return {"u": speed, **{s.name: float(v) for s, v in zip(unknowns, x, strict=True)}}
    return None


def _design(eq: sb.Equations, speed: float, values: Mapping[str, float]) -> dict[sb.Symbol, float]:
    """All at zero, with wheels that roll as if they were of 0.3 m, at the speed u."""
    rolling = {u.name: speed / 0.3 for u in eq.u if u.name.endswith("_spin_dot")}
    return dict(eq.values({"u": speed, **rolling, **values}, otherwise=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class HandlingDiagram(Tabular):
    """Steady turns over lateral acceleration (ISO 4138): print it for a table.

    steer, side_slip   at each `ay`; `gradient` dδ/d ay of the road wheels less that of the curvature at constant speed; `slip_gradient`
                       dβ/d ay
    branch             the steady motions behind them, with stability and special points
    """

    ay: np.ndarray
    steer: np.ndarray
    side_slip: np.ndarray
    gradient: np.ndarray
    slip_gradient: np.ndarray
    branch: sb.stability.Branch

    @property
    def largest(self) -> float:
        """Lateral acceleration at the end of what the tyres can do: at the fold, or the end of the branch."""
        return float(np.max(np.abs(self.ay)))

    def at(self, ay: float) -> dict[str, float]:
        """Measures at a lateral acceleration, on the way to the largest; every output of the car too."""
        rising = np.arange(int(np.argmax(np.abs(self.ay))) + 1)
        own = {
            "steer": self.steer,
            "side_slip": self.side_slip,
            "gradient": self.gradient,
            "slip_gradient": self.slip_gradient,
        }
        if not min(self.ay[rising]) <= ay <= max(self.ay[rising]):
            raise StabilityError(
                f"handling diagram: ay = {ay} is not on it; it goes from {min(self.ay[rising]):z.3g} to {max(self.ay[rising]):z.3g}"
            )
        order = rising[np.argsort(self.ay[rising])]
        return {k: float(np.interp(ay, self.ay[order], x[order])) for k, x in own.items()}

    def __str__(self) -> str:
        places = np.linspace(float(self.ay[0]), float(self.ay[np.argmax(np.abs(self.ay))]), 9)
        lines = ["ay [m/s2]  steer [deg]  side slip [deg]  gradient [deg s2/m]  slip gradient [deg s2/m]"]
        for a in places:
            m = {k: float(np.degrees(x)) for k, x in self.at(float(a)).items()}
            lines.append(
                f"{a:z9.3f}{m['steer']:z13.4f}{m['side_slip']:z17.4f}{m['gradient']:z21.4f}{m['slip_gradient']:z26.4f}"
            )
        lines.append(f"the branch ends at ay = {self.ay[-1]:z.4g}: {self.branch.outcome[1]}")
        return "\n".join(lines)


@answered
def handling_diagram(
    eq: sb.Equations, ay: tuple[float, float], *, speed: float | None = None, radius: float | None = None,
    wheelbase: float, ratio: float = 1.0, steer: str = "delta", speed_name: str = "V", free: Sequence[str] = (), start: Any = None,
    **values: float,
) -> HandlingDiagram:  # fmt: skip
    """Steady turns of a car with the outputs `ay` and `beta`, followed as a branch through folds.

    speed      constant speed: the turn tightens. ISO 4138, 6.3: gradient = dδ/d ay / i - L/V²
    radius     constant radius: the speed grows. gradient = dδ/d ay / i
    ratio      i, the steer angle for a radian of the road wheels; 1 if the steer angle is that of the wheels
    free       further inputs to be found: `free=["drive"]` of a `vh.car`, with speed_name="u" and
               start=vh.straight(eq, speed)
    """
    if (speed is None) == (radius is None):
        raise StabilityError(
            "handling_diagram: a turn is at a constant speed= or at a constant radius=; give one of them"
        )
    if speed is not None:
        turn = sb.steady(eq, {"ay": ay[0], **values, speed_name: speed}, free=[steer, *free], start=start)
        found, away = sb.branch(eq, turn, ay=ay, max_step=0.1), wheelbase / speed**2
    else:
        turn = _turn_of_a_radius(eq, max(ay[0], 0.05), radius, (steer, speed_name), start, values)
        found, away = sb.branch(eq, turn, ay=(max(ay[0], 0.05), ay[1]), max_step=0.1), 0.0
    ahead = np.concatenate([[True], np.diff(found["ay"]) != 0])  # a branch begins twice where it begins at its border
    at, angle, slip = (np.asarray(found[k])[ahead] for k in ("ay", steer, "beta"))
    steeper, slipping = (np.gradient(x, at, edge_order=2) for x in (angle, slip))
    return HandlingDiagram(at, angle, slip, steeper / ratio - away, slipping, found)


def _turn_of_a_radius(
    eq: sb.Equations, ay: float, radius: Any, unknown: tuple[str, str], start: Any, values: Mapping[str, float]
) -> Any:
    """A steady turn with r = V/R, in which steer angle and speed are to be found."""
    V, begin = sb.symbol(unknown[1]), (ay * radius) ** 0.5
    near = {unknown[1]: begin, "r": begin / radius, **(start or {})}
    return sb.steady(eq, {"ay": ay, "r": V / radius, **values}, free=list(unknown), start=near)
