"""# Arm muscles: lengths and moment arms

Subjects: biomechanics, paths
Reproduces: lengths and moment arms of four muscles, and the mass matrix, of OpenSim's arm26 (Holzbaur et al. 2005)

Four muscles cross the shoulder and the elbow as paths through points of the bones, and over a cylinder where
they would pass through the elbow. The length of such a path is exact, so its symbolic derivatives are the
moment arms, also in the equations of motion.
"""

# %%
import numpy as np

import symbody as sb
from symbody.bodies import WrapCylinder

m = sb.Model("arm26")
humerus = m.body(
    "humerus",
    mass=1.864572,
    com=(0, -0.180496, 0),
    inertia=(0.01481, 0.004551, 0.013193),
)
ulna = m.body(
    "ulna", mass=1.534315, com=(0, -0.181479, 0), inertia=(0.019281, 0.001571, 0.020062)
)
m.revolute(
    "shoulder",
    m.ground,
    humerus,
    (-0.05889802, 0.0023, 0.99826136),
    at=(-0.017545, -0.007, 0.17),
)
m.revolute(
    "elbow",
    humerus,
    ulna,
    (0.04940001, 0.03660001, 0.99810825),
    at=(0.0061, -0.2904, -0.0123),
)
m.gravity(0, -9.8066, 0)

# %%
axis = humerus.frame.translate(0.0028, -0.2919, -0.0069).rotate(
    "xyz", -0.14015, -0.00628319, 0.154985
)
over_elbow = WrapCylinder(axis, 0.016)
H, U, G = humerus.point, ulna.point, m.ground.point
triceps = (
    H(-0.03184, -0.22637, -0.01217),
    H(-0.01743, -0.26757, -0.01208),
    over_elbow,
    U(-0.0219, 0.01046, -0.00078),
)
stations = {
    "TRIlat": (H(-0.00599, -0.12646, 0.00428), H(-0.02344, -0.14528, 0.00928), *triceps),
    "TRImed": (H(-0.00838, -0.13695, -0.00906), H(-0.02601, -0.15139, -0.0108), *triceps),
    "BRA": (H(0.0068, -0.1739, -0.0036), over_elbow, U(-0.0032, -0.0239, 0.0009)),
    "BICshort": (
        G(0.004675, -0.01231, 0.13475), G(-0.007075, -0.04004, 0.14507), H(0.01117, -0.07576, -0.01101),
        H(0.01703, -0.12125, -0.01079), H(0.0228, -0.1754, -0.0063), U(0.00751, -0.04839, 0.02179),
    ),
}  # fmt: skip
muscles = {name: m.path(name, points) for name, points in stations.items()}
for name, path in muscles.items():
    m.tension(name, path, m.input(f"T_{name}"))
eq = sb.derive(m)
eq

# %% [markdown]
# Comparison with OpenSim 4.6 in the posture of 0.3 and 1.0 rad:

# %%
OPENSIM = {
    "TRIlat": (0.18977278, 0.0, -0.02158640),
    "TRImed": (0.17740058, 0.0, -0.02158640),
    "BRA": (0.13363158, 0.0, 0.01599150),
    "BICshort": (0.31675425, -0.00986362, 0.03946242),
}
posture = dict(zip(eq.q, (0.3, 1.0), strict=True))
print("muscle        length   shoulder      elbow")
for name, path in muscles.items():
    found = [
        sb.evaluate(path.length, posture),
        *(-sb.evaluate(sb.derivative(path.length, q), posture) for q in eq.q),
    ]
    print(f"{name:9s} {found[0]:z10.8f} {found[1]:z10.8f} {found[2]:z10.8f}")
    assert np.allclose(found, OPENSIM[name], rtol=0, atol=6e-9)
M = np.array(sb.evaluate(eq.M, posture), dtype=float)
print(M)
assert np.allclose(
    M, [[0.363048482, 0.114250659], [0.114250659, 0.070499726]], rtol=0, atol=1e-8
)

# %% [markdown]
# Tensions are inputs of the equations and enter through the table of moment arms. Moment arms about the elbow
# over its angle:

# %%
angles = np.radians(range(10, 131, 20))
print("elbow [deg]", *(f"{np.degrees(a):6.0f}" for a in angles))
for name, path in muscles.items():
    arm = -sb.derivative(path.length, eq.q[1])
    found = [1e3 * sb.evaluate(arm, {eq.q[0]: 0.3, eq.q[1]: float(a)}) for a in angles]
    print(f"{name:11s}", *(f"{r:z6.1f}" for r in found), "mm")

# %% [markdown]
# Tension of the brachialis that holds the forearm level with the upper arm hanging: gravity is in the
# equations, and the tension enters through its moment arm.

# %%
q, T = [0.0, np.pi / 2], dict.fromkeys(eq.r, 0.0)
hanging = dict(zip(eq.q, q, strict=True)) | dict.fromkeys(eq.u, 0.0)
weight = float(sb.evaluate(eq.f[1], hanging | T))
arm = float(sb.evaluate(-sb.derivative(muscles["BRA"].length, eq.q[1]), hanging))
held = -weight / arm
print(f"{-weight:.3f} Nm on an arm of {1e3 * arm:.1f} mm: {held:.0f} N")
pulled = T | {m.symbols["T_BRA"]: held}
assert abs(float(sb.evaluate(eq.f[1], hanging | pulled))) < 1e-12

# %%
sb.scene(eq, shoulder=0.0, elbow=np.pi / 2)
