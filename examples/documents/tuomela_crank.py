"""Tuomela, Arponen and Normi, 6.2.3: the crank mechanism by tables 5 to 7, and the run of table 10."""

import symbody as sb
from examples.documents.tuomela_constraints import e1, e2, e3, joint, rigid_body, state

m = sb.Model("crank mechanism")
m.gravity(0, -9.81, 0)

# table 5
B1 = rigid_body(m, "B1", 19.50, (0.02, 0.41, 0.42))
B2 = rigid_body(m, "B2", 70.29, (0.07, 18.99, 19.04))
B3 = rigid_body(m, "B3", 7.81, (0.01, 0.01, 0.01))
m.torque("tau", B1, B1.vector(0, 0, m.parameter("tau", -50)))

# table 6
PRINTED = state(
    B1=((0, 0, -0.25), (0.707, 0, 0.707, 0)),
    B2=((0.9, 0, -0.5), (1, 0, 0, 0)),
    B3=((1.8, 0, -0.5), (1, 0, 0, 0)),
)

# table 7
joint(m, "joint 1", "spherical", (B1, B2), (0.25, 0, 0), (-0.9, 0, 0))
joint(m, "joint 2", "translational", (m.ground, B3), (0, 0, 0), (-1.8, 0, 0.5), e2, e3, e1, e3)
joint(m, "joint 3", "universal", (B2, B3), (0.9, 0, 0), (0, 0, 0), e2, None, e3)
joint(m, "joint 4", "revolute", (B1, m.ground), (-0.25, 0, 0), (0, 0, 0), e2, e1, e1)
RUN = {"method": "dp5", "rtol": 1e-7, "atol": 1e-7, "max_growth": 3.0, "first_step": 0.25}


def start(eq):
    """Table 6 has 0.707 for 1/√2: the length of θ is brought to one."""
    return sb.assemble(eq, start=PRINTED)


if __name__ == "__main__":
    eq = sb.derive(m)
    kept = sb.simulate(eq, 10, start(eq), metric="unit", project_stages=True, invariants=["energy"], **RUN)
    print(kept.statistics)
    print(f"B1 turns at {kept.final['B1_wz']:.5f} rad/s")
