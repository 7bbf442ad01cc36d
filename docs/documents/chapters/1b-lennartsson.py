"""# Lennartsson: vectors by parts, code by exmex

Chapter 5 keeps vectors as sums of terms, each in the frame where it is short, and evaluates components as late as possible.
Chapter 6 turns differential equations into compiled functions, with their Jacobian, their variational equations, events and
external functions: the program exmex.

What they contributed to this package: `frame.vector(...)` keeps its terms by frames, generated code has the groups "rhs_x",
"variational", "sparse" and "events", and `sb.orbit` searches periodic orbits as section 6.7.5 does. The input for
Sophia, Maple and MATLAB runs line by line in `examples/documents/sophia_pendulums.py` and `exmex_examples.py`.
"""

# %%
import math
from dataclasses import replace
from time import perf_counter, process_time

import numpy as np

import symbody as sb
from docs.documents import Document, equation, measured, printed, statement
from examples import foucault_pendulum, spherical_chain
from examples.documents import exmex_examples as ex
from examples.documents.sophia_pendulums import pendulums

thesis = Document("Lennartsson 1999")
sin, cos = sb.sin, sb.cos

# %% [markdown]
# ## Chapter 5: partitioned vectors
#
# The example of section 5.3 has a frame A turned by ψ about the third axis. Every operator of tables 5.1 and 5.2 is written
# out in components of N, and compared.

# %%
m = sb.Model("vectors")
psi, theta = m.coordinates("psi theta")
K, L, P, Q = m.parameters("K L P Q")
N = m.ground
A = N.rotate("z", psi, name="A")
B = A.rotate("x", theta, name="B")
v1, v2, v3 = N.vector(K, L, 0), A.vector(P, Q, 0), B.vector(K, 1, Q)
v = v1 + v2
RA, RB = N.dcm(A), N.dcm(B)
c1, c2, c3 = sb.vector(K, L, 0), RA @ sb.vector(P, Q, 0), RB @ sb.vector(K, 1, Q)
in_A = sb.vector(cos(psi) * K + sin(psi) * L + P, -sin(psi) * K + cos(psi) * L + Q, 0)
one, two = sb.bodies.SystemVector(v1 + v2, v3), sb.bodies.SystemVector(v3, v2)
w = B.angular_velocity(N)
b = [B.x, B.y, B.z]
dyad = sum((e.dt(N).outer(e) for e in b[1:]), b[0].dt(N).outer(b[0]))
from_rates = b[1].dt(N).dot(b[2]) * b[0] + b[2].dt(N).dot(b[0]) * b[1] + b[0].dt(N).dot(b[1]) * b[2]
thesis.compare(
    equation("sec. 5.3", "v1 &++ v2, in A", in_A, v.components(A), text="[cψ K + sψ L + P, ...]"),
    equation("sec. 5.3", "Edot(v, v2)", in_A[0] * P + in_A[1] * Q, v.dot(v2), text="as printed"),
    statement("sec. 5.3", "vc := mkc(v1, v2) keeps two terms", len(v.terms) == 2),
    equation("(5.1), table 5.1", "mkc, cadd: sum of terms", c1 + c2 + c3, (v1 + v2 + v3).in_ground, text="Σ vᵢ"),
    equation("table 5.1", "csub, csm", c1 - 3 * c2, (v1 - 3 * v2).in_ground, text="v1 − 3 v2"),
    equation("(5.2), table 5.1", "cdot", (c1 + c2).dot(c3), v.dot(v3), text="Σ vᵢ · uⱼ"),
    equation("(5.3), table 5.1", "ccross", sb.algebra.cross(c1 + c2, c3), v.cross(v3).in_ground, text="[vᵢ × uⱼ]"),
    equation("(5.4), table 5.1", "cdft, in N", sb.time_derivative(c1 + c2 + c3), (v1 + v2 + v3).dt(N).in_ground, text="[dvᵢ/dt]"),
    equation("table 5.1", "cexp, in B", RB.T @ (c1 + c2), v.express(B).components(B), text="cexp(v, B)"),
    statement("table 5.1", "ccpt: terms that are zero are dropped", len((v1 + v2 - v1).terms) == 1),
    equation("(5.5), (5.6)", "derivatives in N and in B", v3.dt(B).in_ground + sb.algebra.cross(w.in_ground, c3), v3.dt(N).in_ground, text="ᴮdv/dt + ω × v"),
    equation("(5.7)", "angular velocity dyad on v3", dyad.dot(v3).in_ground, w.cross(v3).in_ground, text="Σ dbᵢ/dt bᵢ"),
    equation("(5.8)", "angular velocity by rates of axes: aV3", from_rates.in_ground, w.in_ground, text="b1 (db2/dt · b3) + ..."),
    equation("table 5.2", "Kcadd, Kcsub, Kcsm, Kcdot", (c1 + c2 + 2 * c3).dot(c3) + (c3 + 2 * c2).dot(c2),
             (one + 2 * two).dot(two), text="contraction"),
)  # fmt: skip

