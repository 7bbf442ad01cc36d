"""# Reaction wheels

Subjects: spacecraft, gyroscopes, control

Three wheels on three axes: their motors turn a satellite by 120° about a diagonal and stop it there. No
external torque acts, so the total angular momentum stays zero in every component.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("satellite with wheels")
p = m.parameters(m=80.0, A=12.0, B=10.0, C=8.0, J=0.05, k=2.0, c=14.0)
body = m.body("satellite", mass=p.m, inertia=(p.A, p.B, p.C))
turning = m.spherical("turn", m.ground, body, "euler parameters")
e0, *e = turning.coordinates
w = body.frame.angular_velocity().components(body.frame)
for axis, wheel_at, lean, rate in zip(
    "xyz", ((0.55, 0, 0), (0, 0.45, 0), (0, 0, 0.35)), e, w, strict=True
):
    wheel = m.body(f"wheel {axis}", mass=2.0, inertia=(p.J, p.J, p.J))
    spun = m.revolute(f"wheel_{axis}", body, wheel, axis=axis, at=wheel_at)
    m.generalized_force(f"motor {axis}", spun.q, p.k * 2 * e0 * lean + p.c * rate)
eq = sb.derive(m)
print(sb.audit(eq))

# %% [markdown]
# A rotation by 120° about the diagonal (1, 1, 1) maps x to y, y to z and z to x: the satellite starts there
# and is commanded back.

# %%
begin = {"turn_e0": 0.5, "turn_e1": 0.5, "turn_e2": 0.5, "turn_e3": 0.5}
sim = sb.simulate(eq, 120, begin, rtol=1e-10)
momentum = np.array(
    sim.values(list(sb.angular_momentum(eq, body.point()).components(m.ground)))
)
assert np.abs(momentum).max() < 1e-8
assert abs(sim["turn_e0"][-1]) > 1 - 1e-9
sim.plot([f"turn_e{k}" for k in range(4)], [f"wheel_{axis}_dot" for axis in "xyz"])

# %%
looks = {
    "satellite": sb.box(1.0, 0.8, 0.6),
    **{f"wheel {axis}": sb.cylinder(0.15, 0.04, axis) for axis in "xyz"},
}
sim.scene(shapes=looks)
