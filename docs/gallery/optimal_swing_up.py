"""# Optimal swing-up of a cart and pole

Subjects: control, optimal control

A cart moves its pole from hanging to standing in two seconds, with the least ∫ F² dt (the problem of Kelly's
tutorial, SIAM Review 2017). Forces are constant over each of twenty steps; a stepper returns the state after
each step and its exact derivatives, and SciPy solves the multiple shooting problem.
"""

# %%
import numpy as np
from scipy.optimize import minimize

import symbody as sb

m = sb.Model("cart and pole")
p = m.parameters(M=1.0, m=0.3, l=0.5, g=9.81)
m.gravity(0, -p.g, 0)
cart = m.body("cart", mass=p.M, shape=sb.box(0.3, 0.15, 0.2))
x = m.prismatic("x", m.ground, cart, axis="x").q
pole = m.particle("pole", mass=p.m)
m.revolute("a", cart, pole, on=(0, p.l, 0))
m.generalized_force("drive", x, m.input("F"))
eq = sb.derive(m)
eq.readable

# %%
n, T = 20, 2.0
env = sb.stepper(eq, T / n, substeps=8)
begin, end = np.zeros(4), np.array([1.0, np.pi, 0, 0])


def split(v):
    """States at the beginnings of the steps and at the end, and forces."""
    return v[: 4 * (n + 1)].reshape(n + 1, 4), v[4 * (n + 1) :, None]


def gaps(v):
    states, forces = split(v)
    return np.concatenate(
        [
            states[1:] - env.step(states[:-1], forces),
            [states[0] - begin, states[-1] - end],
        ]
    ).ravel()


def slopes(v):
    states, forces = split(v)
    step = env.derivatives(states[:-1], forces, wrt=("x", "r"))
    J = np.zeros((4 * (n + 2), len(v)))
    for k in range(n):
        J[4 * k : 4 * k + 4, 4 * k : 4 * k + 4] = -step.x[k]
        J[4 * k : 4 * k + 4, 4 * k + 4 : 4 * k + 8] = np.eye(4)
        J[4 * k : 4 * k + 4, 4 * (n + 1) + k] = -step.r[k, :, 0]
    J[4 * n : 4 * n + 4, :4] = J[4 * n + 4 :, 4 * n : 4 * n + 4] = np.eye(4)
    return J


def effort(v):
    forces = v[4 * (n + 1) :]
    return forces @ forces * T / n, np.concatenate(
        [np.zeros(4 * (n + 1)), 2 * forces * T / n]
    )


guess = np.concatenate([np.linspace(begin, end, n + 1).ravel(), np.zeros(n)])
bounds = [(-2, 2), (None, None), (None, None), (None, None)] * (n + 1) + [(-20, 20)] * n
joined = {"type": "eq", "fun": gaps, "jac": slopes}
best = minimize(
    effort,
    guess,
    jac=True,
    method="SLSQP",
    bounds=bounds,
    constraints=joined,
    options={"maxiter": 300},
)
print(f"∫ F² dt = {best.fun:.3f} N² s after {best.nit} iterations; {best.message}")
assert best.success
assert abs(gaps(best.x)).max() < 1e-6

# %% [markdown]
# Simulation with the optimal forces as an input: the pole stands.

# %%
states, forces = split(best.x)
law = 0
for k in reversed(range(n)):
    law = sb.where(m.time < (k + 1) * T / n, float(forces[k, 0]), law)
sim = sb.simulate(eq, T, inputs={"F": law}, max_step=T / n)
assert np.abs([sim.final[name] for name in env.state_names] - end).max() < 1e-3
sim.plot(["x"], ["a"], ["F"])

# %%
sim.scene(traces=["pole"])
