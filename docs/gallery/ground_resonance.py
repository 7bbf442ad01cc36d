"""# Ground resonance of a helicopter

Subjects: machines, rotors
Reproduces: the unstable speeds of a rotor with lag hinges (Coleman and Feingold, NACA report 1351, 1958)
Card: figure 1

A rotor with lag hinges stands on an elastic landing gear. Lagging blades move the mass centre of the rotor. If the
frequency of the regressing whirl of that centre coincides with that of the gear, the motion grows without any wind.
Three blades have constant coefficients in multiblade coordinates; two blades need Floquet theory.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc


def helicopter(blades, damping):
    m = sb.Model("helicopter on the ground")
    p = m.parameters(M=10.0, k=90.0, c=damping, W=3.0, psi=0.0)
    x, y = m.coordinates("x y")
    hub = m.ground.translate(x, y, 0)
    m.body("fuselage", hub, mass=p.M)
    for q in (x, y):
        m.generalized_force(f"gear {q.name}", q, -p.k * q - p.c * q.dot)
    for n in range(blades):
        lag = m.coordinate(f"lag{n + 1}")
        arm = hub.rotate("z", p.psi + p.W * m.time + 2 * sb.pi * n / blades)
        blade = arm.translate(0.1, 0, 0).rotate("z", lag)
        m.body(
            f"blade {n + 1}", blade, mass=1.0, com=(0.5, 0, 0), inertia=(0, 0, 1 / 12)
        )
        m.generalized_force(f"hinge {n + 1}", lag, -0.3 * lag - p.c / 20 * lag.dot)
    return sb.linearize(sb.derive(m), {})


three = mc.multiblade(helicopter(3, 0.1), [["lag1", "lag2", "lag3"]])
diagram = mc.campbell(three, (5, 90), pairs=[("x", "y"), ("lag_c", "lag_s")])
print(diagram)
diagram.plot(highest=1.5)

# %% [markdown]
# The growth rate over the speed: unstable where the regressing lag mode coincides with the mode of the gear.

# %%
locus = three.root_locus(W=(1.0, 9.0), points=120)
growing = locus.values[locus.growth > 1e-6]
print(f"three blades: unstable from {growing.min():.2f} to {growing.max():.2f} rad/s")
gear = np.sqrt(90.0 / 13.0)
nu = np.sqrt(0.1 * 0.5 * 3 + 0.3 * 3 / growing.mean() ** 2)  # lag frequency / speed
print(f"the lag mode meets the gear at {gear / (1 - nu):.2f} rad/s")
assert growing.min() < gear / (1 - nu) < growing.max()
sb.plot(locus)

# %% [markdown]
# With two blades the coefficients depend on the azimuth in any coordinates. `multiblade` raises an error, and
# `floquet` returns the exponents of one turn.

# %%
two = helicopter(2, 0.1)
try:
    mc.multiblade(two, [["lag1", "lag2"]])
except sb.SymbodyError as reason:
    print(reason)
for W in (2.0, 4.0, 6.0):
    found = mc.floquet(two, [["lag1", "lag2"]], W=W)
    print(f"W = {W} rad/s: largest growth {found.exponents.real.max():.4f} 1/s")
