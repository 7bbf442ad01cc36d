"""# Optimal step of a walker with five links

Subjects: walkers, control, optimal control, impacts
Card: figure 1

A planar robot with a torso, two thighs, two shanks and point feet (RABBIT, Westervelt and others 2007) takes a
step of 0.4 m with the least ∫ τ² dt. The foot that lands stops in an impact, the other one leaves the ground,
and the legs exchange roles. The duration of the step is free.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("five links")
m.gravity(0, -9.81, 0)
x, y, lean = m.coordinates("x y lean")
torso = m.body(
    "torso",
    m.ground.translate(x, y, 0).rotate("z", lean),
    mass=12,
    com=(0, 0.24, 0),
    inertia=(1.33, 1.33, 1.33),
)
feet = {}
for side in ("left", "right"):
    thigh = m.body(
        f"{side} thigh", mass=6.8, com=(0, -0.11, 0), inertia=(0.47, 0.47, 0.47)
    )
    shank = m.body(
        f"{side} shank", mass=3.2, com=(0, -0.24, 0), inertia=(0.2, 0.2, 0.2)
    )
    hip, knee = (m.input(f"{joint}_torque_{side}") for joint in ("hip", "knee"))
    m.revolute(f"hip_{side}", torso, thigh, actuation=hip)
    m.revolute(f"knee_{side}", thigh, shank, at=(0, -0.4, 0), actuation=knee)
    feet[side] = shank.point(0, -0.4, 0).position().components(m.ground)
m.constrain("foot_x", feet["left"][0])
m.constrain("foot_y", feet["left"][1])
m.output("swing_x", feet["right"][0])
m.output("swing_y", feet["right"][1])
eq = sb.derive(m)
eq

# %% [markdown]
# The left foot stands; its forces `lam_foot_x` and `lam_foot_y` are unknowns of each node, so that they can be
# bounded: the ground does not pull, and friction holds the foot. The guess is what one would draw: straight lines.

# %%
problem = sb.kits.motions.Problem("step")
step = problem.phase("step", eq, duration=(0.3, 0.7))
step.bounds(dict.fromkeys(eq.r, (-150, 150))).bounds(lean=(-0.4, 0.4))
for side in ("left", "right"):
    step.bounds({f"knee_{side}": (-1.5, -0.05), f"hip_{side}": (-1.2, 1.2)})
along, up = eq.lam
step.bounds({up: (0, None)}).path("grip", along - 0.6 * up, high=0)
step.path("grip backwards", -along - 0.6 * up, high=0)
step.path("clearance", "swing_y", low=0).condition("length", "swing_x", 0.4)
step.condition("behind", "swing_x", (-0.5, -0.3), at="start")
step.cost("effort", integral=sum((r**2 for r in eq.r), 0), weight=1e-2)
step.guess(x=[-0.2, 0.2], y=0.78, x_dot=0.8, lam_foot_y=300, duration=0.5)
step.guess(hip_left=[0.4, -0.1], hip_right=[-0.1, 0.4], knee_left=-0.3, knee_right=-0.3)
legs = {"hip_left": "hip_right", "knee_left": "knee_right"}
rates = {f"{a}_dot": f"{b}_dot" for a, b in legs.items()}
problem.link(
    step, step, impact={"lam_foot_y": (0, None)}, swap=legs | rates, free=["x"]
)
motion = problem.solve(intervals=16)
assert motion.outcome
motion

# %%
assert abs(motion["swing_x"][-1] - 0.4) < 1e-8
assert abs(motion["swing_y"][-1]) < 1e-8
assert motion.impulses["step: lam_foot_y"] > 0
assert np.abs(motion["lam_foot_x"]).max() <= 0.6 * motion["lam_foot_y"].max()
print(f"impulse of the landing: {motion.impulses['step: lam_foot_y']:.2f} N s upwards")

# %% [markdown]
# Stick figures of the step, from the joint positions at the nodes.

# %%
joints = {
    "head": torso.point(0, 0.63, 0),
    "hip": torso.point(0, 0, 0),
    **{f"knee {s}": m.bodies[f"{s} shank"].point(0, 0, 0) for s in ("left", "right")},
    **{
        f"foot {s}": m.bodies[f"{s} shank"].point(0, -0.4, 0) for s in ("left", "right")
    },
}
places = {
    name: [motion[c] for c in point.position().components(m.ground)[:2]]
    for name, point in joints.items()
}
chain = ["foot left", "knee left", "hip", "knee right", "foot right"]
curves = []
for k in range(0, len(motion.t), 8):
    for line in (chain, ["hip", "head"]):
        across, height = (
            np.array([places[name][c][k] for name in line]) for c in (0, 1)
        )
        curves.append(
            sb.view.Curve(across, height, group=k, is_faint=0 < k < len(motion.t) - 1)
        )
panel = sb.view.Panel("x in m", "y in m", tuple(curves), is_equal=True)
sb.view.Figure("A step", (panel,), size=(6.0, 5.0))
