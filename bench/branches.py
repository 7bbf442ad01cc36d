"""Families of periodic orbits, compared with AUTO-07p on the same systems with the same mesh: 50 intervals of 4 Gauss
points.

`seconds` is the CPU time of the family from its Hopf point on, compiled before; `points` is the number of its orbits.
`error` is that of the special orbit, or of the period at a value, for which a reference with nine digits exists. `ratio`
compares the seconds for each orbit; `ratio_at_equal_error` uses a mesh that is as coarse as the error of the peer allows.

AUTO is found by the variable AUTO_DIR (the directory that contains `lib/*.o`); without it, rows have no peer. If jaxcont
is installed, it has rows too, with the error of the period at a value. The last rows are figure 7.6 of Lennartsson's
thesis (`bicycle_turns.py`).
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import symbody as sb

from . import bicycle_turns
from .orbit_peers import Rates, jaxcont_family
from .timing import Row, repeated

INTERVALS: Final = 50
COARSE: Final = ((12, 1e-4), (20, 1e-5), (30, 1e-6), (50, 1e-7))  # meshes that are tried for the error of the peer
FORTRAN: Final = """
      SUBROUTINE FUNC(NDIM,U,ICP,PAR,IJAC,F,DFDU,DFDP)
      IMPLICIT NONE
      INTEGER, INTENT(IN) :: NDIM, ICP(*), IJAC
      DOUBLE PRECISION, INTENT(IN) :: U(NDIM), PAR(*)
      DOUBLE PRECISION, INTENT(OUT) :: F(NDIM)
      DOUBLE PRECISION, INTENT(INOUT) :: DFDU(NDIM,NDIM), DFDP(NDIM,*)
{rates}
      END SUBROUTINE FUNC
      SUBROUTINE STPNT(NDIM,U,PAR,T)
      IMPLICIT NONE
      INTEGER, INTENT(IN) :: NDIM
      DOUBLE PRECISION, INTENT(INOUT) :: U(NDIM),PAR(*)
      DOUBLE PRECISION, INTENT(IN) :: T
{start}
      END SUBROUTINE STPNT
      SUBROUTINE BCND
      END SUBROUTINE BCND
      SUBROUTINE ICND
      END SUBROUTINE ICND
      SUBROUTINE FOPT
      END SUBROUTINE FOPT
      SUBROUTINE PVLS
      END SUBROUTINE PVLS
