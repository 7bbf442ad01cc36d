"""# Single-track car

Subjects: vehicles
Reproduces: characteristic speed √(c_f c_r L² / (m (l_r c_r - l_f c_f))) (Riekert and Schunck 1940)

Two wheels on one track with linear tyres form the simplest handling model of a car. Yaw gain, understeer
gradient and characteristic speed are formulas.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("single-track car")
p = m.parameters(m=1500.0, J=2500.0, l_f=1.2, l_r=1.5, c_f=8e4, c_r=1e5, V=25.0)
delta = m.input("delta")
yaw, y, x = m.coordinates("yaw y x")
frame = m.ground.translate(x, y, 0).rotate("z", yaw)
v, r = m.speed("v", -x.dot * sb.sin(yaw) + y.dot * sb.cos(yaw)), m.speed("r", yaw.dot)
u = m.speed("u", x.dot * sb.cos(yaw) + y.dot * sb.sin(yaw))
car = m.body("car", frame, mass=p.m, inertia=(500, 2500, p.J))
m.constrain_speed("cruise", u - p.V)
front = p.c_f * (delta - (v + p.l_f * r) / p.V)
rear = p.c_r * -(v - p.l_r * r) / p.V
m.force("front tyre", car, car.vector(0, front, 0), at=car.point(p.l_f, 0, 0))
m.force("rear tyre", car, car.vector(0, rear, 0), at=car.point(-p.l_r, 0, 0))
eq = sb.derive(m)
eq.readable

# %% [markdown]
# Steady-state yaw rate for a steering angle, as a formula:

# %%
lin = sb.linearize(eq, sb.steady(eq), drop="cyclic")
speeds = np.linspace(2, 60, 200)
gains = [abs(lin.frequency_response("delta", "r", 1e-6, V=V).values[0]) for V in speeds]
L, K = 2.7, 1500 * (1.5 * 1e5 - 1.2 * 8e4) / (8e4 * 1e5 * 2.7)
assert np.allclose(gains, speeds / (L + K * speeds**2), rtol=1e-6)
fastest = speeds[int(np.argmax(gains))]
print(f"the gain is largest at {np.sqrt(L / K):.2f} m/s, the characteristic speed")

# %%
locus = lin.root_locus(V=(2, 60))
sb.plot(locus)

# %% [markdown]
# A lane change:

# %%
sim = sb.simulate(
    eq,
    6,
    inputs={"delta": 0.02 * sb.sin(sb.pi * m.time / 2) * sb.where(m.time < 4, 1, 0)},
    u=25.0,
)
sb.plot(sim, ["y"], ["r"], ["delta"])

# %%
shape = [
    sb.box(4.0, 1.7, 0.6, at=(0.1, 0, 0.6)),
    sb.box(1.8, 1.5, 0.5, at=(-0.2, 0, 1.1)),
]
sim.scene(shapes={"car": shape})
