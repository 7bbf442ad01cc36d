"""# Lynch: pendulum, robot arm, satellite and four-bar

Chapters 5 and 6 of the thesis with its appendices: simulations with their figures, inverse dynamics, linearisation,
constrained eigenvalues, and lengths that are changed until a pendulum has wanted frequencies. The chapter before has the
kinematics and the equations.
"""

# %%
import math
from time import perf_counter

import numpy as np
import scipy.linalg

import symbody as sb
from docs.documents import Document, equation, measured, printed, statement
from docs.documents.lynch_appendix_b import PRINTED
from docs.documents.stills import Stills
from examples import satellite, stanford_arm, triple_pendulum
from examples.documents import lynch_four_bar, lynch_satellite, lynch_stanford_arm, lynch_triple_pendulum

thesis = Document("Lynch 1988")

# %% [markdown]
# ## Chapter 5: examples
#
# ### Three degree of freedom pendulum
#
# All angles start at 30° at rest. The axes of the printed figures are not in the text; five and ten seconds are
# chosen here.

# %%
model = triple_pendulum.model()
model.show_in("deg", "q1", "q2", "q3")
began = perf_counter()
pendulum = sb.derive(model, "kane")
derivation = perf_counter() - began
THIRTY = {f"q{k}": math.radians(30) for k in (1, 2, 3)}
RTOL = 1e-8
swing = sb.simulate(pendulum, 5, THIRTY, rtol=RTOL)
damped = sb.simulate(pendulum, 10, THIRTY, rtol=RTOL, c1=5.0, c2=5.0, c3=5.0)
energies = {
    "kinetic [J]": sb.kinetic_energy(pendulum),
    "potential [J]": sb.potential_energy(pendulum),
    "total [J]": sb.energy(pendulum),
}
thesis.figure(
    "figure 5.2",
    "joint angles of the pendulum, from 30° at rest",
    sb.plot(swing, "q1", "q2", "q3", title="without damping"),
)

# %%
thesis.figure(
    "figure 5.3",
    "energies of the pendulum; the total is constant",
    sb.plot(swing, energies, title="without damping"),
)

# %%
thesis.figure(
    "figure 5.4",
    "joint angles with 5 N m s of damping in each joint",
    sb.plot(damped, "q1", "q2", "q3", title="with damping"),
)

# %%
thesis.figure(
    "figure 5.5", "energies with damping; the total decreases", sb.plot(damped, energies, title="with damping")
)

# %%
largest = max(np.abs(swing.kinetic_energy).max(), np.abs(swing.potential_energy).max())
thesis.compare(
    measured("sec. 5.1", "derivation of the equations", "under 9 CPU min", f"{1e3 * derivation:.0f} ms", "VAX 11/785 then"),
    measured("sec. 5.1", "integration of one second, symbolic", "6.6 CPU s", f"{1e3 * swing.statistics.seconds / 5:.2f} ms"),
    measured("sec. 5.1", "the same, numerical formulation", "10.3 CPU s", "–", "not part of this package: equations are always formulas"),
    statement("fig. 5.3", "energy deviates by less than the tolerance of the integration", np.ptp(swing.energy) < RTOL * largest),
    statement("fig. 5.4", "the damped angles go to zero", np.abs(damped.q[-1]).max() < 0.2 * math.radians(30)),
    statement("fig. 5.5", "the energy of the damped pendulum falls", (np.diff(damped.energy) < 0).all()),
)  # fmt: skip

# %% [markdown]
# ### Six degree of freedom Stanford arm
#
# Lengths and masses were taken from a paper and are not printed; those of `examples/stanford_arm.py` are used, so that the
# curves have the form of the printed ones and not their numbers. Without motors the arm falls from its stretched position.

# %%
T = 10.0
began = perf_counter()
arm = sb.derive(stanford_arm.model())
arm_seconds = perf_counter() - began
FIRST = dict(zip(arm.q, [0, math.pi / 2, 0, 0, 0, 0], strict=True))
LAST = dict(zip(arm.q, [math.pi / 3, math.pi / 3, 0.1, math.pi / 3, math.pi / 3, math.pi / 3], strict=True))
falling = sb.simulate(arm, 1, FIRST, rtol=RTOL)
arm_energies = {
    "kinetic [J]": sb.kinetic_energy(arm),
    "potential [J]": sb.potential_energy(arm),
    "total [J]": sb.energy(arm),
}
thesis.figure("figure 5.7", "energies of the arm without motors", sb.plot(falling, arm_energies, title="falling arm"))

