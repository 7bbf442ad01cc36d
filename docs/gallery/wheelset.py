"""# Railway wheelset (hunting)

Subjects: vehicles, rail
Reproduces: Klingel's wavelength 2 π √(r₀ l / λ)

Conical wheels steer themselves and oscillate from side to side. Without inertia the wavelength depends only
on geometry (Klingel 1883); with inertia the motion is unstable above a critical speed, which depends on the
suspension.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("wheelset")
p = m.parameters(m=1000.0, J=600.0, r0=0.45, l=0.75, cone=0.05, C=5e6, k=2e5, V=10.0)
y, psi = m.coordinates("y psi")
axle = m.body(
    "axle",
    m.ground.translate(0, y, 0).rotate("z", psi),
    mass=p.m,
    inertia=(600, 100, p.J),
)
# linear creep forces after Carter and Kalker: longitudinal by the rolling radius of each wheel, lateral by
# its angle
lateral = -2 * p.C * (y.dot / p.V - psi)
along = p.C * (p.cone * y / p.r0 + p.l * psi.dot / p.V)
m.generalized_force("creep across", y, lateral)
m.generalized_force("creep along", psi, -2 * p.l * along)
m.generalized_force("suspension", y, -p.k * y)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# At low speed and without suspension it follows Klingel's sine:

# %%
lin = sb.linearize(eq, {})
slow = lin.eigenvalues(V=0.1, k=0.0)
hunting = slow[np.argsort(abs(slow))[:2]]
wave = 2 * np.pi * 0.1 / abs(hunting[0].imag)
assert abs(wave / (2 * np.pi * np.sqrt(0.45 * 0.75 / 0.05)) - 1) < 1e-3
print(f"wavelength {wave:.3f} m")

# %%
locus = lin.root_locus(V=(2, 80))
print(f"hunts above {locus.critical[0].value:.3f} m/s")
sb.plot(locus)

# %%
sim = sb.simulate(eq, 4, y=0.003, V=30.0)
sim.plot("y", "psi")

# %%
wheels = [sb.cylinder(0.45, 0.1, "y", at=(0, side * 0.75, 0)) for side in (-1, 1)] + [
    sb.cylinder(0.08, 1.6, "y")
]
sim.scene(shapes={"axle": wheels})
