"""# Lennartsson: methods, transformations, power

The thesis of Anders Lennartsson (KTH, 1999) is on efficient multibody dynamics. It describes Sophia, a language of mechanics
in Maple, and exmex, which turns equations into compiled functions with their derivatives; with both it analyses mechanisms up
to the bifurcations of a bicycle.

What it contributed to this package: frames, vectors and dyads that know where they belong, system vectors and tangent
vectors, Kane's equations by projection, speeds in which the mass matrix is diagonal, and the power of constraints that
depend on time. The session of section 3.3 runs line by line in `examples/documents/sophia_swinging_legs.py`.
"""

# %%
from dataclasses import replace

import numpy as np
import scipy.linalg

import symbody as sb
from docs.documents import Document, equation, measured, statement
from examples import sleigh, spherical_chain, swinging_legs
from examples.documents import exmex_examples as ex
from examples.documents import sophia_swinging_legs as legs

thesis = Document("Lennartsson 1999")
sin, cos = sb.sin, sb.cos

# %% [markdown]
# ## 2.1: configuration and kinematics
#
# Direction cosines (2.1), (2.2) are `A.dcm(B)`. The chain of two rods on a shaken support serves as the example of this
# chapter: it is spatial and its constraints depend on time.

# %%
m = spherical_chain.model(2)
eq = sb.derive(m, "kane")
first, second = (m.bodies[f"rod {k}"] for k in (1, 2))
A, B = first.frame, second.frame
a, b = (A.x, A.y, A.z), (B.x, B.y, B.z)
cosines = sb.matrix([[i.dot(j) for j in b] for i in a])
v = B.vector(0.3, 0.4, 0.5)
thesis.compare(
    equation("(2.2)", "direction cosines of two frames, `A.dcm(B)`", cosines, A.dcm(B), text="aᵢ · bⱼ"),
    equation("(2.1)", "components of a vector in A and in B", A.dcm(B) @ v.components(B), v.components(A), text="Rab ᵇv"),
    statement("(2.3)", "n = 6 N − m: two rods on joints that hold four motions each", eq.degrees_of_freedom == 6 * 2 - 2 * 4),
)  # fmt: skip

# %% [markdown]
# ## 2.2: Lagrange, Gibbs-Appell, Kane, Lesser
#
# The operators of the text are written out with `sb.derivative` and `sb.time_derivative` and compared with equations that
# another method derives.

# %%
q, u, accelerations = eq.q, eq.u, [s.dot for s in eq.u]
T, V = sb.kinetic_energy(eq), sb.potential_energy(eq)


def lagrange(e, s):
    """The Euler-Lagrange operator (2.5)."""
    return sb.time_derivative(sb.derivative(e, s.dot)) - sb.derivative(e, s)


r = second.mass_centre.in_ground
speed, acceleration = sb.time_derivative(r), sb.time_derivative(sb.time_derivative(r))
t = eq.t
explicit_rate = sb.derivative(r, t)
expanded = sum((sb.derivative(r, s) * s.dot for s in q), explicit_rate)
curved = sum((sb.derivative(sb.derivative(r, i), j) * (i.dot * j.dot) for i in q for j in q), sb.zeros(3, 1))
mixed = sum((2 * sb.derivative(sb.derivative(r, j), t) * j.dot for j in q), sb.zeros(3, 1))
straight = sum((sb.derivative(r, j) * j.dot.dot for j in q), sb.derivative(sb.derivative(r, t), t))


def gibbs(body):
    """(2.15) without its third term, which has no second derivatives."""
    at, spin = body.mass_centre.acceleration(), body.frame.angular_velocity()
    alpha, I = spin.dt(), body.frame.dyad(body.mass.I_BBcm)
    whole = body.mass.m * at.dot(at) / 2 + alpha.dot(I.dot(alpha)) / 2
    return whole + alpha.dot(spin.cross(I.dot(spin)))