# %% [markdown]
# ### 5.4, 5.5: n pendulums
#
# The program of section 5.4.2, with Evectors (one frame after every step) and with partitioned vectors. The thesis plots
# minutes of a Sun Ultra; the values of its curves are not in the text. Here both forms add a few nodes to one expression
# graph at every step, so the two curves lie close together; the numbers of operations differ.

# %%
sizes = (1, 2, 3, 4, 5, 6)
made = {
    (kind, form): [min((pendulums(n, kind == "absolute", form == "Evectors") for _ in range(3)), key=lambda d: d.dertime) for n in sizes]
    for kind in ("absolute", "relative") for form in ("Evectors", "partitioned vectors")
}  # fmt: skip


def times(kind):
    curves = [
        sb.view.Curve(np.array(sizes, dtype=float), np.array([d.dertime for d in made[kind, form]]), form, kind="joined", mark=mark)
        for form, mark in (("Evectors", "ring"), ("partitioned vectors", "star"))
    ]  # fmt: skip
    return sb.view.Figure(
        f"n pendulums, {kind} coordinates", (sb.view.Panel("n", "CPU time of the derivation [s]", tuple(curves)),)
    )


chain = {n: sb.derive(spherical_chain.model(n, absolute=True)) for n in (4, 6, 8, 10, 12)}
six = made["relative", "partitioned vectors"][5]
began = process_time()
thirty = sb.derive(spherical_chain.model(30))
thirty_s = process_time() - began
code = sb.c_source(
    sb.program("udot", {"t": thirty.t, "q": thirty.q, "u": thirty.u, "p": thirty.p}, {"udot": thirty.udot})
)
thesis.compare(
    *(measured("figs. 5.4, 5.5", f"operations of the equations of 6 pendulums, {kind}, {form}", "–", f"{sb.algebra.operations(d[5].keqs)}")
      for (kind, form), d in made.items()),
    printed("sec. 5.4.2", "degrees of freedom of 30 pendulums", "60", len(thirty.u)),
    measured("sec. 5.4.2", "lines of C of 30 pendulums", "24747", f"{len(code.source.splitlines())}", "about half of it computation there; u̇ alone here"),
    measured("sec. 5.4.2", "derivation of 30 pendulums, `sb.derive`", "–", f"{thirty_s:.1f} s"),
)  # fmt: skip

# %%
thesis.figure(
    "figure 5.4",
    "seconds to derive n pendulums in absolute coordinates; circles Evectors, stars partitioned vectors",
    times("absolute"),
)

# %%
thesis.figure(
    "figure 5.5",
    "seconds to derive n pendulums in relative coordinates; circles Evectors, stars partitioned vectors",
    times("relative"),
)

# %% [markdown]
# ## 6.1 to 6.2: computation sequences
#
# Figure 6.1 has eight equations with their C code and its cost before and after optimisation; (6.2), (6.3) with a shared
# product. `sb.program(...).cost` is the cost as generated, `sb.emit.unshared(program).cost` that of the equations as
# written. Assignments are not counted here.

