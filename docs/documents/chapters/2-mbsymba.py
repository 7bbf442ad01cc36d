"""# MBSymba: Sharp's motorcycle

Lot and Da Lio describe MBSymba, procedures for Maple by which a mechanism is built from frames, points, vectors, bodies,
forces and constraints, and its equations of motion follow. Their example is Sharp's motorcycle of 1971: two frames joined
by a steering axis, two wheels, tyres whose side forces lag.

What it contributed to this package: frames that are made from others by `translate` and `rotate`, points and vectors that
know their frame, loads with a reacting body, constraints and additional equations as expressions, and the way from
constrained nonlinear equations to a short linear model in chosen states, with symbols in all its entries. The printed
program stands line by line in `examples/documents/mbsymba_motorcycle.py`; its names are used here.
"""

# %%
from time import perf_counter

import numpy as np

import symbody as sb
from docs.documents import Document, equation, measured, printed, statement
from docs.documents import mbsymba_matrices as sharp71
from examples.documents import mbsymba_motorcycle as mb

paper = Document("MBSymba")
x, y, psi, delta, phi = mb.x, mb.y, mb.psi, mb.delta, mb.phi
psi4, phi4, theta1, theta4 = mb.psi4, mb.phi4, mb.theta1, mb.theta4
sin, cos, ground = sb.sin, sb.cos, mb.ground
s, c = sin(mb.eps), cos(mb.eps)

# %% [markdown]
# ## Section 2.1: reference frames
#
# Equation (1) packs a rotation and an origin into a 4×4 matrix, and equation (2) composes two frames by a product. Here a
# frame is made from another, `T1.rotate("x", phi)`, and `pose_in(...).matrix` is its 4×4 matrix in any other frame. The two
# procedures of the paper, written out below, give the fork's frame T4 by products.


# %%
def translate(x, y, z):
    return sb.matrix([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])


