"""# Benchmark bicycle

Subjects: vehicles, two-wheelers
Reproduces: weave speed 4.29238254 m/s and capsize speed 6.02426202 m/s (Meijaard, Papadopoulos, Ruina and Schwab 2007)

Four rigid bodies and two knife-edge wheels that roll without slip have three degrees of freedom. Between
weave and capsize speed the bicycle is stable without a rider. All numbers are those of the benchmark, printed
to nine digits.
"""

# %%
import math

import symbody as sb

m = sb.Model("benchmark bicycle")
w, c, tilt, r_R, r_F = m.parameters(
    "w c lambda_ r_R r_F", 1.02, 0.08, math.pi / 10, 0.3, 0.35
)
m.gravity(0, 0, 9.81)  # z points down
x, y, yaw, lean, pitch, steer, spin_r, spin_f = m.coordinates(
    "x y yaw lean pitch steer spin_r spin_f"
)
track = m.ground.translate(x, y, 0).rotate("z", yaw)
frame = track.rotate("x", lean).translate(0, 0, -r_R).rotate("y", pitch)
rear = m.body(
    "rear wheel", frame.rotate("y", spin_r), mass=2.0, inertia=(0.0603, 0.12, 0.0603)
)
m.body(
    "frame",
    frame,
    mass=85.0,
    com=(0.3, 0, r_R - 0.9),
    inertia=sb.inertia(9.2, 11.0, 2.8, xz=2.4),
)
axis_at = w + c  # where the steering axis meets the ground
fork = (
    frame.translate(axis_at, 0, r_R)
    .rotate("y", tilt)
    .rotate("z", steer)
    .rotate("y", -tilt)
)
m.body(
    "fork",
    fork,
    mass=4.0,
    com=(0.9 - axis_at, 0, -0.7),
    inertia=sb.inertia(0.05892, 0.06, 0.00708, xz=-0.00756),
)
front_hub = fork.translate(w - axis_at, 0, -r_F)
front = m.body(
    "front wheel",
    front_hub.rotate("y", spin_f),
    mass=3.0,
    inertia=(0.1405, 0.28, 0.1405),
)
m.rolling("rear contact", rear, r_R, up="-z", contact=track.origin)
m.rolling("front contact", front, r_F, up="-z")
eq = sb.derive(m)
eq

# %%
V = sb.symbol("V")
straight = sb.steady(eq, values={"x_dot": V}, zero=["y", "yaw", "lean", "steer"])
lin = sb.linearize(eq, straight, drop="cyclic").without("x_dot")
locus = lin.root_locus(V=(0.1, 10))
critical = [c.value for c in locus.critical]
assert any(abs(v - 4.29238254) < 1e-8 for v in critical)
assert any(abs(v - 6.02426202) < 1e-8 for v in critical)
sb.plot(locus)

# %% [markdown]
# After a push at 4.6 m/s it weaves and rights itself:

# %%
ride = sb.assemble(
    eq, start={"x_dot": 4.6}, x_dot=4.6, lean_dot=0.5, lean=0.0, steer=0.0
)
sim = sb.simulate(eq, 4, ride)
sim.plot("lean", "steer")

# %%
sim.scene()