# %%
q1, q2, q3, q4, u1, u2, u3, u4, k = sb.symbols("q1 q2 q3 q4 u1 u2 u3 u4 k")
eqspr2 = [
    sin(q1) * cos(q2) * u1 * u1 - k * cos(q4), sin(q3) * sin(q2) * cos(q4) * u4 * u3 - k * cos(q3),
    sin(q2) * sin(q3) * cos(q1) * u1 * u2 - k * cos(q1), sin(q1) * sin(q2) * cos(q3) * u1 * u1 - k * cos(q2), u1, u2, u3, u4,
]  # fmt: skip
x1, x2, mu = sb.symbols("x1 x2 mu")
pair = [-x1 * x2 * sin(x2) * mu + sin(x1) * cos(x2), -sin(x2) * x1 * x2 * cos(x2) - x2]
states = {"x": [u1, u2, u3, u4, q1, q2, q3, q4], "p": [k]}
written = sb.emit.unshared(sb.program("eqspr2", states, {"xt": eqspr2}, as_written=True)).cost
shared = sb.program("eqspr2", states, {"xt": eqspr2}).cost
two_by_two = sb.program("pair", {"x": [x1, x2], "p": [mu]}, {"xt": pair})
before, after = sb.emit.unshared(two_by_two).cost, two_by_two.cost
vdp = ex.vdp_code
m11, m12, m21, m22 = sb.symbols("m11 m12 m21 m22")
implicit = sb.solve([[m11, m12], [m21, m22]], pair)
thesis.compare(
    *(printed("fig. 6.1", f"{what} as written", str(n), getattr(written, what)) for what, n in
      (("additions", 4), ("multiplications", 19), ("functions", 15))),
    printed("fig. 6.1", "additions after optimisation", "4", shared.additions),
    printed("fig. 6.1", "functions after optimisation", "7", shared.functions),
    measured("fig. 6.1", "multiplications after optimisation", "17", f"{shared.multiplications}", "products of equations are grouped"),
    printed("sec. 6.2.3", "multiplications of (6.2), (6.3) as written", "7", before.multiplications),
    printed("sec. 6.2.3", "functions as written", "5", before.functions),
    printed("sec. 6.2.3", "multiplications with shared parts", "5", after.multiplications, because="Maple's optimize takes 7, with tryhard 6"),
    printed("sec. 6.2.3", "functions with shared parts", "3", after.functions),
    equation("(6.4)–(6.6)", "implicit equations, `sb.solve`", sb.vector(*pair), sb.matrix([[m11, m12], [m21, m22]]) @ implicit, text="linsolve(m, b)"),
    printed("sec. 6.7.5", "van der Pol: additions", "2", vdp.cost.additions),
    printed("sec. 6.7.5", "van der Pol: multiplications", "3", vdp.cost.multiplications),
)  # fmt: skip

# %%
sb.sequence(*pair)

# %% [markdown]
# Section 6.2.5 names the speed of a particle relative to a moving medium, `sx:=[vd=Emag(v1 &-- vm)]`; (6.7) has the blocks of
# a mechanical system, (6.8) and (6.9) the Jacobian, of explicit equations and of implicit ones with the same factors.

# %%
m = sb.Model("particle")
s1, s2 = m.coordinates("q1 q2")
height, U = m.parameters("L U")
relative = m.ground.point(s1, s2, height).velocity() - m.ground.vector(-U, 0, 0)
vd = m.label("vd", relative.magnitude())
foucault = sb.derive(foucault_pendulum.model())
a = sb.vector(*(s.dot for s in foucault.u))
slopes = sb.derivation.forward_derivatives(foucault, ("q", "u")).udot
held = dict(zip(a.entries, foucault.udot.entries, strict=True))
right = {
    k: sb.substitute(sb.jacobian(foucault.f, of) - sb.jacobian(foucault.M @ a, of), held)
    for k, of in (("q", foucault.q), ("u", foucault.u))
}
explicit = [mu * x1 * (1 - x2**2) - x2, x1]
thesis.compare(
    equation("sec. 6.2.5", "velocity relative to the fluid", sb.vector(s1.dot + U, s2.dot, 0), relative.in_ground, text="[u1 + U, u2, 0]"),
    equation("sec. 6.2.5", "vd", sb.sqrt((s1.dot + U) ** 2 + s2.dot**2), vd, text="Emag(v1 − vm)"),
    equation("(6.7)", "accelerations of the pendulum from its blocks", foucault.f, foucault.M @ foucault.udot, text="M u̇ = R, q̇ = u"),
    equation("(6.1), (6.8)", "Jacobian of van der Pol's equations", sb.matrix([[mu * (1 - x2**2), -2 * mu * x1 * x2 - 1], [1, 0]]),
             sb.jacobian(explicit, [x1, x2]), text="∂f/∂x"),
    equation("(6.9)", "M ∂u̇/∂q of the pendulum", right["q"], foucault.M @ slopes["q"], text="f,ₖ − M,ₖ ẋ"),
    equation("(6.9)", "M ∂u̇/∂u of the pendulum", right["u"], foucault.M @ slopes["u"], text="f,ₖ − M,ₖ ẋ"),
)  # fmt: skip