# %% [markdown]
# The second simulation prescribes the motion (5.2) from rest to rest in ten seconds, and inverse dynamics (5.1) gives the
# torques of the revolute joints and the force of the slide. Below, accelerations come from (5.2), and positions and speeds
# from the motion that the torques make.

# %%
t = arm.t
course = t / T - sb.sin(2 * sb.pi * t / T) / (2 * sb.pi)
wanted = {q: FIRST[q] + (LAST[q] - FIRST[q]) * course for q in arm.q}
rates = {q.dot: sb.time_derivative(e, {}) for q, e in wanted.items()}
accelerations = {q.dot.dot: sb.time_derivative(rates[q.dot], {}) for q in arm.q}
inverse = sb.inverse_dynamics(arm)
torques = {tau: sb.substitute(e, accelerations) for tau, e in inverse.inputs.items()}
follow = sb.simulate(arm, T, FIRST, inputs=torques, rtol=1e-10)
by_hand = arm.M @ sb.vector(*accelerations) - sb.substitute(arm.f, dict.fromkeys(arm.r, 0))


def torque_figure(*joints: int) -> sb.view.Figure:
    """Torques, or the force of the slide, one above the other: their sizes differ."""
    names = {k: "force 3 [N]" if k == 3 else f"torque {k} [N m]" for k in joints}
    return sb.plot(follow, *({name: arm.r[k - 1]} for k, name in names.items()), title="inverse dynamics")


thesis.figure("figure 5.8", "torques 1 and 2 by inverse dynamics", torque_figure(1, 2))

# %%
thesis.figure("figure 5.9", "force 3 and torque 4 by inverse dynamics", torque_figure(3, 4))

# %%
thesis.figure("figure 5.10", "torques 5 and 6 by inverse dynamics", torque_figure(5, 6))

# %%
frames = Stills(
    sb.scene(follow), (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), "Figure 5.11: the arm in the first half of its motion", columns=3
)
thesis.figure("figure 5.11", "the arm at t = 0, 1, 2, 3, 4 and 5 s", frames)

# %% [markdown]
# The thesis checks the torques by feeding them, as functions of time, into the forward equations, and reports that the
# motion (5.2) comes back. This feedforward motion is unstable: a boom below its course slides out, and a boom that has slid
# out is too heavy for its torque. The variational equations along (5.2), δẋ = A(t) δx, give the growth. At the
# start an eigenvalue of A is 5.07/s, the fourth root of the product of two entries, of slide on lift and of lift on slide.
# The transition matrix grows by a factor of 214 in the second second and of 228 in the fifth, and by 7 · 10²³ in all: a
# rounding error of 10⁻¹⁶ becomes larger than any angle, so that no accuracy of doubles leads through the ten seconds.
# Numbers of 34 digits would.

# %%
system = sb.first_order(arm)
on_course = {**wanted, **rates}
given_torques = {tau: sb.substitute(e, on_course) for tau, e in torques.items()}
along_course = sb.program(
    "course", {"t": t, "p": arm.p}, {"x": [on_course[s] for s in system.x], "tau": list(given_torques.values())}
)
of_state = sb.program("A", {"x": system.x, "tau": list(given_torques), "p": arm.p}, {"A": system.jacobian})
state_at, slope = sb.compile(along_course), sb.compile(of_state)
p = [arm.values(otherwise=0.0)[s] for s in arm.p]


def slopes_at(time: float) -> np.ndarray:
    return slope(*state_at(time, p), p)


STEP = 0.02
Phi, growth = np.eye(12), [1.0]
for k in range(round(T / STEP)):  # Runge-Kutta steps of the variational equations
    before, middle, after = slopes_at(k * STEP), slopes_at((k + 0.5) * STEP), slopes_at((k + 1) * STEP)
    k1 = before @ Phi
    k2 = middle @ (Phi + STEP / 2 * k1)
    k3 = middle @ (Phi + STEP / 2 * k2)
    Phi = Phi + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + after @ (Phi + STEP * k3))
    if (k + 1) % round(1 / STEP) == 0:
        growth.append(float(np.linalg.norm(Phi, 2)))
