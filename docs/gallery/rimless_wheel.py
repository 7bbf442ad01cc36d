"""# Rimless wheel

Subjects: walkers, impacts, friction
Reproduces: ω⁺/ω⁻ = (J + m l² cos 2β)/(J + m l²) at every step, and the resulting steady speed (McGeer 1990)

A wheel with eight legs and no rim walks down a slope. Each foot is a contact with Coulomb friction: it
sticks, slips or lifts off. On rough ground the wheel walks at a steady speed; on ice its feet slip.
"""

# %%
import numpy as np

import symbody as sb


def walker(mu: float, slope: float = 0.08, legs: int = 8) -> sb.Contacts:
    m = sb.Model("rimless wheel")
    x, y, th = m.coordinates("x y th")
    m.gravity(9.81 * np.sin(slope), -9.81 * np.cos(slope), 0)
    wheel = m.ground.translate(x, y, 0).rotate("z", -th)  # th > 0: it rolls along x
    m.body("wheel", wheel, mass=1.0, inertia=(0, 0, 0.3))
    ground = sb.HalfSpace(m.ground, "y")
    tips = [2 * np.pi / legs * k for k in range(legs)]
    feet = [wheel.point(float(np.sin(a)), -float(np.cos(a)), 0) for a in tips]
    contacts = [
        sb.Contact(f"foot{k}", sb.touch(p, ground, across=m.ground.z), friction=mu)
        for k, p in enumerate(feet)
    ]
    return sb.Contacts(sb.derive(m), *contacts)


start = {"y": 1.0, "th_dot": 1.0, "x_dot": 1.0}
rough = sb.simulate_modes(walker(mu=0.8), 6.0, start)
rough.plot("th_dot")

# %% [markdown]
# Between two steps the wheel is an inverted pendulum that gains energy from the slope; each step retains a
# fraction η of the speed.

# %%
beta, slope, J = np.pi / 8, 0.08, 0.3
eta = (J + np.cos(2 * beta)) / (J + 1)
gained = 2 * 9.81 * (np.cos(beta - slope) - np.cos(beta + slope)) / (J + 1)
before = np.sqrt(gained / (1 - eta**2))
steps = [e for e in rough.events if e.impulses]
assert abs(steps[-1].after[5] / steps[-1].before[5] - eta) < 1e-6
assert abs(steps[-1].before[5] / before - 1) < 0.01
print(
    f"{len(steps)} steps; the last at {steps[-1].before[5]:.4f} rad/s, the steady one at {before:.4f} rad/s"
)

# %%
ice = sb.simulate_modes(walker(mu=0.05), 1.5, start)
slipped = [e for e in ice.events if "slips" in e.name]
assert slipped
print("on ice:", ", ".join(e.name for e in ice.events[:6]))
spokes = [
    sb.Solid(
        "box",
        "",
        (0.05, 2.0, 0.05),
        rotation=(float(np.cos(a)), 0, 0, float(np.sin(a))),
    )
    for a in np.pi / 8 * np.arange(4)
]
rough.scene(shapes={"wheel": [sb.cylinder(0.15, 0.1, "z"), *spokes]})