# %% [markdown]
# ## 6.3 to 6.4: variational systems, external functions
#
# (6.10) to (6.20), for Rössler's system and for the pendulum: `sb.first_order(eq).variational` has the rates of x and Φ and the
# Jacobian of all n (n + 1) equations, whose pattern is (6.17).

# %%
rossler = sb.first_order(ex.ross)
both = rossler.variational
J = sb.jacobian(rossler.rates, rossler.x)
Phi = both.Phi
block = [sb.jacobian(J @ Phi[:, j], rossler.x) for j in range(3)]


def by_columns(matrix, n):
    """The Jacobian with Φ stored by columns, as in (6.14); `variational.jacobian` has it by rows."""
    order = [*range(n), *(n + n * i + j for j in range(n) for i in range(n))]
    return sb.matrix([[matrix[r, c] for c in order] for r in order])


whole = by_columns(both.jacobian, 3)
pattern = sb.algebra.sparsity(whole)
pendulum = sb.first_order(foucault)
swinging = pendulum.variational
in_diagonal = {(r // 3, c // 3) for r, c in pattern}
allowed = {(i, j) for i in range(4) for j in range(4) if j in (0, i)}
force = ex.f1(q1, k)
thesis.compare(
    equation("(6.10), (6.11)", "rates of Rössler's variational system", J @ Phi, both.Phi_rates, text="f,ₖ φᵏ,ⱼ"),
    equation("(6.12), (6.13)", "rates of the pendulum's, an implicit system", sb.jacobian(pendulum.rates, pendulum.x) @ swinging.Phi, swinging.Phi_rates, text="ẋ,ₖ φᵏ,ⱼ"),
    equation("(6.15)–(6.17)", "first column of blocks of its Jacobian", sb.stack(J, *block), whole[:, :3], text="f,ₚⱼ φᵖ,ₖ"),
    statement("(6.17)", "other blocks stand on the diagonal", in_diagonal <= allowed),
    equation("(6.18)–(6.20)", "the same of the pendulum", sb.jacobian(sb.stack(pendulum.rates, *(swinging.Phi_rates[:, j] for j in range(4))), pendulum.x),
             by_columns(swinging.jacobian, 4)[:, :4], text="second derivatives of M and f"),
    printed("sec. 6.3.3", "bound (2n + 1) n² of nonzero elements, n = 3: blocks of (6.17)", "63", 3**2 * len(allowed)),
    statement("sec. 6.3.3", "jpattern lies within it", len(pattern) <= 63, f"{len(pattern)} entries, the exact pattern"),
    equation("(6.21)", "external function and its derivatives at q1 = −0.5, k = 2", np.array([1.0, -2.0, 0.0]),
             np.array([sb.evaluate(e, {q1: -0.5, k: 2.0}) for e in (force, sb.derivative(force, q1), sb.derivative(sb.derivative(force, q1), q1))]), text="−k q1, −k, 0"),
    equation("(6.22)", "implicit equations in one call, `sb.from_equations({}, implicit=...)`", sb.vector(sin(x2) - cos(x2) * x1, x1),
             sb.solve([[1, cos(x2)], [0, 1]], [sin(x2), x1]), text="[[x1t + cos(x2) x2t − sin(x2), x2t − x1], [x1t, x2t]]"),
)  # fmt: skip

# %% [markdown]
# ## 6.7.5: the spherical pendulum
#
# The printed implicit equations, v1mag among them, are those of `examples/foucault_pendulum.py`. The code of the explicit ones
# costs less than Maple's optimised code; both count v1mag once. In figure 6.4 the shaken pendulum rises: q1 tends to π.

# %%
numbers = {
    s.name: 0.3 + 0.17 * i for i, s in enumerate((*foucault.p, *foucault.q, *foucault.u, *(s.dot for s in foucault.u)))
} | {"t": 0.4}
residual = sb.evaluate(foucault.residual(), foucault.values(numbers))
order = {"q1": "q1", "q2": "q2"}
theirs = sb.evaluate(sb.vector(*ex.ieq), {s: numbers[s.name] for s in sb.free_symbols(*ex.ieq)})
pende = ex.pende_code.cost
risen = sb.simulate(ex.pende, 4, ex.risen, rtol=1e-8)
implicit_run = sb.simulate(ex.pendi, 4, ex.risen, rtol=1e-8)
tracks = [sb.simulate(ex.pende, 100, ex.foucault, rtol=1e-8, **p) for p in ex.tracks]
thesis.compare(
    equation("sec. 6.7.5", "the two printed implicit equations", np.array(theirs), -np.array(residual), text="ieq"),
    measured("sec. 6.7.5", "cost as written", "29 + 209 + 5 + 90", "{0.additions} + {0.multiplications} + {0.divisions} + {0.functions}".format(sb.emit.unshared(ex.pende_code).cost),
             "v1mag is written out twice here"),
    measured("sec. 6.7.5", "cost after optimisation", "29 + 144 + 3 + 10", f"{pende.additions} + {pende.multiplications} + {pende.divisions} + {pende.functions}"),
    statement("fig. 6.4", "q1 tends to π: above 3.1 after 4 units of time", risen.final["q1"] > 3.1),
    equation("fig. 6.4", "implicit and explicit code have one motion", np.array([risen.final[n] for n in ("q1", "q2")]) * 0 + 1,
             np.array([risen.final[n] / implicit_run.final[n] for n in ("q1", "q2")]).round(4), text="pendi, pende"),
)  # fmt: skip

# %%
angles = sb.plot(risen, {"q1 [rad]": "q1", "q2 [rad]": "q2"}, title="shaken pendulum")
(panel,) = angles.panels
thesis.figure("figure 6.4", "angles q1 (dashed) and q2 of a pendulum whose support is shaken rapidly; it comes to stand upright",
              replace(angles, panels=(replace(panel, y_label="angle [rad]", curves=(replace(panel.curves[0], kind="dashed"), *panel.curves[1:])),)))  # fmt: skip


# %%
def track(run, damping):
    """The track over the floor, as a thin line: it crosses itself at every swing."""
    drawn = sb.plot(run, {"north [m]": ex.north}, over={"east [m]": ex.east}, equal=True, title=f"c = {damping:g}")
    (panel,) = drawn.panels
    return replace(drawn, panels=(replace(panel, curves=tuple(replace(c, kind="thin") for c in panel.curves)),))


left, right_ = (track(run, p["c"]) for run, p in zip(tracks, ex.tracks, strict=True))
thesis.figure(
    "figure 6.5",
    "track over the floor of a pendulum on a rotating planet, at the latitude of Stockholm, with two dampings c",
    left | right_,
)

# %% [markdown]
# ## 6.7.5: van der Pol's oscillator
#
# Five starts, each marked by a circle; the origin is a fixed point, whose eigenvalues follow from the exported Jacobian.

# %%
runs = [sb.simulate(ex.vdp, 10, {"x1": float(a), "x2": float(b_)}, rtol=1e-8) for a, b_ in ex.starts]
values = sorted(ex.ev, key=lambda w: -w.imag)
thesis.compare(
    equation("sec. 6.7.5", "vdpj at the origin", np.array([[1.0, -1.0], [1.0, 0.0]]), ex.vj, text="[1 −1; 1 0]"),
    printed("sec. 6.7.5", "eigenvalue at the origin", "0.50000000000000 + 0.86602540378444i", values[0]),
    printed("sec. 6.7.5", "the other one", "0.50000000000000 - 0.86602540378444i", values[1]),
    statement("fig. 6.6", "all but the one from the origin tend to the limit cycle",
              all(np.hypot(r.final["x1"], r.final["x2"]) > 1 for k_, r in enumerate(runs) if k_ != 2) and np.hypot(runs[2].final["x1"], runs[2].final["x2"]) < 1e-9),
)  # fmt: skip

# %%
labels = [f"x2 = {b_:g}, x1 = {a:g}" for a, b_ in ex.starts]
thesis.figure("figure 6.6", "phase plane of van der Pol's oscillator with µ = 1, from five starts (circles)",
              sb.plot(dict(zip(labels, runs, strict=True)), "x1", over="x2", mark="start", title="van der Pol"))  # fmt: skip

# %% [markdown]
# ## 6.7.5: Rössler's system
#
# A trajectory that settles on an orbit, and the search for the orbit by (2.63): the MATLAB script as it stands, with its
# tolerances, and `sb.orbit` with its own.

# %%
settling = sb.simulate(ex.ross, 100, ex.x0, rtol=1e-8)
point, period, searches, corrections = ex.orbit()
orbit = sb.orbit(ex.ross, ex.x0, period=6.3, form="shooting", segments=1)
y_rate, x_rate, z_rate = (
    sb.evaluate(ex.rs[k_], {ex.x: orbit.state["x"], ex.y: 0, ex.z: orbit.state["z"], ex.ra: 0.3, ex.rb: 2, ex.rc: 4})
    for k_ in (ex.y, ex.x, ex.z)
)
late = -orbit.state["y"] / y_rate  # until the plane y = 0
after_three = max(abs(searches[3].final[n] - searches[3][n][0]) for n in "xyz")
thesis.compare(
    printed("fig. 6.8", "x of the orbit on y = 0", "3.1525486", point[0]),
    printed("fig. 6.8", "z there", "2.6631716", point[2], within=3e-7, because="the script with its tolerance of 1e-6"),
    printed("fig. 6.8", "period", "6.1746375", period),
    printed("fig. 6.8", "x, by `sb.orbit`", "3.1525486", orbit.state["x"] + late * x_rate),
    printed("fig. 6.8", "z, by `sb.orbit`", "2.6631716", orbit.state["z"] + late * z_rate),
    printed("fig. 6.8", "period, by `sb.orbit`", "6.1746375", orbit.period),
    statement("fig. 6.8", "after three iterations start and end differ by the order of 1e-7 or less", after_three < 5e-7, f"{after_three:.0e}"),
    statement("sec. 6.7.5", "the orbit is stable", orbit.is_stable, "the thesis leaves it open; multipliers −0.6005 and −1e-9"),
)  # fmt: skip

# %%
thesis.figure("figure 6.7", "a trajectory of Rössler's system from x = 3, y = 0, z = 2",
              sb.plot(settling, "z", over=["x", "y"], title="Rössler's system"))  # fmt: skip

# %%
labels = {f"iteration {n}" if n else "first guess": run for n, run in enumerate(searches)}
thesis.figure("figure 6.8", "iterations to the periodic orbit; circles where they start, in the plane y = 0",
              sb.plot(labels, "z", over=["x", "y"], mark="start", title="search for the orbit"))  # fmt: skip

# %% [markdown]
# ## 6.9: numerical performance
#
# Table 6.1 and 6.2 time n pendulums with code that is not optimised (N), optimised by the compiler (C) and symbolically (S).
# Here N is `sb.emit.unshared(program)`, compiled, and S the program itself; machine code is always optimised. Milliseconds
# of the fastest printed machine (Linux) beside those of this one.


# %%
def milliseconds(f, *arguments):
    f(*arguments)
    best = math.inf
    for _ in range(5):
        began = perf_counter()
        for _ in range(200):
            f(*arguments)
        best = min(best, (perf_counter() - began) / 200)
    return f"{1e3 * best:.4f} ms"


rows = []
for n, var, large, not_optimised, optimised in (
    (4, "16", "272", "0.8", "0.2"),
    (8, "32", "1056", "3.6", "0.6"),
    (12, "48", "2352", "9.5", "1.2"),
):
    e = chain[n]
    size = len(e.q) + len(e.u)
    given = (0.3, np.linspace(0.1, 1, len(e.q)), np.linspace(-1, 1, len(e.u)), np.array([0.1, 2.0]))
    program = sb.program("udot", {"t": e.t, "q": e.q, "u": e.u, "p": e.p}, {"udot": e.udot})
    rows += [
        printed("table 6.1", f"variables of {n} pendulums", var, size),
        printed("table 6.2", "variables of their variational system", large, size * (size + 1)),
        measured("table 6.1", f"{n} pendulums, S", f"{optimised} ms", milliseconds(sb.compile(program), *given)),
    ]  # fmt: skip
    if n == 4:
        setup = sb.program("setup", {"t": e.t, "q": e.q, "u": e.u, "p": e.p}, {"M": e.M, "f": e.f})
        apart = sb.emit.unshared(setup)
        rows += [
            measured("table 6.1", f"{n} pendulums, M and f, S", f"{optimised} ms", milliseconds(sb.compile(setup), *given), f"{setup.cost.total} operations"),
            measured("table 6.1", f"{n} pendulums, M and f, N", f"{not_optimised} ms", milliseconds(sb.compile(apart), *given), f"{apart.cost.total} operations"),
        ]  # fmt: skip
        variations = sb.first_order(e).variational
        of_both = sb.program(
            "variational",
            {"t": e.t, "x": variations.x, "Phi": variations.Phi.entries, "p": e.p},
            {"xdot": variations.rates, "Phidot": variations.Phi_rates},
        )
        state = (0.3, np.linspace(0.1, 1, size), np.eye(size).ravel(), np.array([0.1, 2.0]))
        rows.append(measured("table 6.2", f"{n} pendulums, S", "1.3 ms", milliseconds(sb.compile(of_both), *state)))

thesis.compare(
    *rows,
    *(printed(f"table 6.{k}", f"variables of {'' if k == 1 else 'the variational system of '}{n} pendulums", text, size if k == 1 else size * (size + 1))
      for n, texts in ((6, ("24", "600")), (10, ("40", "1640"))) for size in [len(chain[n].q) + len(chain[n].u)] for k, text in enumerate(texts, 1)),
    printed("sec. 6.10", "variables of the walker's variational system, 14 degrees of freedom", "812", 28 * 29),
)  # fmt: skip

# %% [markdown]
# Section 6.10 prints the equations of second and third variations; `sb.write.c(eq, folder, functions=["variational", "higher"])`
# exports them. For one variable they read φ̇₂ = f″φ₁² + f′φ₂ and φ̇₃ = f‴φ₁³ + 3 f″φ₁φ₂ + f′φ₃, compared here for a sine.

# %%
p0, p1, p2, p3 = sb.symbols("p0 p1 p2 p3")
f = sin(2 * p0)


def along(e):
    """d/dx of an expression in φ and its derivatives."""
    return sum((sb.derivative(e, s) * d for s, d in ((p0, p1), (p1, p2), (p2, p3))), 0 * p0)


d1, d2, d3 = (2 * cos(2 * p0), -4 * sin(2 * p0), -8 * cos(2 * p0))
thesis.compare(
    equation("sec. 6.10", "first variation", d1 * p1, along(f), text="f,ₚ φᵖ,ⱼ"),
    equation("sec. 6.10", "second variation", d2 * p1**2 + d1 * p2, along(along(f)), text="f,ₚq φᵖ,ⱼ φq,ₖ + f,ₚ φᵖ,ⱼₖ"),
    equation(
        "sec. 6.10",
        "third variation",
        d3 * p1**3 + 3 * d2 * p1 * p2 + d1 * p3,
        along(along(along(f))),
        text="five terms",
    ),
)