factors = np.array(growth[1:]) / growth[:-1]
lift_and_slide = slopes_at(0.0)[6:, :6][[1, 2], [2, 1]]
unstable = [np.linalg.eigvals(slopes_at(time)).real.max() for time in (0.0, 5.0)]
back = sb.simulate(arm, 4, FIRST, inputs=given_torques, rtol=1e-12)
nudged = sb.simulate(arm, 4, {**FIRST, arm.q[1]: math.pi / 2 + 1e-11}, inputs=given_torques, rtol=1e-12)
apart = np.linalg.norm(nudged.at([2.0, 3.0]).y - back.at([2.0, 3.0]).y, axis=1)


def deviation(sim: sb.Trajectory) -> float:
    course = sim.t / T - np.sin(2 * np.pi * sim.t / T) / (2 * np.pi)
    return float(max(np.abs(sim[q.name] - FIRST[q] - (LAST[q] - FIRST[q]) * course).max() for q in arm.q))


rounding = np.finfo(float).eps / 2
thesis.compare(
    measured("sec. 5.2", "integration of one second without motors", "9.6 CPU s", f"{1e3 * falling.statistics.seconds:.2f} ms",
             "numerical formulation then 11.4 CPU s"),
    measured("sec. 5.2", "derivation of the equations", "not given", f"{1e3 * arm_seconds:.0f} ms"),
    statement("fig. 5.7", "energy deviates by less than the tolerance of the integration",
              np.ptp(falling.energy) < RTOL * np.abs(falling.kinetic_energy).max()),
    equation("(5.1)", "torques of the arm", by_hand, sb.vector(*inverse.inputs.values()), text="Bᵀ M B q̈ − Bᵀ(f̂ − M Ḃ q̇ − h)"),
    statement("(5.2)", "with positions and speeds fed back the motion comes out, over 10 s", deviation(follow) < 1e-7),
    statement("sec. 5.2", "with torques of time alone it comes out over 4 s", deviation(back) < 1e-4),
    equation("sec. 5.2", "largest eigenvalue of A at the start", np.prod(lift_and_slide) ** np.array([0.25]), np.array([unstable[0]]), text="of lift and slide"),
    statement("sec. 5.2", "deviations grow 200 to 230 times in each of the seconds 2 to 5", all(200 < x < 230 for x in factors[1:5])),
    statement("sec. 5.2", "so does a nudge of 1e-11 rad of the lift, in the third second", abs(apart[1] / apart[0] / factors[2] - 1) < 0.05,
              f"{apart[1] / apart[0]:.0f} times"),
    measured("sec. 5.2", "growth of a deviation in the 2nd, 5th and 10th second", "not given",
             f"{factors[1]:.0f}, {factors[4]:.0f}, {factors[9]:.0f} times", f"eigenvalues of A(t): {unstable[0]:.2f}/s at 0 s, {unstable[1]:.2f}/s at 5 s"),
    statement("sec. 5.2", "no accuracy of doubles brings it back over 10 s", rounding * growth[-1] > 1e6,
              f"deviations grow by {growth[-1]:.0e}; the thesis reports that it comes back"),
)  # fmt: skip

# %% [markdown]
# ### Eight degree of freedom satellite
#
# The base spins about y at 2 rad/s, with its links at 60°; no force acts.

# %%
model = satellite.model()
model.show_in("deg", "theta2", "theta3")
began = perf_counter()
spun = sb.derive(model, "kane")
satellite_seconds = perf_counter() - began
turn = sb.simulate(spun, 10, satellite.START, rtol=RTOL)
H = sb.angular_momentum(spun).in_ground
thesis.figure("figure 5.13", "angles of the two links", sb.plot(turn, "theta2", "theta3", title="satellite"))

# %%
thesis.figure(
    "figure 5.14",
    "angular velocity of the base in its own axes",
    sb.plot(turn, {f"about {a} [rad/s]": f"base_w{a}" for a in "xyz"}, title="satellite"),
)

# %%
components = {f"about {a} [N m s]": H[k] for k, a in enumerate("xyz")}
thesis.figure("figure 5.15", "angular momentum in the inertial frame", sb.plot(turn, components, title="satellite"))

# %%
ground = spun.mechanism.ground
at_speeds = dict(zip((q.dot for q in spun.q), spun.rates.entries, strict=True))
moments = sb.zeros(3, 1)
for b in spun.mechanism.bodies:
    A_Ri, w = ground.dcm(b.frame), b.frame.angular_velocity().components(b.frame)
    place, v = b.mass_centre.in_ground, b.mass_centre.velocity().components(ground)
    moments = moments + A_Ri @ (b.mass.I_BBcm @ w) + b.mass.m * sb.cross(place, v)
