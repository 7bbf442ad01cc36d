"""Bodies that deform, beside Exudyn: a reduced-order body on the same matrices and modes, and beams of ANCF elements;
and times of derivation.

Each row compares both programs at equal error: for each step of the peer, the fastest of our runs (method, tolerance,
number and kind of shapes, number of beams) whose error is no larger. The error is the largest distance of a point over its
path from the reference, our run with the most modes at a tight tolerance, to which the peer converges too. For whole
machines the reference has bending strain to third order; without it, one beam for each link stays 2e-5 m from the limit,
as the finer meshes of the peer do.

Times are the least of several calls of fully optimised code (`integrate/forms/compile_effort.py`), without derivation and
compilation, which have rows of their own. `loop_seconds` is the time inside the compiled loop, without the rest of
`simulate`; `steps` and `evaluations` belong to that run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import skfem

import symbody as sb

from . import elastic_peers as exudyn
from . import flexible_machines as machines
from .timing import Row

Array = Any
METHODS: Final = tuple(
    (method, r)
    for method, tolerances in (
        ("radau", (1e-2, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)),
        ("dp8", (1e-2, 1e-3, 1e-4, 1e-6)),
        ("dp5", (1e-3, 1e-4)),
    )
    for r in tolerances
)
SPIN: Final = (4.0, 3.0, 40.0)  # rad/s
SPUN: Final = np.linspace(0, 0.1, 21)
SWING: Final = {"length": 1.0, "EI": 50.0, "rho_A": 1.0, "EA": 1e6}
SWUNG: Final = np.linspace(0, 2, 21)
ARM: Final = {"length": 10.0, "EI": 1.4e4, "rho_A": 1.2, "EA": 2.8e7}  # of Simo and Vu-Quoc
HUB: Final = {"inertia": 100.0, "torque": 150.0}  # to 6 rad/s in 20 s
DRIVEN: Final = np.linspace(0, 20, 41)


def rows() -> Iterator[Row]:
    yield from derivations()
    yield from spinning_block()
    yield from swinging_beam()
    yield from spin_up()
    yield from whole_machines()


# ---------------------------------------------------------------------------------------------------- derivation


def block(nx: int = 12) -> sb.formats.FiniteElements:
    grid = (np.linspace(0, 1, nx + 1), np.linspace(-0.025, 0.025, 3), np.linspace(-0.01, 0.01, 2))
    basis = skfem.Basis(skfem.MeshHex.init_tensor(*grid), skfem.ElementVector(skfem.ElementHex2()))
    made = sb.finite_elements(basis, young=2.1e11, poisson=0.3, density=7850.0)
    return made.with_sets(root=made.near(x=0), tip=made.near(x=1.0))


def derivations() -> Iterator[Row]:
    """Milliseconds from a model to its equations; the model is made before."""

    def beam() -> sb.Model:
        m = sb.Model("beam")
        arm = m.beam("arm", length=1.0, EI=m.parameter("EI", 2.0), rho_A=0.5, modes=4)
        m.revolute("hinge", m.ground, arm, axis="z")
        return m

    part = block()
    reduced = {n: part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=n - 6) for n in (8, 20)}

    def body(n: int) -> sb.Model:
        m = sb.Model("body")
        m.free("motion", m.ground, m.elastic_from("arm", reduced[n]))
        return m

    for name, made in (
        ("beam, 4 modes", beam),
        ("finite elements, 8 modes", lambda: body(8)),
        ("finite elements, 20 modes", lambda: body(20)),
    ):
        spent = []
        for _ in range(5):
            m = made()
            begin = time.perf_counter()
            eq = sb.derive(m)
            spent.append(time.perf_counter() - begin)
        yield {
            "case": f"derive: {name}",
            "derive_ms": 1e3 * min(spent),
            "operations": sb.algebra.operations(eq.M, eq.f),
        }
    begin = time.perf_counter()
    part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=14)
    yield {
        "case": f"reduce: {part.size} degrees of freedom to 20",
        "derive_ms": 1e3 * (time.perf_counter() - begin),
        "operations": 0,
    }


# ---------------------------------------------------------------------------------------------------- equal error


@dataclass(frozen=True)
class OwnRun:
    """One of our ways to a path: in words, how it is run, seconds of a call, and its error."""

    words: str
    run: Callable[[], Any]
    seconds: float
    error: float


def own_runs(
    models: dict[str, tuple[Any, Any]], times: Array, start: dict[str, float], best: Array, **options: Any
) -> list[OwnRun]:
    """Every model with every method; `models`: equations and the point that is followed."""
    out = []
    for name, (eq, place) in models.items():
        for method, r in METHODS:
            more = {k: v * r for k, v in options.items()}
            run = partial(sb.simulate, eq, times, start, rtol=r, method=method, **more)
            sim = run()
            if not sim.outcome:  # with a tolerance as loose as this, a motion may run away
                continue
            error = _largest(path(sim, place) - best)
            at_full_effort(eq)
            out.append(OwnRun(f"{name}, {method}, rtol {r:g}", run, min(_timed(run)[0] for _ in range(3)), error))
    return out


def at_full_effort(eq: sb.Equations) -> None:
    """Machine code that is quick to run from now on, as it comes by itself when motions have taken long enough."""
    for form in eq.__dict__["_caches"]["form"].values():
        form.effort.improve()


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    sim = run()
    return time.perf_counter() - begin, sim


def path(sim: Any, place: Any) -> Array:
    return np.stack([np.broadcast_to(sim[e], sim.t.shape) for e in place.in_ground.entries], axis=1)


def _largest(difference: Array) -> float:
    return float(np.linalg.norm(difference, axis=1).max())


def compared(case: str, ours: list[OwnRun], best: Array, peer: str, run: Callable[[], tuple[float, Array]]) -> Row:
    spent, found = zip(*(run() for _ in range(3)), strict=True)
    error = _largest(found[0] - best)
    chosen = min(
        (x for x in ours if x.error <= error), key=lambda x: x.seconds, default=min(ours, key=lambda x: x.error)
    )
    calls, sims = zip(*(_timed(chosen.run) for _ in range(9)), strict=True)
    loops, counts = [sim.statistics.seconds for sim in sims], sims[0].statistics
    return {
        "case": f"{case}: {chosen.words}", "seconds": min(calls), "error": chosen.error, "peer": peer, "peer_seconds": min(spent), "peer_error": error,
        "ratio": min(spent) / min(calls), "loop_seconds": min(loops), "loop_ratio": min(spent) / min(loops),
        "steps": counts.steps, "evaluations": counts.evaluations,
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------------- the same matrices


def spinning_block() -> Iterator[Row]:
    """A free steel bar with eight modes that spins and tumbles; the path of a corner for a tenth of a second."""
    part = block()
    made = part.reduced(method="free", modes=8)
    corner = int((made.skin.nodes @ [1.0, 1.0, 1.0]).argmax())
    m = sb.Model("bar")
    body = m.elastic_from("bar", made)
    m.free("motion", m.ground, body)
    place = body.at(*(float(x) for x in made.skin.nodes[corner])).origin
    eq = sb.derive(m)
    start = dict(zip((s.name for s in eq.u[-3:]), SPIN, strict=True))
    best = path(sb.simulate(eq, SPUN, start, rtol=1e-12, atol=1e-16), place)
    ours = own_runs({"8 modes": (eq, place)}, SPUN, start, best, atol=1e-4)
    for h in (2e-4, 1e-4, 5e-5):
        peer = f"Exudyn ObjectFFRFreducedOrder, trapezoidal rule, h = {h:g}"
        yield compared(
            "spinning bar", ours, best, peer, partial(exudyn.reduced_order, part, made, corner, SPIN, SPUN, h)
        )


# ---------------------------------------------------------------------------------------------------- beams


def _of(beam: dict[str, float], parts: int, modes: int, stretch: int, shortening: int | None = None) -> dict[str, Any]:
    given: dict[str, Any] = {**beam, "length": beam["length"] / parts, "modes": {"y": modes}}
    if shortening is not None:
        given["modes"]["shortening"] = shortening
    if stretch:
        given["modes"]["x"] = stretch
    else:
        del given["EA"]
    return given


def swinging_beam() -> Iterator[Row]:
    """A beam hinged at its beginning that falls from the horizontal; the path of its end for two seconds."""

    def model(shapes: str, modes: int, stretch: int, shortening: int | None = None) -> tuple[Any, Any]:
        m = sb.Model("beam")
        given = _of(SWING, 1, modes, stretch, shortening)
        arm = m.beam("arm", ends=("pinned", "pinned"), shapes=shapes, **given)
        m.revolute("hinge", m.ground, arm, axis="z")
        m.gravity(0, -9.81, 0)
        return sb.derive(m), arm.at(1).origin

    fine, end = model("polynomials", 8, 3)
    best = path(sb.simulate(fine, SWUNG, rtol=1e-9, method="dp8"), end)
    counts = ((1, 0, 0), (4, 0, 0), (4, 1, 0), (5, 1, 2), (5, 1, None), (6, 1, None))
    models = {
        f"{y} bending and {x} axial sines, {'all' if s is None else s} of foreshortening": model("sines", y, x, s)
        for y, x, s in counts
    }
    ours = own_runs({"6 bending and 2 axial polynomials": model("polynomials", 6, 2), **models}, SWUNG, {}, best)
    for elements, h in ((4, 4e-3), (8, 1e-3), (16, 2.5e-4)):
        peer = f"Exudyn ANCF cable, {elements} elements, h = {h:g}"
        yield compared("swinging beam", ours, best, peer, partial(exudyn.hinged_cable, SWING, 9.81, elements, SWUNG, h))


def spin_up() -> Iterator[Row]:
    """A flexible beam on a hub that a torque spins up from rest to 6 rad/s, ten turns in 20 s, with deflections of a
    twentieth of its length; the path of its end. With linear strains one beam has an error of its own, of third order in
    the deflection; several in a row have less."""

    def model(parts: int, modes: int, stretch: int, order: int) -> tuple[Any, Any]:
        m = sb.Model("spin-up")
        hub = m.body("hub", mass=1.0, inertia=(HUB["inertia"],) * 3)
        m.revolute("turn", m.ground, hub, axis="z")
        m.torque("drive", hub, m.ground.vector(0, 0, HUB["torque"]))
        on, given = hub.frame, _of(ARM, parts, modes, stretch)
        for k in range(parts):
            on = m.beam(f"part{k}", on, order=order, **given).at(given["length"])
        return sb.derive(m), on.origin

    fine, end = model(3, 3, 1, 3)
    best = path(sb.simulate(fine, DRIVEN, rtol=1e-6, method="radau"), end)
    counts = ((1, 2, 0, 2), (1, 3, 1, 3), (1, 4, 1, 3), (2, 2, 1, 2), (2, 3, 1, 3), (4, 2, 1, 2))
    models = {f"{n} beams of {y} bending and {x} axial modes, order {o}": model(n, y, x, o) for n, y, x, o in counts}
    ours = own_runs(models, DRIVEN, {}, best)
    for elements, h in ((4, 5e-3), (8, 2.5e-3), (8, 1e-3)):
        peer = f"Exudyn ANCF cable, {elements} elements, h = {h:g}"
        yield compared(
            "spin-up",
            ours,
            best,
            peer,
            partial(exudyn.cable_on_a_hub, ARM, **HUB, elements=elements, times=DRIVEN, h=h),
        )


def whole_machines() -> Iterator[Row]:
    """A four-bar of three flexible links that falls for half a second, and a manipulator of two that moves for two;
    the middle of the coupler, and the load."""
    Modes, three = machines.Modes, (3, "sines")
    for name, ours, theirs, times, steps, fine, counts in (
        (
            "four-bar", machines.four_bar, exudyn.four_bar, machines.FALLS[:6], ((8, 5e-4), (16, 2e-4)), Modes((4, 9, 8), (3, 3, 3), 3),
            (
                Modes((1, 3, 1), (1, 1, 1), *three, 0), Modes((1, 3, 1), (1, 1, 1), *three), Modes((1, 5, 3), (1, 2, 2), *three, 0),
                Modes((1, 5, 3), (1, 2, 2), *three, 2), Modes((1, 5, 3), (1, 2, 2), *three), Modes((2, 7, 3), (1, 1, 1), 3),
            ),
        ),
        (
            "manipulator", machines.manipulator, exudyn.manipulator, machines.WORKS, ((4, 2e-3), (8, 1e-3)), Modes((7, 7), (3, 3), 3),
            (
                Modes((2, 3), (1, 1), shortening=0), Modes((2, 3), (1, 1), shortening=1), Modes((3, 3), (1, 1), shortening=1),
                Modes((3, 3), (1, 1)), Modes((3, 3), (1, 1), 3, shortening=1), Modes((3, 3), (1, 1), 3),
            ),
        ),
    ):  # fmt: skip
        best_of, place, start = ours(fine)
        best = path(sb.simulate(best_of, times, start, rtol=1e-7, method="dp8"), place)
        models = {str(m): ours(m)[:2] for m in counts}
        runs = own_runs(models, times, start, best)
        for elements, h in steps:
            peer = f"Exudyn ANCF cable, {elements} elements for each link, h = {h:g}"
            yield compared(name, runs, best, peer, partial(theirs, elements, times, h))
