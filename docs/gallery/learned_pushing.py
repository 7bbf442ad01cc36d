"""# Pushing learned by a policy

Subjects: friction, control
Card: figure 1

A finger pushes a board on a table to a goal that changes at random in each episode. A small network observes positions
and speeds and commands two forces. It learns on a graphics card in three ways: by proximal policy optimisation (PPO) on this package's
environment, by the same on MJX, and by analytic gradients through all 600 steps of an episode, with contact and friction.
"""

# %%
import numpy as np

import symbody as sb

HALF, FINGER = 0.03, 0.015

m = sb.Model("board and finger")
board = m.body("board", mass=0.5, shape=sb.box(2 * HALF, 0.3, 0.02))
m.planar("board", m.ground, board)
x, y = m.coordinates("finger_x finger_y")
finger = m.body(
    "finger", m.ground.translate(x, y, 0), mass=0.1, shape=sb.sphere(FINGER)
)
for q, name in ((x, "F_x"), (y, "F_y")):
    m.generalized_force(f"{name} on finger", q, m.input(name) - 0.5 * q.dot)
eq = sb.derive(m)
a, b, turn = eq.q[:3]
ahead = (x - a) * sb.cos(turn) + (y - b) * sb.sin(turn)
aside = (y - b) * sb.cos(turn) - (x - a) * sb.sin(turn)
slip = sb.time_derivative(aside, dict(zip(eq.q, eq.u, strict=True)))
touching = sb.Contact("finger on board", -HALF - FINGER - ahead, 0.0, 0.8, slip=slip)
env = sb.stepper(sb.Contacts(eq, touching), 0.01, finger_x=-HALF - FINGER)

# %% [markdown]
# The gradient of the final position with respect to all forces takes one backward sweep. On a GPU,
# `sb.integrate.cuda_rollout(env)` does this for thousands of members at once.

# %%
states, forces = [env.start], np.array([[1.0, 0.3]] * 60)
for r in forces:
    states.append(env.step(states[-1], r))
bar, to_forces = np.eye(len(env.start))[0], np.zeros((60, 2))
for k in reversed(range(60)):
    found = env.pullback(states[k], bar, forces[k])
    bar, to_forces[k] = found.x, found.r
step = 1e-6 * np.eye(60)[5]
ends = []
for sign in (1, -1):
    state = env.start
    for r, d in zip(forces, step, strict=True):
        state = env.step(state, r + np.array([sign * d, 0.0]))
    ends.append(state[0])
assert np.isclose(to_forces[5, 0], (ends[0] - ends[1]) / 2e-6, rtol=1e-4)
env.trajectory(states).scene()

# %% [markdown]
# Learning curves of `python -m bench learning` on one H200: seconds, and the mean reward of a step, which is minus the
# distance to the goal in metres less a penalty for effort. Policy, optimiser, 4096 members and steps are the same; the
# first iteration, which compiles the machine code (5, 2 and 7 s), is omitted. MJX has soft contacts.

# %%
curves = {
    "analytic gradients": [
        (0.2, -0.1188),
        (0.5, -0.1092),
        (0.7, -0.1103),
        (1.2, -0.1064),
        (1.9, -0.0934),
        (2.7, -0.0828),
        (3.4, -0.0712),
        (4.4, -0.0597),
        (5.3, -0.0511),
        (6.5, -0.0455),
        (8.0, -0.0430),
        (9.8, -0.0398),
        (12.2, -0.0381),
        (15.8, -0.0370),
        (20.6, -0.0365),
        (27.8, -0.0359),
    ],
    "PPO": [
        (0.1, -0.1224),
        (0.3, -0.1159),
        (0.5, -0.1080),
        (0.9, -0.0956),
        (1.4, -0.0803),
        (1.9, -0.0703),
        (2.6, -0.0630),
        (3.4, -0.0556),
        (4.2, -0.0515),
        (5.2, -0.0469),
        (6.2, -0.0440),
        (7.6, -0.0420),
        (9.2, -0.0405),
        (11.6, -0.0395),
        (15.2, -0.0389),
        (21.7, -0.0376),
    ],
    "PPO in MJX": [
        (0.9, -0.1269),
        (1.8, -0.1190),
        (2.6, -0.1114),
        (4.5, -0.0953),
        (7.1, -0.0808),
        (9.5, -0.0705),
        (11.6, -0.0632),
        (14.3, -0.0554),
        (16.8, -0.0499),
        (19.7, -0.0455),
        (23.2, -0.0423),
        (27.9, -0.0405),
        (33.8, -0.0397),
        (38.2, -0.0389),
    ],
}
drawn = [sb.view.Curve(*np.array(points).T, name) for name, points in curves.items()]
panel = sb.view.Panel("seconds", "mean reward of a step", tuple(drawn))
sb.view.Figure("learning curves", (panel,))
