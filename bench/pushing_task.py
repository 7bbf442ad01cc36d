"""A finger pushes a board on a table, seen from above, to a goal: the task of `bench learning`.

The finger is a point mass that two forces move, the board a rigid body, both in a viscous film; finger and board touch
with Coulomb friction. The goal is a parameter of each member.
"""

from __future__ import annotations

from typing import Any, Final

import symbody as sb

LENGTH: Final = 0.06  # of the board
WIDTH: Final = 0.3
RADIUS: Final = 0.015  # of the finger
MASS: Final = 0.5
FINGER: Final = 0.1
DRAG: Final = 2.0  # of the board; its turning drag, and that of the finger
TURNING_DRAG: Final = 0.02
FINGER_DRAG: Final = 0.5
FORCE: Final = 2.0
MU: Final = 0.8
BEHIND: Final = -LENGTH / 2 - RADIUS
STEP: Final = 5e-3
SUBSTEPS: Final = 10
STEPS: Final = 60  # of an episode, 3 s
EFFORT: Final = 0.01
STARTS: Final = {"finger_x": (BEHIND - 1e-3, BEHIND), "finger_y": (-0.03, 0.03)}
GOALS: Final = {"goal_x": (0.15, 0.3), "goal_y": (-0.08, 0.08)}


def contacts() -> sb.Contacts:
    m = sb.Model("board and finger")
    m.parameters(goal_x=0.2, goal_y=0.0)
    inertia = MASS * (LENGTH**2 + WIDTH**2) / 12
    board = m.body("board", mass=MASS, inertia=(inertia, inertia, inertia))
    m.planar("board", m.ground, board)
    x, y = m.coordinates("finger_x finger_y")
    m.particle("finger", m.ground.point(x, y, 0), mass=FINGER)
    for q in (x, y):
        m.generalized_force(f"finger along {q.name}", q, m.input(f"F_{q.name[-1]}") - FINGER_DRAG * q.dot)
    a, b, turn = (s for s in sb.derive(m).q if s.name.startswith("board"))
    for q, c in ((a, DRAG), (b, DRAG), (turn, TURNING_DRAG)):
        m.generalized_force(f"film under {q.name}", q, -c * q.dot)
    ahead = (x - a) * sb.cos(turn) + (y - b) * sb.sin(turn)
    aside = (y - b) * sb.cos(turn) - (x - a) * sb.sin(turn)
    eq = sb.derive(m)
    slip = sb.time_derivative(aside, dict(zip(eq.q, eq.rates.entries, strict=True)))
    return sb.Contacts(eq, sb.Contact("finger on board", BEHIND - ahead, 0.0, MU, slip=slip))


def environment(members: int) -> Any:
    """Its environment: observations are relative places and speeds; the reward is the negative distance to the goal."""
    made = contacts()
    eq = made.base
    stepper = sb.stepper(made, STEP * SUBSTEPS, substeps=SUBSTEPS, finger_x=BEHIND)
    v = {s.name: s for s in (*eq.q, *eq.u, *eq.p, *eq.r)}
    far = [v["goal_x"] - v["board_x"], v["goal_y"] - v["board_y"]]
    near = [v["finger_x"] - v["board_x"], v["finger_y"] - v["board_y"]]
    speeds = [v[n] for n in ("finger_x_dot", "finger_y_dot", "board_x_dot", "board_y_dot")]
    seen = [
        *(10 * e for e in near),
        *(5 * e for e in far),
        *(5 * e for e in speeds),
        3 * v["board_a"],
        v["board_a_dot"],
    ]
    cost = sb.sqrt(far[0] ** 2 + far[1] ** 2 + 1e-4) + EFFORT * (v["F_x"] ** 2 + v["F_y"] ** 2) / FORCE**2
    return sb.environment(
        stepper, members, observation=seen, reward=-cost, start=STARTS, parameters=GOALS,
        actions={"F_x": (-FORCE, FORCE), "F_y": (-FORCE, FORCE)}, steps=STEPS,
    )  # fmt: skip
