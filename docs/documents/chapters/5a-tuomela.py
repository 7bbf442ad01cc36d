"""# Tuomela, Arponen and Normi: jets, Euler parameters and projection

The report A509 of the Institute of Mathematics in Helsinki (2006) treats mechanisms of free rigid bodies: positions and
Euler parameters as coordinates, joints as constraints, and after every stage of a Runge-Kutta step a projection onto the
constraints and onto conserved quantities. This chapter goes through sections 2 to 5, the next one through the runs.

What it contributed to this package: Euler parameters without charts (`sequence="euler parameters"`), the Schur
complement for accelerations and multipliers, the forms `"projection"` and `"orthogonal"` of `sb.simulate` with their
`metric`, `invariants=["energy"]` with the balance of work, `project_stages`, the joints that close loops as a few basic
constraints (`m.coincide`, `m.orthogonal`, `m.constrain`), and three test mechanisms for integrators.
"""

# %%
import math

import numpy as np

import symbody as sb
from docs.documents import Document, equation, measured, printed, statement
from examples.documents import tuomela_crank, tuomela_pendulum, tuomela_quadrangle
from examples.documents.tuomela_constraints import TABLE_1, joint, rigid_body
from symbody.integrate.forms.projection import new_positions, new_speeds, orthogonal_step

report = Document("Tuomela, Arponen, Normi")

# %% [markdown]
# ## Section 2: basic tools
#
# H and H̃ of (2.1) are typed as printed, for Euler parameters θ = (θ⁰, θ¹, θ², θ³). The rotation of a body here is
# `m.ground.dcm(body.frame)`, its rates of θ are `eq.rates`. Identities that need |θ| = 1 and ⟨θ, θ₁⟩ = 0 are taken at such
# points.


# %%
def H(v):  # noqa: N802
    a, b, c, d = v
    return np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])


def H_tilde(v):  # noqa: N802
    a, b, c, d = v
    return np.array([[-b, a, -d, c], [-c, d, a, -b], [-d, -c, b, a]])


m = sb.Model("one rigid body")
mass, I1, I2, I3 = m.parameters("m I1 I2 I3", 2.0, 0.3, 0.5, 0.7)
F, tau = m.parameters("F1 F2 F3", 1.0, -2.0, 0.5), m.parameters("tau1 tau2 tau3", 0.4, 0.1, -0.3)
body = rigid_body(m, "B", mass, (I1, I2, I3))
m.force("F", body, m.ground.vector(*F))
m.torque("tau", body, body.vector(*tau))
free = sb.derive(m)
draw = np.random.default_rng(7)
theta = draw.normal(size=4)
theta /= np.linalg.norm(theta)
Omega, r1 = draw.normal(size=3), draw.normal(size=3)
here = free.values(
    dict(zip((s.name for s in free.q), (*draw.normal(size=3), *theta), strict=True))
    | dict(zip((s.name for s in free.u), (*r1, *Omega), strict=True))
)


def at(thing, values):
    return np.array(sb.evaluate(thing, values), dtype=float)