G = gibbs(first) + gibbs(second)
forces = -sb.gradient(V, q)
balance = eq.M @ sb.vector(*accelerations) - eq.f
thesis.compare(
    equation("(2.5), (2.6)", "Lagrange's operator on T − V", balance, sb.vector(*(lagrange(T - V, s) for s in q)), text="Lᵢ(T − V)"),
    equation("(2.7)", "velocity of the second mass centre", expanded, speed, text="∂r/∂q q̇ + ∂r/∂t"),
    equation("(2.8)", "cancellation of dots", sb.jacobian(r, q), sb.jacobian(speed, u), text="∂v/∂q̇ = ∂r/∂q"),
    equation("(2.9)", "its acceleration", curved + mixed + straight, acceleration, text="four terms"),
    equation("(2.10)", "operator on ½ v·v", sb.vector(*(lagrange(speed.dot(speed) / 2, s) for s in q)),
             sb.vector(*(acceleration.dot(sb.derivative(r, s)) for s in q)), text="a · ∂r/∂q"),
    equation("(2.11)", "Lᵢ(T)", forces, sb.vector(*(lagrange(T, s) for s in q)) - balance, text="Fᵢ, at the motion"),
    equation("(2.12), (2.15)", "Gibbs' function of both rods", balance, sb.gradient(G, accelerations) - forces, text="∂G/∂q̈ = Fᵢ"),
    equation("(2.13), (2.14)", "of one point", sb.jacobian(r, q), sb.jacobian(acceleration, accelerations), text="∂a/∂q̈ = ∂r/∂q"),
    *(equation("sec. 2.2.2", f"mass matrix by {route}", eq.M, sb.derive(spherical_chain.model(2), route).M, text="the same")
      for route in ("lagrange", "gibbs-appell", "newton-euler", "recursive")),
)  # fmt: skip

# %% [markdown]
# Lesser's system vectors, `sb.bodies.SystemVector`, hold velocities and angular velocities of all bodies; `partial` gives the tangent
# vectors τ, `substitute` the part that depends on time explicitly, and a change of speeds changes the basis.

# %%
bodies = (first, second)
v_system = sb.bodies.SystemVector(
    *(x for body in bodies for x in (body.mass_centre.velocity(), body.frame.angular_velocity()))
)
tau = v_system.partial(u)
tau_t = sb.substitute(v_system, dict.fromkeys(u, 0))
inertia = [x for body in bodies for x in (body.mass.m, body.frame.dyad(body.mass.I_BBcm))]
p_system = v_system.momentum(inertia)
weight = sb.bodies.SystemVector(
    *(x for body in bodies for x in (m.ground.vector(0, 0, body.mass.m), m.ground.vector(0, 0, 0)))
)
W = sb.matrix([[1, 0, 0, 0], [2, 1, 0, 0], [0, 0.5, 1, 0], [1, 0, 3, 1]])
beta = [sum((W[i, j] * tau[i] for i in range(1, 4)), W[0, j] * tau[0]) for j in range(4)]
M_tau = sb.matrix([[x.dot(y.momentum(inertia)) for y in tau] for x in tau])
M_beta = sb.matrix([[x.dot(y.momentum(inertia)) for y in beta] for x in beta])
pieces = sum((tau[i] * u[i] for i in range(4)), tau_t)
ground = m.ground


def flat(system):
    return sb.stack(*(x.components(ground) for x in system))


thesis.compare(
    equation("(2.16), (2.17)", "a vector by its components", 0.3 * b[0].in_ground + 0.4 * b[1].in_ground + 0.5 * b[2].in_ground, v.in_ground, text="Σ aᵢ aᵢ"),
    equation("(2.18)–(2.23)", "velocities by tangent vectors", flat(pieces), flat(v_system), text="τᵀ q̇ + τt"),
    equation("(2.24)–(2.28)", "tangent vectors in other speeds", sb.stack(*(W.T @ sb.vector(*column) for column in zip(*(flat(x) for x in tau), strict=True))),
             sb.stack(*(sb.vector(*column) for column in zip(*(flat(x) for x in beta), strict=True))), text="βᵀ = τᵀ W"),
    equation("(2.29)–(2.33)", "equations of motion by projection, `(ṗ − F).along(τ)`", balance, (p_system.dt() - weight).along(tau), text="τ • ṗ = τ • F"),
    equation("(2.34), (3.5), (3.6)", "mass matrix", eq.M, M_tau, text="τ • M τᵀ"),
    equation("(2.30), (2.31)", "momenta, ½ p • v is T", T, p_system.dot(v_system) / 2, text="M · v"),
    equation("(3.9)–(3.12)", "mass matrix in other speeds", W.T @ M_tau @ W, M_beta, text="Wᵀ M W"),
)  # fmt: skip

