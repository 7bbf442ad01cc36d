"""# Rattleback

Subjects: toys, rolling

A boat-shaped stone spins readily in one direction; spun in the other, it starts to rattle and reverses. The
only cause is that the axes of curvature and of inertia do not coincide.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("rattleback")
# half axes of the ellipsoid, height of its centre above the mass centre
a, b, c, h = 0.2, 0.03, 0.02, 0.01
m.gravity(0, 0, -9.81)
stone = m.body(
    "stone", mass=1.0, inertia=sb.inertia(0.0002, 0.0016, 0.0017, xy=-0.00002)
)
m.free("s", m.ground, stone, sequence="euler parameters")
# the lowest point of the ellipsoid, where its normal is vertical
n = (-m.ground.z).components(stone.frame)
size = sb.sqrt((a * n[0]) ** 2 + (b * n[1]) ** 2 + (c * n[2]) ** 2)
touch = stone.frame.point(
    a**2 * n[0] / size, b**2 * n[1] / size, c**2 * n[2] / size + h
)
m.constrain("touches", touch.position().dot(m.ground.z))
v = stone.velocity_at(touch)
m.constrain_speed("no slip x", v.dot(m.ground.x))
m.constrain_speed("no slip y", v.dot(m.ground.y))
eq = sb.derive(m)
eq

# %%
start = sb.assemble(
    eq, start={"s_z": 0.01}, s_wz=-5.0, s_wx=0.1, s_wy=0.0, s_x=0.0, s_y=0.0
)
sim = sb.simulate(eq, 10, start)
assert np.ptp(sim.energy) < 1e-6
sim.plot("s_wz", "s_wx")

# %%
sim.scene(shapes={"stone": sb.Solid("sphere", "", (a, b, c), position=(0, 0, h))})
