"""Lennartsson, section 5.4.2: the Sophia program for n coupled spherical pendulums, line by line.

Names are those of the thesis, and comments are its lines in short. Vectors keep their terms by frames until components are
asked for, as its partitioned vectors do; with `evectors` they are written in one frame after every step, as its Evectors.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from time import process_time

import symbody as sb


@dataclass(frozen=True)
class Derived:
    """What the program leaves behind: the model with its coordinates, keqs, and the seconds that it took."""

    m: sb.Model
    keqs: sb.Matrix
    dertime: float

    @property
    def equations(self) -> sb.Equations:
        """eq1, eq2, vts, vs, ps: implicit equations of the accelerations, with q' = u."""
        q = self.m.symbols_of_kind("coordinate")
        return sb.from_equations(
            {}, {"omega": 2.0, "a": 0.1}, implicit=dict(zip(q, self.keqs, strict=True)), name="pendulums"
        )


def pendulums(n: int, absolute: bool = False, evectors: bool = False) -> Derived:
    sofar = process_time()
    nsegments = n
    ncoords = 2 * nsegments
    # &kde ncoords
    m = sb.Model(f"{n} pendulums of the thesis")
    q = m.coordinates(" ".join(f"q{k}" for k in range(1, ncoords + 1)))
    u = [s.dot for s in q]
    t, N = m.time, m.ground
    omega, a = m.parameters("omega a", 2.0, 0.1)
    L, M, G = 1, 1, 1

    # chainSimpRot, absolute or relative
    B = []
    for ii in range(nsegments):
        on = N if absolute or ii == 0 else B[ii - 1]
        A = on.rotate("x", q[2 * ii], name=f"A{ii + 1}")
        B.append(A.rotate("y", q[2 * ii + 1], name=f"B{ii + 1}"))

    # masses and moments of inertia are parameters until p_vals gives them numbers
    mass = [m.parameter(f"m{ii + 1}") for ii in range(nsegments)]
    IC = [m.parameters(f"IC{ii + 1}_1 IC{ii + 1}_2 IC{ii + 1}_3") for ii in range(nsegments)]
    IT = [B[ii].dyad(sb.inertia(*IC[ii])) for ii in range(nsegments)]

    def in_one(vector, frame):
        return vector.express(frame) if evectors else vector

    def dt(vector, frame):
        return vector.express(N).dt(N).express(frame) if evectors else vector.dt(N)

    # rJ0, mkc, cadd
    half = sb.fraction(1, 2)
    rJ = [N.vector(0, 0, a * sb.sin(omega * t))]
    r = []
    for ii in range(nsegments):
        r.append(in_one(rJ[ii] + half * B[ii].vector(0, 0, L), B[ii]))
        rJ.append(in_one(rJ[ii] + B[ii].vector(0, 0, L), B[ii]))

    # aV3, cdft
    w = [in_one(B[ii].angular_velocity(N), B[ii]) for ii in range(nsegments)]
    v = [dt(r[ii], B[ii]) for ii in range(nsegments)]

    # Kctau
    VK = sb.bodies.SystemVector(*v, *w)
    tau = VK.partial(u)

    F = [N.vector(0, 0, mass[ii] * G) for ii in range(nsegments)]
    T = [B[ii].vector(0, 0, 0) for ii in range(nsegments)]
    FK = sb.bodies.SystemVector(*F, *T)

    pt = [dt(mass[ii] * v[ii], B[ii]) for ii in range(nsegments)]
    ht = [dt(IT[ii].dot(w[ii]), B[ii]) for ii in range(nsegments)]
    PKt = sb.bodies.SystemVector(*pt, *ht)

    # ckane(tau,FK,PKt)
    kane_eqs = (FK - PKt).along(tau)

    p_vals = dict.fromkeys(mass, M)
    for I1, I2, I3 in IC:
        p_vals |= {I1: sb.fraction(1, 12) * M * L**2, I2: sb.fraction(1, 12) * M * L**2}
        p_vals |= {I3: sb.fraction(1, 100) * M * L**2}
    keqs = sb.substitute(kane_eqs, p_vals)
    return Derived(m, keqs, process_time() - sofar)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else mkdtemp())
    for absolute in (True, False):
        for n in (1, 2, 4):
            made = pendulums(n, absolute)
            began = process_time()
            # exmex(...), exmexint(...): the driver integrates
            code = sb.write.c(made.equations, folder / f"ca{int(absolute)}{n}", functions=["rhs"])
            lines = sum(len(f.read_text().splitlines()) for f in code.glob("*.c"))
            kind = "absolute" if absolute else "relative"
            print(
                f"n = {n}, {kind}: derived in {made.dertime:.2f} s, {process_time() - began:.2f} s for {lines} lines of C"
            )