extremes = (turn.min("theta3"), turn.max("theta3"))
momentum = turn[H]
thesis.compare(
    equation("(5.3)", "angular momentum", sb.substitute(moments, at_speeds), sb.substitute(H, at_speeds),
             dict.fromkeys(spun.q[3:7], 0.5), text="Σ A (J ω + m p × v)"),
    statement("fig. 5.13", "angles oscillate about π/2", abs(sum(extremes) / 2 - math.pi / 2) < 1e-4,
              f"between {math.degrees(extremes[0]):.3f}° and {math.degrees(extremes[1]):.3f}°"),
    statement("fig. 5.13", "the links move as mirror images", np.abs(turn["theta2"] + turn["theta3"]).max() < 1e-5),
    statement("fig. 5.14", "the spin about y oscillates, the others are zero",
              np.ptp(turn["base_wy"]) > 0.2 and max(np.abs(turn[f"base_w{a}"]).max() for a in "xz") < 1e-6,
              f"from {turn.min('base_wy'):.4f} to {turn.max('base_wy'):.4f} rad/s"),
    statement("fig. 5.15", "angular momentum stays constant", np.ptp(momentum, axis=0).max() < 1e-6,
              f"(0, {momentum[0].ravel()[1]:.5f}, 0) N m s"),
    measured("sec. 5.3", "integration of one second", "9.6 CPU s", f"{1e3 * turn.statistics.seconds / 10:.2f} ms", "numerical formulation then 13.4 CPU s"),
    measured("sec. 5.3", "derivation of the equations", "not given", f"{1e3 * satellite_seconds:.0f} ms"),
)  # fmt: skip

# %% [markdown]
# ## Chapter 6: linear systems
#
# Linearisation (6.1) to (6.5) of the triple pendulum about its rest is what appendix B prints as mlin, clin and klin; the
# printed clin and klin are those of the right side, −C and −K of (6.5). Scanning has spoiled some signs and brackets of
# the text, which `docs/documents/lynch_appendix_b.py` repairs and keeps entry by entry.

# %%
symbols = {s.name: s for s in (*pendulum.q, *pendulum.u, *pendulum.p, *pendulum.r)}
space = dict(symbols)
for k in (1, 2, 3):
    angle = symbols[f"q{k}"]
    space |= {f"S{k}": sb.sin(angle), f"C{k}": sb.cos(angle), f"u{k}": symbols[f"q{k}_dot"]}


def as_printed(name: str) -> sb.Matrix:
    """A matrix of appendix B."""
    cells = {
        (i, j): sb.algebra.as_expr(eval(text.replace("^", "**"), {}, space))
        for (n, i, j), text in PRINTED.items()
        if n == name
    }
    rows, columns = (max(at) + 1 for at in zip(*cells, strict=True))
    return sb.matrix([[cells[i, j] for j in range(columns)] for i in range(rows)])


lin = sb.linearize(pendulum, sb.steady(pendulum))
form = lin.second_order()
hanging = dict.fromkeys((*pendulum.q, *pendulum.u), 0)
slopes = {
    name: sb.substitute(sb.jacobian(pendulum.f, of), hanging) for name, of in (("f_u", pendulum.u), ("f_q", pendulum.q))
}
thesis.compare(
    equation("app. B", "nonlinear mass matrix, 9 entries", as_printed("M"), pendulum.M, text="lhs1"),
    equation("app. B", "nonlinear right side, 3 entries", as_printed("f"), pendulum.f, text="rhs1"),
    equation("app. B", "linear mass matrix, 9 entries", as_printed("M0"), sb.substitute(pendulum.M, hanging), text="mlin"),
    equation("app. B", "linear damping matrix, 9 entries", as_printed("f_u"), slopes["f_u"], text="clin"),
    equation("app. B", "linear stiffness matrix, 9 entries", as_printed("f_q"), slopes["f_q"], text="klin"),
    equation("(6.3)–(6.5)", "M_l, C_l and K_l of `second_order`, at numbers",
             np.array(sb.evaluate(sb.stack(as_printed("M0"), -as_printed("f_u"), -as_printed("f_q")), pendulum.values(otherwise=0.0))),
             np.array(sb.evaluate(sb.stack(form.M, form.D + form.G, form.K + form.N), lin.numbers.nominal)), text="M_l, C_l, K_l"),
)  # fmt: skip