theta_1 = at(free.rates, here).ravel()[3:]
v, w = draw.normal(size=(2, 4))
x = draw.normal(size=3)
hat = at(m.ground.vector(*Omega).skew().components(m.ground), here)
report.compare(
    equation("(2.1)", "R = H̃ Hᵀ", H_tilde(theta) @ H(theta).T, at(m.ground.dcm(body.frame), here), text="H̃ Hᵀ"),
    equation("(2.1)", "R with its entries", 2 * np.array([
        [theta[0]**2 + theta[1]**2 - 0.5, theta[1]*theta[2] - theta[0]*theta[3], theta[1]*theta[3] + theta[0]*theta[2]],
        [theta[1]*theta[2] + theta[0]*theta[3], theta[0]**2 + theta[2]**2 - 0.5, theta[2]*theta[3] - theta[0]*theta[1]],
        [theta[1]*theta[3] - theta[0]*theta[2], theta[2]*theta[3] + theta[0]*theta[1], theta[0]**2 + theta[3]**2 - 0.5],
    ]), at(m.ground.dcm(body.frame), here), text="2 (...)"),
    equation("lemma 2.1", "H̃ᵀH̃ = HᵀH = I − θθᵀ", np.array([H_tilde(theta).T @ H_tilde(theta), H(theta).T @ H(theta)]),
             np.array([np.eye(4) - np.outer(theta, theta)] * 2)),
    equation("lemma 2.1", "H̃₁Hᵀ − H̃H₁ᵀ = H₁H̃ᵀ − HH̃₁ᵀ = 0", np.zeros((2, 3, 3)), np.array([
        H_tilde(theta_1) @ H(theta).T - H_tilde(theta) @ H(theta_1).T, H(theta_1) @ H_tilde(theta).T - H(theta) @ H_tilde(theta_1).T])),
    equation("lemma 2.1", "H₁Hᵀ + HH₁ᵀ = H̃₁H̃ᵀ + H̃H̃₁ᵀ = 0", np.zeros((2, 3, 3)), np.array([
        A(theta_1) @ A(theta).T + A(theta) @ A(theta_1).T for A in (H, H_tilde)])),
    equation("lemma 2.1", "H(v)w + H(w)v = 0, and with H̃", np.zeros((2, 3)), np.array([A(v) @ w + A(w) @ v for A in (H, H_tilde)])),
    equation("lemma 2.1", "Hθ = H̃θ = 0", np.zeros((2, 3)), np.array([A(theta) @ theta for A in (H, H_tilde)])),
    equation("(2.2)", "Ω̂ v = Ω × v, `vector.skew()`", np.cross(Omega, x), hat @ x, text="Ω × v"),
)  # fmt: skip

# %% [markdown]
# Section 2.3: geodesics. A body that turns about its mass centre, in local coordinates α (here Euler's angles), moves
# along a geodesic of its kinetic energy. `christoffel_symbols` are those of (2.5).

# %%
chart = sb.Model("rotation in a chart")
angles = chart.coordinates("a1 a2 a3")
inertias = chart.parameters("I1 I2 I3", 0.3, 0.5, 0.7)
torques = chart.parameters("tau1 tau2 tau3", 0.4, 0.1, -0.3)
turning = chart.body("B", chart.ground.rotate("zxz", *angles), mass=1.0, inertia=inertias)
geodesic = sb.derive(chart)
rates = sb.vector(*geodesic.u)
chr_map = sb.vector(*((rates.T @ Gamma @ rates)[0, 0] for Gamma in sb.derivation.christoffel_symbols(geodesic)))
action = sb.from_lagrangian(sb.kinetic_energy(geodesic), geodesic.q)
report.compare(
    equation("(2.4)", "Euler-Lagrange operator of T", -action.f, -geodesic.f, text="d/dt ∂L/∂y₁ − ∂L/∂y"),
    equation("(2.5)", "geodesics, `christoffel_symbols(eq)`", -geodesic.f, chr_map, text="G y₂ + Chr(y₁, y₁) = 0"),
)

# %% [markdown]
# ## Section 3: one rigid body
#
# Definition 3.3 counts: the bundle of one rigid body has 7 coordinates, the distribution C 8 dimensions; on M_θ it has 7,
# that is 6 degrees of freedom and time.
#
# Euler's angles α give θ = φ(α), with which (3.2) to (3.4) and lemma 3.4 are compared: Lagrange's equations in α here,
# against the printed combinations of H, dφ, θ₁ and θ₂.

# %%
a1, a2, a3 = angles
phi = sb.vector(
    sb.cos(a2 / 2) * sb.cos((a1 + a3) / 2), sb.sin(a2 / 2) * sb.cos((a1 - a3) / 2),
    sb.sin(a2 / 2) * sb.sin((a1 - a3) / 2), sb.cos(a2 / 2) * sb.sin((a1 + a3) / 2),
)  # fmt: skip
phi_1 = sb.time_derivative(phi)
phi_2 = sb.time_derivative(phi_1)
d_phi = sb.jacobian(phi, geodesic.q)


def H_on_graph(v):  # noqa: N802
    return sb.matrix(H(np.array(list(v.entries), dtype=object)).tolist())


