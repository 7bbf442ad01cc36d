"""# Tendon-driven finger

Subjects: robots, control
Reproduces: forces of both phalanges on the grasped object, and the limit at which the first lets go (Birglen,
Laliberté, Gosselin 2008)

One tendon drives two phalanges: it runs over a pulley at each joint and ends on the last phalanx. One motor
closes the finger, which adapts to the shape of the object. The pulleys are cylinders that a path wraps
around; the moment arms follow from the geometry.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("finger")
l1, l2, r1, r2, k1, k2 = 0.05, 0.04, 0.012, 0.007, 0.03, 0.02
p = m.parameters(K1=0.05, K2=0.04, c=2e-3)
first = m.body("first phalanx", density=0.6, shape=sb.bar(l1, "x", at=(l1 / 2, 0, 0)))
last = m.body("last phalanx", density=0.6, shape=sb.bar(l2, "x", at=(l2 / 2, 0, 0)))
m.revolute("a", m.ground, first, stiffness=p.K1, damping=p.c)
m.revolute("b", first, last, at=(l1, 0, 0), stiffness=p.K2, damping=p.c)
elbow = first.frame.translate(l1, 0, 0)
over = [sb.bodies.WrapCylinder(f, r, side=-1) for f, r in ((m.ground, r1), (elbow, r2))]
tendon = m.path("tendon", [
    m.ground.point(-r1, -0.04, 0), over[0], first.point(l1 / 2, r1, 0),
    first.point(l1 - r2, -0.01, 0), over[1], last.point(0.75 * l2, r2, 0),
])  # fmt: skip
m.tension("pull", tendon, m.input("T"))
for k, (phalanx, at) in enumerate(((first, k1), (last, k2)), start=1):
    m.force(
        f"contact {k}",
        phalanx,
        -m.input(f"f{k}") * phalanx.frame.y,
        at=phalanx.point(at, 0, 0),
    )
eq = sb.derive(m)

# %% [markdown]
# While the tendon lies on a pulley, its length changes by the radius for each radian: the moment arms.

# %%
a, b = eq.q
arms = [
    float(sb.evaluate(sb.derivative(tendon.length, q), {a: 0.5, b: 0.6}))
    for q in (a, b)
]
print(arms)
np.testing.assert_allclose(arms, [-0.012, -0.007], rtol=1e-12)

# %% [markdown]
# Grasp: both phalanges rest on the object, at k₁ and k₂ from their joints, and do not move. The forces follow
# from the tension,
#
#     f₂ = T r₂ / k₂,    f₁ = T (r₁ - r₂ (k₂ + l₁ cos θ₂) / k₂) / k₁
#
# without the springs. If f₁ would have to pull, the first phalanx lets go: the finger ejects the object.

# %%
pose = {"a": 0.5, "b": 1.4, "T": 20.0}
grasp = sb.steady(eq, pose, free=["f1", "f2"])
print(grasp)
free = {p.K1: 0.0, p.K2: 0.0}
f2 = 20 * r2 / k2
f1 = 20 * (r1 - r2 * (k2 + l1 * np.cos(1.4)) / k2) / k1
np.testing.assert_allclose(
    [float(sb.evaluate(grasp[n], free)) for n in ("f1", "f2")], [f1, f2], rtol=1e-9
)
ejects = np.arccos((r1 / r2 - 1) * k2 / l1)
edge = sb.steady(eq, {**pose, "b": float(ejects)}, free=["f1", "f2"])
assert abs(float(sb.evaluate(edge["f1"], free))) < 1e-9
print(f"ejects below {np.degrees(ejects):.1f} degrees")

# %% [markdown]
# Free closing: the springs distribute the motion among the joints, K₁ θ₁ / r₁ = K₂ θ₂ / r₂ = T.

# %%
sim = sb.simulate(eq, 2.0, inputs={"T": 3.0, "f1": 0.0, "f2": 0.0}, a=0.0, b=0.0)
np.testing.assert_allclose(
    [sim["a"][-1] * 0.05 / 0.012, sim["b"][-1] * 0.04 / 0.007], [3.0, 3.0], rtol=1e-4
)
sim.plot(["a", "b"], [tendon.length])

# %%
sim.scene()
