"""# Coupler curve (Chebyshev's lambda linkage)

Subjects: machines, linkages

Chebyshev's lambda linkage converts a rotation into a line that is straight over half of a turn, to about a
thousandth of its length. The crank has a prescribed rate; the multiplier of this motion is the driving
torque.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("Chebyshev's lambda linkage")
# crank; the ground is 2 a, coupler and rocker 2.5 a, the pen 5 a from the crank's end
a = m.parameter("a", 0.1)
m.gravity(0, -9.81, 0)
crank = m.body("crank", mass=0.2, shape=sb.bar(a, "x", at=(a / 2, 0, 0)))
rod = m.body("rod", mass=1.0, shape=sb.bar(5 * a, "x", at=(2.5 * a, 0, 0)))
rocker = m.body("rocker", mass=0.5, shape=sb.bar(2.5 * a, "x", at=(1.25 * a, 0, 0)))
turn = m.revolute("turn", m.ground, crank)
m.revolute("elbow", crank, rod, at=(a, 0, 0))
m.revolute("swing", m.ground, rocker, at=(2 * a, 0, 0))
m.revolute("joint", rod, rocker, at=(2.5 * a, 0, 0), on=(2.5 * a, 0, 0))
m.prescribe("drive", turn.q, 2 * sb.pi * m.time)
pen = rod.point(5 * a, 0, 0)
for name, along in (("pen_x", m.ground.x), ("pen_y", m.ground.y)):
    m.output(name, pen.position().dot(along))
eq = sb.derive(m)
start = sb.assemble(eq, start={"elbow": 1.0, "swing": 1.5})
sim = sb.simulate(eq, 1, start)
sb.plot(sim, "pen_y", over="pen_x")

# %% [markdown]
# While the crank is on the far side, the pen draws the straight line:

# %%
fine = sim.at(np.linspace(0.25, 0.75, 201))
length, error = np.ptp(fine["pen_x"]), np.ptp(fine["pen_y"])
assert error < 0.01 * length
print(f"over {length:.4f} m the pen leaves a straight line by {error:.1e} m")
sim.plot("lam_drive")

# %%
sim.scene(traces=[pen])