inertia = sb.diagonal(*inertias)
H0, H1 = H_on_graph(phi), H_on_graph(phi_1)
operator = 4 * d_phi.T @ H0.T @ inertia @ H0 @ phi_2 + 8 * d_phi.T @ H1.T @ inertia @ H0 @ phi_1
lagrange = geodesic.M @ sb.vector(*(q.dot.dot for q in geodesic.q)) - geodesic.f
rotational = 2 * (H0 @ phi_1).T @ inertia @ (H0 @ phi_1)
chart.torque("tau", turning, turning.vector(*torques))
turned = sb.derive(chart)
point = dict(zip(geodesic.q, (0.4, 0.9, -0.7), strict=True))
energy_here = 0.5 * here[mass] * r1 @ r1 + 2 * (H(theta) @ theta_1) @ np.diag([here[s] for s in (I1, I2, I3)]) @ (
    H(theta) @ theta_1
)
report.compare(
    printed("def. 3.3", "dimension of the Cartan distribution", "8", len(free.q) + 1),
    printed("def. 3.3", "dimension on M_θ", "7", free.degrees_of_freedom + 1),
    printed("def. 3.3", "degrees of freedom", "6", free.degrees_of_freedom),
    equation("(3.1)", "kinetic energy", np.array([energy_here]), at(sb.vector(sb.kinetic_energy(free)), here).ravel(),
             text="½ m |r₁|² + 2⟨Hθ₁, 𝕀Hθ₁⟩"),
    equation("lemma 3.1", "Ω = 2 H θ₁, body axes", 2 * H(theta) @ theta_1, at(body.frame.angular_velocity().components(body.frame), here).ravel()),
    equation("lemma 3.1", "ω = 2 H̃ θ₁, spatial axes", 2 * H_tilde(theta) @ theta_1, at(body.frame.angular_velocity().components(m.ground), here).ravel()),
    equation("(3.2)", "rotational energy in a chart", rotational, sb.vector(sb.kinetic_energy(geodesic)), text="½⟨α₁, G α₁⟩", ),
    equation("lemma 3.3, (3.3)", "its Euler-Lagrange operator", operator, lagrange, point, text="4 dφᵀHᵀ𝕀Hθ₂ + 8 dφᵀH₁ᵀ𝕀Hθ₁"),
    equation("lemma 3.4", "force of a torque", 2 * d_phi.T @ H0.T @ sb.vector(*torques), turned.f - geodesic.f, point, text="2 dφᵀHᵀτ"),
)  # fmt: skip

# %% [markdown]
# ### Algorithms 3.1, 3.2 and 5.1: accelerations and multipliers
#
# (3.6) is written out with NumPy for any number of bodies (theorem 4.1), with g, dg and d²g(y₁, y₁) from `eq.phi`, and
# solved by the Schur complement as in algorithm 5.1. The three mechanisms of section 6 are taken in motion. Here λ has the
# opposite sign, since constraint forces stand on the right: `eq.f + eq.Jc.T @ lam`.

# %%
runs = {
    "pendulum": (tuomela_pendulum, tuomela_pendulum.START),
    "quadrangle": (tuomela_quadrangle, None),
    "crank": (tuomela_crank, None),
}
mechanisms, states = {}, {}
for name, (script, start) in runs.items():
    eq = mechanisms[name] = sb.derive(script.m)
    states[name] = sb.simulate(eq, 0.7, start or script.start(eq), rtol=1e-11).final


