"""# Ball on a turntable

Subjects: toys, rolling
Reproduces: a solid ball circles at 2/7 of the rate of the table

A ball that rolls on a rotating table moves in circles, at a rate that depends neither on its speed nor on its
size.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("ball on a turntable")
R, Omega = m.parameters("R Omega", 0.1, 7.0)
m.gravity(0, 0, -9.81)
table = m.ground.rotate("z", Omega * m.time, name="table")
ball = m.body("ball", mass=0.2, shape=sb.sphere(R))
m.free("ball", m.ground, ball, sequence="euler parameters")
contact = ball.mass_centre - m.ground.vector(0, 0, R)
slip = ball.velocity_at(contact) - contact.in_frame(table).transport_velocity()
for axis in "xyz":
    m.constrain_speed(f"no slip {axis}", slip.dot(getattr(m.ground, axis)))
eq = sb.derive(m)
eq

# %%
start = sb.assemble(
    eq,
    start={"ball_x": 0.5, "ball_z": 0.1},
    ball_x=0.5,
    ball_y=0.0,
    ball_z=0.1,
    ball_x_dot=0.3,
    ball_y_dot=0.0,
)
sim = sb.simulate(eq, 2 * np.pi / (2 / 7 * 7.0), start, rtol=1e-10)
# returns after one circle
assert np.hypot(sim["ball_x"][-1] - 0.5, sim["ball_y"][-1]) < 1e-6
sb.plot(sim, "ball_y", over="ball_x")

# %%
sim.scene(traces=["ball"])
