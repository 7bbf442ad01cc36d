"""# Lynch: a symbolic formulation for multibody systems

The thesis of 1988 describes a generator in MACSYMA. Bodies and joints are entered as matrices in Cartesian terms; path,
reference and distance matrices lead from them to the partial velocity matrix B, and Kane's equations follow in relative
coordinates, M q̈ = Bᵀ(f − M_c Ḃ q̇ − h). Linearisation, constrained eigenvalues and derivatives of eigenvalues are taken from
the formulas.

What it contributed to this package: joints by four vectors, loads of joints, `m.freeze().topology`, `sb.bodies.LynchInput`,
`sb.derivation.partial_velocities`, the count of work by ways to share it, eigenvalues of constrained systems by QZ and by
QR, and `sb.stability.design_parameters`. Its four mechanisms are among the examples; its printed inputs run line by line in
`examples/documents/`.
"""

# %%
import math
from timeit import repeat

import numpy as np

import symbody as sb
from docs.documents import Document, equation, measured, statement
from docs.documents.lynch_tables import by_tables
from examples import satellite, stanford_arm
from examples.documents import lynch_four_bar, lynch_stanford_arm, lynch_triple_pendulum

thesis = Document("Lynch 1988")

# %% [markdown]
# ## Chapter 3: kinematics
#
# The satellite of figure 3.2 has a floating base, a link on one side, and two links in a row on the other. Its base
# has four Euler parameters, and speeds in the axes of the body, as B has them.


# %%
def satellite_of_figure_3_2() -> sb.Model:
    m = sb.Model("satellite of figure 3.2")
    bodies = [m.body(f"body {k}", mass=1.0, inertia=(0.1, 0.2, 0.3)) for k in (1, 2, 3, 4)]
    m.free("base", m.ground, bodies[0], sequence="euler parameters", body_speeds=True)
    for k, parent, at in ((2, 0, (0.3, 0, 0)), (3, 0, (-0.3, 0, 0)), (4, 2, (0, 0.2, 0))):
        m.revolute(f"q{k}", bodies[parent], bodies[k - 1], at=at, on=(0, -0.2, 0))
    return m


m = satellite_of_figure_3_2()
eq = sb.derive(m)
tree = eq.mechanism.topology
base, fourth = m.bodies["body 1"], m.bodies["body 4"]
phi, axis = 0.7, np.array([2, 3, 6]) / 7
euler = dict(zip(eq.q[3:7], [math.cos(phi / 2), *(axis * math.sin(phi / 2))], strict=True))
Q = fourth.point(0.05, 0.1, -0.2)
A = {name: m.ground.dcm(m.bodies[name].frame) for name in ("body 1", "body 3", "body 4")}
steps = A["body 1"] @ base.frame.dcm(m.bodies["body 3"].frame) @ m.bodies["body 3"].frame.dcm(fourth.frame)
s_Q = sb.vector(0.05, 0.1, -0.2)
at_speeds = dict(zip((q.dot for q in eq.q), eq.rates.entries, strict=True))
v_Q, v_O = (sb.substitute(p.velocity().components(m.ground), at_speeds) for p in (Q, fourth.mass_centre))
spin = sb.substitute(fourth.frame.angular_velocity().components(m.ground), at_speeds)
thesis.compare(
    equation("(3.1)", "Euler parameters of a turn by φ about u",
             np.array(sb.evaluate(m.ground.rotate(tuple(axis), phi).rotation_in(m.ground).matrix, {})),
             np.array(sb.evaluate(A["body 1"], euler)), text="e0 = cos φ/2, e = u sin φ/2"),
    statement("(3.2)", "the four parameters have the norm one", eq.mechanism.norms == (eq.q[3:7],)),
    equation("(3.3)", "transformation of body 4 to the reference frame", steps, A["body 4"], euler, text="A^R1 A^13 A^34"),
    equation("(3.4)", "place of a point Q of body 4", fourth.mass_centre.in_ground + A["body 4"] @ s_Q, Q.in_ground, euler,
             text="r^RO + A^R4 s"),
    equation("(3.5)–(3.7)", "its velocity", v_O + sb.skew(spin) @ (A["body 4"] @ s_Q), v_Q, euler, text="v^RO + ω̃ A^R4 s"),
    statement("(3.12), (3.15)", "path matrix", tree.path == ((1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 1, 1))),
    statement("(3.13), (3.16)", "reference matrix",
              tree.reference == ((1, 0, 0, 0), (-1, 1, 0, 0), (-1, 0, 1, 0), (0, 0, -1, 1))),
    statement("(3.14)", "ρ π = π ρ = 1", (np.array(tree.reference) @ tree.path == np.eye(4)).all()),
    statement("(3.17), (3.18)", "distance matrix", tree.distance == (
        (0.2, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0))),
)  # fmt: skip