# %% [markdown]
# ## 2.3: analysis
#
# Linear stability by the Jacobian (2.42) and by the generalised problem (2.49), flow and variational equations (2.50) to
# (2.58), for van der Pol's oscillator; the rates of implicit systems (2.55), (2.56) stand in chapter 6, and the search for
# periodic orbits (2.59) to (2.63) beside figure 6.8.

# %%
x1, x2, mu = ex.x1, ex.x2, ex.mu
f = sb.vector(*ex.eqns.values())
J = np.array(sb.evaluate(sb.jacobian(f, [x1, x2]), {x1: 0, x2: 0, mu: 1.0}))
E = np.array([[2.0, 1.0], [0.5, 1.0]])
generalised = scipy.linalg.eigvals(E @ J, E)
whole = sb.first_order(ex.vdp)
system = whole.variational
unit = dict(zip(system.Phi.entries, (1, 0, 0, 1), strict=True))
run, disturbed = (sb.simulate(ex.vdp, 2.0, x1=0.5, x2=0.4 + e, sensitivities=["x2"], rtol=1e-12) for e in (0.0, 1e-6))
growth = np.array([(disturbed.final[n] - run.final[n]) / 1e-6 for n in ("x1", "x2")])
flow = np.array([run.sensitivity(n, "x2")[-1] for n in ("x1", "x2")])
step = sb.simulate(ex.vdp, 1e-6, x1=0.5, x2=0.4)
euler = np.array([(step.final[n] - s) / 1e-6 for n, s in (("x1", 0.5), ("x2", 0.4))])
thesis.compare(
    equation("(2.41), (2.42)", "eigenvalues of the Jacobian, `lin.eigenvalues()`", np.sort(sb.linearize(ex.vdp, {}).eigenvalues().imag), np.sort(np.linalg.eigvals(J).imag), text="ε̇ = J ε"),
    equation("(2.43)–(2.49)", "generalised eigenvalue problem", np.sort(generalised.imag), np.sort(np.linalg.eigvals(J).imag), text="(M λ + K) ε = 0"),
    equation("(2.50)–(2.54)", "variational equations", sb.jacobian(whole.rates, whole.x) @ system.Phi, system.Phi_rates, text="∂f/∂x φ"),
    equation("(2.52)", "sensitivity of the flow and a disturbed motion", growth.round(4), flow.round(4), text="∂φ/∂x ε"),
    equation("(2.58)", "with φ the identity they are the Jacobian", J, np.array(sb.evaluate(sb.substitute(system.Phi_rates, unit), ex.vdp.values(x1=0.0, x2=0.0))), text="J"),
    equation("(2.64)", "Euler's step, as small as 1e-6", np.array(sb.evaluate(f, {x1: 0.5, x2: 0.4, mu: 1.0})).round(4), euler.round(4), text="f Δt"),
)  # fmt: skip

# %% [markdown]
# ## Chapter 3: kinematic transformations
#
# L D Lᵀ of the mass matrix gives speeds in which it is diagonal (3.13) to (3.16), Cholesky's factor and any rotation of it
# speeds in which it is one (3.20), (3.21). Gram and Schmidt's procedure on the tangent vectors gives the same, (3.26) to
# (3.37). Below is the Sophia session of section 3.3, line by line, beside what it prints.

