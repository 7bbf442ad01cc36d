"""# Arm curl with elastic tendons

Subjects: biomechanics, muscles
Reproduces: the posture at which the moments of both muscles and of gravity balance, found in two ways

A flexor and an extensor with elastic tendons act on a forearm. Their excitations rise one after the other;
the arm follows and comes to rest where the moments balance.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import biomechanics as bio

m = sb.Model("curl")
fore = m.body("forearm", mass=1.53, com=(0, -0.18, 0), inertia=(0.0193, 0.0016, 0.0201))
m.revolute("elbow", m.ground, fore, "z", damping=0.5)
m.gravity(0, -9.81, 0)
around = sb.bodies.WrapCylinder(m.ground, 0.016)
paths = {
    "BRA": m.path(
        "BRA", [m.ground.point(0.007, 0.117, 0), around, fore.point(0.003, -0.024, 0)]
    ),
    "TRI": m.path(
        "TRI", [m.ground.point(-0.017, 0.14, 0), around, fore.point(-0.022, 0.01, 0)]
    ),
}
BRA = bio.muscle(
    m,
    "BRA",
    paths["BRA"],
    max_force=987,
    optimal_length=0.0858,
    slack_length=0.0535,
    tendon="elastic",
)
TRI = bio.muscle(m, "TRI", paths["TRI"], max_force=624, optimal_length=0.1138, slack_length=0.045, pennation=0.15, tendon="elastic")  # fmt: skip
eq = sb.derive(m)
eq

# %% [markdown]
# Both fibres start at rest: their speeds are given, and the tensions follow. First the flexor is excited,
# half a second later the extensor.

# %%
still = sb.assemble(
    eq, elbow=0.4, BRA_activation=0.02, TRI_activation=0.02, BRA_speed=0, TRI_speed=0
)
t = m.time
effort = {
    "BRA_excitation": sb.where(t < 0.1, 0.02, 0.3),
    "TRI_excitation": sb.where(t < 1.0, 0.02, 0.2),
}
sim = sb.simulate(eq, 4.0, start=still, inputs=effort)
sim

# %%
sb.plot(sim, ["elbow"], ["BRA_force", "TRI_force"])

# %% [markdown]
# `steady` solves for the rest position directly, as angle and tensions; the moment arms explain it.

# %%
end = {n: float(sim[n][-1]) for n in ("elbow", "BRA_tension", "TRI_tension")}
rest = sb.steady(eq, start=end, BRA_excitation=0.3, TRI_excitation=0.2)
print(f"elbow at {np.degrees(rest['elbow']):.3f} degrees")
for name in ("BRA", "TRI"):
    print(
        f"{name}: {rest[name + '_force']:7.2f} N on an arm of {1e3 * rest[name + '_arm_elbow']:z6.2f} mm"
    )
moment = sum(rest[f"{n}_force"] * rest[f"{n}_arm_elbow"] for n in ("BRA", "TRI"))
weight = 1.53 * 9.81 * 0.18 * np.sin(rest["elbow"])
assert abs(moment - weight) < 1e-9
assert abs(end["elbow"] - rest["elbow"]) < 1e-3

# %%
sb.linearize(eq, rest).modes()

# %%
sb.scene(sim)