# %% [markdown]
# Tables 3.1 and 3.3 have the blocks of B and of its rate for three kinds of joints, in components of body i. Written out
# with the vectors d of equations (3.20) to (3.22), which lead from joint j to the mass centre of body i, they are compared
# with `partial_velocities` for the satellite (table 3.2), and for the Stanford arm, whose third joint slides.

# %%
arm = sb.derive(stanford_arm.model())
found, found_arm = sb.derivation.partial_velocities(eq), sb.derivation.partial_velocities(arm)
B, rate = by_tables(eq, {"q2": "z", "q3": "z", "q4": "z"})
B_arm, rate_arm = by_tables(arm, {f"q{k}": axis for k, axis in enumerate("yxyyxy", start=1)})
turning = [b.frame.angular_velocity().components(b.frame) for b in arm.mechanism.bodies]
moving = [b.mass_centre.velocity().components(b.frame) for b in arm.mechanism.bodies]
cartesian = sb.stack(*(x for pair in zip(moving, turning, strict=True) for x in pair))
accelerations = sb.stack(*(b.mass_centre.acceleration().components(b.frame) for b in arm.mechanism.bodies))
u_arm, a_arm = sb.vector(*arm.u), sb.vector(*(s.dot for s in arm.u))
both = found_arm.B @ a_arm + found_arm.rate @ u_arm
linear_rows = sb.stack(*(both[6 * k : 6 * k + 3, :] for k in range(6)))
blocks = {(r // 6, max(0, c - 5)) for r, c in sb.algebra.sparsity(found.B)}
ones = {(i, j) for i, row in enumerate(tree.path) for j, on_the_way in enumerate(row) if on_the_way}
thesis.compare(
    equation("tables 3.1, 3.2", "B of the satellite, 24 by 9", B, found.B, euler, text="floating base, revolute joints"),
    equation("table 3.3", "Ḃ of the satellite", rate, found.rate, euler, text="floating base, revolute joints"),
    equation("table 3.1", "B of the Stanford arm, 36 by 6", B_arm, found_arm.B, text="revolute and translational joints"),
    equation("table 3.3", "Ḃ of the Stanford arm", rate_arm, found_arm.rate, text="revolute and translational joints"),
    equation("(3.8)–(3.35)", "velocities of all bodies of the arm", found_arm.B @ u_arm, cartesian, text="ẏ = B q̇"),
    equation("(3.36)", "accelerations of their mass centres", linear_rows, accelerations, text="B q̈ + Ḃ q̇"),
    statement("sec. 3.5", "B has its blocks where the path matrix has ones", blocks == ones),
)  # fmt: skip

# %% [markdown]
# ## Chapter 4: dynamics
#
# Equation (4.14) is put together from B, Ḃ and the Cartesian vectors of inertia and force (4.11) to (4.17), for the triple
# pendulum as appendix A types it in, with gravity and the spring-damper-actuators of (4.21) to (4.23). Those equations
# subtract the actuator's torque τ; appendix B and (5.1) add it, and so does this package. The comparison takes −τ.

# %%
pendulum = sb.derive(lynch_triple_pendulum.m)
parts = sb.derivation.partial_velocities(pendulum)
links, g = pendulum.mechanism.bodies, sb.symbol("g", "parameter")
spins = [b.frame.angular_velocity().components(b.frame) for b in links]
forces = [b.mass.m * b.frame.dcm(pendulum.mechanism.ground) @ sb.vector(0, -g, 0) for b in links]
torques = [sb.zeros(3, 1) for _ in links]
axis = sb.vector(0, 0, 1)
for k, q in enumerate(pendulum.q):
    stiffness, damping, rest = (lynch_triple_pendulum.m.symbols[f"{name}{k + 2}"] for name in ("k", "c", "alpha"))
    f_R = stiffness * (q - rest) + damping * q.dot - pendulum.r[k]
    torques[k] = torques[k] - f_R * axis
    if k:
        torques[k - 1] = torques[k - 1] + f_R * (links[k - 1].frame.dcm(links[k].frame) @ axis)
f = sb.stack(*(x for pair in zip(forces, torques, strict=True) for x in pair))
h = sb.stack(*(x for b, w in zip(links, spins, strict=True) for x in (sb.zeros(3, 1), sb.skew(w) @ b.mass.I_BBcm @ w)))
u = sb.vector(*pendulum.u)
kane = parts.B.T @ (f - parts.inertia @ (parts.rate @ u) - h)
typed_arm = sb.derive(lynch_stanford_arm.m)
arm_parts = sb.derivation.partial_velocities(typed_arm)
slide, along = typed_arm.q[2], sb.vector(0, 1, 0)
k_1, l_1, c_1, tau_1 = (lynch_stanford_arm.m.symbols[name] for name in ("k_1", "l1", "c_1", "tau_1"))
f_T = k_1 * (slide - l_1) + c_1 * slide.dot - tau_1
on_bodies = [sb.zeros(6, 1) for _ in typed_arm.mechanism.bodies]
on_bodies[2] = -f_T * sb.stack(along, sb.zeros(3, 1))  # body 4; its axes are those of body 3
on_bodies[1] = f_T * sb.stack(along, sb.zeros(3, 1))
elements = ("tsda 1", "tsda 1.damper", "tsda 1.actuator")
sign = "the thesis subtracts τ here and adds it in appendix B; compared with −τ"
thesis.compare(
    equation("(4.12)–(4.15)", "mass matrix of the triple pendulum", parts.B.T @ parts.inertia @ parts.B, pendulum.M, text="Bᵀ M B"),
    equation("(4.1)–(4.17)", "right side with gravity", kane, pendulum.f, text="Bᵀ(f − M Ḃ q̇ − h)"),
    equation("(4.21)–(4.23)", "torques of the RSDAs in it", sb.jacobian(kane, pendulum.r), sb.jacobian(pendulum.f, pendulum.r),
             text="−k (q − α) − c q̇ − τ", because=sign),
    equation("(4.24)–(4.26)", "TSDA in the slide of the Stanford arm", arm_parts.B.T @ sb.stack(*on_bodies),
             sum((sb.derivation.generalized_force(typed_arm, e) for e in elements[1:]),
                 sb.derivation.generalized_force(typed_arm, elements[0])),
             text="−k (l − β) − c l̇ − τ along u", because=sign),
)  # fmt: skip

# %% [markdown]
# The printed points of the TSDA, both mass centres, coincide where the slide is zero: the element has to act along the axis
# of the joint, as (4.25) and (4.26) say, since the line between the points has no direction there.
#
# With loops (4.18) to (4.20) the constraint forces enter by multipliers. The four-bar of appendix C at a state off its
# equilibrium:

# %%
four_bar = sb.derive(lynch_four_bar.m)
swung = {"q2": 0.3, "q3": 0.3, "q4": math.pi / 2 - 0.3, "q2_dot": 1.5, "q3_dot": 1.5, "q4_dot": -1.5}
state = four_bar.values(swung, otherwise=0.0)
M, f, Phi_q, c, a = (
    np.array(sb.evaluate(x, state)) for x in (four_bar.M, four_bar.f, four_bar.Jc, four_bar.c, four_bar.udot)
)
saddle = np.block([[M, Phi_q.T], [Phi_q, np.zeros((3, 3))]])
thesis.compare(
    equation("(4.20)", "constraint Jacobian", sb.jacobian(four_bar.phi, four_bar.q), four_bar.Jc, text="∂Φ/∂q"),
    equation("(4.18), (4.19)", "accelerations of the closed loop", np.linalg.solve(saddle, [*f, *-c])[:4], a, text="M q̈ + Φᵀλ"),
)  # fmt: skip

# %% [markdown]
# Section 4.5 prints every step for a single pendulum.

# %%
m = sb.Model("single pendulum")
d, j2z = m.parameters("dl22 j2z", 0.5, 0.2)
given = sb.bodies.LynchInput(
    reference=[[1, 0], [-1, 1]], distance=[[0.0, 1.0], [1.0, 0.0]], axes={(2, 1): ("z", "z", "x", "x")},
    dl={2: (0, -d, 0)}, sl={(2, 1): (0, 0, 0)}, inertia={2: (0, 0, j2z)}, gravity=("y", -1),
)  # fmt: skip
single = sb.derive(given.model("single pendulum", m), "kane")
rod, q, m2 = single.mechanism.bodies[0], single.q[0], m.symbols["m2"]
parts = sb.derivation.partial_velocities(single)
sine, cosine = sb.sin(q), sb.cos(q)
thesis.compare(
    equation("sec. 4.5, 1", "transformation", sb.matrix([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]]),
             rod.frame.dcm(m.ground), text="A", because="printed as A12, from body 2 to body 1; it is A21"),
    equation("sec. 4.5, 2", "d of the joint and the mass centre", sb.vector(0, -d, 0),
             (rod.mass_centre - single.mechanism.joints[0].inner.origin).components(rod.frame), text="(0, −dl22, 0)"),
    equation("sec. 4.5, 3", "B", sb.vector(d, 0, 0, 0, 0, 1), parts.B, text="(dl22, 0, 0, 0, 0, 1)"),
    equation("sec. 4.5, 4", "Ḃ", sb.vector(0, q.dot * d, 0, 0, 0, 0), parts.rate, text="(0, q̇2 dl22, 0, 0, 0, 0)"),
    equation("sec. 4.5, 5", "force of gravity", sb.vector(-m2 * sine * g, -m2 * cosine * g, 0),
             m2 * rod.frame.dcm(m.ground) @ sb.vector(0, -g, 0), text="−m2 g (sin q2, cos q2, 0)"),
    equation("sec. 4.5, 6", "equation of motion", q.dot.dot * (j2z + m2 * d**2) + m2 * sine * d * g, single.residual()[0]),
)  # fmt: skip

# %% [markdown]
# Step 7 writes FORTRAN, as `sb.write.fortran(single, folder)` does.
#
# Section 4.6 has three ways to compute the mass matrix: every entry written out, full matrices multiplied with all their
# zeros, and products of named entries. `mass_matrix_programs` has them as programs, and the one that this package
# takes from the graph, which shares all equal subexpressions. They are run by NumPy one operation after the other; an
# optimising compiler finds most of the shared work again.

# %%
ways = sb.emit.mass_matrix_programs(pendulum)
start = pendulum.values(q2=0.5, q3=0.5, q4=0.5, otherwise=0.0)
arguments = [0.0, *(np.array([start[s] for s in group]) for group in (pendulum.q, pendulum.r, pendulum.p))]
words = {
    "pure": "1: written out", "numeric": "2: full matrices", "named": "3: named entries", "graph": "graph of this package",
}  # fmt: skip
work, seconds = {}, {}
for way in words:
    run = sb.emit.numpy_function(getattr(ways, way))
    seconds[way] = min(repeat(lambda run=run: run(*arguments), number=5, repeat=5)) / 5
    work[way] = getattr(ways, way).cost.total
thesis.compare(
    *(measured("sec. 4.6", f"mass matrix of the triple pendulum, {words[way]}", "not given",
               f"{work[way]} operations, {1e6 * seconds[way]:.0f} µs") for way in words),
    statement("sec. 4.6", "named entries take less work than both others", work["named"] < min(work["pure"], work["numeric"])),
    measured("sec. 4.6", "the same of the Stanford arm, ways 1, 2, 3 and graph", "not given",
             "4496, 17999, 438, 153 operations; 10, 6.5, 0.13, 0.08 ms", "recorded once, since writing it out takes long"),
)  # fmt: skip

# %% [markdown]
# Sections 4.7 and 6.4 divide a mechanism into chains on one base. Here a part is attached twice; and B of the whole is
# put together from those of two satellites with one arm each, (6.19) to (6.22).


# %%
def one_arm() -> sb.Model:
    m = sb.Model("arm")
    link = m.body("link", mass=10.0, com=(0, 0.1, 0), inertia=(0.04, 0.02, 0.04))
    m.revolute("theta", m.ground, link)
    return m


def with_arms(*sides: float) -> sb.Equations:
    m = sb.Model("satellite of parts")
    base = m.body("base", mass=20.0, inertia=(0.25, 0.125, 0.25))
    m.free("base", m.ground, base, sequence="euler parameters", body_speeds=True)
    for k, x in enumerate(sides):
        m.attach(f"arm{k}", base.frame.translate(x, 0, 0), one_arm())
    return sb.derive(m)


def numbers(eq: sb.Equations, thing: sb.Matrix, *angles: float) -> np.ndarray:
    base = {"base_e0": 0.8, "base_e2": 0.6, "base_wx": 0.3, "base_wy": 2.0, "base_wz": -0.4, "base_vx": 0.1}
    hinges = dict(zip((s.name for s in eq.q[7:]), angles, strict=True))
    rates = dict(zip((s.name for s in eq.u[6:]), (0.5, -0.7), strict=False))
    return np.array(sb.evaluate(thing, eq.values({**base, **hinges, **rates}, otherwise=0.0)))


whole, subsystems = with_arms(0.1, -0.1), (with_arms(0.1), with_arms(-0.1))
angles = (-0.9, 1.2)
B_1, B_2 = (numbers(s, sb.derivation.partial_velocities(s).B, x) for s, x in zip(subsystems, angles, strict=True))
assembled = np.zeros((18, 8))
assembled[:6, :6] = B_1[:6, :6]
assembled[6:12, [*range(6), 6]] = B_1[6:]
assembled[12:, [*range(6), 7]] = B_2[6:]
own = sb.derive(satellite.model())
same = {"base_e0": 0.8, "base_e2": 0.6, "theta2": angles[0], "theta3": angles[1], "theta2_dot": 0.5, "theta3_dot": -0.7}
v_ground = np.array([[1 - 2 * 0.36, 0, 0.96], [0, 1, 0], [-0.96, 0, 1 - 2 * 0.36]]) @ [0.1, 0, 0]
same |= dict(zip(("base_x_dot", "base_y_dot", "base_z_dot"), v_ground, strict=True))
hinged = own.values({**same, "base_wx": 0.3, "base_wy": 2.0, "base_wz": -0.4}, otherwise=0.0)
thesis.compare(
    statement("(6.19)", "path matrix of the satellite", whole.mechanism.topology.path == ((1, 0, 0), (1, 1, 0), (1, 0, 1))),
    equation("(6.20)–(6.22)", "B from subsystems, 18 by 8", assembled, numbers(whole, sb.derivation.partial_velocities(whole).B, *angles),
             text="B₁, B₂ by the path matrix"),
    equation("sec. 6.4", "accelerations of the links, from parts and as a whole",
             numbers(whole, whole.udot, *angles)[6:], np.array(sb.evaluate(own.udot, hinged))[-2:], text="identical"),
)  # fmt: skip
