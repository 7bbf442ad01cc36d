"""# Run-up with limited power: the Sommerfeld effect

Subjects: machines, rotors
Reproduces: capture at the critical speed √(k/m), and passage with a stronger motor (Sommerfeld 1902)
Card: figure 1

A Laval rotor with an unbalance is driven by a motor whose torque falls with its speed. Near the critical speed
the whirl takes the power of the motor: a weak motor stays there, a stronger one passes.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("Laval rotor with a motor")
p = m.parameters(m=2.0, k=2e4, c=10.0, e=1e-3, J=0.01, T=0.2, idle=300.0, drag=2e-4)
x, y, phi = m.coordinates("x y phi")
shaft = m.ground.translate(x, y, 0)
disc = m.body(
    "disc", shaft.rotate("z", phi), mass=p.m, com=(p.e, 0, 0), inertia=(0, 0, p.J)
)
for q in (x, y):
    m.generalized_force(f"shaft {q.name}", q, -p.k * q - p.c * q.dot)
motor = p.T * (1 - phi.dot / p.idle) - p.drag * phi.dot
m.generalized_force("motor", phi, motor)
m.output("whirl", sb.sqrt(x**2 + y**2))
eq = sb.derive(m)
critical = np.sqrt(2e4 / 2.0)

# %% [markdown]
# The same start with a weak and with a strong motor.

# %%
t = np.linspace(0, 40, 801)
weak, strong = (sb.simulate(eq, t, T=T) for T in (0.2, 3.0))
for name, sim in (("weak", weak), ("strong", strong)):
    speed, whirl = sim["phi_dot"][-1], 1000 * sim["whirl"][-1]
    print(f"{name} motor: {speed:.1f} rad/s, whirl {whirl:.2f} mm")
assert weak["phi_dot"][-1] < 1.01 * critical < strong["phi_dot"][-1]
sb.plot([weak, strong], "phi_dot") | sb.plot([weak, strong], "whirl")

# %% [markdown]
# Beyond the critical speed the rotor centres itself: its whirl tends to the eccentricity of 1 mm.

# %%
assert abs(strong["whirl"][-1] - 1e-3) < 4e-4
weak.scene()
