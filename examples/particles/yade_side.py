# mypy: ignore-errors
# ruff: noqa: F821, SIM115
"""The side of YADE: moves a tool as it is told, and answers with what the particles do to it. Run by `yade -n -x yade_side.py`.

SYMBODY_COUPLING names a socket and a file of numbers: particles (places, radius, density), friction, stiffness, gravity, the
radius of the tool, and the plane of the floor. One line of JSON comes for every step, and one goes back.
"""

# The names O, utils, Sphere, FrictMat, ... are those of YADE's own interpreter.
import json
import math
import os
import socket

where = json.loads(os.environ["SYMBODY_COUPLING"])
given = json.loads(open(where["numbers"]).read())
stone = O.materials.append(
    FrictMat(young=given["young"], poisson=0.3, frictionAngle=math.atan(given["friction"]), density=given["density"])
)
for place in given["places"]:
    O.bodies.append(utils.sphere(place, given["radius"], material=stone))
if given["floor"] is not None:
    O.bodies.append(utils.wall(given["floor"], axis=2, sense=1, material=stone))
tool = O.bodies.append(utils.sphere((0, 0, 0), given["tool"], material=stone, fixed=True))
O.bodies[tool].state.blockedDOFs = "xyzXYZ"
sums = {"impulse": Vector3.Zero, "moment": Vector3.Zero}


def add_up():
    """Before particles move: the force of this step on the tool, over the length of the step."""
    sums["impulse"] += O.forces.f(tool) * O.dt
    sums["moment"] += O.forces.t(tool) * O.dt


law = Law2_ScGeom_FrictPhys_CundallStrack(traceEnergy=True)
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [Ip2_FrictMat_FrictMat_FrictPhys()],
        [law],
    ),
    PyRunner(command="add_up()", iterPeriod=1),
    NewtonIntegrator(gravity=given["gravity"], damping=0.0),
]
FEWEST = 5  # steps of YADE in one of the coupling, in which the tool moves
longest = 0.3 * PWaveTimeStep()
stream = socket.socket(socket.AF_UNIX)
stream.connect(where["socket"])
lines = stream.makefile("rw")
for line in lines:
    asked = json.loads(line)
    count = max(FEWEST, math.ceil(asked["seconds"] / longest))
    O.dt = asked["seconds"] / count
    state = O.bodies[tool].state
    state.pos, state.vel, state.angVel = (Vector3(*asked[k]) for k in ("position", "velocity", "spin"))
    sums["impulse"], sums["moment"] = Vector3.Zero, Vector3.Zero
    for _ in range(count):
        O.step()
    spheres = [b for b in O.bodies if isinstance(b.shape, Sphere) and b.id != tool]
    momentum = sum((b.state.mass * b.state.vel for b in spheres), Vector3.Zero)
    kinetic = sum(0.5 * b.state.mass * b.state.vel.squaredNorm() for b in spheres)
    kinetic += sum(0.5 * b.state.inertia[0] * b.state.angVel.squaredNorm() for b in spheres)
    height = -sum(b.state.mass * b.state.pos.dot(Vector3(*given["gravity"])) for b in spheres)
    answer = {
        "impulse": list(sums["impulse"]),
        "moment": list(sums["moment"]),
        "momentum": list(momentum),
        "energy": kinetic + height + law.elasticEnergy() + law.plasticDissipation(),
        "places": [list(b.state.pos) for b in spheres] if asked["places"] else [],
    }
    lines.write(json.dumps(answer) + "\n")
    lines.flush()
os._exit(0)  # without the banner of an interactive end