# %%
s = legs
m1, m2, m3, L, k, g, I23, I33 = (s.m.symbols[n] for n in ("m1", "m2", "m3", "L", "k", "g", "I23", "I33"))
c2, c3, s2, s3 = cos(s.q2), cos(s.q3), sin(s.q2), sin(s.q3)
u2, u3, u1t, u2t, u3t = s.u2, s.u3, s.u1.dot, s.u2.dot, s.u3.dot
total = m1 + m2 + m3
mass_printed = sb.matrix(
    [[total, c2 * m2 * L, c3 * m3 * L], [c2 * m2 * L, m2 * L**2 + I23, 0], [c3 * m3 * L, 0, m3 * L**2 + I33]]
)
rhs_printed = sb.vector(s3 * u3**2 * m3 * L - k * s.q1 + s2 * u2**2 * m2 * L, -L * s2 * m2 * g, -L * s3 * m3 * g)
one = m1 * I23 + m1 * m2 * L**2 + I23 * m2 - c2**2 * m2**2 * L**2 + m2 * L**2 * m3 + I23 * m3 + m2**2 * L**2
root = sb.sqrt(one / total) * total
wgb_printed = [
    [sb.sqrt(total), c2 * m2 * L / sb.sqrt(total), c3 * m3 * L / sb.sqrt(total)],
    [0, one / root, -m2 * c2 * c3 * m3 * L**2 / root],
]
below = -(m2**2) * L**2 + m2**2 * L**2 * c2**2 - m2 * I23 - m2 * m3 * L**2 - m2 * L**2 * m1 - I23 * m3 - I23 * m1
wdb_printed = sb.matrix(
    [[1, c2 * m2 * L / total, c3 * m3 * L / total], [0, 1, m2 * c2 * m3 * c3 * L**2 / below], [0, 0, 1]]
)
rates = [
    (s.FN, (0, m1 * u1t, 0)), (s.FB, (m2 * u1t * s2 - u2**2 * m2 * L, m2 * u2t * L + c2 * m2 * u1t, 0)), (s.FB, (0, 0, I23 * u2t)),
    (s.FC, (m3 * u1t * s3 - u3**2 * m3 * L, m3 * u3t * L + c3 * m3 * u1t, 0)), (s.FC, (0, 0, I33 * u3t)),
]  # fmt: skip
tangents = [
    [(s.FN, (0, 1, 0)), (s.FB, (s2, c2, 0)), (s.FB, (0, 0, 0)), (s.FC, (s3, c3, 0)), (s.FC, (0, 0, 0))],
    [(s.FN, (0, 0, 0)), (s.FB, (0, L, 0)), (s.FB, (0, 0, 1)), (s.FC, (0, 0, 0)), (s.FC, (0, 0, 0))],
    [(s.FN, (0, 0, 0)), (s.FB, (0, 0, 0)), (s.FB, (0, 0, 0)), (s.FC, (0, L, 0)), (s.FC, (0, 0, 1))],
]  # fmt: skip


def as_printed(terms):
    return sb.stack(*(sb.vector(*components) for _, components in terms))


def in_frames(system, terms):
    return sb.stack(*(x.components(frame) for x, (frame, _) in zip(system, terms, strict=True)))


thesis.compare(
    equation("sec. 3.3", "r2, in FB", sb.vector(s2 * s.q1 + L, c2 * s.q1, 0), s.r2_in_FB.components(s.FB), text="[sin(q2) q1 + L, cos(q2) q1, 0]"),
    equation("sec. 3.3", "beta := KMtangents(VKu, [u1, u2, u3])", sb.stack(*(as_printed(x) for x in tangents)),
             sb.stack(*(in_frames(x, y) for x, y in zip(s.beta, tangents, strict=True))), text="three system vectors"),
    equation("sec. 3.3", "explicitly time dependent part", np.zeros(15), np.array(sb.evaluate(in_frames(s.time_dependent_part, rates), {})), text="zero"),
    equation("sec. 3.3", "PKt", as_printed(rates), in_frames(s.PKt, rates), text="five vectors"),
    equation("sec. 3.3", "mass_beta", mass_printed, s.mass_beta, text="3 by 3"),
    equation("sec. 3.3", "rhs_beta", rhs_printed, s.rhs_beta, text="as printed"),
    equation("(3.29), (3.30)", "N1, norm of the first tangent vector", sb.sqrt(total), s.N1, text="√(m2 + m3 + m1)"),
    equation("(3.30)", "gamma1", sb.stack(*(sb.vector(*c) for _, c in tangents[0])) / sb.sqrt(total), in_frames(s.gamma1, tangents[0]), text="as printed"),
    equation("(3.35)", "two rows of wgb", sb.matrix(wgb_printed), s.wgb[:2, :], text="with %1 as printed"),
    equation("(3.37)", "wdb", wdb_printed, s.wdb, text="as printed"),
    equation("(3.36)", "wd, squares of the diagonal", sb.algebra.diagonal(*(s.wgb[i, i] ** 2 for i in range(3))), s.wd, text="M δ"),
    equation("(3.16)", "mass matrix from both", s.mass_beta, s.wdb.T @ s.wd @ s.wdb, text="Wᵀ Mδ W"),
    equation("(3.32)–(3.34)", "wgb is a factor of Cholesky", s.mass_beta, s.wgb.T @ s.wgb, text="Wᵀ W"),
)  # fmt: skip

# %% [markdown]
# The mechanism of figure 3.2, a sketch without numbers:

# %%
sb.scene(sb.derive(swinging_legs.model()), q2=0.5, q3=-0.3)

