"""# Minimum-time reach of an arm

Subjects: robots, control, optimal control
Reproduces: torques that switch once at the shoulder and twice at the elbow, and 2.98 s (Luus 2000; PSOPT finds
2.98302 s on 80 nodes)

Two rods of unit length and mass, with a unit mass in the hand, move on a frictionless table. Motors with a
torque of at most one act at shoulder and elbow. What is the shortest time to turn the shoulder by 0.522 rad,
with the elbow back at its initial angle and the arm at rest? Weinreb and Bryson posed this problem in 1985.
"""

# %%
import numpy as np
from scipy.optimize import minimize, root

import symbody as sb

m = sb.Model("arm")
upper, lower = (
    m.body(f"{name} arm", mass=1, shape=sb.bar(1, "x", at=(sb.fraction(1, 2), 0, 0)))
    for name in ("upper", "lower")
)
m.revolute("shoulder", m.ground, upper, actuation=m.input("at_shoulder"))
m.revolute("elbow", upper, lower, at=(1, 0, 0), actuation=m.input("at_elbow"))
m.particle("load", lower.point(1, 0, 0), mass=1)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# Without gravity time only scales: the same motion in T times the time needs torques that are T² times
# smaller. The duration of all motions is therefore set to one, torques are at most s, and the minimum of s is
# T². Torques are constant over each of 24 steps; a stepper returns the state after each step and its exact
# derivatives.

# %%
n = 24
env = sb.stepper(eq, 1 / n, substeps=4)
begin, end = np.array([0, 0.5, 0, 0]), np.array([0.522, 0.5, 0, 0])


def reached(v):
    """How far the end is missed, and the derivatives of that."""
    state, slopes = begin, np.zeros((4, 2 * n + 1))
    for k, torques in enumerate(v[:-1].reshape(n, 2)):
        step = env.derivatives(state, torques)
        state, slopes = step.state, step.x @ slopes
        slopes[:, 2 * k : 2 * k + 2] = step.r
    return state - end, slopes


# |torque| <= s
held = np.hstack([np.vstack([-np.eye(2 * n), np.eye(2 * n)]), np.ones((4 * n, 1))])
rules = [
    {"type": "eq", "fun": lambda v: reached(v)[0], "jac": lambda v: reached(v)[1]},
    {"type": "ineq", "fun": lambda v: held @ v, "jac": lambda v: held},
]
guess = np.append(np.repeat(np.linspace(6, -6, n), 2), 10.0)
target = np.append(np.zeros(2 * n), 1.0)
best = minimize(
    lambda v: (v[-1], target),
    guess,
    jac=True,
    method="SLSQP",
    constraints=rules,
    options={"maxiter": 200},
)
assert best.success
signs = np.sign(best.x[:-1].reshape(n, 2))
print(
    f"T = {np.sqrt(best.fun):.4f} s with torques held over {n} steps, after {best.nit} iterations"
)

# %% [markdown]
# Both torques are at their limits nearly everywhere, so only the switching times remain unknown. Four
# intervals with constant torques, and four final conditions: a root-finding problem.

# %%
starts = [0, *(k for k in range(1, n) if (signs[k] != signs[k - 1]).any())]
torques = signs[starts]
assert (np.diff(torques, axis=0) != 0).sum(axis=0).tolist() == [1, 2]
whole = sb.stepper(eq, 1.0, substeps=40)


def after(durations):
    q, u = begin[:2], begin[2:]
    for d, r in zip(durations, torques):
        x = whole.step(np.concatenate([q, u * d]), r * d**2)
        q, u = x[:2], x[2:] / d
    return np.concatenate([q, u]) - end


switched = root(after, np.diff([*starts, n]) / n * np.sqrt(best.fun), tol=1e-12)
T = switched.x.sum()
times = np.cumsum(switched.x)[:-1]
print(
    f"T = {T:.5f} s; the torques switch at", ", ".join(f"{t:.5f}" for t in times), "s"
)
assert switched.success
assert np.sqrt(best.fun) > T
assert 2.982 < T < 2.98302  # on a grid, switches are slightly early or late

# %%
laws = {}
for k, name in enumerate(("at_shoulder", "at_elbow")):
    law = float(torques[-1, k])
    for t, value in reversed(list(zip(times, torques[:-1, k]))):
        law = sb.where(m.time < float(t), float(value), law)
    laws[name] = law
sim = sb.simulate(eq, T, elbow=0.5, inputs=laws)
assert (
    np.abs(
        [sim.final[x] for x in ("shoulder", "elbow", "shoulder_dot", "elbow_dot")] - end
    ).max()
    < 1e-5
)
sim.plot(["shoulder", "elbow"], ["at_shoulder", "at_elbow"])

# %%
sim.scene(traces=["load"])
