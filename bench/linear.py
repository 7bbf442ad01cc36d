"""From a description to eigenvalues, beside SymPy's Linearizer; and root loci of 1000 points, beside SciPy.

Seconds are CPU time of a fresh process with empty caches, the least of several: description, equations, steady motion,
linearisation with all parameters as symbols, eigenvalues at one speed; "with loading" counts from the start of the
process. The bicycle is that of Meijaard, Papadopoulos, Ruina and Schwab (2007), which SymPy tests its Linearizer with
(test_kane3.py): that test runs as it is. The four-bar is converted to SymPy frame by frame, which is not counted. A
peer that reaches its limit is stopped: its row says so, and `ratio` is then a lower bound.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from scipy.linalg import eigvals

import symbody as sb
from examples import bicycle, four_bar_spatial, motorcycle

from .limits import Limit, StoppedError, limited
from .timing import Row, calibration, fresh, repeated

PROCESSES: Final = 3
LIMIT: Final = Limit(900.0, 8000.0)  # that SymPy is given
POINTS: Final = 1000


# ---------------------------------------------------------------------------------------------------- models


def benchmark_bicycle() -> sb.Model:
    """The benchmark bicycle of Meijaard and others (2007), their table 1; all frames are as the ground when it stands
    upright. z points down."""
    m = sb.Model("benchmark bicycle")
    x, y, yaw, lean, pitch, steer, rear_spin, front_spin = m.coordinates(
        "x y yaw lean pitch steer rear_spin front_spin"
    )
    p = m.parameters(
        w=1.02, c=0.08, tilt=math.pi / 10, g=9.81,
        rR=0.3, mR=2.0, IRxx=0.0603, IRyy=0.12, xB=0.3, zB=-0.9, mB=85.0, IBxx=9.2, IByy=11.0, IBzz=2.8, IBxz=2.4,
        xH=0.9, zH=-0.7, mH=4.0, IHxx=0.05892, IHyy=0.06, IHzz=0.00708, IHxz=-0.00756, rF=0.35, mF=3.0, IFxx=0.1405, IFyy=0.28,
    )  # fmt: skip
    m.gravity(0, 0, p.g)
    track = m.ground.translate(x, y, 0).rotate("z", yaw)
    frame = track.rotate("x", lean).translate(0, 0, -p.rR).rotate("y", pitch)
    handlebar = frame.translate(p.w + p.c, 0, p.rR).rotate("yzy", p.tilt, steer, -p.tilt)
    rear_body = sb.inertia(p.IBxx, p.IByy, p.IBzz, xz=p.IBxz)
    m.body("frame", frame, mass=p.mB, com=(p.xB, 0, p.zB + p.rR), inertia=rear_body)
    front_body = sb.inertia(p.IHxx, p.IHyy, p.IHzz, xz=p.IHxz)
    m.body("handlebar", handlebar, mass=p.mH, com=(p.xH - p.w - p.c, 0, p.zH), inertia=front_body)
    rear = m.body("rear wheel", frame.rotate("y", rear_spin), mass=p.mR, inertia=(p.IRxx, p.IRyy, p.IRxx))
    hub = handlebar.translate(-p.c, 0, -p.rF)
    front = m.body("front wheel", hub.rotate("y", front_spin), mass=p.mF, inertia=(p.IFxx, p.IFyy, p.IFxx))
    m.rolling("rear", rear, p.rR, up="-z", contact=track.origin)
    m.rolling("front", front, p.rF, up="-z")
    return m


def bicycle_system(model: sb.Model, zero: tuple[str, ...]) -> sb.LinearSystem:
    """Straight running at the speed V, in lean and steer."""
    equations = sb.derive(model)
    straight = sb.steady(equations, values={"x_dot": sb.symbol("V")}, zero=zero)
    return sb.linearize(equations, straight, drop="cyclic").without("x_dot")


def motorcycle_system() -> sb.LinearSystem:
    """Sharp's eight states."""
    equations = sb.derive(motorcycle.model())
    straight = sb.steady(equations, values={"x_dot": sb.symbol("V")}, zero=["y", "psi", "phi", "delta"])
    y, psi = sb.symbols("y psi", "coordinate")
    lin = sb.linearize(equations, straight).replace_state("y_dot", "y1_dot", y.dot - sb.symbol("V") * psi)
    return lin.without(*sb.stability.cyclic_states(lin), "x_dot")


def four_bar_system() -> sb.LinearSystem:
    equations = sb.derive(four_bar_spatial.model())
    return sb.linearize(equations, sb.steady(equations))


def benchmark_system() -> sb.LinearSystem:
    return bicycle_system(benchmark_bicycle(), ("y", "yaw", "lean", "steer"))


def crescent_system() -> sb.LinearSystem:
    return bicycle_system(bicycle.model(), ("y", "q3", "q1", "q2"))


SYSTEMS: Final[dict[str, tuple[Callable[[], sb.LinearSystem], dict[str, Any]]]] = {
    "benchmark": (benchmark_system, {"V": 5.0}),
    "crescent": (crescent_system, {"V": 5.0}),
    "four-bar": (four_bar_system, {}),
}