# %% [markdown]
# Constrained systems (6.6) have infinite eigenvalues, two for each constraint, which QZ meets and a projection on the tangent
# of the constraints (6.7) to (6.16) avoids. The four-bar of appendix C, with NumPy and SciPy as printed and by `lin`:

# %%
four_bar = sb.derive(lynch_four_bar.m)
rest = sb.steady(four_bar, start=lynch_four_bar.HANGING)
bar_lin = sb.linearize(four_bar, rest)
at_rest = four_bar.values({s.name: rest[s.name] for s in (*four_bar.q, *four_bar.lam)}, otherwise=0.0)
balance = four_bar.f + four_bar.Jc.T @ sb.vector(*four_bar.lam)
M, K, Phi_q, load = (
    np.array(sb.evaluate(x, at_rest)) for x in (four_bar.M, -sb.jacobian(balance, four_bar.q), four_bar.Jc, balance)
)
left = np.block([[K, Phi_q.T], [Phi_q, np.zeros((3, 3))]])
right = scipy.linalg.block_diag(M, np.zeros((3, 3)))
alpha, beta = scipy.linalg.eig(left, right, right=False, homogeneous_eigvals=True)
is_infinite = np.abs(beta) < 1e-7 * np.abs(alpha)
Q, R = np.linalg.qr(Phi_q.T, mode="complete")
Q_1, Q_2 = Q[:, :3], Q[:, 3:]
reduced_K, reduced_M = Q_2.T @ K @ Q_2, Q_2.T @ M @ Q_2
by_qr = (reduced_K / reduced_M).item()
shape = bar_lin.modes()[0].shape
by_lin = {method: -(bar_lin.eigenvalues(method=method)[0] ** 2).real for method in ("qz", "qr")}
direction = np.array([shape[s.name] for s in four_bar.q])
truncated = {
    "instead": "12.8876",
    "because": "printed without its last digits, not rounded: g (5 + 5 + 10 + 0.1)/(2.6 + 2.6 + 10 + 0.1) is 12.8876",
}
thesis.compare(
    statement("fig. 6.1", "the position is an equilibrium", np.abs(load).max() < 1e-8),
    equation("(6.7)–(6.11)", "factors of the constraint Jacobian", Q_1 @ R[:3], Phi_q.T, text="Q₁ R₁, with Q₂ᵀ Φᵀ = 0"),
    printed("sec. 6.2", "eigenvalue by QZ, `lin.eigenvalues(method=\"qz\")`", "12.887", by_lin["qz"], **truncated),
    printed("sec. 6.2", "eigenvalue by QR, `lin.eigenvalues(method=\"qr\")`", "12.887", by_lin["qr"], **truncated),
    equation("(6.6)", "finite eigenvalue of the 7 by 7 pencil", (alpha[~is_infinite] / beta[~is_infinite]).real, np.array([by_lin["qz"]]), text="QZ"),
    equation("(6.12)–(6.16)", "eigenvalue on the tangent of the constraints", np.array([by_qr]), np.array([by_lin["qr"]]), text="Q₂ᵀK Q₂, Q₂ᵀM Q₂"),
    printed("sec. 6.2", "infinite eigenvalues", "6", sb.stability.infinite_eigenvalues(bar_lin, method="squares")),
    statement("(6.6)", "the pencil as printed has as many", is_infinite.sum() == 6),
    printed("sec. 6.2", "generalised coordinates", "4", len(four_bar.q)),
    printed("sec. 6.2", "constraints", "3", len(four_bar.phi)),
    printed("sec. 6.2", "degrees of freedom", "1", four_bar.degrees_of_freedom),
    equation("(6.17)", "mode in all coordinates", np.ravel(Q_2) / np.ravel(Q_2)[0], (direction / direction[0]).real, text="U = Q₂ V"),
)  # fmt: skip

# %% [markdown]
# The input of appendix C has both pivots in one point. A loop that closes there is a triangle with another eigenvalue; the
# printed one is that of a parallelogram. The span of figure 6.1 must have stood in the constraint equations, which the thesis
# does not print.

