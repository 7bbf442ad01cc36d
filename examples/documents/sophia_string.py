"""Lennartsson, appendix B.1: the Sophia programs for two particles on a string, line by line.

B.1.1 defines subexpressions, B.1.2 does not, B.1.3 defines them and puts them back before code is generated. Here
`m.label` names them; what is computed is the same, since parts of a graph are shared with names and without. Names are
those of the thesis. The forces, tangent vectors and Kane's equations are put together from vectors.
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
    """What a program leaves behind: the model, vectors by name, kane_eqs, and equations with L = m = g = 1."""

    m: sb.Model
    vectors: dict[str, sb.Vector]
    kane_eqs: sb.Matrix
    exeq1: dict[sb.Symbol, sb.Expr]
    seconds: float

    @property
    def equations(self) -> sb.Equations:
        """kdes, exeq1, ders, vars and ps of exmex in one call."""
        values = {"omega": 0.0, "wa": 0.0, "vd": 0.0, "K": 0.586 / 0.198}
        return sb.from_equations({}, values, implicit=self.exeq1, name="moonsx")


def particle_system(subexpressions: bool = True) -> Derived:
    t0 = process_time()
    # &kde 3; dependsTime(f1,f2): declared there, and not used
    m = sb.Model("string of the thesis")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    f1, f2 = m.input("f1"), m.input("f2")
    u1, u2, u3 = q1.dot, q2.dot, q3.dot
    t, FN = m.time, m.ground
    L, K, mass, g, wa, omega, vd = m.parameters("L K m g wa omega vd", 0.198, 0.586, 0.0164, 9.80665, 0.0, 0.0, 0.0)

    def definesx(name, thing):
        return m.label(name, thing) if subexpressions else thing

    # chainSimpRot([FN,FA,3,-q1],[FA,FB,1,q2])
    FA = FN.rotate("z", -q1, name="FA")
    FB = FA.rotate("x", q2, name="FB")
    # location of first hinge point
    s1 = FN.vector(wa * sb.sin(omega * t), 0, 0)
    r1 = sb.tidy((s1 + FB.vector(0, L, 0)).express(FN))
    r1s = definesx("r1s", r1)
    # location of second hinge point
    s2 = FN.vector(wa * sb.sin(omega * t), K, 0)
    ra = r1s - s2
    ras = definesx("ras", ra)
    # a unit Edyad, and the projection operator
    U = FB.dyad(sb.identity(3))
    pi1 = U.express(FN) - (1 / ras.dot(ras)) * ras.outer(ras)
    # the rotation operator
    R1 = sb.cos(q3) * sb.tidy(U.express(FN))
    R2 = ((1 - sb.cos(q3)) / ras.dot(ras)) * ras.outer(ras)
    R3 = ((sb.sin(q3) / ras.magnitude()) * ras).cross(sb.tidy(U.express(FN)))
    RR = R1 + R2 + R3
    # a vector that is orthogonal to ra, in the vertical plane of n1 and ra
    w1 = pi1.dot(FN.vector(1, 0, 0))
    w1s = definesx("w1s", w1)
    # turned about ra
    w2 = RR.dot(w1s)
    w2s = definesx("w2s", w2)
    magw2s = definesx("magw2s", w2s.magnitude())
    offset = definesx("offset", sb.sqrt(L**2 - ras.dot(ras) / 4))
    w3 = (offset / magw2s) * w2s
    w3s = definesx("w3s", w3)
    r2 = (r1s + s2) / 2 + w3s
    r2s = definesx("r2s", r2)
    # inertial velocities of particles
    v1 = r1s.dt(FN)
    v2 = r2s.dt(FN)
    # applied forces acting on particles
    F1g = FN.vector(mass * g, 0, 0)
    F2g = FN.vector(mass * g, 0, 0)
    vr1 = v1.magnitude()
    vr2 = v2.magnitude()
    forc1 = definesx("forc1", vr1)
    forc2 = definesx("forc2", vr2)
    F1d = (-vd * forc1) * v1
    F2d = (-vd * forc2) * v2
    FKV = sb.bodies.SystemVector(F1g, F2g)
    FKD = sb.bodies.SystemVector(F1d, F2d)
    VK = sb.bodies.SystemVector(v1, v2)
    # differentiatesxlist, locatederivatives: v.dt and partial know what depends on what
    tau = VK.partial([u1, u2, u3])
    p1t = (mass * v1).dt(FN)
    p2t = (mass * v2).dt(FN)
    PKt = sb.bodies.SystemVector(p1t, p2t)
    FK = FKV + FKD
    NWQ = FK - PKt
    kane_eqs = NWQ.along(tau)
    # parvals, exeq1
    parvals = {L: 1, mass: 1, g: 1}
    exeq1 = dict(zip((q1, q2, q3), sb.substitute(kane_eqs, parvals), strict=True))
    vectors = {"r1": r1, "r2": r2, "v1": v1, "v2": v2, "f1 and f2": FN.vector(f1, f2, 0)}
    return Derived(m, vectors, kane_eqs, exeq1, process_time() - t0)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else mkdtemp())
    # exmex("moonsx",...), exmex("moonnox",...), exmex("moonex",...); time()-t0
    for name, subexpressions in (("moonsx", True), ("moonnox", False), ("moonex", True)):
        made = particle_system(subexpressions)
        t0 = process_time()
        sb.write.matlab(made.equations, folder / name, name=name, functions=["rhs"])
        print(f"{name}: derived in {made.seconds:.2f} s, code in {process_time() - t0:.2f} s")
    # expandsxlist: how many operations there are where every subexpression is put back
    print(f"{len(made.m.parts.labels)} components have names")
    print(
        f"kane_eqs: {sb.algebra.operations(made.kane_eqs)} operations, {sb.algebra.unshared_operations(made.kane_eqs)} put back"
    )
