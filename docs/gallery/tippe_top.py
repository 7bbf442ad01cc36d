"""# Tippe top

Subjects: toys, friction
Reproduces: Jellett's integral L·(R n - a e) is conserved while the top inverts (Jellett 1872; constants of Leine and
Glocker 2003)

A ball whose mass centre is below its middle, spun fast, rises onto its stem: only friction at the floor
raises the mass centre. Jellett's integral does not depend on the magnitude of the friction.
"""

# %%
from dataclasses import dataclass

import numpy as np

import symbody as sb

R, a, I1, I3, g = 0.015, 0.003, 8e-7, 7e-7, 9.81
m = sb.Model("tippe top")
m.gravity(0, 0, -g)
top = m.body("top", mass=6e-3, inertia=(I1, I1, I3))
m.free("t", m.ground, top, sequence="euler parameters")
floor = sb.touch(sb.Ball(top, R, at=(0, 0, a)), sb.HalfSpace(m.ground))

# %% [markdown]
# A friction law is a class with three attributes. On a small spinning patch, friction against slip increases
# smoothly from zero (Contensou), so nothing sticks.


# %%
@dataclass(frozen=True)
class OnAPatch:
    mu: float
    size: float
    spin: sb.Expr

    sticking = damping = sb.zeros(1)[0]

    def coefficient(self, v: sb.Expr) -> sb.Expr:
        return self.mu * v / (v + self.size * abs(self.spin))


bowl = sb.Contact("bowl", floor, friction=OnAPatch(0.3, 5e-4, floor.spin[0]))
tilt = 0.1
start = {
    "t_e0": np.cos(tilt / 2),
    "t_e1": np.sin(tilt / 2),
    "t_z": R - a * np.cos(tilt),
    "t_wz": 180.0,
}
sim = sb.simulate_modes(sb.Contacts(sb.derive(m), bowl), 1.6, start)
sim.plot("t_z", "t_wz")

# %%
e0, e1, e2, e3 = (sim[f"t_e{k}"] for k in range(4))
# in body axes
up = np.array(
    [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), e0**2 - e1**2 - e2**2 + e3**2]
)
L = np.array([I1 * sim["t_wx"], I1 * sim["t_wy"], I3 * sim["t_wz"]])
jellett = (L * (R * up - a * np.array([[0.0], [0.0], [1.0]]))).sum(axis=0)
assert np.abs(jellett / jellett[0] - 1).max() < 1e-4
assert up[2][0] > 0.99
assert up[2][-1] < 0
print(
    f"Jellett's integral changes by {np.abs(jellett / jellett[0] - 1).max():.0e} while the axis tilts by {np.degrees(np.arccos(up[2][-1])):.0f}°"
)
ball = sb.Solid("sphere", "", (R, R, R), position=(0, 0, a))
stem = sb.Solid(
    "cylinder", "", (R / 5, R), position=(0, 0, a + 1.3 * R), colour="orange"
)
sim.scene(shapes={"top": [ball, stem]})
