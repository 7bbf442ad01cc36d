"""A planar leg as an OpenSim file: pelvis on a planar joint, thigh, shank and foot on pins, six muscles, seven markers."""

from __future__ import annotations

import numpy as np

import symbody as sb

BODIES = (
    ("pelvis", 12.0, "-0.07 0.05 0", "0.1 0.09 0.06 0 0 0"),
    ("thigh", 9.3, "0 -0.17 0", "0.13 0.035 0.14 0 0 0"),
    ("shank", 3.7, "0 -0.19 0", "0.05 0.005 0.051 0 0 0"),
    ("foot", 1.2, "0.1 0.03 0", "0.001 0.004 0.004 0 0 0"),
)
JOINTS = (  # name, parent, place on it, child, coordinate, range, default
    ("hip", "pelvis", "-0.07 -0.066 0.084", "thigh", "hip_flexion", "-1 2", "0.1"),
    ("knee", "thigh", "0 -0.4 0", "shank", "knee_angle", "-2.1 0.2", "-0.2"),
    ("ankle", "shank", "0 -0.43 0", "foot", "ankle_angle", "-1 1", "0.05"),
)
MUSCLES = (  # name, points, force, optimal, slack, pennation
    ("iliopsoas", (("pelvis", "-0.02 0.05 0.08"), ("thigh", "-0.02 -0.06 0.03")), 2300, 0.10, 0.05, 0.1),
    ("glutei", (("pelvis", "-0.16 0.03 0.08"), ("thigh", "-0.03 -0.1 0.04")), 2000, 0.14, 0.09, 0.0),
    ("hamstrings", (("pelvis", "-0.13 -0.1 0.07"), ("shank", "-0.03 -0.05 0.03")), 2600, 0.11, 0.30, 0.0),
    ("vasti", (("thigh", "0.03 -0.19 0.03"), ("thigh", "0.05 -0.37 0.01"), ("shank", "0.04 -0.02 0.01")), 5000, 0.107, 0.15, 0.05),
    ("soleus", (("shank", "-0.01 -0.15 0.01"), ("foot", "-0.05 0.03 0.01")), 3500, 0.055, 0.25, 0.44),
    ("tibialis", (("shank", "0.02 -0.16 0.01"), ("shank", "0.03 -0.4 0"), ("foot", "0.09 0.02 0")), 1500, 0.1, 0.24, 0.1),
)  # fmt: skip
MARKERS = (
    ("ASIS", "pelvis", "0.02 0.03 0.12"), ("PSIS", "pelvis", "-0.16 0.03 0.05"), ("THIGH", "thigh", "0.05 -0.2 0.08"),
    ("KNEE", "thigh", "0 -0.4 0.06"), ("SHANK", "shank", "0.02 -0.2 0.05"), ("HEEL", "foot", "-0.05 0.02 0"), ("TOE", "foot", "0.19 0 0"),
)  # fmt: skip


def _objects(kind: str, inside: str) -> str:
    return f"<{kind}><objects>{inside}</objects></{kind}>"


def leg_text(clamped: str = "false") -> str:
    """The file; `clamped` of all pin joints."""
    bodies = "".join(
        f'<Body name="{n}"><mass>{m}</mass><mass_center>{c}</mass_center><inertia>{i}</inertia></Body>'
        for n, m, c, i in BODIES
    )
    joints = (
        '<PlanarJoint name="ground_pelvis"><socket_parent_frame>/ground</socket_parent_frame>'
        "<socket_child_frame>/bodyset/pelvis</socket_child_frame><coordinates>"
        '<Coordinate name="pelvis_tilt"/><Coordinate name="pelvis_tx"/>'
        '<Coordinate name="pelvis_ty"><default_value>0.95</default_value></Coordinate></coordinates></PlanarJoint>'
    )
    for n, parent, place, child, q, low_high, default in JOINTS:
        joints += (
            f'<PinJoint name="{n}"><socket_parent_frame>{n}_place</socket_parent_frame>'
            f"<socket_child_frame>/bodyset/{child}</socket_child_frame><coordinates>"
            f'<Coordinate name="{q}"><default_value>{default}</default_value><range>{low_high}</range><clamped>{clamped}</clamped></Coordinate>'
            f'</coordinates><frames><PhysicalOffsetFrame name="{n}_place"><socket_parent>/bodyset/{parent}</socket_parent>'
            f"<translation>{place}</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame></frames></PinJoint>"
        )
    muscles = ""
    for n, points, force, optimal, slack, pennation in MUSCLES:
        along = "".join(
            f'<PathPoint name="{n}-P{k}"><socket_parent_frame>/bodyset/{b}</socket_parent_frame><location>{x}</location></PathPoint>'
            for k, (b, x) in enumerate(points)
        )
        muscles += (
            f'<Millard2012EquilibriumMuscle name="{n}"><GeometryPath>{_objects("PathPointSet", along)}</GeometryPath>'
            f"<max_isometric_force>{force}</max_isometric_force><optimal_fiber_length>{optimal}</optimal_fiber_length>"
            f"<tendon_slack_length>{slack}</tendon_slack_length>"
            f"<pennation_angle_at_optimal>{pennation}</pennation_angle_at_optimal></Millard2012EquilibriumMuscle>"
        )
    markers = "".join(
        f'<Marker name="{n}"><socket_parent_frame>/bodyset/{b}</socket_parent_frame><location>{x}</location></Marker>'
        for n, b, x in MARKERS
    )
    parts = [_objects("BodySet", bodies), _objects("JointSet", joints), _objects("ForceSet", muscles)]
    return (
        '<OpenSimDocument Version="40000"><Model name="leg"><gravity>0 -9.80665 0</gravity>'
        f"{''.join(parts)}{_objects('MarkerSet', markers)}</Model></OpenSimDocument>"
    )


def swing(names: tuple[str, ...], t: np.ndarray) -> np.ndarray:
    """A step as coordinates over time, smooth."""
    laws = {
        "pelvis_tilt": 0.05 * np.sin(6 * t),
        "pelvis_tx": 1.2 * t + 0.02 * np.sin(12 * t),
        "pelvis_ty": 0.95 + 0.02 * np.cos(12 * t),
        "hip_flexion": 0.2 + 0.4 * np.sin(6 * t),
        "knee_angle": -0.5 - 0.4 * np.sin(6 * t + 1),
        "ankle_angle": 0.15 * np.sin(6 * t + 2),
    }
    return np.column_stack([laws[n] for n in names])


def marker_table(m: sb.formats.OsimModel, table: sb.formats.MotionTable) -> sb.formats.MotionTable:
    """Where a motion takes the markers, evaluated one by one from their expressions."""
    rows = []
    for k in range(len(table.times)):
        values = {m.symbols[n]: float(table[n][k]) for n in table.names}
        rows.append([float(sb.evaluate(x, values)) for p in m.markers.values() for x in p.in_ground.entries])
    return sb.formats.MotionTable(
        "markers", table.times, [f"{n}_{k}" for n in m.markers for k in "xyz"], np.array(rows)
    )
