"""Muscles of models that were read from OpenSim's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import symbody as sb

from ...argument_kinds import answered
from ...errors import ModelError, shown, unknown
from .characteristic_curves import muscle_curves
from .hill_muscle import Muscle, muscle


@answered
@sb.bodies.all_or_nothing
def add_muscles(m: sb.formats.OsimModel, names: Sequence[str] | str | None = None, **options: Any) -> dict[str, Muscle]:
    """Forces of the muscles of a model from `read_osim`, with the file's maximal forces, optimal lengths, slack lengths,
    pennations and fastest speeds. The curves are De Groote's and Fregly's, whatever kind the file says. A
    DeGrooteFregly2016Muscle has OpenSim's curves, and the tendon, the damping and the times of the file as well; an
    elastic tendon without damping gets that of `muscle`.

    names     of some muscles; None: of all that the file has switched on
    options   of `muscle`: `tendon`, `curves`, `damping`, `outputs`, ...

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="arm">
    ... <BodySet><objects><Body name="arm"><mass>2</mass><mass_center>0 -0.5 0</mass_center>
    ...   <inertia>0.1 0.01 0.1 0 0 0</inertia></Body></objects></BodySet>
    ... <JointSet><objects><PinJoint name="shoulder"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/arm</socket_child_frame>
    ...   <coordinates><Coordinate name="raise"/></coordinates></PinJoint></objects></JointSet>
    ... <ForceSet><objects><Thelen2003Muscle name="DELT"><GeometryPath><PathPointSet><objects>
    ...   <PathPoint><socket_parent_frame>/ground</socket_parent_frame><location>0.1 0.1 0</location></PathPoint>
    ...   <PathPoint><socket_parent_frame>/bodyset/arm</socket_parent_frame><location>0.03 -0.1 0</location></PathPoint>
    ...   </objects></PathPointSet></GeometryPath><max_isometric_force>1000</max_isometric_force>
    ...   <optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.1</tendon_slack_length>
    ... </Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>''')
    >>> muscles = sb.kits.biomechanics.add_muscles(m, tendon="rigid", outputs=False)
    >>> sb.evaluate(muscles["DELT"].force, {"raise": 0.5, "raise_dot": 0, "DELT_activation": 0.5})
    371.26

    See also: `read_osim`, `kits.biomechanics.muscle`.
    """
    if not isinstance(m, sb.formats.OsimModel):
        raise ModelError(f"add_muscles: expected a model from read_osim, got {shown(m)}")
    if isinstance(names, str):
        names = names.split()
    chosen = [n for n, given in m.muscles.items() if given.applies] if names is None else list(names)
    made = {}
    for name in chosen:
        if name not in m.muscles:
            raise unknown("add_muscles", "muscle", name, m.muscles)
        given = m.muscles[name]
        numbers = {
            "max_force": given.max_force,
            "optimal_length": given.optimal_length,
            "slack_length": given.slack_length,
            "pennation": given.pennation,
            "max_speed": given.max_speed,
        }
        made[name] = muscle(m, name, m.paths[name], **(numbers | _of_its_kind(m, given, options) | options))
    return made


def _of_its_kind(m: sb.formats.OsimModel, given: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `muscle` that only some kinds of muscles state in a file."""
    said = dict(given.dynamics)
    if not said:
        return {}
    strains = {k: said.pop(k) for k in ("tendon_strain", "passive_strain")}
    if not said.pop("has_activation") and "activation" not in options and "excitation" not in options:
        said["activation"] = m.input(f"{given.name}_activation")
    if said["damping"] == 0 and options.get("tendon", said["tendon"]) == "elastic":
        del said["damping"]
    return said | {"curves": muscle_curves("opensim", **strains)}