# %% [markdown]
# With numbers, (3.20) and (3.21) by NumPy; the equations in the new speeds (3.43) to (3.50) are `sb.derivation.diagonalized(eq)`,
# their factors `sb.derivation.gram_schmidt(eq)`. Equation (3.25) follows from (3.24) only where β̇ • M βᵀ is symmetric; of the
# basis γ, whose mass matrix is one, it is antisymmetric, and its symmetric part alone meets (3.25).

# %%
leg = sb.derive(swinging_legs.model())
here = leg.values({"q2": 0.3, "q3": -0.5, "q1": 0.1, "q1_dot": 0.4, "q2_dot": -0.7, "q3_dot": 1.1})
Mn, fn, udot = (np.array(sb.evaluate(x, here)) for x in (leg.M, leg.f, leg.udot))
C = np.linalg.cholesky(Mn)
turn = scipy.linalg.expm(np.array([[0, 0.3, -0.2], [-0.3, 0, 0.5], [0.2, -0.5, 0]]))
low, D, _ = scipy.linalg.ldl(Mn)
diagonal = sb.derivation.diagonalized(leg)
by_factors = sb.derivation.gram_schmidt(leg, unit=False)
W_ = np.array(sb.evaluate(by_factors.W, here))
P, lower, upper = scipy.linalg.lu(Mn)
numbers = dict(zip((m1, m2, m3, L, k, g, I23, I33), (2.0, 1.0, 1.5, 1.0, 1.0, 9.81, 1 / 3, 0.5), strict=True))
at = {**numbers, s.q1: 0.1, s.q2: 0.3, s.q3: -0.5, s.u1: 0.4, s.u2: -0.7, s.u3: 1.1}
rate = np.array([[sb.evaluate(x.dt().dot(y.momentum(s.MK)), at) for y in s.gamma] for x in s.gamma])
thesis.compare(
    equation("(3.13)–(3.15)", "L D Lᵀ by SciPy", low @ D @ low.T, Mn, text="A = L D Lᵀ"),
    equation("(3.16), (3.37)", "W of `gram_schmidt(eq, unit=False)`", low.T, W_, text="Lᵀ"),
    equation("(3.20)", "Cholesky's factor", C @ C.T, Mn, text="L Lᵀ"),
    equation("(3.21)", "the factor, turned", (C @ turn.T) @ (turn @ C.T), Mn, text="(L Qᵀ)(Q Lᵀ)"),
    equation("(3.24), (3.25)", "γ̇ • M γᵀ and its transpose, with γ • Ṁ γᵀ = 0", rate, -rate.T, text="sum zero",
             because="(3.25) as printed would make each of them zero; the largest is not"),
    statement("(3.25)", "γ̇ • M γᵀ is not zero here", np.abs(rate).max() > 0.01, f"{np.abs(rate).max():.2f}"),
    equation("(3.47)–(3.50)", "u̇ by two triangular systems", np.linalg.solve(W_, np.linalg.solve(D, np.linalg.solve(W_.T, fn))), udot, text="W u̇β = Mδ⁻¹ x at Ẇ u = 0 in these speeds"),
    equation("(3.52), (3.53)", "u̇ by L and U", np.linalg.solve(upper, np.linalg.solve(P @ lower, fn)), udot, text="L x = R, U u̇ = x"),
    equation("(3.42)", "principal moments of an inertia tensor that is turned by `turn`", np.array([0.1, 0.2, 0.3]),
             np.linalg.eigvalsh(turn @ np.diag([0.3, 0.1, 0.2]) @ turn.T), text="I ω = λ ω"),
)  # fmt: skip

# %% [markdown]
# ## Chapter 4: power
#
# Ṫ = ṗ • v = p • v̇ (4.1) to (4.10), and Ṫ + V̇ = P_an + P_c (4.37), with the power (4.38) of constraints that depend on time,
# `sb.derivation.constraint_power`; first for the two rods on their shaken support.

