"""# Bicycle stabilised on an unstable turn

Subjects: vehicles, two-wheelers, control, stability

Between 3.2 m/s and 5.4 m/s this bicycle is self-stable in straight running. Its turns are unstable: without
control it straightens up or falls. Lennartsson (1999, chapter 7) proposes to control such motions in future
work. A torque between frame and fork achieves this.
"""

# %%
import numpy as np

import symbody as sb
from examples import bicycle

# on the branch of turns that leaves straight running at the capsize speed
turn = bicycle.unstable_turn(4.0)
eq = turn.equations
turn

# %% [markdown]
# Five states remain without the positions on the road and the angles of the wheels. One eigenvalue is
# positive, and one is zero, since there are turns of every energy. No torque changes the energy to first
# order: on a steady turn the fork does not rotate relative to the frame, so the torque does no work.

# %%
lin = sb.linearize(eq, turn, drop="cyclic")
eigenvalues = lin.eigenvalues()
assert abs(eigenvalues.real.max() - 0.788027) < 1e-6
print(lin.x, eigenvalues)

# %% [markdown]
# The regulator lists the mode that it leaves alone:

# %%
law = lin.lqr(1.0)
assert list(law.conserved) == ["energy"]
law

# %% [markdown]
# The bicycle starts 0.1 rad too upright. Without the torque it runs straight after a few seconds; with it, it
# stays on the turn that belongs to its energy. The torque does little work: 0.006 % of the energy in 12 s.

# %%
free, held = (
    sb.simulate(eq, 12, turn, q1=turn["q1"] + 0.1, inputs=i)
    for i in ({"tau": 0.0}, law)
)
assert abs(free["q1"][-1]) < 1e-3
assert np.ptp(held["q1"][held.t > 8]) < 1e-5
print(
    f"energy changes by {held.energy[-1] / held.energy[0] - 1:.1e}, torque at the end {held['tau'][-1]:.4f} N m"
)
sb.plot(
    [free, held],
    ["q1", "q2"],
    labels=["left alone", "with the law"],
    title="lean q1 and steer q2 from 0.1 rad too upright",
)

# %%
held.scene()
