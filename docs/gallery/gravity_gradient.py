"""# Gravity-gradient satellite

Subjects: spacecraft
Reproduces: pitch libration at n √(3 (B - A) / C) (Lagrange; Beletskii)

The earth's attraction varies over the length of a body, which causes a torque: a long satellite oscillates
about the vertical like a pendulum.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("gravity gradient satellite")
mu, radius = 3.986e14, 7.0e6
n = np.sqrt(mu / radius**3)
A, B, C = 20.0, 100.0, 110.0
pitch = m.coordinate("pitch")
orbit = m.ground.rotate("z", n * m.time).translate(radius, 0, 0)
body = m.body("satellite", orbit.rotate("z", pitch), mass=50.0, inertia=(A, B, C))
m.central_gravity("earth", mu, gradient=True)
eq = sb.derive(m)

# %%
lin = sb.linearize(eq, {})
frequency = abs(lin.eigenvalues()[0].imag)
assert abs(frequency / (n * np.sqrt(3 * (B - A) / C)) - 1) < 1e-6
print(
    f"librates in {2 * np.pi / frequency / 60:.2f} min; an orbit takes {2 * np.pi / n / 60:.2f} min"
)

# %%
sim = sb.simulate(eq, 2 * np.pi / n, pitch=0.5)
sim.plot("pitch")

# %%
small = sb.Model("the same, drawn at a place that moves along")
a = small.coordinate("pitch")
small.body("satellite", small.ground.rotate("z", a), mass=50.0, inertia=(A, B, C))
small.generalized_force("gradient", a, -3 * n**2 * (B - A) * sb.sin(a) * sb.cos(a))
shown = sb.simulate(sb.derive(small), np.linspace(0, 2 * np.pi / n, 200), pitch=0.5)
assert np.abs(shown["pitch"] - sim.at(shown.t)["pitch"]).max() < 1e-4
shown.scene(
    shapes={
        "satellite": [
            sb.box(0.6, 0.6, 0.6),
            sb.cylinder(0.03, 5.0, "x", at=(2.5, 0, 0)),
            sb.sphere(0.2, at=(5, 0, 0)),
        ]
    }
)