# %%
triangle = sb.steady(four_bar, start={"q2": math.pi / 6, "q3": -math.pi / 6, "q4": 2 * math.pi / 3}, span=0.0)
thesis.compare(
    measured("app. C", "eigenvalue with the pivots in one point", "12.887", f"{-(sb.linearize(four_bar, triangle).eigenvalues()[0] ** 2).real:.3f}",
             "SL[2,1] = SL[3,1] = 0 as printed, without a span in the constraints"),
)  # fmt: skip

# %% [markdown]
# Section 6.3 takes derivatives of eigenvalues (6.18) and goes by Newton's method to wanted ones, by changing the three
# half lengths. Tables 6.1 and 6.2 are met in all digits with g = 98.1; with the 9.81 of all other sections the eigenvalues
# at the start are a tenth of those printed. Only DL22, DL33 and DL44 change; SL32, SL43 and the inertias are held.

# %%
design = sb.stability.design_parameters(lin, [20, 40, 130], ["d1", "d2", "d3"], of="squares", g=98.1)
numbers_of = {**lin.numbers.nominal, symbols["g"]: 98.1}
M_l, K_l = (np.array(sb.evaluate(x, numbers_of)) for x in (form.M, form.K))
squares, modes = scipy.linalg.eigh(K_l, M_l)
derivatives = np.array([
    [mode @ (dK - dM * square) @ mode / (mode @ M_l @ mode) for dM, dK in (
        (np.array(sb.evaluate(sb.derivative(x, symbols[d]), numbers_of)) for x in (form.M, form.K)) for d in ("d1", "d2", "d3"))]
    for square, mode in zip(squares, modes.T, strict=True)
])  # fmt: skip
tables = {
    ("table 6.1", "initial"): (0, ("46.0", "67.7", "198.6")), ("table 6.1", "after one estimate"): (1, ("28.4", "41.7", "156.7")),
    ("table 6.2", "initial"): (1, ("28.4", "41.7", "156.7")), ("table 6.2", "after one estimate"): (2, ("21.5", "40.0", "132.9")),
}  # fmt: skip
with_9_81 = sorted(-(lin.eigenvalues() ** 2).real)[::2]
thesis.compare(
    equation("(6.18)", "derivatives of three eigenvalues by three lengths", derivatives, design.steps[0].derivatives.real, text="uᵀ(K′ − M′λ)u / uᵀM u"),
    *(printed(table, f"λ{k + 1}, {when}", text, design.steps[step].quantities[k].real, because="with g = 98.1")
      for (table, when), (step, texts) in tables.items() for k, text in enumerate(texts)),
    *(printed("table 6.2", f"λ{k + 1}, wanted", text, value) for k, (text, value) in enumerate(zip(("20.0", "40.0", "130.0"), design.steps[-1].quantities.real, strict=True))),
    measured("table 6.1", "initial eigenvalues with g = 9.81", "46.0, 67.7, 198.6", ", ".join(f"{x:.3f}" for x in with_9_81),
             "the tables belong to g = 98.1, ten times that of the text"),
)  # fmt: skip

# %%
sb.plot(design, title="eigenvalues and half lengths, step by step")

# %% [markdown]
# ## Appendices A and C: inputs
#
# The four printed inputs run line by line as `examples/documents/lynch_*.py`. `sb.bodies.LynchInput` checks what follows from
# the matrices, NBOD, NGC, PIE and IBB. Two lines do not stand as printed: the first row of DM of the arm has an eighth zero,
# and what the numbers of appendix C call DL44 is DL55. PHI[4] in DL of the arm's slide is its coordinate.

# %%
inputs = {
    "triple pendulum": (lynch_triple_pendulum, "4", "3"), "Stanford arm": (lynch_stanford_arm, "7", "6"),
    "satellite": (lynch_satellite, "3", "9"), "four bar": (lynch_four_bar, "5", "4"),
}  # fmt: skip
rows = []
for name, (script, bodies, coordinates) in inputs.items():
    tree, given = script.m.freeze().topology, script.given
    typed = [tuple(map(tuple, matrix)) for matrix in (given.path, given.reference, given.distance)]
    rows += [
        printed("app. A, C", f"{name}: NBOD", bodies, len(tree.bodies)),
        printed("app. A, C", f"{name}: NGC", coordinates, len(script.m.symbols_of_kind("coordinate"))),
        statement("app. A, C", f"{name}: PIE, REF and DM", typed == [tree.path, tree.reference, tree.distance]),
    ]
thesis.compare(*rows)