# %%
I, N = B.dyad(second.mass.I_BBcm), m.ground
w = B.angular_velocity(N)
rate_of_I = I.dt(N)
solved = dict(zip(accelerations, eq.udot.entries, strict=True))
T_rate, V_rate = sb.time_derivative(T), sb.time_derivative(V)
Pc = tau_t.dot(p_system.dt() - weight)
thesis.compare(
    equation("(4.2)", "kinetic energy", T, v_system.dot(v_system.momentum(inertia)) / 2, text="½ v • (M · v)"),
    equation("(4.1), (4.10)", "Ṫ = ṗ • v", T_rate, p_system.dt().dot(v_system), text="ṗ • v"),
    equation("(4.3)–(4.10)", "Ṫ = p • v̇", T_rate, p_system.dot(v_system.dt()), text="p • v̇"),
    equation("(4.5)", "rate of an inertia dyad", sb.stack(*((w.cross(I) - I.cross(w)).dot(e).in_ground for e in (N.x, N.y, N.z))),
             sb.stack(*(rate_of_I.dot(e).in_ground for e in (N.x, N.y, N.z))), text="ω × I − I × ω"),
    equation("(4.6), (4.7)", "ω · İ · ω", 0 * T, w.dot(rate_of_I.dot(w)), text="0"),
    equation("(4.12)–(4.17)", "generalised forces", -sb.gradient(V, q), weight.along(tau), text="−∂V/∂q = F • τ"),
    equation("(4.18)", "in other speeds", W.T @ weight.along(tau), weight.along(beta), text="F W"),
    equation("(4.19)", "explicit part", -sb.derivative(V, t), weight.dot(tau_t), text="F • τt"),
    equation("(4.24)–(4.36)", "power of gravity", -V_rate, weight.dot(v_system), text="Pac = −V̇"),
    equation("(4.33), (4.38)", "power of the support", sb.derivation.constraint_power(eq, solved=True), sb.substitute(Pc, solved), text="τt • (ṗ − F)"),
    equation("(4.37)", "power equation", sb.substitute(T_rate + V_rate, solved), sb.derivation.constraint_power(eq, solved=True), text="Ṫ + V̇ = Pc"),
    equation("(4.52), (4.53)", "virtual power: coefficients of u", balance, (p_system.dt() - weight).along(tau), text="β • (F − ṗ)"),
)  # fmt: skip

# %% [markdown]
# ### 4.4: the sleigh on the turntable
#
# Three corrections. (4.46) leaves out the moment of the spring about the mass centre; (4.49) has κ(q2 + ...) where κ(−q2 + ...)
# is meant; (4.51) has the sign of V̇, not of −V̇. All others hold as printed, with Ω = L_C1 = m = 1.