"""
CONSTANTS: Final = """{n} {problem} {label} 1
{icp}
{intervals} 4 3 2 1 1 0 0
{most} {low} {high} 0.0 1000.0
1000 10 2 8 7 3 0
1e-7 1e-7 1e-5
{step} 1e-5 {largest} 1
0
0
{stops}
"""


@dataclass(frozen=True)
class FamilyCase:
    """A system in our words and in AUTO's: its family over PAR(1) in an interval, and where a special orbit is to be
    found (None: the period at a value is known, `period`)."""

    name: str
    equations: Callable[[], tuple[sb.Equations, sb.stability.Branch]]
    varied: str
    low: float
    high: float
    special: float | None
    rates: str
    start: str
    n: int
    period: tuple[float, float] = (0.0, 0.0)
    python: PythonCase | None = None


@dataclass(frozen=True)
class PythonCase:
    """The same in Python, for packages that take it: rates of a state and a parameter, and the value of the parameter
    at which a family begins."""

    rates: Rates
    begins: float


def roessler() -> tuple[sb.Equations, sb.stability.Branch]:
    x, y, z, a, b, c = sb.symbols("x y z a b c")
    eq = sb.from_equations({x: -y - z, y: x + a * y, z: b + z * (x - c)}, {a: 0.1, b: 2, c: 4}, name="Roessler")
    return eq, sb.branch(eq, sb.steady(eq, start={"x": 0.05, "y": -0.5, "z": 0.5}), a=(0.1, 0.3))


def column() -> tuple[sb.Equations, sb.stability.Branch]:
    """Two bars of length 1 with masses 2 and 1, springs 1 and dampers 0.1 in the hinges, a force P that follows the
    upper bar."""
    m = sb.Model("column")
    P, b = m.parameter("P", 1.2), m.parameter("b", 0.1)
    q1, q2 = m.coordinates("q1 q2")
    lower, upper = m.ground.rotate("z", q1), m.ground.rotate("z", q2)
    knee = lower.point(1, 0, 0)
    m.particle("knee", knee, mass=2.0)
    tip = m.particle("tip", knee + upper.vector(1, 0, 0), mass=1.0)
    m.force("follower", tip, -P * upper.x)
    hinge = (q2 - q1) + b * (q2.dot - q1.dot)
    m.generalized_force("foot", q1, hinge - q1 - b * q1.dot)
    m.generalized_force("hinge", q2, -hinge)
    eq = sb.derive(m)
    return eq, sb.branch(eq, sb.steady(eq), P=(1.2, 2.0))


COLUMN: Final = """      DOUBLE PRECISION S,C,H,B1,B2,D
      S=SIN(U(1)-U(2))
      C=COS(U(1)-U(2))
      H=(U(2)-U(1))+0.1d0*(U(4)-U(3))
      B1=H-U(1)-0.1d0*U(3)+PAR(1)*S-S*U(4)**2
      B2=-H+S*U(3)**2
      D=3d0-C*C
      F(1)=U(3)
      F(2)=U(4)
      F(3)=(B1-C*B2)/D
      F(4)=(3d0*B2-C*B1)/D"""


def brusselator() -> tuple[sb.Equations, sb.stability.Branch]:
    x, y, b = sb.symbols("x y b")
    eq = sb.from_equations({x: 1 - (b + 1) * x + x**2 * y, y: b * x - x**2 * y}, {b: 1.5}, name="brusselator")
    return eq, sb.branch(eq, sb.steady(eq, start={"x": 1.0, "y": 1.5}), b=(1.5, 4.0))


CASES: Final = (
    FamilyCase(
        "Roessler, first period", roessler, "a", 0.1, 0.42, 0.334856623,
        "      F(1)=-U(2)-U(3)\n      F(2)=U(1)+PAR(1)*U(2)\n      F(3)=2d0+U(3)*(U(1)-4d0)",
        "      PAR(1)=0.1d0\n      U(3)=(4d0-SQRT(16d0-0.8d0))/0.2d0\n      U(2)=-U(3)\n      U(1)=0.1d0*U(3)", 3, (0.3, 6.174637521),
        PythonCase(lambda u, a: [-u[1] - u[2], u[0] + a * u[1], 2 + u[2] * (u[0] - 4)], 0.2),
    ),
    FamilyCase("Ziegler's column", column, "P", 1.2, 2.0, None, COLUMN, "      PAR(1)=1.2d0\n      U(1:4)=0d0", 4, (1.8, 11.0085379)),
    FamilyCase(
        "brusselator", brusselator, "b", 1.5, 4.0, None,
        "      F(1)=1d0-(PAR(1)+1d0)*U(1)+U(1)**2*U(2)\n      F(2)=PAR(1)*U(1)-U(1)**2*U(2)", "      PAR(1)=1.5d0\n      U(1)=1d0\n      U(2)=1.5d0", 2, (3.0, 0.0),
        PythonCase(lambda u, b: [1 - (b + 1) * u[0] + u[0] ** 2 * u[1], b * u[0] - u[0] ** 2 * u[1]], 2.5),
    ),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """A row for each case."""
    for case in CASES:
        eq, branch = case.equations()
        first = sb.orbit(eq, branch, intervals=INTERVALS // 2)
        made = _family(eq, first, case)
        seconds = repeated(partial(_family, eq, first, case), repeats=5).least
        points = len(made)
        error = _error(case, made)
        beside = auto(case, made, seconds / points)
        yield {
            "case": case.name,
            "seconds": seconds,
            "points": points,
            "error": error,
            **beside,
            "ratio_at_equal_error": _at_equal_error(eq, first, case, beside),
        }
        if case.python is not None and (peer := jaxcont(case, case.python, made, seconds / points)):
            yield {"case": case.name, "seconds": seconds, "points": points, "error": error, **peer}
    yield from bicycle_turns.rows()


def jaxcont(case: FamilyCase, python: PythonCase, made: sb.stability.OrbitBranch, ours: float) -> Row | None:
    """Seconds, orbits and error of jaxcont; None where it is not there."""
    found = jaxcont_family(python.rates, made.at(python.begins)[0], python.begins, case.high)
    if found is None:
        return None
    points, value = len(found.values), case.period[0]
    return {
        "peer": "jaxcont",
        "peer_seconds": found.seconds,
        "peer_points": points,
        "peer_error": abs(found.period_at(value) - _reference(case, made)),
        "ratio": found.seconds / points / ours,
    }


def _family(
    eq: sb.Equations, first: sb.stability.Orbit, case: FamilyCase, intervals: int = INTERVALS, tolerance: float = 1e-7
) -> sb.stability.OrbitBranch:
    interval = {case.varied: (case.low, case.high)}
    return sb.orbits(eq, first, interval, intervals=intervals, tolerance=tolerance, max_step=0.05)


def _at_equal_error(eq: sb.Equations, first: sb.stability.Orbit, case: FamilyCase, beside: Row) -> float | None:
    """The peer's seconds for each orbit over ours on the coarsest mesh whose error is not above the peer's."""
    if beside["peer"] is None or beside["peer_error"] is None:
        return None
    for intervals, tolerance in COARSE:
        run = partial(_family, eq, first, case, intervals, tolerance)
        made = run()
        if _error(case, made) <= beside["peer_error"]:
            seconds = repeated(run, repeats=5).least
            return float(beside["peer_seconds"] / beside["peer_points"] / (seconds / len(made)))
    return None


def _error(case: FamilyCase, made: sb.stability.OrbitBranch) -> float:
    if case.special is not None:
        return min(abs(s.value - case.special) for s in made.special)
    value, _ = case.period
    return abs(made.at(value)[0].period - _reference(case, made))


def _reference(case: FamilyCase, made: sb.stability.OrbitBranch) -> float:
    """The period that is known, or that of an orbit to 1e-12 by shooting."""
    value, known = case.period
    return known or sb.orbit(made.equations, made.at(value)[0], form="shooting").period


def auto(case: FamilyCase, made: sb.stability.OrbitBranch, ours: float) -> Row:
    """AUTO's seconds, orbits and error; nothing where it is not there."""
    home = os.environ.get("AUTO_DIR")
    if home is None or shutil.which("gfortran") is None:
        return {"peer": None, "peer_seconds": None, "peer_points": None, "peer_error": None, "ratio": None}
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "system.f90").write_text(FORTRAN.format(rates=case.rates, start=case.start))
        objects = [str(p) for p in sorted((Path(home) / "lib").glob("*.o"))]
        subprocess.run(
            ["gfortran", "-O3", "-fopenmp", "-o", "auto", "system.f90", *objects],
            cwd=here,
            check=True,
            capture_output=True,
        )
        _run(here, case, problem=1, label=0, icp="1 1", most=400)
        label = _labels(here / "fort.8", "HB", here / "fort.7")
        (here / "fort.8").replace(here / "fort.3")
        seconds = min(_run(here, case, problem=2, label=label, icp="2 1 11", most=300) for _ in range(3))
        lines = [
            line.split()
            for line in (here / "fort.7").read_text().splitlines()
            if line.split() and line.split()[0] != "0"
        ]
    points = len(lines)
    found = [float(line[4]) for line in lines if line[2] in ("7", "-7")]
    periods = [float(line[-1]) for line in lines if line[2] in ("4", "-4")]
    wanted, known = (found, case.special) if case.special is not None else (periods, _reference(case, made))
    error = min((abs(x - known) for x in wanted), default=None)
    return {
        "peer": "AUTO-07p",
        "peer_seconds": seconds,
        "peer_points": points,
        "peer_error": error,
        "ratio": seconds / points / ours,
    }


def _run(here: Path, case: FamilyCase, problem: int, label: int, icp: str, most: int) -> float:
    """One run of AUTO; its CPU time."""
    step = 0.01 if problem == 1 else 0.05
    text = CONSTANTS.format(
        n=case.n,
        problem=problem,
        label=label,
        icp=icp,
        intervals=INTERVALS,
        most=most,
        low=case.low,
        high=case.high,
        step=step,
        largest=0.2,
        stops="0" if case.special is not None or problem == 1 else f"1\n1 {case.period[0]}",
    )
    (here / "fort.2").write_text(text)
    if not (here / "fort.3").exists():
        (here / "fort.3").write_text("")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["./auto"], cwd=here, check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _labels(solutions: Path, kind: str, points: Path) -> int:
    """The label of the first special point of a kind in AUTO's list."""
    numbers = {"HB": ("3", "-3")}[kind]
    lines = [line.split() for line in points.read_text().splitlines()]
    return next(int(line[3]) for line in lines if len(line) > 4 and line[0] != "0" and line[2] in numbers)