def rotate(axis, angle):
    C, S = cos(angle), sin(angle)
    rows = {
        "X": [[1, 0, 0, 0], [0, C, -S, 0], [0, S, C, 0], [0, 0, 0, 1]],
        "Y": [[C, 0, S, 0], [0, 1, 0, 0], [-S, 0, C, 0], [0, 0, 0, 1]],
        "Z": [[C, -S, 0, 0], [S, C, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    }
    return sb.matrix(rows[axis])


T2_printed = sb.matrix([
    [cos(psi), -sin(psi) * cos(phi), sin(psi) * sin(phi), x],
    [sin(psi), cos(psi) * cos(phi), -cos(psi) * sin(phi), y],
    [0, sin(phi), cos(phi), 0],
    [0, 0, 0, 1],
])  # fmt: skip
T2, T4 = mb.T2.pose_in(ground), mb.T4.pose_in(ground)
paper.compare(
    equation("(1), sec. 2.1", "T2, frame of the rear chassis", T2_printed, T2.matrix, text="4×4 matrix"),
    equation("(2), sec. 2.1", "T4, frame of the fork, by products",
             T2_printed @ rotate("Y", mb.eps) @ translate(mb.a, 0, 0) @ rotate("Z", delta), T4.matrix, text="T2 T(ε) T(a) T(δ)"),
    equation("app. 7.1", "inv_frame: T2⁻¹ T2", np.eye(4), T2.inverse.matrix @ T2.matrix, text="1"),
)  # fmt: skip

# %% [markdown]
# ## Section 2.2: points and vectors
#
# A point is `frame.point(x, y, z)`, a vector `frame.vector(x, y, z)`. Both may be added in different frames; two points may
# not. `velocity()` is the absolute velocity of equation (4), `transport_velocity()` its first term, which the paper calls
# eulerian, and `relative_velocity()` the second. The contact point Cr of the rear wheel has all three.


# %%
def is_refused(call) -> bool:
    try:
        call()
    except sb.ModelError:
        return True
    return False


Cr, w = mb.Cr, mb.T4.angular_velocity().components(ground)
R, across = T4.matrix[:3, :3], mb.T4.y
dR = sb.time_derivative(R)
skew = sb.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
paper.compare(
    equation("sec. 2.2", "Gr, mass centre of the rear chassis", sb.vector(0, 0, -mb.h), mb.Gr.coordinates, text="(0, 0, −h) in T2"),
    equation("sec. 2.2", "origin of T2 plus a vector", mb.Gr.in_ground, mb.Gr_by_sum.in_ground, text="Gr"),
    statement("sec. 2.2", "the sum of two points is not allowed", is_refused(lambda: mb.Gr + mb.Gf)),
    equation("(3)", "Gr projected on the ground", (T2_printed @ sb.vector(0, 0, -mb.h, 1))[:3], mb.Gr.in_ground, text="T P"),
    equation("(4)", "velocity of Cr: eulerian plus relative",
             (Cr.transport_velocity() + Cr.relative_velocity()).components(ground), sb.time_derivative(Cr.in_ground), text="Ṫ P + T Ṗ"),
    equation("(4)", "absolute velocity of Cr", sb.time_derivative(Cr.in_ground), Cr.velocity().components(ground), text="d(T P)/dt"),
    equation("(5)", "rate of the axis y of the fork", dR @ sb.vector(0, 1, 0), across.dt().components(ground), text="Ṫ v"),
    equation("(6)", "angular velocity of the fork", dR @ R.T, skew, text="Ṙ Rᵀ"),
)  # fmt: skip

# %% [markdown]
# ## Sections 2.3 and 2.4: bodies, forces, torques
#
# The chassis are bodies on T2 and T4; the wheels have no mass and inertia about their axles alone. The front wheel has
# coordinates ψ4, φ4 and θ4 of its own, which keeps expressions short and costs two conditions. The steering torque acts on
# the fork and reacts on the rear chassis.

# %%
rear, steering, tyre = mb.rear_chassis.mass, mb.steering_torque.actions, mb.rear_tire_forces.actions[0]
inertia = sb.matrix([[mb.Irx, 0, mb.Crxz], [0, 0, 0], [mb.Crxz, 0, mb.Irz]])
paper.compare(
    equation("sec. 2.3", "rear chassis: mass centre", sb.vector(0, 0, -mb.h), rear.p_BoBcm, text="(0, 0, −h)"),
    equation("sec. 2.3", "rear chassis: inertia", inertia, rear.I_BBcm, text="Irx, Iry, Irz, Crxz",
             because="Iry has no number, and does not enter the linear equations: left out"),
    equation("sec. 2.4", "rear tyre: force along its track", sb.vector(0, mb.Yr, mb.Zr), tyre.force.components(ground.rotate("z", psi)),
             text="(0, Yr, Zr)"),
    equation("sec. 2.4", "steering torque on the fork, in T4", sb.vector(0, 0, mb.tau - mb.Cdelta * delta.dot),
             steering[0].torque.components(mb.T4), text="(0, 0, τ − Cδ δ̇)"),
    statement("sec. 2.4", "the steering torque reacts on the rear chassis", steering[1].frame is mb.T2),
)  # fmt: skip

# %% [markdown]
# ## Sections 2.5 and 2.6: constraints and additional equations
#
# Two conditions say that the front wheel spins about the axis which the fork holds, `m.constrain`; two on speeds that no
# wheel slips along its track, `m.constrain_speed`. The tyre forces Yr and Yf are additional variables, and their relaxation
# equations additional equations, `m.equation`.

# %%
along = cos(psi) * x.dot + sin(psi) * y.dot
aside = -psi.dot * mb.b - sin(psi) * x.dot + cos(psi) * y.dot
spin_x = (sin(delta) * cos(psi) * c - sin(delta) * sin(psi) * sin(phi) * s + sin(psi) * cos(phi) * cos(delta)
          - sin(psi4) * cos(phi4))  # fmt: skip
paper.compare(
    equation("(7), sec. 2.5", "spin_X", spin_x, mb.spin_x, text="sδ cψ cε − sδ sψ sφ sε + sψ cφ cδ − sψ4 cφ4"),
    equation("(7), sec. 2.5", "spin_Z", -cos(phi) * s * sin(delta) - sin(phi) * cos(delta) + sin(phi4), mb.spin_z,
             text="−cφ sε sδ − sφ cδ + sφ4"),
    equation("(7), sec. 2.5", "no_slip_rear", along + mb.Rr * theta1.dot, mb.no_slip_rear, text="cψ ẋ + Rr θ̇1 + sψ ẏ"),
    equation("(8), sec. 2.6", "equ_Yr, relaxation of the rear tyre",
             mb.sigma * mb.Yr.dot / along + mb.Yr + mb.Cr1 * sb.atan(aside / along) - mb.Cr2 * phi, mb.equ_Yr,
             text="σ Ẏr/Vs + Yr + Cr1 atan(Vn/Vs) − Cr2 φ"),
    equation("(8), sec. 2.6", "equ_Yf, relaxation of the front tyre",
             mb.sigma * mb.Yf.dot / mb.Vsf + mb.Yf + mb.Cf1 * sb.atan(mb.Vnf / mb.Vsf) - mb.Cf2 * phi4, mb.equ_Yf,
             text="σ Ẏf/Vs + Yf + Cf1 atan(Vn/Vs) − Cf2 φ4"),
)  # fmt: skip

# %% [markdown]
# ## Section 3: Lagrange's equations
#
# `sb.derive(m, "lagrange")` takes the place of `lagrange_equations`. Below, equations (9) and (10) are also written out with
# `sb.derivative` and `sb.time_derivative`, and compared with the default derivation, which is recursive and knows no
# Lagrangian.
#
# Equation (9) adds λ φ(q, q̇) of all constraints to the Lagrangian. For conditions on speeds this is another principle than
# d'Alembert's: λ̇ ∂φ/∂q̇ stands where λ ∂φ/∂q̇ should, and no_slip_rear makes two more terms, λ ψ̇ across the track and, on
# the yaw angle, λ times the speed across it. This package takes d'Alembert's. To first order near straight running, where
# the paper sets all multipliers to zero, the two terms vanish, and both principles give the same linear model.

# %%
began = perf_counter()
leqns = sb.derive(mb.m, "lagrange")
derivation = perf_counter() - began
eq = sb.derive(mb.m)
T, U = sb.kinetic_energy(leqns), sb.potential_energy(leqns)
loads = ("rear_tire_forces", "front_tire_forces", "steering_torque")
Q = [sb.derivation.generalized_force(leqns, load) for load in loads]
lagrange = sb.vector(*(
    sb.time_derivative(sb.derivative(T, q.dot)) - sb.derivative(T, q) + sb.derivative(U, q) - sum(F[i] for F in Q)
    for i, q in enumerate(leqns.q)
))  # fmt: skip
accelerations = sb.vector(*(q.dot.dot for q in eq.q))
wheel = mb.iry * (theta1.dot + sin(phi) * psi.dot) ** 2 / 2
paper.compare(
    equation("sec. 3.1", "kinetic energy of the rear wheel", wheel, sb.kinetic_energy(leqns, "rear_wheel"),
             text="½ iry (θ̇1 + sφ ψ̇)²"),
    equation("sec. 3.2", "front tyre force on y", cos(psi4) * mb.Yf,
             sb.derivation.generalized_force(leqns, "front_tire_forces", y), text="cψ4 Yf"),
    equation("sec. 3.2", "steering torque on δ", mb.tau - mb.Cdelta * delta.dot,
             sb.derivation.generalized_force(leqns, "steering_torque", delta), text="τ − Cδ δ̇"),
    equation("(9), (10)", "Lagrange's equations, without multipliers", lagrange, eq.M @ accelerations - eq.f,
             text="d/dt ∂L/∂q̇ − ∂L/∂q − Q"),
    printed("(11), (12)", "equations and unknowns", "15", len(eq.q) + len(eq.lam) + len(eq.z)),
    measured("sec. 3.3", "operations of Lagrange's equations", "7624", f"{sb.algebra.operations(leqns.M, leqns.f)}",
             "531 + 4110 + 2983 there; M and f here, repeated terms counted once"),
    measured("sec. 3.3", "the same, by the default derivation", "–", f"{sb.algebra.operations(eq.M, eq.f)}"),
    measured("sec. 3.3", "derivation", "–", f"{derivation:.2f} s"),
)  # fmt: skip

# %% [markdown]
# The list of constraints in section 3.3 names `front_camber` and `front_yaw`, which are defined nowhere; `spin_z` and
# `spin_x` are meant. `linearize(constraints, qq, t)` of section 4.1 prints `qq` where `straight_run` is meant, and the
# responses of section 4.4 have `DD` where (17) has C.
#
# ## Section 4.1: linearisation
#
# `sb.steady` with the symbol V finds straight running at any speed. `sb.algebra.linearized` takes any expression to first
# order about `straight_run`, written as in the paper: rates follow from it. `sb.stability.linear_integrals` integrates
# conditions on speeds that have an integral there, and `sb.linearize` does all equations.

# %%
V = sb.symbol("V")
straight = sb.steady(eq, values={"x_dot": V}, zero=["y", "psi", "phi", "delta"])
t = mb.m.time
straight_run = dict.fromkeys((y, psi, phi, delta, psi4, phi4, mb.Yr, mb.Yf), 0) | {
    x: V * t, theta1: -V * t / mb.Rr, theta4: -V * t / mb.Rf,
}  # fmt: skip
constraints = sb.algebra.linearized(sb.vector(mb.no_slip_rear, mb.no_slip_front, mb.spin_x, mb.spin_z), straight_run, t)
linear = sb.vector(
    x.dot + mb.Rr * theta1.dot, x.dot + mb.Rf * theta4.dot, -psi4 + psi + delta * c, phi4 - s * delta - phi
)  # fmt: skip
integrals = sb.stability.linear_integrals(eq, straight)
began = perf_counter()
lin = sb.linearize(eq, straight)
linearisation = perf_counter() - began
paper.compare(
    equation("sec. 4.1", "straight_run: rates of both wheels", sb.vector(-V / mb.Rr, -V / mb.Rf),
             sb.vector(straight["theta1_dot"], straight["theta4_dot"]), text="−V/Rr, −V/Rf"),
    equation("sec. 4.1", "lin_constraints", linear, constraints, text="ẋ + Rr θ̇1, ẋ + Rf θ̇4, ..."),
    equation("sec. 4.1", "their integrals", sb.vector(x + mb.Rr * theta1, x + mb.Rf * theta4),
             sb.vector(integrals["no_slip_rear"], integrals["no_slip_front"]), text="x + Rr θ1, x + Rf θ4"),
    measured("sec. 4.1", "linearisation of all equations", "–", f"{linearisation:.2f} s"),
)  # fmt: skip

# %% [markdown]
# ## Section 4.2: independent coordinates
#
# RR of equation (15) stands in `lin.T`, which gives all coordinates and speeds by the states. A choice of coordinates that
# depend on each other, such as φ, δ and φ4, is refused. The speed across the motorcycle is ẏ1 = ẏ − V ψ, and takes the place
# of ẏ by `replace_state`.

# %%
RR = lin.T[9:18, 7:12]
RR_printed = sb.matrix([
    [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1],
    [0, 0, 1, c, 0], [0, 0, 0, s, 1], [-1 / mb.Rr, 0, 0, 0, 0], [-1 / mb.Rf, 0, 0, 0, 0],
])  # fmt: skip
holonomic = sb.jacobian(sb.vector(*integrals.values(), linear[2], linear[3]), eq.q)
x1, y1 = sb.symbols("x1_dot y1_dot")
VA = sb.algebra.linearized(mb.T1.vector(x1, y1, 0).components(ground), {x1: V, y1: 0, psi: 0})
sharp = lin.replace_state("y_dot", "y1_dot", y.dot - V * psi).with_states(*sharp71.STATES)


def wrong_choice_is_found() -> bool:
    try:
        sb.linearize(eq, straight, independent=["phi", "delta", "phi4"])
    except sb.SymbodyError:
        return True
    return False


d = mb.numbers
paper.compare(
    equation("(15), sec. 4.2", "RR, velocity projection matrix", RR_printed, RR, text="9×5 matrix"),
    equation("(14)", "Φq R", np.zeros((4, 5)), holonomic @ RR, text="0"),
    statement("sec. 4.2", "dependent coordinates as independent ones are found to be wrong", wrong_choice_is_found()),
    equation("sec. 4.2", "moving_vars", sb.vector(x1, psi * V + y1), VA[:2], text="ẋ = ẋ1, ẏ = ψ V + ẏ1"),
    printed("sec. 4.2", "f = sε k − cε j [m]", "0.0283", sb.evaluate(mb.global_properties["f"], d)),
    printed("sec. 4.2", "a = cε k − e + j sε [m]", "0.9485376", sb.evaluate(mb.global_properties["a"], d)),
    measured("sec. 4.4", "l; here (a − an)/cε [m]", "0.93468", f"{sb.evaluate((mb.a - mb.an) / c, d):.5f}",
             "l is in no printed equation; (a − an)/cε is the arm of Yf about A"),
)  # fmt: skip

# %% [markdown]
# ## Section 4.3: state space
#
# A ẋ = B x + C u with A not inverted is the form of `sb.LinearSystem` as well: `E`, `A` and `B`. The relations among lengths
# are given to the system as `lin(f=..., a=..., lx=..., lz=...)`, and all entries are compared with the printed ones for
# random values of all 28 parameters and V.

# %%
related = sb.tidy(sharp(mb.global_properties))
rows = [sharp71.STATES.index(name) for name in sharp71.ROWS]


def as_printed(matrix) -> sb.Matrix:
    """Rows in the order and with the signs of the paper."""
    return sb.matrix([[sign * e for e in matrix.row(i)] for sign, i in zip(sharp71.SIGNS, rows, strict=True)])


tied = {mb.a: mb.global_properties["a"]}
AA, BB, CC = (as_printed(matrix) for matrix in (related.E, related.A, related.B))
paper.compare(
    statement("(16)", "eight states: ẏ1, δ, φ, Yr, Yf, ψ̇, δ̇, φ̇", sharp.x == sharp71.STATES),
    equation("(17), sec. 4.3", "AA", sb.substitute(sharp71.AA, tied), AA, text="8×8 matrix"),
    equation("(17), sec. 4.3", "BB", sb.substitute(sharp71.BB, tied), BB, text="8×8 matrix"),
    equation("(17), sec. 4.3", "CC", sharp71.CC, CC, text="(0, 0, 1, 0, 0, 0, 0, 0)"),
    measured("sec. 4.1", "operations of the linear equations", "599", f"{sb.algebra.operations(AA, BB)}",
             "119 + 186 + 290 + 4 there, before independent coordinates; AA and BB here"),
)  # fmt: skip

# %% [markdown]
# ## Section 4.4: numerical results
#
# Eigenvalues at 20 m/s, and responses of the eight states to the steering torque at 2 Hz. Maple computed with ten digits,
# of which the last ones are rounding: a difference of 2·10⁻⁸ at most, and of 2·10⁻⁹ of a response.

# %%
EIGENVALUES = (
    "-79.59720348", "-59.95186627", "-5.825609713 + 54.18205262i", "-5.825609713 - 54.18205262i", "-20.43350860",
    "-4.042301331 + 15.80136627i", "-4.042301330 - 15.80136627i", "0.09266159593",
)  # fmt: skip
RESPONSES = (
    "-0.005962934704 + 0.0009441006142i", "0.0008071948120 + 0.001106083910i", "0.001878696559 + 0.0008710549705i",
    "12.72890345 + 1.739597837i", "6.415211800 + 6.932925052i", "0.01382901938 + 0.008641966714i",
    "-0.01389946035 + 0.01014350917i", "-0.01094599959 + 0.02360839724i",
)  # fmt: skip
ROUNDED = "ten digits there"
found = list(sharp.eigenvalues(V=20))


def nearest(text: str) -> complex:
    return min(found, key=lambda w: abs(w - complex(text.replace(" ", "").replace("i", "j"))))


def response(state: str) -> complex:
    return complex(sharp.frequency_response("tau", state, [2.0], V=20).values[0])


paper.compare(
    *(
        printed("sec. 4.4", f"eigenvalue {i} at 20 m/s [1/s]", text, nearest(text), within=2e-8, because=ROUNDED)
        for i, text in enumerate(EIGENVALUES, start=1)
    ),
    *(
        printed(
            "sec. 4.4", f"{name}/τ at 2 Hz", text, response(name), within=2e-9 * abs(response(name)), because=ROUNDED
        )
        for name, text in zip(sharp71.STATES, RESPONSES, strict=True)
    ),
)

# %%
locus = sharp.root_locus(V=(1, 40))
plane = sb.plot(locus, "plane", title="Sharp's motorcycle, 1 to 40 m/s", label="speed [m/s]")
paper.figure(
    "figure 2",
    "eigenvalues in the complex plane, for speeds from 1 to 40 m/s",
    plane.noted(wobble=(-4.4, 50), weave=(-4, 11.5), capsize=(-3.8, -4.7), rear_wobble=(-12, 39.5)),
)

# %% [markdown]
# The printed figure is called a Nyquist plot; it shows eigenvalues. Weave becomes stable and capsize unstable at the speeds
# below, which the paper does not print.

# %%
paper.compare(
    *(
        measured("fig. 2", f"{critical.kind} mode {critical.how} [m/s]", "–", f"{critical.value:.4f}")
        for critical in locus.critical
        if critical.kind != "meeting"
    ),
)

# %%
hertz = np.geomspace(0.5, 20, 400)
answers = [sharp.frequency_response("tau", angle, hertz, V=20) for angle in ("delta", "phi")]
paper.figure(
    "figure 3",
    "responses of steering and roll angle to the steering torque at 20 m/s",
    sb.plot(answers, title="Sharp's motorcycle at 20 m/s, angles [rad] per steering torque [N m]"),
)