# %%
sled = sb.derive(sleigh.model())
body = sled.mechanism.body("sleigh")
q1, q2, q3 = sled.q
u1, u2, u3 = sled.u
table = body.frame.path[1]
c, s_ = cos(q3), sin(q3)
sym = {x.name: x for x in sled.p}
units = {sym["Omega"]: 1, sym["L_C1"]: 1, sym["m"]: 1}
on_runner = {u3: u1 * s_ - u2 * c}
I3, kappa, LC3 = sym["I3"], sym["kappa"], sym["L_C3"]
e1, e2 = table.x, table.y
velocity = u1 * e1 + u2 * e2 + sym["Omega"] * (q1 * e2 - q2 * e1)
row = sb.substitute(sled.Jc @ sb.vector(u1, u2, u3), units)
T, V = sb.kinetic_energy(sled), sb.potential_energy(sled)
T_on, V_on = (sb.substitute(sb.substitute(x, units), on_runner) for x in (T, V))
found = sb.substitute(sb.substitute(sled.udot, units), on_runner)
u1t, u2t = u1.dot, u2.dot
u1dot = (
    (u1**2 * c**3 + u2**2 * c - u1**2 * c - u2**2 * c**3 + 2 * s_ * u1 * c**2 * u2 - s_ * u1 * u2 + q2 * c * s_
     - c**2 * kappa * q1 + c**2 * q1 - 2 * u1 * c * s_ + 2 * c**2 * u2 - kappa * q2 * c * s_ - kappa * LC3 * c) * I3
    + 2 * u2 + q1 * (1 - kappa) + (q1 - s_ * c * q2 - c - c**2 * q1) * kappa * LC3
) / (I3 + 1)  # fmt: skip
u2dot = (
    (c**2 * s_ * u1**2 - 2 * c**3 * u1 * u2 + c * u1 * u2 - s_ * c**2 * u2**2 - 2 * u1 + q2 + c * s_ * q1
     + kappa * (c**2 * q2 - c * s_ * q1 - q2 - s_ * LC3) + 2 * c**2 * u1 + 2 * u2 * c * s_ - c**2 * q2) * I3
    + q2 - 2 * u1 + kappa * (-q2 + LC3 * (c**2 * q2 - c * s_ * q1 - s_))
) / (I3 + 1)  # fmt: skip
printed_T = (
    ((s_ * u1 + 1 - c * u2) * s_ * I3 + u1 - q2) * u1t + ((c * u2 - 1 - s_ * u1) * c * I3 + q1 + u2) * u2t
    + (s_**2 * c * u1**3 + ((1 - 3 * c**2) * u2 + c) * s_ * u1**2 + ((3 * c**2 - 2) * c * u2**2 + (1 - 2 * c**2) * u2) * u1
       + s_ * u2**3 * c**2 - s_ * u2**2 * c) * I3 + u1 * q1 + u2 * q2
)  # fmt: skip
printed_V = (
    kappa * (q1 + LC3 * (c + c**2 * q1 + s_ * c * q2 - q1)) * u1
    + kappa * (q2 + LC3 * (s_ + c * s_ * q1 - c**2 * q2)) * u2
)
chain_rule = {q3: on_runner[u3], u1: u1t, u2: u2t}
pull = sb.derivation.generalized_force(sled, "spring")
thesis.compare(
    equation("(4.39)–(4.41)", "velocity of the mass centre", velocity.in_ground, body.mass_centre.velocity().in_ground, text="as printed, with Ω"),
    equation("(4.41)", "angular velocity", u3 + sym["Omega"], body.frame.angular_velocity().in_ground[2], text="q̇3 + Ω"),
    equation("(4.42)–(4.44)", "constraint of the runner", u3 - u1 * s_ + u2 * c, row[0], text="q̇3 L_C1 − q̇1 sin q3 + q̇2 cos q3"),
    equation("(4.45)", "solved for q̇3", u1 * s_ - u2 * c, -sb.substitute(row[0], {u3: 0}) / sb.derivative(row[0], u3), text="as printed"),
    equation("(4.46)", "spring: force along e1 and e2", sb.vector(-kappa * (q1 + LC3 * c), -kappa * (q2 + LC3 * s_)), pull[:2], text="−κ (q1 e1 + q2 e2 + L_C3 b1)"),
    equation("(4.46)", "spring: moment, which is not printed", -kappa * LC3 * (-q1 * s_ + q2 * c), pull[2], text="0", because="the spring pulls at a point ahead of the mass centre"),
    equation("(4.48)", "u̇1", u1dot, found[0], text="as printed"),
    equation("(4.49)", "u̇2", u2dot, found[1], text="κ(−q2 + ...)", because="printed κ(q2 + ...)"),
    equation("(4.50)", "Ṫ", printed_T, sb.time_derivative(T_on, chain_rule), text="as printed"),
    equation("(4.51)", "V̇", printed_V, sb.substitute(sb.substitute(sb.time_derivative(V), on_runner), units), text="printed as −V̇", because="the sign"),
)  # fmt: skip

# %% [markdown]
# Figure 4.2 has κ = 10, I3 = 25, L_C3 = 2, from q1 = q2 = 5, q3 = 1 at rest on the table. The thesis does not say for how
# long; ten seconds are shown.

# %%
slide = sb.simulate(sled, 10, sleigh.START, rtol=1e-9)
slide.scene()

# %%
along_motion = dict(zip(sled.u, sled.udot.entries, strict=True))
powers = {
    "dT/dt [W]": sb.time_derivative(T, along_motion), "dV/dt [W]": sb.time_derivative(V, along_motion),
    "P_AN [W]": 0 * q1, "P_C [W]": sb.derivation.constraint_power(sled, solved=True),
}  # fmt: skip
dT, dV, _, P_C = (slide[e] for e in powers.values())
fed = slide.energy[-1] - slide.energy[0]
thesis.compare(
    equation("(4.37), fig. 4.2", "Ṫ + V̇ = P_C along the motion", P_C, dT + dV, text="at all steps"),
    measured("fig. 4.2", "energy that the table feeds in over 10 s", "–", f"{fed:.4f}"),
)

# %%
curves = sb.plot(slide, powers, title="sleigh on a turntable")
thesis.figure("figure 4.2", "rates of kinetic and potential energy, and the power of the constraint, of the sleigh on the turntable",
              replace(curves, panels=(replace(curves.panels[0], y_label="power [W]"),)))  # fmt: skip