def algorithm_32(eq, values):
    """c and r₂ of each body, and λ: equations (3.6), (4.2), solved as in algorithm 5.1."""
    bodies = eq.mechanism.bodies
    number = {s.name: float(x) for s, x in values.items()}
    y_1 = at(eq.rates, values).ravel()
    dg, g_2 = at(sb.jacobian(eq.phi, eq.q), values), []
    along = sb.algebra.directional_derivative(eq.phi, dict(zip(eq.q, map(float, y_1), strict=True)))
    g_2 = at(sb.algebra.directional_derivative(along, dict(zip(eq.q, map(float, y_1), strict=True))), values).ravel()
    nabla_U = at(sb.jacobian(sb.vector(sb.potential_energy(eq)), eq.q), values).ravel()
    n = len(bodies)
    HH, E, forces, I_y = np.zeros((6 * n, 7 * n)), np.zeros((6 * n, 6 * n)), np.zeros(6 * n), np.zeros(7 * n)
    for k, b in enumerate(bodies):
        th, th_1 = (np.array([number[f"{b.name}_e{i}"] for i in range(4)]), y_1[7 * k + 3 : 7 * k + 7])
        J = at(b.mass.I_BBcm, values)
        HH[6 * k : 6 * k + 3, 7 * k : 7 * k + 3] = np.eye(3)
        HH[6 * k + 3 : 6 * k + 6, 7 * k + 3 : 7 * k + 7] = H(th)
        E[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = float(sb.evaluate(b.mass.m, values)) * np.eye(3)
        E[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = 4 * J
        forces[6 * k + 3 : 6 * k + 6] = -8 * H(th) @ H(th_1).T @ J @ H(th) @ th_1  # the Christoffel map K
        I_y[7 * k + 3 : 7 * k + 7] = th_1 @ th_1 * th
    if "tau" in number:
        forces[5] += 2 * number["tau"]
    B = dg @ HH.T
    u1 = np.linalg.solve(E, forces - HH @ nabla_U)
    S = -B @ np.linalg.solve(E, B.T)
    v2 = np.linalg.solve(S, B @ u1 - dg @ I_y + g_2)
    d = u1 + np.linalg.solve(E, B.T @ v2)
    return d, -v2, dict(zip(("y_2", "K"), (HH.T @ d - I_y, forces), strict=True))


def ours(eq, values):
    """r₂ and c = ½ Ω₁ of each body, and multipliers."""
    scale = np.tile([1.0, 1.0, 1.0, 0.5, 0.5, 0.5], len(eq.mechanism.bodies))
    return scale * at(eq.udot, values).ravel(), at(eq.multipliers, values).ravel()


rows = []
for name, eq in mechanisms.items():
    values = eq.values(states[name])
    d, lam, _ = algorithm_32(eq, values)
    d_ours, lam_ours = ours(eq, values)
    size = np.abs(d).max()
    rows += [
        equation("alg. 3.2, 5.1", f"accelerations of the {name}, `eq.udot`", d / size, d_ours / size, text="(r₂, c)"),
        equation(
            "alg. 3.2, 5.1",
            f"multipliers of the {name}, `eq.multipliers`",
            -lam / np.abs(lam).max(),
            lam_ours / np.abs(lam).max(),
            text="−λ",
        ),
    ]
report.compare(
    *rows,
    statement("sec. 5.1", "the Schur complement of the mass matrix is taken here, too, `eq.augmented.factors.elimination`",
              all("SCHUR" in str(eq.augmented.factors.elimination) for eq in mechanisms.values())),
)  # fmt: skip

# %% [markdown]
# ### Energy
#
# Lemma 3.6 and theorem 4.1: the rate of T + U is the power of external forces; constraint forces have none. Equation (3.7)
# is the classical form of one body's motion.

# %%
rows = []
for name, eq in mechanisms.items():
    values = eq.values(states[name])
    W = sb.vector(sb.energy(eq))
    motion = np.concatenate([at(eq.rates, values).ravel(), at(eq.udot, values).ravel()])
    rate = at(sb.jacobian(W, [*eq.q, *eq.u]), values).ravel() @ motion
    powers = sb.derivation.load_powers(eq)
    power = float(sb.evaluate(powers["tau"], values)) if "tau" in powers else 0.0
    size = max(abs(power), float(sb.evaluate(sb.kinetic_energy(eq), values)))
    rows.append(
        equation(
            "lemma 3.6, thm 4.1",
            f"rate of energy of the {name}",
            np.array([power / size]),
            np.array([rate / size]),
            text="⟨H y₁, F_e⟩",
        )
    )
spin = at(free.udot, here).ravel()
J = np.diag([here[s] for s in (I1, I2, I3)])
report.compare(
    *rows,
    equation("(3.7)", "Newton-Euler equations", np.concatenate([[here[s] for s in F], [here[s] for s in tau]]),
             np.concatenate([here[mass] * spin[:3], J @ spin[3:] + np.cross(Omega, J @ Omega)]), text="m r₂ = F, 𝕀Ω₁ + Ω × 𝕀Ω = τ"),
)  # fmt: skip

# %% [markdown]
# ## Section 4: systems of rigid bodies
#
# (4.1) to (4.3) are the same for several bodies, and were used above. 6 n_b − ℓ degrees of freedom:

# %%
plane = sb.Model("plane quadrangle")
plane.gravity(0, -9.81, 0)
bodies = [
    plane.body(n, mass=mb, inertia=(0, 0, J))
    for n, mb, J in (("B1", 78.1, 26.1), ("B2", 156.2, 208.4), ("B3", 156.2, 208.4))
]
for b in bodies:
    plane.planar(b.name, plane.ground, b)
plane.coincide("joint 1", plane.ground.origin, bodies[0].point(-1, 0, 0), axes="xy")
plane.coincide("joint 2", bodies[0].point(1, 0, 0), bodies[1].point(-2, 0, 0), axes="xy", along=plane.ground)
plane.coincide("joint 3", bodies[1].point(2, 0, 0), bodies[2].point(2, 0, 0), axes="xy", along=plane.ground)
plane.coincide("joint 4", plane.ground.point(2.5, 0, 0), bodies[2].point(-2, 0, 0), axes="xy")
plane.torque("tau", bodies[0], plane.ground.vector(0, 0, plane.parameter("tau", -1200.0)))
flat = sb.derive(plane)
space = mechanisms["quadrangle"]
solid = states["quadrangle"]
beta = {b: 2 * math.atan2(solid[f"{b}_e3"], solid[f"{b}_e0"]) for b in ("B1", "B2", "B3")}
flat_values = flat.values(
    {f"{b}_{c}": solid[f"{b}_{c}"] for b in beta for c in "xy"}
    | {f"{b}_a": angle for b, angle in beta.items()}
    | {f"{b}_{c}_dot": solid[f"{b}_{c}_dot"] for b in beta for c in "xy"}
    | {f"{b}_a_dot": solid[f"{b}_wz"] for b in beta}
)
in_plane = at(flat.udot, flat_values).ravel()
in_space = at(space.udot, space.values(solid)).reshape(3, 6)[:, [0, 1, 5]].ravel()
E, nabla_U, dg = (
    at(x, flat_values) for x in (flat.M, sb.jacobian(sb.vector(sb.potential_energy(flat)), flat.q), flat.Jc)
)
rates = dict(zip(flat.q, (flat_values[s] for s in flat.u), strict=True))
twice = sb.algebra.directional_derivative(sb.algebra.directional_derivative(flat.phi, rates), rates)
n, k = len(flat.q), len(flat.lam)
F_e = np.zeros(n)
F_e[2] = flat_values[flat.p[-1]] if flat.p[-1].name == "tau" else -1200.0
by_44 = np.linalg.solve(
    np.block([[E, dg.T], [dg, np.zeros((k, k))]]),
    np.concatenate([F_e - nabla_U.ravel(), -at(twice, flat_values).ravel()]),
)[:n]
report.compare(
    *(printed("sec. 4.1", f"degrees of freedom of the {name}, 6 n_b − ℓ", text, mechanisms[name].degrees_of_freedom)
      for name, text in (("pendulum", "3"), ("quadrangle", "1"), ("crank", "1"))),
    equation("(4.4)", "accelerations of the quadrangle in the plane, `m.planar`", by_44 / np.abs(by_44).max(), in_plane / np.abs(by_44).max(), text="E y₂ + dgᵀλ + ∇U = F_e"),
    equation("sec. 4.3", "the same in space", in_space / np.abs(by_44).max(), in_plane / np.abs(by_44).max(), text="a special case"),
    statement("sec. 4.3", "no Christoffel map in the plane: the mass matrix is constant", not sb.free_symbols(flat.M)),
)  # fmt: skip

# %% [markdown]
# ## Section 5: computations
#
# ### Projection
#
# A state is pushed off the constraints by about 10⁻³, and brought back in the ways of the paper: algorithm 5.3 for Euler
# parameters, algorithm 5.4 with the systems (5.3) and (5.4), and the orthogonal projection (5.2). The package has
# θ₁ = ½ HᵀΩ, so that ⟨θ, θ₁⟩ = 0 always holds and the second line of algorithm 5.3 has nothing to do.
#
# Its corrections are `new_positions` and `new_speeds` (metric `"unit"`) and `orthogonal_step`, which `sb.simulate` runs
# compiled. The first two differ from (5.3) in one respect: they step along dg at the present point and not along that of the
# solution, so that no second differentials are needed; the result differs from the foot of the perpendicular by the
# square of the distance.


# %%
def pushed(eq, values):
    """A state beside the constraints."""
    return dict(values) | {s: values[s] + 1e-3 * draw.normal() for s in (*eq.q, *eq.u)}


def quasi_orthogonal(eq, values):
    """Algorithms 5.3 and 5.4 by the corrections of the package: the state, and violations on the way."""
    every, near, violations = tuple(range(len(eq.lam))), dict(values), []
    positions, speeds = new_positions(eq, every, "unit"), new_speeds(eq, every, "unit")
    for _ in range(6):
        violations.append(float(sb.evaluate(positions[1], near)))
        near |= dict(zip(eq.q, at(positions[0], near).ravel(), strict=True))
    return near, near | dict(zip(eq.u, at(speeds[0], near).ravel(), strict=True)), violations


eq = mechanisms["crank"]
off = pushed(eq, eq.values(states["crank"]))
every = tuple(range(len(eq.lam)))
g = sb.compile(sb.program("g", {"q": eq.q}, {"g": eq.phi, "dg": sb.jacobian(eq.phi, eq.q)}))
lengths = np.array([[eq.q.index(s) for s in eq.q if s.name.startswith(f"{b.name}_e")] for b in eq.mechanism.bodies])


def state_vector(values, symbols):
    return np.array([values[s] for s in symbols], dtype=float)


def conditions(q):
    """g and |θ|² − 1 of each body, and their differentials."""
    value, slopes = g(q)
    norms, own = (q[lengths] ** 2).sum(axis=1) - 1, np.zeros((len(lengths), len(q)))
    for row, places in zip(own, lengths, strict=True):
        row[places] = 2 * q[places]
    return np.concatenate([np.ravel(value), norms]), np.vstack([slopes, own])


def foot(a):
    """(5.3) by Newton's method with second differentials by differences: the orthogonal projection of positions."""
    y, mu = a.copy(), np.zeros(len(every) + len(lengths))
    for _ in range(12):
        c, J = conditions(y)
        curved = np.column_stack(
            [(conditions(y + h)[1] - conditions(y - h)[1]).T @ mu / 2e-6 for h in 1e-6 * np.eye(len(y))]
        )
        residual = np.concatenate([y + J.T @ mu - a, c])
        step = np.linalg.solve(np.block([[np.eye(len(y)) + curved, J.T], [J, np.zeros((len(mu), len(mu)))]]), residual)
        y, mu = y - step[: len(y)], mu - step[len(y) :]
    return y


a = state_vector(off, eq.q)
unit = a.copy()
for places in lengths:
    unit[places] /= np.linalg.norm(unit[places])
near, settled, counts = quasi_orthogonal(eq, off)
q_quasi, q_foot = state_vector(near, eq.q), foot(a)
distance = np.linalg.norm(q_foot - a)
Jc = at(eq.Jc, near)
a_1, y_1 = state_vector(near, eq.u), state_vector(settled, eq.u)
alpha = np.linalg.lstsq(Jc.T, a_1 - y_1, rcond=None)[0]
report.compare(
    equation("alg. 5.3", "θ = a/|a|, for three bodies", np.ones(3), np.linalg.norm(unit[lengths], axis=1), text="|θ| = 1"),
    statement("(5.1)", "⟨θ, θ₁⟩ = 0 by kinematics, without a correction",
              np.abs([q_quasi[p] @ at(eq.rates, settled).ravel()[p] for p in lengths]).max() < 1e-14),
    statement("(5.3), alg. 5.4", "corrections converge quadratically", counts[3] < 1e-12 and counts[2] < 10 * counts[1] ** 2,
              "violations " + ", ".join(f"{x:.0e}" for x in counts[:4])),
    statement("(5.3)", "the constraints hold", np.abs(conditions(q_quasi)[0]).max() < 1e-14),
    statement("(5.3)", "what is reached differs from the foot by the square of the distance", np.linalg.norm(q_quasi - q_foot) < 5 * distance**2,
              f"{np.linalg.norm(q_quasi - q_foot):.0e} of a distance of {distance:.0e}"),
    equation("(5.4)", "speeds: y₁ + dgᵀα = a₁", a_1, y_1 + Jc.T @ alpha, text="y₁ + dgᵀα"),
    equation("(5.4)", "dg y₁ = 0", np.zeros(len(every)), Jc @ y_1, text="dg y₁ = 0"),
)  # fmt: skip

# %% [markdown]
# The orthogonal projection (5.2) of the pendulum, with second and third differentials on the graph:

# %%
eq = mechanisms["pendulum"]
symbols, every = (*eq.q, *eq.u), tuple(range(len(eq.lam)))
off = pushed(eq, eq.values(states["pendulum"]))
target = tuple(sb.symbol(f"{s.name}_near", "variable") for s in symbols)
mu = tuple(sb.symbol(f"mu_{k}", "variable") for k in range(2 * len(every) + 1))
new, violation, _ = orthogonal_step(eq, symbols, every, [], target, mu)
step = sb.compile(sb.program("newton", {"y": [*symbols, *mu], "a": target, "p": eq.p}, {"new": new, "c": [violation]}))


def orthogonal(values):
    """The foot of the perpendicular from a state, and violations on the way."""
    a, p = state_vector(values, symbols), [float(values[s]) for s in eq.p]
    y, found = np.concatenate([a, np.zeros(len(mu))]), []
    for _ in range(6):
        new, c = step(y, a, p)
        y = np.ravel(new)
        found.append(float(np.ravel(c)[0]))
    return y[: len(a)], found


def lengths_of_ways(values):
    """From a state to what (5.2) and algorithm 5.4 make of it."""
    a = state_vector(values, symbols)
    return [
        np.linalg.norm(x - a) for x in (orthogonal(values)[0], state_vector(quasi_orthogonal(eq, values)[1], symbols))
    ]


slow = pushed(eq, eq.values(states["pendulum"]) | dict.fromkeys(eq.u, 0.0))
in_motion, at_rest = lengths_of_ways(off), lengths_of_ways(slow)
violations = orthogonal(off)[1]
report.compare(
    statement("(5.2)", "Newton's method converges quadratically", violations[4] < 1e-13, "violations " + ", ".join(f"{x:.0e}" for x in violations[:5])),
    statement("(5.2)", "it is the shortest way", in_motion[0] < in_motion[1] and at_rest[0] < at_rest[1] * (1 + 1e-12)),
    statement("alg. 5.4", "is almost orthogonal where speeds are small", at_rest[1] < 1.01 * at_rest[0], f"longer by {100 * (at_rest[1] / at_rest[0] - 1):.2f} %"),
    measured("alg. 5.4", f"longer than (5.2), with the bar turning at {abs(states['pendulum']['B1_wz']):.1f} rad/s", "almost orthogonal", f"{in_motion[1] / in_motion[0]:.2f} times",
             "what is off in positions is as much off in speeds, times the rate of dg; (5.2) shares it among both"),
)  # fmt: skip

# %% [markdown]
# (5.5) steps along the gradient of the invariants. Here such a step goes along the constraints, so that algorithm 5.5 need
# not be repeated until all three hold: the next chapter counts what that saves.
#
# ### Constraints in practice
#
# C-, SO- and O-constraints (5.6) to (5.8) are `m.coincide(..., along=m.ground)`, `m.orthogonal` and `m.constrain`; table 1
# makes joints of them. The joints of the package have as many conditions, and the same tangent.

# %%
KINDS = {
    "spherical": "spherical",
    "universal": "universal",
    "revolute": "revolute",
    "cylindrical": "cylindrical",
    "translational": "prismatic",
}
DIRECTIONS = {
    "spherical": (), "universal": ((1, 0, 0), None, (0, 1, 0)), "revolute": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "cylindrical": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "translational": ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)),
}  # fmt: skip
rows = []
for (kind, (c, so, o)), text in zip(TABLE_1.items(), ("3", "4", "5", "4", "5"), strict=True):
    by_table, by_joint = sb.Model(f"{kind} of table 1"), sb.Model(kind)
    for one in (by_table, by_joint):
        pair = [rigid_body(one, name, 1.0, (0.1, 0.2, 0.3)) for name in ("B1", "B2")]
        if one is by_table:
            joint(one, "joint", kind, pair, (0.3, 0, 0), (-0.2, 0, 0), *DIRECTIONS[kind])
        else:
            axis = (
                {"axis": "z"}
                if kind in ("revolute", "cylindrical", "translational")
                else {"axes": ("x", "y")}
                if kind == "universal"
                else {}
            )
            getattr(one, KINDS[kind])("joint", *pair, at=(0.3, 0, 0), on=(-0.2, 0, 0), **axis)
    theirs, own = sb.derive(by_table), sb.derive(by_joint)
    closed = sb.assemble(
        own,
        start={
            "B1_x": 0.1,
            "B1_e0": 0.9,
            "B1_e1": 0.3,
            "B1_e3": 0.2,
            "B2_x": 0.6,
            "B2_e0": 0.9,
            "B2_e1": 0.3,
            "B2_e3": 0.25,
        },
    )
    values = own.values({s.name: closed[s.name] for s in (*own.q, *own.u)})
    slopes = [
        at(e.Jc, {s: values[t] for s, t in zip((*e.q, *e.u), (*own.q, *own.u), strict=True)}) for e in (theirs, own)
    ]
    both = np.linalg.matrix_rank(np.vstack(slopes), tol=1e-9)
    rows += [
        printed("table 1", f"conditions of a {kind} joint, {KINDS[kind]!r} here", text, len(own.lam)),
        statement(
            "table 1",
            f"of {c} C, {so} SO and {o} O: the same number and the same tangent",
            both == len(own.lam) == len(theirs.lam),
        ),
    ]
