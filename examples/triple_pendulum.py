"""Three links that hang on each other, each swinging across the plane of the one above (Lynch, 5.1 and appendix A).

Each link has its own axes: z is the axis of the joint by which it hangs, -y points down the link. So a joint is placed
by four vectors: its axis in the link and in the link above, and a vector across it in both, which coincide when the
pendulum hangs at rest. Appendix B of the thesis prints all entries of the equations; the tests compare every one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symbody as sb

JOINTS = (("z", "z", "x", "x"), ("z", "x", "x", "-z"), ("z", "-x", "x", "z"))


def model() -> sb.Model:
    m = sb.Model("triple pendulum")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    parent, at = m.ground, (0, 0, 0)
    for n, vectors in enumerate(JOINTS, start=1):
        mass, d, s, k, rest, c = m.parameters(f"m{n} d{n} s{n} k{n} rest{n} c{n}", 1.0, 0.5, 0.5, 0.0, 0.0, 0.0)
        inertia = m.parameters(f"Jx{n} Jy{n} Jz{n}", 0.2, 0.1, 0.2)
        tau = m.input(f"tau{n}")
        link = m.body(f"link {n}", mass=mass, com=(0, -d, 0), inertia=inertia)
        m.revolute(f"q{n}", parent, link, vectors=vectors, at=at, stiffness=k, rest=rest, damping=c, actuation=tau)
        parent, at = link, (0, -d - s, 0)
    return m


def designed(equations: sb.Equations) -> sb.stability.Design:
    """Half lengths for which ω² is 20, 40 and 130 (tables 6.1 and 6.2; the printed numbers belong to g = 98.1)."""
    lin = sb.linearize(equations, sb.steady(equations))
    return sb.stability.design_parameters(lin, [20, 40, 130], ["d1", "d2", "d3"], of="squares", g=98.1)


if __name__ == "__main__":
    equations = sb.derive(model())
    print("accelerations at rest:", sb.evaluate(equations.udot, equations.values(otherwise=0, q1=0.5, q2=0.5, q3=0.5)))
    print("mass matrix, lowest link:", equations.M[2, 2])
    for damping in (0.0, 5.0):
        sim = sb.simulate(equations, 5, q1=0.5, q2=0.5, q3=0.5, c1=damping, c2=damping, c3=damping)
        print(f"damping {damping}: energy {sim.energy[0]:.6f} J, after 5 s {sim.energy[-1]:.6f} J")
    design = designed(equations)
    for k, step in enumerate(design.steps[:3]):
        lengths, squares = (" ".join(f"{x:10.5f}" for x in row) for row in (step.parameters, step.quantities.real))
        print(f"step {k}: d = {lengths}   ω² = {squares}")
    print(design)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    folder.mkdir(parents=True, exist_ok=True)
    figure = sb.plot(design, title="triple pendulum: ω² and half lengths, step by step")
    print("saved", figure.save(folder / "triple_pendulum_design.png"))
    swinging = [m for m in sb.linearize(equations, sb.steady(equations)).modes() if m.eigenvalue.imag > 0]
    for k, mode in enumerate(sorted(swinging, key=lambda m: m.frequency), start=1):
        scene = sb.scene(equations, mode=mode, title=f"triple pendulum, mode {k}")
        print("saved", scene.save(folder / f"triple_pendulum_mode_{k}.html"))