# --------------------------------------------------------------------------------------------------- in fresh processes


def cold(name: str) -> Row:
    """Seconds, and the eigenvalues."""
    with tempfile.TemporaryDirectory() as empty:
        os.environ["SYMBODY_CACHE"] = empty
        start = time.process_time()
        made, at = SYSTEMS[name]
        s = made().eigenvalues(**at)
        return _measured(start, s)


def sympy_bicycle() -> Row:
    """SymPy's test of its Linearizer, which ends with the state matrix compared with known numbers."""
    from sympy.physics.mechanics.tests.test_kane3 import test_bicycle  # loads SymPy, which our own runs do not

    start = time.process_time()
    test_bicycle()
    return _measured(start, None)


def sympy_four_bar() -> Row:
    """Kane's equations of the four-bar, `linearize` about its hanging, and numbers in that."""
    import sympy.physics.mechanics as me
    from sympy.core.cache import clear_cache

    from . import sympy_twin

    loading = time.process_time()
    mechanism = four_bar_spatial.model().freeze()
    follow = sympy_twin.Dependent(mechanism.q[1:], mechanism.u[1:])
    scalars = sympy_twin.converted(mechanism, True)
    clear_cache()
    start = time.process_time()
    method = sympy_twin.kane(mechanism, follow, scalars)
    states = [*method.q, *method.u, *(u.diff(me.dynamicsymbols._t) for u in method.u)]
    M, A, _ = method.to_linearizer(linear_solver="CRAMER").linearize(op_point=dict.fromkeys(states, 0))
    numbers = {sb.to_sympy(s, expand=True): v for s, v in mechanism.values.items()}
    M, A = (np.array(m.xreplace(numbers).tolist(), dtype=float) for m in (M, A))
    places = [0, len(method.q)]  # the independent coordinate and speed stand first
    found = _measured(start, np.linalg.eigvals(np.linalg.solve(M, A)[places]))
    return {**found, "with_loading": loading + found["seconds"]}


def _measured(start: float, eigenvalues: Any) -> Row:
    now = time.process_time()
    pairs = None if eigenvalues is None else [[s.real, s.imag] for s in eigenvalues.tolist()]
    return {"seconds": now - start, "with_loading": now, "eigenvalues": pairs}


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    yield {"case": "machine", "cores": os.cpu_count(), "load": os.getloadavg()[0], "calibration_us": calibration()}
    yield from _beside("bicycle", "benchmark", "SymPy, its own test_bicycle", "sympy_bicycle")
    yield from _beside("four-bar", "four-bar", "SymPy, KanesMethod and Linearizer", "sympy_four_bar")
    yield _row("Crescent, with loading", min(r["with_loading"] for r in _runs("crescent")), None, None)
    yield _locus("motorcycle, 1000-point locus", motorcycle_system(), (1.0, 40.0))
    yield _locus("Crescent, 1000-point locus", crescent_system(), (0.5, 10.0))


def _runs(name: str) -> list[Row]:
    return [r for r in (fresh("bench.linear:cold", name) for _ in range(PROCESSES)) if r is not None]


def _beside(case: str, name: str, peer: str, function: str) -> Iterator[Row]:
    ours = _runs(name)
    try:
        theirs: Any = fresh(f"bench.linear:{function}", limit=LIMIT)
    except StoppedError as reason:
        theirs, peer = {"seconds": LIMIT.seconds, "with_loading": None, "eigenvalues": None}, f"{peer}, {reason}"
    if theirs is None:
        theirs, peer = dict.fromkeys(("seconds", "with_loading", "eigenvalues")), f"{peer}, not installed"
    if theirs["eigenvalues"] is not None:
        found, expected = (sorted(abs(complex(*s)) for s in r["eigenvalues"]) for r in (ours[0], theirs))
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    yield _row(case, min(r["seconds"] for r in ours), peer, theirs["seconds"])
    yield _row(f"{case}, with loading", min(r["with_loading"] for r in ours), peer, theirs["with_loading"])


def _locus(case: str, lin: sb.LinearSystem, span: tuple[float, float]) -> Row:
    """Matrices, eigenvalues, branches and critical values; the peer takes the same matrices and gives eigenvalues only,
    in any order."""
    swept = lin.matrices(V=np.linspace(*span, POINTS))
    ours = repeated(lambda: lin.root_locus(points=POINTS, V=span), 5, clock=time.process_time)
    theirs = limited(lambda: repeated(lambda: _all_eigenvalues(swept), 5, clock=time.process_time), LIMIT)
    return _row(case, ours.least, "SciPy, eigvals(A, E) at each point", theirs.least)


def _all_eigenvalues(swept: Any) -> list[Any]:
    return [eigvals(A, E) for E, A in zip(swept.E, swept.A, strict=True)]


def _row(case: str, seconds: float, peer: str | None, peer_seconds: float | None) -> dict[str, Any]:
    ratio = None if peer_seconds is None else peer_seconds / seconds
    row = {"case": case, "seconds": seconds, "peer": peer, "peer_seconds": peer_seconds, "ratio": ratio}
    return row | {"peer_limit": str(LIMIT) if peer else None}
