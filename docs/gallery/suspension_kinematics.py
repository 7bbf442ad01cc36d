"""# Suspension kinematics: double wishbone

Subjects: vehicles, suspensions
Reproduces: camber gain 1/fvsa of a front view swing arm (Milliken and Milliken, Race Car Vehicle Dynamics, 1995)

A front suspension is defined by its hardpoints, in vehicle coordinates: two wishbones, a knuckle, a tie rod
and a rack. Toe, camber and caster over wheel travel follow from its constraints. The camber slope is that of
the textbook swing arm, and a tie rod that points at the instant centre causes no bump steer.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import vehicles as vh

P = {
    "lower front": (0.15, 0.35, 0.20), "lower rear": (-0.20, 0.35, 0.20), "lower ball": (0.0, 0.70, 0.18),
    "upper front": (0.12, 0.42, 0.46), "upper rear": (-0.15, 0.42, 0.46), "upper ball": (-0.02, 0.66, 0.50),
    "tie outer": (-0.13, 0.69, 0.25), "wheel": (0.0, 0.76, 0.31),
}  # fmt: skip
slope, level = {}, {}
for k in ("lower", "upper"):  # lines of the arms in the front view: z = level + slope y
    (_, y0, z0), (_, y1, z1) = P[f"{k} front"], P[f"{k} ball"]
    slope[k] = (z1 - z0) / (y1 - y0)
    level[k] = z0 - slope[k] * y0
# they meet in the instant centre
y_centre = (level["upper"] - level["lower"]) / (slope["lower"] - slope["upper"])
z_centre = level["lower"] + slope["lower"] * y_centre
aim = (0.25 - z_centre) / (0.69 - y_centre)
P["tie inner"] = (-0.13, 0.38, 0.25 + aim * (0.38 - 0.69))

# %%
m = sb.Model("double wishbone")
rack = m.parameter("rack", 0.0)
h = vh.Hardpoints(m)
knuckle = h.body("knuckle", P["wheel"], mass=20.0, inertia=(0.4, 0.6, 0.4))
for k in ("lower", "upper"):
    arm = h.body(f"{k} arm", P[f"{k} ball"], mass=4.0, inertia=(0.05, 0.05, 0.05))
    h.hinge(f"{k}_arm", m.ground, arm, P[f"{k} front"], P[f"{k} rear"])
    h.ball(f"{k}_ball", arm, knuckle, P[f"{k} ball"])
steering = h.add(m.body("rack", m.ground.translate(0, rack, 0), mass=2.0), (0, 0, 0))
h.rod("tie rod", steering, knuckle, P["tie inner"], P["tie outer"])
axis = (h.point(knuckle, P["lower ball"]), h.point(knuckle, P["upper ball"]))
vh.wheel_angles(m, "wheel", knuckle, "left", axis=axis)
eq = sb.derive(m)
eq

# %% [markdown]
# Over wheel travel, in degrees:

# %%
z = np.linspace(0.24, 0.38, 15)
names = ["wheel_toe", "wheel_camber", "wheel_caster", "wheel_y"]
bump = vh.kinematics(eq, {"wheel_z": z}, names)
print("travel    toe  camber  caster  track")
for k in range(0, 15, 2):
    toe, camber, caster = (np.degrees(bump[n][k]) for n in names[:3])
    print(
        f"{1e3 * (z[k] - 0.31):6.0f} {toe:z6.2f} {camber:z7.2f} {caster:z7.2f} {1e3 * (bump['wheel_y'][k] - 0.76):z6.1f}"
    )

# %% [markdown]
# In the front view the wheel rotates about the instant centre, so camber changes by one radian per length of
# this swing arm, and the toe slope is zero:

# %%
arm = P["wheel"][1] - y_centre
gain, steer = bump.slope("wheel_camber")[7], bump.slope("wheel_toe")[7]
print(f"fvsa {arm:.4f} m, camber gain {gain:.5f} rad/m, bump steer {steer:z.1e} rad/m")
assert abs(gain * arm + 1) < 1e-3
assert abs(steer) < 1e-3

# %% [markdown]
# Steering by the rack, at design height: the inner wheel turns more.

# %%
angles = [
    vh.kinematics(eq, {"wheel_z": [0.31]}, ["wheel_steer"], rack=r)["wheel_steer"][0]
    for r in (-0.04, 0.0, 0.04)
]
print(
    "steer angle at -40, 0, 40 mm of the rack [deg]:",
    *(f"{np.degrees(s):z.2f}" for s in angles),
)

# %%
sb.scene(eq)
