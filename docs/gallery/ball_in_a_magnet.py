"""# Magnetic levitation of a ball

Subjects: electromechanics, control
Reproduces: an unstable pole at √(2 g / z) and the current z √(m g / c) that carries the ball (Woodson and Melcher 1968, 5.1)

The inductance L(z) of a coil increases as an iron ball approaches. It gives both the force, half of its slope
times the square of the current, and the induced voltage. Without control the ball falls or sticks to the
coil; with control it levitates.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("ball in a magnet")
p = m.parameters(m=0.05, g=9.81, c=1e-4, L0=0.1, R=5.0)
z, i, U = m.coordinate("z"), m.variable("i"), m.input("U")  # z: gap below the coil
m.gravity(0, 0, -p.g)
m.body("ball", m.ground.translate(0, 0, -z), mass=p.m, shape=sb.sphere(0.012))
inductance = p.L0 + 2 * p.c / z
# ∂/∂z of the coenergy L i²/2
m.generalized_force("magnet", z, sb.derivative(inductance, z) * i**2 / 2)
m.equation(
    "circuit",
    sb.derivative(inductance, z) * z.dot * i + inductance * i.dot + p.R * i - U,
)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# Equilibrium 1 cm below the coil, and stability at constant current:

# %%
hangs = sb.steady(eq, {"z": 0.01}, free=["U"], start={"i": 0.7, "U": 3.5})
current = 0.01 * np.sqrt(0.05 * 9.81 / 1e-4)
assert abs(abs(hangs["i"]) - current) < 1e-9
held = sb.Model("the same with a given current")
s, given = held.coordinate("z"), held.input("i")
held.particle("ball", held.ground.point(0, 0, -s), mass=0.05)
held.gravity(0, 0, -9.81)
held.generalized_force("magnet", s, -1e-4 * given**2 / s**2)
pole = sb.linearize(sb.derive(held), {"z": 0.01, "i": current}).eigenvalues().real.max()
assert abs(pole - np.sqrt(2 * 9.81 / 0.01)) < 1e-6
print(f"{current:.4f} A carry the ball; unstable pole {pole:.2f} /s")

# %% [markdown]
# A voltage regulator, with the ball released 2 mm too low:

# %%
lin = sb.linearize(eq, hangs)
loop = lin.lqr({"z": 1e6, "i": 1.0}, 0.1)
sim = sb.simulate(eq, 0.3, hangs, z=0.012, inputs=loop)
assert abs(sim["z"][-1] - 0.01) < 1e-5
sim.plot(["z"], ["i"], ["U"])

# %%
sim.scene()
