"""# Stewart platform

Subjects: robots, parallel robots, linkages
Reproduces: six degrees of freedom by Grübler's count for 6-UPS legs; the leg forces carry the weight according to J⁻ᵀ
(Merlet 2006)

A plate stands on six legs of variable length: each leg is connected to the ground by a universal joint and to
the plate by a ball joint, which closes six loops. The leg lengths follow from the pose of the plate in closed
form; the leg forces follow from the equations.
"""

# %%
import numpy as np

import symbody as sb

base, top, height = 1.0, 0.6, 1.2
feet = [
    (base * np.cos(a), base * np.sin(a), 0.0)
    for a in np.radians([-10, 10, 110, 130, 230, 250])
]
heads = [
    (top * np.cos(a), top * np.sin(a), 0.0)
    for a in np.radians([-50, 50, 70, 170, 190, 290])
]

m = sb.Model("Stewart platform")
p = m.parameters(M=50.0, r=top, g=9.81, ml=2.0)
m.gravity(0, 0, -p.g)
plate = m.body("plate", mass=p.M, shape=sb.cylinder(p.r, 0.05, "z"))
m.free("plate", m.ground, plate)
for k, (foot, head) in enumerate(zip(feet, heads, strict=True), start=1):
    cylinder = m.body(
        f"cylinder {k}", mass=p.ml, shape=sb.cylinder(0.04, 0.6, "z", at=(0, 0, 0.3))
    )
    rod = m.body(
        f"rod {k}", mass=p.ml, shape=sb.cylinder(0.02, 0.6, "z", at=(0, 0, -0.3))
    )
    m.universal(f"foot {k}", m.ground, cylinder, at=foot)
    m.prismatic(f"leg{k}", cylinder, rod, axis="z")
    m.spherical(f"head {k}", rod, plate, at=(0, 0, 0), on=head)
    m.generalized_force(f"jack {k}", m.joints[f"leg{k}"].q, m.input(f"F{k}"))
eq = sb.derive(m)
assert eq.degrees_of_freedom == 6
print(sb.audit(eq))

# %% [markdown]
# The plate is tilted. `assemble` finds the legs, `steady` the forces that hold it there. With light legs they
# match the textbook: forces along the legs that balance the weight of the plate, with no moment about its
# centre.

# %%
pose = {
    "plate_x": 0.1,
    "plate_y": -0.05,
    "plate_z": height,
    "plate_1": 0.1,
    "plate_2": -0.15,
    "plate_3": 0.2,
}
held = {**pose, **{f"leg{k}": height for k in range(1, 7)}}
forces = [f"F{k}" for k in range(1, 7)]
rest = sb.steady(eq, pose, start=held, free=forces, ml=1e-9)
print(rest)

turned = np.array(
    sb.evaluate(plate.frame.dcm(m.ground).T, rest.values), dtype=float
).reshape(3, 3)
arms = [turned @ h for h in heads]
legs = [np.array([0.1, -0.05, height]) + a - f for a, f in zip(arms, feet, strict=True)]
along = [leg / np.linalg.norm(leg) for leg in legs]
wrenches = np.array([[*n, *np.cross(a, n)] for n, a in zip(along, arms, strict=True)]).T
expected = np.linalg.solve(wrenches, [0, 0, 50 * 9.81, 0, 0, 0])
np.testing.assert_allclose([rest[f] for f in forces], expected, rtol=1e-7)
np.testing.assert_allclose(
    [rest[f"leg{k}"] for k in range(1, 7)],
    [np.linalg.norm(v) for v in legs],
    rtol=1e-12,
)

# %% [markdown]
# Now the legs have mass, and each actuator is a servo: a spring and a damper towards its commanded length.
# The plate moves up and down and pitches.

# %%
start = sb.steady(
    eq,
    {**pose, "plate_x": 0, "plate_y": 0, "plate_1": 0, "plate_2": 0, "plate_3": 0},
    start=held,
    free=forces,
)
t = m.time
laws = {}
for k, (foot, head) in enumerate(zip(feet, heads, strict=True), start=1):
    leg = m.joints[f"leg{k}"].q
    nod, rise = 0.15 * sb.sin(2 * t), height + 0.1 * (1 - sb.cos(3 * t))
    x, y, z = (
        head[0] * sb.cos(nod) - foot[0],
        head[1] - foot[1],
        rise - head[0] * sb.sin(nod),
    )
    want = sb.sqrt(x**2 + y**2 + z**2)
    laws[f"F{k}"] = (
        start[f"F{k}"] + 1e5 * (want - leg) + 2e3 * (sb.time_derivative(want) - leg.dot)
    )
sim = sb.simulate(eq, 4, start, inputs=laws)
sim.plot(["plate_z"], ["plate_2"], forces)

# %%
sim.scene()
