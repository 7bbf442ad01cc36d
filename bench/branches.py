"""Families of periodic orbits, beside AUTO-07p on the same systems with the same mesh: 50 intervals of 4 Gauss points.

    case, seconds, points        ours: CPU time of the family from its Hopf point on, compiled before, and how many orbits it has
    error                        of the special orbit or period that a reference to nine digits exists for
    peer, peer_seconds, peer_points, peer_error, ratio     AUTO's, and its seconds for each orbit over ours

AUTO is found by the variable AUTO_DIR (the directory that has `lib/*.o`); rows have no peer without it.
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

from .timing import Row, repeated

INTERVALS: Final = 50
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
0
"""


@dataclass(frozen=True)
class FamilyCase:
    """A system in our words and in AUTO's: its family over PAR(1) in an interval, and where a special orbit is to be found."""

    name: str
    equations: Callable[[], tuple[sb.Equations, sb.Branch]]
    varied: str
    low: float
    high: float
    special: float
    rates: str
    start: str
    n: int


def roessler() -> tuple[sb.Equations, sb.Branch]:
    x, y, z, a, b, c = sb.symbols("x y z a b c")
    eq = sb.from_equations({x: -y - z, y: x + a * y, z: b + z * (x - c)}, {a: 0.1, b: 2, c: 4}, name="Roessler")
    return eq, sb.branch(eq, sb.steady(eq, start={"x": 0.05, "y": -0.5, "z": 0.5}), a=(0.1, 0.3))


CASES: Final = (
    FamilyCase(
        "Roessler, first period", roessler, "a", 0.1, 0.42, 0.334856623,
        "      F(1)=-U(2)-U(3)\n      F(2)=U(1)+PAR(1)*U(2)\n      F(3)=2d0+U(3)*(U(1)-4d0)",
        "      PAR(1)=0.1d0\n      U(3)=(4d0-SQRT(16d0-0.8d0))/0.2d0\n      U(2)=-U(3)\n      U(1)=0.1d0*U(3)", 3,
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
        error = min(abs(s.value - case.special) for s in made.special)
        yield {"case": case.name, "seconds": seconds, "points": points, "error": error, **auto(case, seconds / points)}


def _family(eq: sb.Equations, first: sb.Orbit, case: FamilyCase) -> sb.OrbitBranch:
    interval = {case.varied: (case.low, case.high)}
    return sb.orbits(eq, first, interval, intervals=INTERVALS, tolerance=1e-7, max_step=0.05)


def auto(case: FamilyCase, ours: float) -> Row:
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
    error = min((abs(x - case.special) for x in found), default=None)
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
