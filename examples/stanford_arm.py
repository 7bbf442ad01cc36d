"""The Stanford arm: shoulder, lift, a sliding boom, and a wrist of three axes (Lynch, 5.2 and appendix A).

Every joint carries a motor, so the model answers both questions: how does the arm move for given torques, and which
torques does a given motion take. Lynch lets all joints go from rest to rest in ten seconds (his eq. 5.2). The thesis
took its masses from elsewhere; the values here are stated in the tests.
"""

import math

import symbody as sb

MASSES = (9.0, 6.0, 4.0, 1.0, 0.6, 0.5)
INERTIAS = (
    (0.01, 0.02, 0.01), (0.06, 0.01, 0.05), (0.4, 0.01, 0.4),
    (0.0005, 0.001, 0.001), (0.0005, 0.0002, 0.0005), (0.001, 0.002, 0.001),
)  # fmt: skip


def model() -> sb.Model:
    m = sb.Model("Stanford arm")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    p = m.parameters(shoulder=0.1, offset=0.1, boom=0.6, wrist=0.05, palm=0.06, hand=0.06)
    centre = (0, 0, 0)
    joints = (  # kind, axis, place on the link before, mass centre
        ("revolute", "y", centre, centre),
        ("revolute", "x", (0, p.shoulder, 0), (p.offset, 0, 0)),
        ("prismatic", "y", (p.offset, 0, 0), centre),
        ("revolute", "y", (0, p.boom, 0), centre),
        ("revolute", "x", (0, p.wrist, 0), (0, p.palm, 0)),
        ("revolute", "y", (0, p.palm + p.hand, 0), centre),
    )
    parent = m.ground
    for k, (kind, axis, at, com) in enumerate(joints, start=1):
        inertia = m.parameters(f"Jx{k} Jy{k} Jz{k}", *INERTIAS[k - 1])
        link = m.body(f"link {k}", mass=m.parameter(f"m{k}", MASSES[k - 1]), com=com, inertia=inertia)
        m.joint(f"q{k}", parent, link, kind, axis=axis, at=at, actuation=m.input(f"tau{k}"))
        parent = link
    return m


if __name__ == "__main__":
    equations = sb.derive(model(), route="recursive")
    holding = sb.evaluate(equations.residual(), equations.values(otherwise=0, q2=math.pi / 2))
    print("torques that hold the stretched arm:", [round(tau, 4) for tau in holding])
    sim = sb.simulate(equations, 0.5, q2=math.pi / 2, inputs=dict(zip(equations.r, holding, strict=True)))
    print(f"held by them for half a second it moves by {abs(sim.q - sim.q[0]).max():.1e}")
