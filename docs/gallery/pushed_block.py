"""# Block pushed into a goal

Subjects: friction, control, optimal control

A pusher hits a block, which slides along a table until friction stops it. A thousand gradient steps find the forces
that stop it in the goal. The gradients are exact, through the impact, the push and the friction: every step of the
motion is differentiated on its branch, in reverse mode.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("pushed block")
mu = m.parameter("mu", 0.3)
x, y = m.coordinates("x y")  # the fronts of pusher and block
pusher = m.body(
    "pusher",
    m.ground.translate(x, 0, 0),
    mass=0.5,
    shape=sb.box(0.04, 0.2, 0.2),
)
block = m.body(
    "block", m.ground.translate(y, 0, 0), mass=1.0, shape=sb.box(0.1, 0.1, 0.1)
)
m.generalized_force("motor", x, m.input("F"))
contacts = sb.Contacts(
    sb.derive(m),
    sb.Contact("push", y - x - 0.07),
    sb.Friction("table", y.dot, sb.Coulomb(mu), normal=9.81),
)

# %% [markdown]
# The cost contains the squared distance from the goal after one second, the remaining speed and the effort.
# `env.pullback` propagates its gradient backwards from the last step to the first.

# %%
steps, goal = 40, 0.6
env = sb.stepper(contacts, 1.0 / steps, y=0.15)


def cost_and_gradient(forces):
    states = [env.start]
    for F in forces:
        states.append(env.step(states[-1], [F]))
    off, speed = states[-1][1] - goal, states[-1][3]
    cost = off**2 + 0.1 * speed**2 + 1e-5 * forces @ forces
    bar, gradient = np.array([0, 2 * off, 0, 0.2 * speed]), 2e-5 * forces
    for k in reversed(range(steps)):
        found = env.pullback(states[k], bar, [forces[k]])
        bar, gradient[k] = found.x, gradient[k] + found.r[0]
    return cost, gradient, np.array(states)


first = np.full(steps, 1.0)
cost, gradient, _ = cost_and_gradient(first)
for k in (0, 5, 20):
    d = 1e-6 * np.eye(steps)[k]
    sides = [cost_and_gradient(first + s * d)[0] for s in (1, -1)]
    assert abs((sides[0] - sides[1]) / 2e-6 - gradient[k]) < 1e-8

# %% [markdown]
# A thousand steps of Adam with this gradient:

# %%
forces, costs = first.copy(), []
mean, square = np.zeros(steps), np.zeros(steps)
for k in range(1, 1001):
    cost, gradient, states = cost_and_gradient(forces)
    costs.append(cost)
    mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
    size = np.sqrt(square / (1 - 0.999**k)) + 1e-8
    forces -= 0.1 * mean / (1 - 0.9**k) / size
print(f"the block rests {1000 * abs(states[-1][1] - goal):.1f} mm from the goal")
print(f"cost {costs[0]:.4f} at first, {costs[-1]:.5f} in the end")
assert costs[-1] < 0.1 * costs[0]

# %%
curve = sb.view.Curve(np.arange(1.0, 1001.0), np.array(costs), "cost")
panel = sb.view.Panel("gradient step", "cost", (curve,), y_scale="log")
sb.view.Figure("learning curve", (panel,))

# %%
sim = env.trajectory(states)
sim.plot(["x", "y"])

# %%
sim.scene()
