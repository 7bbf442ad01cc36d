"""# A bicycle caught on an unstable turn

Subjects: vehicles, two-wheelers, control, stability

Above 3.2 m/s and below 5.4 m/s this bicycle runs straight by itself. The turns that it can run then are unstable: left alone it
straightens up, or falls. Lennartsson (1999, chapter 7) closes with the wish to control such motions. A torque between frame and fork does.
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
# Five states are left when positions on the road and the angles of the wheels are dropped. One eigenvalue is positive, and one
# is zero: there are turns of every energy. No torque changes the energy to first order, because the fork does not turn against the frame
# on a steady turn and so no work is done.

# %%
lin = sb.linearize(eq, turn, drop="cyclic")
eigenvalues = lin.eigenvalues()
assert abs(eigenvalues.real.max() - 0.788027) < 1e-6
print(lin.x, eigenvalues)

# %% [markdown]
# The regulator says which mode it leaves as it is:

# %%
law = lin.lqr(1.0)
assert list(law.conserved) == ["energy"]
law

# %% [markdown]
# The bicycle begins 0.1 rad too upright. Without the torque it runs straight after a few seconds; with it, it stays on a turn, the one
# that belongs to its energy. The torque does little work: 0.006 % of the energy in 12 s.

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
