"""# Gyrocompass

Subjects: gyroscopes, machines
Reproduces: the period of a gyrocompass about north, 2π √(A / (C s Ω cos λ)) (Anschütz 1908, Schuler 1923)

A rotor whose axis stays horizontal but may turn about the vertical points north: the earth rotates, and the
axis precesses until it lies in the plane of the meridian.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("gyrocompass")
p = m.parameters(A=0.004, C=0.006, W=7.292115e-5, lat=np.radians(48.0))
earth = m.ground.rotate("z", p.W * m.time)  # the earth's axis is z
place = earth.rotate("y", p.lat - sb.pi / 2)  # x points north, y west, z up
azimuth = m.coordinate("azimuth")  # of the rotor axis, from north
gimbal = place.rotate("z", azimuth)
rotor = m.body("rotor", inertia=(p.C, p.A, p.A))
m.revolute("spin", gimbal, rotor, axis="x")
eq = sb.derive(m)
eq.readable

# %%
A, C, W, lat, spin = 0.004, 0.006, 7.292115e-5, np.radians(48.0), 2000.0
north = sb.steady(eq, spin_dot=spin)
assert abs(north["azimuth"]) < 1e-12
lin = sb.linearize(eq, north, drop="cyclic")
period = 2 * np.pi / max(abs(lin.eigenvalues()))
expected = 2 * np.pi * np.sqrt(A / (C * spin * W * np.cos(lat)))
print(f"{period:.4f} s, by the formula {expected:.4f} s")
# the formula neglects terms in W²
assert abs(period - expected) < 1e-6 * expected

# %%
sim = sb.simulate(eq, np.linspace(0, 60, 601), azimuth=1.0, spin_dot=spin)
sim.plot("azimuth")

# %%
sim.scene(shapes={"rotor": sb.cylinder(0.06, 0.04, "x")})
