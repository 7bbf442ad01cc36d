"""# Elastica (post-buckling)

Subjects: elastic, branches
Reproduces: Euler's elastica: 1.063 and 1.293 times the buckling load at 40° and 80° (Timoshenko and Gere 1961, table 2-5)

Beyond its buckling load a column bends far. One second-order beam does not determine the deflection; six
beams in a row share the bending and follow Euler's curve.
"""

# %%
import math

from scipy.special import ellipk

import symbody as sb

m = sb.Model("elastica")
P = m.parameter("P", 1.0)
parts, end = 6, m.ground
for k in range(parts):
    end = m.beam(f"part{k}", end, length=1 / parts, EI=1, rho_A=1, modes=2).at(
        1 / parts
    )
m.force("load", end, m.ground.vector(-P, 0, 0), at=end.origin)
m.output("deflection", end.origin.in_ground[1])
eq = sb.derive(m)

# %%
straight = sb.branch(eq, sb.steady(eq), P=(2, 3.6))
(begins,) = straight.special
assert begins.kind == "pitchfork"
assert abs(begins.value / (math.pi**2 / 4) - 1) < 1e-4
buckled = straight.switched()
sb.plot([straight, buckled], "deflection")

# %% [markdown]
# With the end angle α and k = sin α / 2, the load is K(k)² and the deflection 2 k / K(k), where K is the
# complete elliptic integral.

# %%
for degrees, published in ((20, 1.015), (40, 1.063), (60, 1.152), (80, 1.293)):
    k = math.sin(math.radians(degrees) / 2)
    K = float(ellipk(k * k))
    assert abs(K**2 / (math.pi**2 / 4) - published) < 1e-3
    ours = max(abs(float(x["deflection"])) for x in buckled.at(K**2))
    assert abs(ours / (2 * k / K) - 1) < 0.01
    print(f"{degrees}°: load {published}, deflection {2 * k / K:.4f}, here {ours:.4f}")

# %%
top = buckled.at(3.19)[0]
sb.scene(eq, values={q.name: float(top[q]) for q in eq.q})
