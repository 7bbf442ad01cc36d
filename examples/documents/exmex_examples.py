"""Lennartsson, sections 6.4 and 6.7.5: what is typed into Maple and MATLAB for exmex, line by line.

Three systems: a pendulum on a turning planet, implicit and explicit; a van der Pol oscillator with its Jacobian; the
Rössler system with its variational equations, events and a search for its periodic orbit. Names are those of the thesis.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import symbody as sb
from symbody.algebra import ExternalFunction

sin, cos = sb.sin, sb.cos

# 6.4 external functions: f1(q1,k) in a file of its own, with derivatives by the names df1dq1 and d2f1dq1dq1
F1_C = """
double f1(double q1, double k) { return q1 > 0.0 ? 0.0 : -k*q1; }
double df1dq1(double q1, double k) { return q1 > 0.0 ? 0.0 : -k; }
double d2f1dq1dq1(double q1, double k) { return 0.0; }
"""
d2f1dq1dq1 = ExternalFunction("d2f1dq1dq1", 2, python=lambda q1, k: 0.0)
df1dq1 = ExternalFunction("df1dq1", 2, python=lambda q1, k: 0.0 if q1 > 0 else -k, derivatives=[d2f1dq1dq1, None])
f1 = ExternalFunction("f1", 2, python=lambda q1, k: 0.0 if q1 > 0 else -k * q1, derivatives=[df1dq1, None])

# ------------------------------------------------------------------------------------------------- spherical pendulum
q1, q2 = sb.symbols("q1 q2", "variable")
u1, u2, u1t, u2t = q1.dot, q2.dot, q1.dot.dot, q2.dot.dot
Omega, m, L, g, omega, a, lam, c, t = sb.symbols("Omega m L g omega a lam c t")
ps = (Omega, m, L, g, omega, a, lam, c)
S, C = sin(omega * t), cos(omega * t)

# sx := [v1mag = ...]
v1mag = sb.sqrt(
    (sin(q1) * a * C * omega + cos(q2) * u1 * L) ** 2
    + (-sin(q2) * a * C * omega * cos(q1) - u2 * L) ** 2
    + cos(q2) ** 2 * cos(q1) ** 2 * a**2 * C**2 * omega**2
)
sx = {"v1mag": v1mag}

# ieq: the left hand sides of the implicit equations
ieq = [
    cos(q2) * L * (
        -sin(q1) * m * g - c * v1mag * (sin(q1) * a * C * omega + cos(q2) * u1 * L) - m * cos(q2) * u1t * L
        + 2 * m * sin(q2) * u2 * u1 * L + m * a * S * omega**2 * sin(q1)
        - 2 * cos(lam) * sin(q1) * m * Omega * cos(q2) * u2 * L - sin(lam) * cos(q1) * m * Omega**2 * a * S * cos(lam)
        + 2 * sin(lam) * cos(q1) * m * Omega * cos(q2) * u2 * L + cos(q1) * m * Omega**2 * cos(q2) * sin(q1) * L
        - 2 * cos(q1) * m * Omega**2 * cos(q2) * sin(q1) * L * cos(lam) ** 2
        + 2 * sin(lam) * cos(q1) ** 2 * m * Omega**2 * cos(q2) * cos(lam) * L
        + cos(lam) ** 2 * sin(q1) * m * Omega**2 * a * S - cos(lam) * m * Omega**2 * cos(q2) * sin(lam) * L
    ),
    -L * (
        sin(q2) * cos(q1) * m * g - c * v1mag * (-sin(q2) * a * C * omega * cos(q1) - u2 * L) + m * u2t * L
        - cos(lam) ** 2 * cos(q1) * m * Omega**2 * a * S * sin(q2)
        + 2 * cos(q2) ** 2 * m * Omega * sin(lam) * cos(q1) * u1 * L - 2 * cos(q2) * m * Omega * cos(lam) * a * C * omega
        + sin(q2) * m * u1**2 * cos(q2) * L - 2 * cos(q2) ** 2 * m * Omega * cos(lam) * sin(q1) * u1 * L
        - cos(q2) * m * Omega**2 * cos(lam) ** 2 * sin(q2) * L - cos(q2) * m * Omega**2 * cos(q1) ** 2 * sin(q2) * L
        + 2 * cos(q2) * m * Omega**2 * cos(q1) ** 2 * sin(q2) * L * cos(lam) ** 2
        + 2 * sin(q2) * sin(lam) * sin(q1) * m * Omega**2 * cos(q2) * cos(lam) * cos(q1) * L
        - sin(lam) * sin(q1) * m * Omega**2 * a * S * cos(lam) * sin(q2) - m * a * S * omega**2 * cos(q1) * sin(q2)
    ),
]  # fmt: skip
p = dict(zip(ps, [0, 1, 1, 1, 30, 0.2, 0, 0.2], strict=True))

# eqs1, eqs2; exmex("pendi",fp,eqs1,eqs2,sx,varst,vars,ps)
pendi = sb.from_equations({}, p, implicit={q1: ieq[0], q2: ieq[1]}, name="pendi")

# eeq: the same, solved; exmex("pende",fp,[eeq],eqs2,sx,varst,vars,ps)
mass = sb.jacobian(ieq, [u1t, u2t])
eeq = sb.solve(mass, -sb.substitute(sb.vector(*ieq), {u1t: 0, u2t: 0}))
pende = sb.from_equations({u1t: eeq[0], u2t: eeq[1]}, p, name="pende")
pende_code = sb.program(
    "pende", {"t": t, "x": [u1, u2, q1, q2], "p": ps}, {"xt": [*eeq, u1, u2]}, labels=sx, as_written=True
)

# [t,x]=ode45('pende',ti,x0,'',p): figure 6.4
risen = {"q1": 0.5, "q2": 0.8}
# x0=[0 0 0.5 0]; two rows of parameters: figure 6.5
foucault = {"q1": 0.5}
tracks = [
    dict(zip((s.name for s in ps), row, strict=True))
    for row in ([0.01, 1, 10, 10, 0, 0, 1.04, 0.01], [0.01, 1, 10, 10, 0, 0, 1, 0.001])
]
north, east = 10 * cos(q2) * sin(q1), -10 * sin(q2)

# ----------------------------------------------------------------------------------------------- van der Pol oscillator
x1, x2, mu = sb.symbols("x1 x2 mu")
eqns = {x1: mu * x1 * (1 - x2**2) - x2, x2: x1}
vdp = sb.from_equations(eqns, {mu: 1.0}, name="vdp")
vdp_code = sb.program("vdp", {"x": [x1, x2], "p": [mu]}, {"xt": list(eqns.values())})
starts = [(0, 1), (0, 0.2), (0, 0), (0, -0.2), (2, -2)]
# vj=vdpj(0,[0 0],'jacobian',1), ev=eig(vj)
vdpj = sb.jacobian(list(eqns.values()), [x1, x2])
vj = np.array(sb.evaluate(vdpj, {x1: 0, x2: 0, mu: 1}))
ev = np.linalg.eigvals(vj)

# ----------------------------------------------------------------------------------------------------- Rössler system
x, y, z, ra, rb, rc = sb.symbols("x y z a b c")
rs = {x: -y - z, y: x + ra * y, z: rb + z * (x - rc)}
ross = sb.from_equations(rs, {ra: 0.3, rb: 2, rc: 4}, name="ross")
x0 = {"x": 3, "y": 0, "z": 2}
# variationaleqs, v5=[events=[[[],[y]],[sf],[1]]]
v5a = {"section": sb.Event("section", y, "rising")}


def orbit() -> tuple[np.ndarray, float, list[sb.Trajectory], list[np.ndarray]]:
    """The MATLAB script: Newton-Raphson iterations for a point of the orbit and its period (2.63)."""
    xn, tn = np.array([3.0, 0.0, 2.0]), 6.3
    runs, corrections = [], []
    while not corrections or np.linalg.norm(corrections[-1]) > 1e-6:
        start = dict(zip("xyz", xn, strict=True))
        run = sb.simulate(
            ross, tn, start, sensitivities=["x", "y", "z"], rtol=1e-6, atol=1e-8, events=list(v5a.values())
        )
        xm = np.array([run.final[s] for s in "xyz"])
        rj1 = np.column_stack([[run.sensitivity(s, of)[-1] for s in "xyz"] for of in "xyz"])
        f = np.array(
            sb.evaluate(sb.vector(*rs.values()), dict(zip((x, y, z, ra, rb, rc), (*xm, 0.3, 2, 4), strict=True)))
        )
        cm = np.block([[rj1 - np.eye(3), f.reshape(3, 1)], [np.array([[0.0, 1.0, 0.0, 0.0]])]])
        rv = np.append(xn - xm, -xn[1])
        dX = np.linalg.solve(cm, rv)
        xn, tn = xn + dX[:3], tn + dX[3]
        runs.append(run)
        corrections.append(dX)
    return xn, tn, runs, corrections


if __name__ == "__main__":
    fp = Path(sys.argv[1] if len(sys.argv) > 1 else mkdtemp())
    for name, system in (("pendi", pendi), ("pende", pende), ("vdp", vdp), ("ross", ross)):
        sb.write.matlab(system, fp / name, name=name, functions=["rhs"], reference=None)
    sb.write.matlab(vdp, fp / "vdpj", name="vdpj", functions=["rhs", "rhs_x"], reference=None)
    sb.write.matlab(
        ross, fp / "rossve", name="rossve", functions=["rhs", "variational", "events"], events=v5a, reference=None
    )
    print("pende:", sb.emit.unshared(pende_code).cost, "->", pende_code.cost)
    print("vdp:", vdp_code.cost)
    print(vj, ev)
    sim = sb.simulate(pende, 4, risen)
    print("q1 after 4 time units:", sim.final["q1"])
    xn, tn, _, corrections = orbit()
    print(
        f"orbit through x = {xn[0]:.7f}, z = {xn[2]:.7f} with period {tn:.7f}; corrections",
        [f"{np.abs(d).max():.1e}" for d in corrections],
    )
