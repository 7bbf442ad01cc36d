"""# Delta robot

Subjects: robots, parallel robots, linkages
Reproduces: arm angles in closed form, and motor torques from the Jacobian (Clavel 1991, Codourey 1998)

Three motors on a base turn three upper arms; pairs of thin rods connect their elbows to a small plate and
keep it level. The plate translates and never rotates. The rods are light: half of the mass of each pair is
added to the elbow, half to the plate, and the rods become constraints of constant length.
"""

# %%
import numpy as np

import symbody as sb

R, L, l = 0.10, 0.20, 0.40  # base radius minus plate radius, upper arms, rods
m = sb.Model("delta robot")
p = m.parameters(plate=0.3, rods=0.1, arm=0.2, rotor=2e-3, g=9.81)
m.gravity(0, 0, -p.g)
x, y, z = m.coordinates("x y z")
where_it_is = m.ground.translate(x, y, z)
m.body("plate", where_it_is, mass=p.plate + 3 * p.rods / 2)
elbows = []
for k in range(3):
    side = m.ground.rotate("z", 2 * k * sb.pi / 3).translate(R, 0, 0)
    arm = m.body(
        f"arm {k + 1}",
        mass=p.arm,
        com=(L / 2, 0, 0),
        inertia=(0, p.arm * L**2 / 12, p.arm * L**2 / 12),
    )
    # positive: downwards
    m.revolute(f"q{k + 1}", side, arm, axis="y", actuation=m.input(f"T{k + 1}"))
    elbow = arm.point(L, 0, 0)
    m.particle(f"elbow {k + 1}", elbow, mass=p.rods / 2)
    m.kinetic_energy(f"rotor {k + 1}", p.rotor * m.joints[f"q{k + 1}"].q.dot ** 2 / 2)
    rod = elbow - where_it_is.origin
    m.constrain(f"rods {k + 1}", rod.dot(rod) - l**2)
    elbows.append(elbow)
eq = sb.derive(m)
assert eq.degrees_of_freedom == 3
print(sb.audit(eq))

# %% [markdown]
# For a given position of the plate, each arm has two solutions, the intersections of two circles. The robot
# uses the outer one. `assemble` finds it by iteration.

# %%
place = np.array([0.05, -0.08, -0.35])


def angle(k: int) -> float:
    """Of arm k: (R + L cos q - u)² + v² + (L sin q + w)² = l², in the plane of the arm."""
    turn = 2 * np.pi * k / 3
    u = place[0] * np.cos(turn) + place[1] * np.sin(turn)
    v = -place[0] * np.sin(turn) + place[1] * np.cos(turn)
    w = place[2]
    a, b, c = 2 * L * (R - u), 2 * L * w, l**2 - L**2 - (R - u) ** 2 - v**2 - w**2
    return float(np.arctan2(b, a) + np.arccos(c / np.hypot(a, b)))


q = [angle(k) for k in range(3)]
pose = dict(zip(("x", "y", "z"), place, strict=True))
rest = sb.steady(
    eq, pose, start={f"q{k + 1}": 0.5 for k in range(3)}, free=["T1", "T2", "T3"]
)
print(rest)
np.testing.assert_allclose([rest[f"q{k + 1}"] for k in range(3)], q, atol=1e-9)

# %% [markdown]
# Holding torques balance the forces of the rods on the plate, which carry its weight, and the weight of the
# arms,
#
#     q' = J ẋ,   J = diag(s·e)⁻¹ [s₁ s₂ s₃]ᵀ,    T = -J⁻ᵀ m g + arms

# %%
s, e = [], []
for k in range(3):
    turn = 2 * np.pi * k / 3
    c, n = np.array([np.cos(turn), np.sin(turn), 0]), np.array([0, 0, -1.0])
    s.append((R + L * np.cos(q[k])) * c + L * np.sin(q[k]) * n - place)
    e.append(L * (-np.sin(q[k]) * c + np.cos(q[k]) * n))
J = np.array(s) / np.array([[a @ b] for a, b in zip(s, e, strict=True)])
down = np.array([0, 0, -9.81])
arms = [(0.2 / 2 + 0.1 / 2) * L * 9.81 * np.cos(a) for a in q]
expected = -np.linalg.solve(J.T, (0.3 + 0.15) * down) - arms
np.testing.assert_allclose([rest[f"T{k + 1}"] for k in range(3)], expected, rtol=1e-7)

# %% [markdown]
# A pick-and-place motion along an arch and back; each motor is a servo that follows its desired angle.

# %%
t = m.time
stroke = sb.sin(2 * t)
goal = (0.12 * stroke, 0.0 * t, -0.38 + 0.05 * sb.cos(4 * t))
laws = {}
for k in range(3):
    c, n = float(np.cos(2 * np.pi * k / 3)), float(np.sin(2 * np.pi * k / 3))
    u, v, w = goal[0] * c + goal[1] * n, goal[1] * c - goal[0] * n, goal[2]
    A, B = 2 * L * (R - u), 2 * L * w
    C = l**2 - L**2 - (R - u) ** 2 - v**2 - w**2
    want = sb.atan2(B, A) + sb.acos(C / sb.sqrt(A**2 + B**2))
    own = m.joints[f"q{k + 1}"].q
    laws[f"T{k + 1}"] = 300 * (want - own) + 8 * (sb.time_derivative(want) - own.dot)
above = {"x": 0.0, "y": 0.0, "z": -0.33}
start = sb.steady(
    eq, above, start={f"q{k + 1}": 0.5 for k in range(3)}, free=["T1", "T2", "T3"]
)
sim = sb.simulate(eq, np.pi, start, inputs=laws)
assert abs(sim["x"][-1]) < 0.01
sim.plot(["x", "z"], ["T1", "T2", "T3"])

# %%
sim.scene()