chi_i, chi_j, other_j, a_i, a_j = draw.normal(size=(5, 3))
pair = sb.Model("two bodies")
first, second = (rigid_body(pair, name, 1.0, (0.1, 0.2, 0.3)) for name in ("Bi", "Bj"))
pair.coincide("C", first.point(*chi_i), second.point(*chi_j), along=pair.ground)
pair.orthogonal("SO", first.vector(*a_i), second.vector(*a_j))
pair.constrain("O", first.vector(*a_i).dot(second.point(*other_j) - first.point(*chi_i)))
basic = sb.derive(pair)
unit_e = {f"{b}_e{k}": x for b, e in (("Bi", theta), ("Bj", theta[::-1])) for k, x in enumerate(e)}
values = basic.values(
    unit_e | dict(zip((f"{b}_{c}" for b in ("Bi", "Bj") for c in "xyz"), draw.normal(size=6), strict=True)),
    otherwise=0.0,
)
r_i, r_j = (np.array([values[s] for s in basic.q if s.name in {f"{b}_x", f"{b}_y", f"{b}_z"}]) for b in ("Bi", "Bj"))
R_i, R_j = H_tilde(theta) @ H(theta).T, H_tilde(theta[::-1]) @ H(theta[::-1]).T
d_ij = r_j + R_j @ chi_j - r_i - R_i @ chi_i
in_rows = at(basic.phi, values).ravel()
report.compare(
    equation("(5.6)", "C-constraint, `m.coincide`", d_ij, in_rows[:3], text="r_j + R_j χ_j − r_i − R_i χ_i"),
    equation("(5.7)", "SO-constraint, `m.orthogonal`", np.array([(R_i @ a_i) @ (R_j @ a_j)]), in_rows[3:4], text="⟨R_i a_i, R_j a_j⟩"),
    equation("(5.8)", "O-constraint, `m.constrain`", np.array([(R_i @ a_i) @ (d_ij + R_j @ (other_j - chi_j))]), in_rows[4:], text="⟨R_i a_i, d⟩"),
    *rows,
)  # fmt: skip
