"""# Identification of an arm

Subjects: robots, identification
Reproduces: six base parameters of a planar arm with two joints, as counted by Gautier and Khalil (1990)

Masses, mass centres and inertias of a robot enter its torques linearly, but not all of them are identifiable.
`regressor` finds those that are, `excitation` a motion that excites them, and `identify_robot` their values
with errors; a second motion validates them.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import robots as rb

m = sb.Model("arm")
p = m.parameters(l1=0.5, m1=4.0, m2=2.5, g=9.81)
m.gravity(0, -p.g, 0)
upper = m.body("upper", mass=p.m1, com=(0.22, 0.01, 0), inertia=(0.01, 0.09, 0.09))
fore = m.body("fore", mass=p.m2, com=(0.18, 0.0, 0), inertia=(0.01, 0.05, 0.05))
m.revolute("shoulder", m.ground, upper)
m.revolute("elbow", upper, fore, at=(p.l1, 0, 0))
eq = sb.derive(m)
Y = rb.regressor(eq, friction=("viscous", "coulomb"))
base = rb.base_parameters(Y)
print(base)
assert len(base) == 6 + 4

# %% [markdown]
# A motion that distinguishes the parameters well, and noisy torques as a robot would measure them.

# %%
motion = rb.excitation(base, period=8.0, position=2.0, speed=3.0)
rng = np.random.default_rng(0)
true = np.array([float(sb.evaluate(e, m.parts.default_values)) for e in Y.known])
true[[Y.parameters.index(n) for n in Y.parameters if "viscous" in n]] = 0.4
true[[Y.parameters.index(n) for n in Y.parameters if "coulomb" in n]] = 0.8


def measured(t):
    q, u, a = motion.at(t)
    torques = rb.stacked(Y, q, u, a) @ true
    return q, u, a, torques + 0.05 * rng.normal(size=torques.shape)


found = rb.identify_robot(base, *measured(np.arange(0, 8, 0.02)))
print(found)
wanted = dict(zip(base.names, base.grouping @ true, strict=True))
assert all(abs(found.base[n] - wanted[n]) < 5 * found.deviations[n] for n in base.names)

# %% [markdown]
# Predicted and measured torques of another motion.

# %%
q, u, a, torques = measured(0.013 + np.arange(0, 8, 0.05))
check = found.validated(q, u, a, torques)
assert all(r < 1.2 * 0.05 for r in check.rms)
print(check)
check.plot()

# %% [markdown]
# The arm, released.

# %%
sb.simulate(eq, 3.0, elbow=1.0).scene()
