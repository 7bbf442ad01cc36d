"""# Motorcycle slalom in the shortest time

Subjects: vehicles, control, optimal control

A motorcycle passes six cones, 14 m from each other, on alternating sides. What is the fastest line, and how far does
the rider lean? The model is that of Getz (1994): an inverted pendulum of height h whose foot follows a path of
curvature k; the mass is the distance b in front of the rear wheel, so that turning the handlebars moves it aside.
"""

# %%
import numpy as np

import symbody as sb

h, b, g, grip, gap, cones = 0.6, 0.7, 9.81, 9.0, 14.0, 6
y, heading, v, lean, rate, k = sb.symbols("y heading v lean rate k", kind="variable")
a, turn = sb.symbols("a turn", kind="variable")

# %% [markdown]
# The distance s along the row of cones takes the place of time, dt/ds = 1/(v cos ψ). Inputs are the acceleration a and
# the rate of the curvature.
#
# $$h\,\ddot\varphi = g\sin\varphi - (v^2 k + b\,(a k + v\,\dot k))\cos\varphi$$

# %%
slow = 1 / (v * sb.cos(heading))
aside = v**2 * k + b * (a * k + v * turn)
rates = {
    y: sb.tan(heading),
    heading: v * k * slow,
    v: a * slow,
    lean: rate * slow,
    rate: (g * sb.sin(lean) - aside * sb.cos(lean)) / h * slow,
    k: turn * slow,
}
eq = sb.from_equations(rates, inputs=[a, turn], name="motorcycle")

# %% [markdown]
# Each gap between two cones is a phase of the problem: it ends on the right or on the left of its cone. Tyres have a
# friction circle.

# %%
problem = sb.kits.motions.Problem("slalom")
upright = {"y": 0, "heading": 0, "lean": 0, "rate": 0, "k": 0}
for n in range(cones + 1):
    part = problem.phase(f"part_{n + 1}", eq, gap).cost("time", integral=slow)
    part.bounds(y=(-4, 4), heading=(-1, 1), v=(2, 40), lean=(-1.1, 1.1))
    part.bounds(k=(-0.3, 0.3), a=(-8, 5), turn=(-1, 1)).guess(v=10)
    part.path("grip", (a**2 + (v**2 * k) ** 2) / grip**2, high=1)
    if n < cones:
        part.end(y=(0.8, 4) if n % 2 else (-4, -0.8))
    if n:
        problem.link(f"part_{n}", part)
problem.phases["part_1"].start(upright, v=10)
part.end(upright)
motion = problem.solve(12)
motion

# %% [markdown]
# The rider countersteers: the wheels leave the line of the mass centre before the motorcycle leans.

# %%
at = motion.t  # the distance along the row
places = gap * np.arange(1, cones + 1)
sides = np.where(np.arange(cones) % 2, 0.8, -0.8)
line = [sb.view.Curve(at, motion["y"], group=0)]
line += [
    sb.view.Curve(np.full(2, s), np.array([0, e]), group=1)
    for s, e in zip(places, sides)
]
sb.view.Figure(
    "Six cones",
    (
        sb.view.Panel("distance in m", "wheels and cones in m", tuple(line)),
        sb.view.Panel(
            "distance in m",
            "lean in degrees",
            (sb.view.Curve(at, np.degrees(motion["lean"])),),
        ),
        sb.view.Panel(
            "distance in m", "speed in m/s", (sb.view.Curve(at, motion["v"]),)
        ),
    ),
    size=(6.5, 7.0),
)

# %%
leans = np.degrees(np.abs(motion["lean"]).max())
used = np.hypot(motion["a"], motion["v"] ** 2 * motion["k"]).max()
print(
    f"{motion.objective:.2f} s, lean up to {leans:.0f} degrees, {used:.2f} m/s² of {grip}"
)
assert motion.outcome
assert 6.1 < motion.objective < 6.2
assert used < grip + 1e-6
