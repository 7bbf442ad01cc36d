"""Lennartsson, appendix B.2: the Sophia program for the bicycle, line by line.

Velocities are formed directly, from angular velocities and arms. Speeds are u1 = q1', u2 = q2' and u5 = -q5'; δ', u3 = q3'
and u4 = -q4' follow from the constraints and are put in. Names are those of the thesis. n3 points down.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from tempfile import mkdtemp

import symbody as sb

m = sb.Model("bicycle of the thesis")
q1, q2, q3, q4, q5, delta = m.coordinates("q1 q2 q3 q4 q5 delta")
u5 = m.speed("u5", -q5.dot)
kinpars = {"R1": 0.354, "R2": 0.354, "L": 1.062, "b": 0.048, "sigma": math.radians(20.09)}
masspars = {
    "m1": 1.2, "m2": 1.2, "m3": 8.0, "m4": 1.0, "jm1": 1.5, "jm2": 1.5, "J31": 1.0, "J32": 1.5, "J33": 0.5,
    "J41": 0.04, "J42": 0.03, "J43": 0.01, "L1": 0.6, "L2": 0.3, "G1": 0.01, "G2": -0.35, "g": 9.80665,
}  # fmt: skip
R1, R2, L, b, sigma = m.parameters(**kinpars)
m1, m2, m3, m4, jm1, jm2, J31, J32, J33, J41, J42, J43, L1, L2, G1, G2, g = m.parameters(**masspars)
u1, u2, deltat = q1.dot, q2.dot, delta.dot

# relative orientations
FN = m.ground
FR = FN.rotate("z", q3, name="FR")
FA = FR.rotate("x", q1, name="FA")
FF = FA.rotate("y", delta, name="FF")
FC = FF.rotate("y", sigma, name="FC")
FS = FC.rotate("z", q2, name="FS")
FB2 = FS.rotate("y", q5, name="FB2")
FB1 = FF.rotate("y", q4, name="FB1")
FP = FS.rotate("y", -sigma, name="FP")

# parameters in the geometry: xval and aval
a, x = sb.symbols("a x")
pdf1 = FF.vector(a + b, 0, -R1 + R2) + FC.vector(0, 0, x)


def root(expression, unknown):
    """solve(expression, unknown) of an expression that is linear in it."""
    return -sb.substitute(expression, {unknown: 0}) / sb.derivative(expression, unknown)


xval = root(pdf1.dot(FF.z), x)
Leq = sb.substitute(pdf1, {x: xval}).dot(FF.x) - L
aval = sb.tidy(root(Leq, a))

# the constraint equation for the coordinate delta
rP1C1 = FA.vector(0, 0, -R1)
rC1A1 = FF.vector(aval, 0, 0)
rA1A2 = FS.vector(0, 0, xval)
rA2C2 = FP.vector(b, 0, 0)
dr4a = FN.vector(0, 0, -1).express(FS).cross(FS.vector(0, 1, 0))  # in the frame of the second, as &xx does
dr4b = dr4a.cross(FS.vector(0, 1, 0))
dr4bm = dr4b.magnitude()
rC2P2 = (R2 / dr4bm) * dr4b
rP1P2 = rP1C1 + rC1A1 + rA1A2 + rA2C2 + rC2P2
ceq = rP1P2.dot(FN.z)

# exmat("bice",...): a function for the numerical solution of delta, given q1 and q2
bice = sb.program("bice", {"delta": [delta], "bcpars": [R1, R2, L, b, sigma, q1, q2]}, {"ceq": [ceq]})

# kde: q1' = u1, q2' = u2, q4' = -u4, q3' = u3, q5' = -u5; u3 and u4 are found below
kde = {q5.dot: -u5}

# angular velocities of all 4 bodies
nwr = FR.angular_velocity(FN)
rwa = FA.angular_velocity(FR)
awf = FF.angular_velocity(FA)
fws = FS.angular_velocity(FF)
fwb1 = FB1.angular_velocity(FF)
swb2 = sb.substitute(FB2.angular_velocity(FS), kde)
nwf = nwr + rwa + awf
nws = nwr + rwa + awf + fws
nwb1 = nwr + rwa + awf + fwb1
nwb2 = nwr + rwa + awf + fws + swb2

# subexpressions involved with deltat
dtceq = sb.time_derivative(ceq)
AA = sb.jacobian([dtceq], [u1, u2, deltat])
dtceq_u1, dtceq_u2, dtceq_deltat = (m.label(f"dtceq_{k}", AA[0, k]) for k in range(3))
redkde = {deltat: -(dtceq_u1 * u1 + dtceq_u2 * u2) / dtceq_deltat}

# the nonholonomic constraint and subexpressions related to it
nvp21 = nwb1.cross(rP1C1)
nvp22 = nwf.cross(rC1A1)
nvp23 = nws.cross(rA1A2 + rA2C2)
nvp24 = nwb2.cross(rC2P2)
nvp2 = nvp21 + nvp22 + nvp23 + nvp24
vceq = sb.substitute(sb.vector(nvp2.dot(FR.x), nvp2.dot(FR.y)), redkde)
BBv = [u1, u2, q3.dot, q4.dot, u5]
BB = sb.jacobian(vceq, BBv)
for ii in range(2):
    for jj in range(5):
        m.label(f"vceq_{ii + 1}_{jj + 1}", BB[ii, jj])

# explicit expressions for u3 and u4
u3, q4t = sb.solve(BB[:, 2:4], -(BB[:, :2] @ sb.vector(u1, u2) + BB[:, 4] * u5))
redkde2 = {q3.dot: u3, q4.dot: q4t}


def subs(thing):
    """subs(kde,redkde,redkde2,...)"""
    return sb.substitute(sb.substitute(sb.substitute(thing, kde), redkde2), redkde)


nwf, nws, nwb1, nwb2 = subs(nwf), subs(nws), subs(nwb1), subs(nwb2)

# inertial velocities of the 4 bodies
nv1 = nwb1.cross(rP1C1)
b1vf = nwf.cross(rC1A1)
fvb2 = nws.cross(rA1A2 + rA2C2)
nv2 = nv1 + b1vf + fvb2
nv3 = nv1 + nwf.cross(FF.vector(L1, 0, -L2))
nv4 = nv1 + b1vf + nws.cross(FS.vector(G1, 0, G2))

# the tangent directions
VK = sb.bodies.SystemVector(nv1, nwb1, nv2, nwb2, nv3, nwf, nv4, nws)
tau = VK.partial([u1, u2, u5])

# inertial parameters and forces; a disc looks the same in FF and FB1, in FS and FB2
IT1 = FF.dyad(sb.inertia(jm1 * m1 * R1 * R1 / 4, jm1 * m1 * R1 * R1 / 2, jm1 * m1 * R1 * R1 / 4))
IT2 = FS.dyad(sb.inertia(jm2 * m2 * R2 * R2 / 4, jm2 * m2 * R2 * R2 / 2, jm2 * m2 * R2 * R2 / 4))
IT3 = FF.dyad(sb.inertia(J31, J32, J33))
IT4 = FS.dyad(sb.inertia(J41, J42, J43))
F1, F2, F3, F4 = (FN.vector(0, 0, mass * g) for mass in (m1, m2, m3, m4))
T1 = T2 = T3 = T4 = FN.vector(0, 0, 0)
FK = sb.bodies.SystemVector(F1, T1, F2, T2, F3, T3, F4, T4)

# accelerations etc
p1t, p2t, p3t, p4t = (subs((mass * v).dt(FN)) for mass, v in ((m1, nv1), (m2, nv2), (m3, nv3), (m4, nv4)))
h1t = subs(IT1.dot(nwb1).express(FF).dt(FN))
h2t = subs(IT2.dot(nwb2).express(FS).dt(FN))
h3t = subs(IT3.dot(nwf).dt(FN))
h4t = subs(IT4.dot(nws).dt(FN))
PKt = sb.bodies.SystemVector(p1t, h1t, p2t, h2t, p3t, h3t, p4t, h4t)

# projection and equations of motion
keqs = (PKt - FK).along(tau)

# exmex(name,bcp,[keqs,uts],eqs2,sx,vst,vs,ps): q1' = u1, q2' = u2, delta' and keqs as states of one system
bkdyn556 = sb.from_equations(
    {delta: redkde[deltat]}, kinpars | masspars, implicit={q1: keqs[0], q2: keqs[1], u5: keqs[2]}, name="bkdyn556"
)

if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else mkdtemp())
    sb.write.matlab(bkdyn556, folder / "bkdyn556", name="bkdyn556", functions=["rhs"])
    sb.write.matlab(bkdyn556, folder / "bkdyn556jac", name="bkdyn556jac", functions=["rhs", "rhs_x"])
    print(sorted(p.name for p in (folder / "bkdyn556jac").iterdir()))
    print("operations of keqs:", sb.algebra.operations(keqs))
    start = {"u5": 5 / 0.354}
    print("straight ahead:", sb.evaluate(sb.first_order(bkdyn556).rates, bkdyn556.values(start, otherwise=0.0)))
    for v in (3.0, 4.0, 6.0):
        print(v, sb.linearize(bkdyn556, {"u5": v / 0.354}).eigenvalues())
