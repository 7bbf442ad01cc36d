"""# Rolling disc

Subjects: rolling, toys
Reproduces: upright rolling is stable above V² = g R / 3 for a thin disc (Routh)

A coin that rolls fast enough stays upright. Lean, heading and roll follow from two no-slip constraints.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("rolling disc")
x, y, yaw, lean, spin = m.coordinates("x y yaw lean spin")
mass, R, g = m.parameters("m R g", 1.0, 0.3, 9.81)
m.gravity(0, 0, -g)
heading = m.ground.translate(x, y, 0).rotate("z", yaw)
wheel = heading.rotate("x", lean).translate(0, 0, R).rotate("y", spin)
disc = m.body("disc", wheel, mass=mass, shape=sb.disc(R, axis="y"))
v = disc.velocity_at(heading.origin)
m.constrain_speed("along", v.dot(heading.x))
m.constrain_speed("across", v.dot(heading.y))
eq = sb.derive(m)
eq

# %%
w = sb.symbol("w")
straight = sb.steady(eq, values={"spin_dot": w}, zero=["yaw", "lean", "y"])
lin = sb.linearize(eq, straight, drop="cyclic")
locus = lin.root_locus(w=(1, 12))
speed = 0.3 * locus.critical[0].value
assert abs(speed**2 - 9.81 * 0.3 / 3) < 1e-9
print(f"stable above {speed:.6f} m/s")
sb.plot(locus)

# %% [markdown]
# At a lower speed it wobbles and circles:

# %%
start = sb.assemble(eq, spin_dot=2.5, lean=0.15, yaw=0.0, lean_dot=0.0, yaw_dot=0.3)
sim = sb.simulate(eq, 5, start)
assert np.ptp(sim.energy) < 1e-7
sim.scene(traces=["disc"])
