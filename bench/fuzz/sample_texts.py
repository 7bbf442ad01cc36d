"""Texts of the samples: robots, a musculoskeletal model, a model file, a tetrahedron, a tyre and a road."""

from __future__ import annotations

import base64
from typing import Final

import numpy as np

URDF: Final = """<robot name="branched"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 0.1 -0.4"/><mass value="2"/><inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial>
<visual><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="b"><inertial><origin xyz="0 0.2 0.3"/><mass value="1.5"/><inertia ixx="0.1" iyy="0.1" izz="0.15"/></inertial></link>
<link name="c"><inertial><mass value="0.7"/><inertia ixx="0.01" iyy="0.02" izz="0.025"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0.1 0 0.5" rpy="0.2 -0.3 0.4"/><axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="5" velocity="3"/></joint>
<joint name="j2" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.3 0.1 0" rpy="1 0.5 0"/><axis xyz="1 0 0"/><dynamics damping="0.2" friction="0.1"/></joint>
<joint name="j3" type="continuous"><parent link="a"/><child link="c"/><origin xyz="0 0.4 0" rpy="0 0 1.2"/><axis xyz="0 0.6 0.8"/><mimic joint="j1" multiplier="2" offset="0.1"/></joint></robot>"""

_BAR: Final = "<inertial><pose>{x} 0 {z} 0 0 0</pose><mass>{m}</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.01</izz></inertia></inertial>"
SDF: Final = f"""<sdf version="1.7"><model name="four bar">
  <link name="crank">{_BAR.format(x=0, z=0.05, m=1)}</link>
  <link name="coupler"><pose>0 0 0.1 0 0 0</pose>{_BAR.format(x=0.15, z=0.05, m=2)}</link>
  <link name="rocker"><pose>0.3 0 0 0 0 0</pose>{_BAR.format(x=0, z=0.1, m=1.5)}</link>
  <joint name="a" type="revolute"><parent>world</parent><child>crank</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.2</damping></dynamics></axis></joint>
  <joint name="b" type="revolute"><parent>crank</parent><child>coupler</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="c" type="revolute"><parent>world</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="pin" type="revolute"><parent>rocker</parent><child>coupler</child><pose>0.3 0 0.1 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""

MJCF: Final = """<mujoco model="creature">
  <compiler angle="degree" eulerseq="zyx" boundmass="0.01"/>
  <option gravity="0.5 0 -9.81" timestep="0.01"/>
  <default><geom density="800"/><joint armature="0.02" damping="0.3"/><motor gear="20"/>
    <default class="limb"><geom type="capsule" size="0.04"/><joint stiffness="2" range="-60 60"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="torso" pos="0.1 0.2 1" euler="20 -10 35">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.15 0.1" pos="0 0 0.02" axisangle="1 1 0 25"/>
      <site name="back" pos="-0.2 0 0.1"/><site name="hip" pos="0.1 0.1 0"/>
      <body name="thigh" pos="0.1 0.1 -0.1" quat="0.9 0.1 0.3 -0.2" childclass="limb">
        <joint name="hip_x" axis="1 0 0" pos="0 0 0.02" ref="10"/>
        <geom fromto="0 0 0 0.05 0.02 -0.3"/>
        <body name="shank" pos="0.05 0.02 -0.3" xyaxes="1 0.2 0 -0.1 1 0.3">
          <joint name="knee" axis="0 -1 0"/><geom fromto="0 0 0 0 0 -0.3" size="0.03"/><site name="heel" pos="0 0.02 -0.3"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><spatial name="cable"><site site="back"/><site site="hip"/><site site="heel"/></spatial></tendon>
  <actuator><motor name="m" joint="knee"/><position joint="hip_x" kp="5"/><general tendon="cable" gainprm="3"/></actuator>
  <equality><joint joint1="knee" joint2="hip_x" polycoef="0 1 0 0 0"/></equality>
</mujoco>"""


def _joint(kind: str, name: str, parent: str, child: str, coordinates: str, more: str = "") -> str:
    frame = '<PhysicalOffsetFrame name="{}"><socket_parent>{}</socket_parent><translation>0.03 -0.3 0.02</translation><orientation>0.1 -0.2 0.3</orientation></PhysicalOffsetFrame>'
    names = "".join(f'<Coordinate name="{c}"><range>-1 1</range></Coordinate>' for c in coordinates.split())
    frames = frame.format("on_parent", parent) + frame.format("on_child", f"/bodyset/{child}")
    return (
        f'<{kind} name="{name}"><socket_parent_frame>on_parent</socket_parent_frame><socket_child_frame>on_child</socket_child_frame>'
        f"<coordinates>{names}</coordinates><frames>{frames}</frames>{more}</{kind}>"
    )


def _axis(name: str, way: str, function: str, coordinate: str = "") -> str:
    return f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{way}</axis>{function}</TransformAxis>'


_STILL: Final = {"rotation2": "0 1 0", "rotation3": "1 0 0", "translation2": "0 1 0", "translation3": "0 0 1"}
_BODY: Final = '<Body name="{}"><mass>1.5</mass><mass_center>0.02 -0.15 0.01</mass_center><inertia>0.02 0.01 0.025 0.001 -0.002 0.0015</inertia></Body>'
_KNEE: Final = "<SpatialTransform>{}</SpatialTransform>".format(
    _axis("rotation1", "0.1 0.2 1", "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>", "knee")
    + _axis("translation1", "1 0 0", "<SimmSpline><x>-0.8 -0.2 0.3 0.6</x><y>0.01 -0.005 0.004 0.02</y></SimmSpline>", "knee")
    + "".join(_axis(name, way, "<Constant><value>-0.2</value></Constant>") for name, way in _STILL.items())
)  # fmt: skip
_POINT: Final = "<PathPoint><socket_parent_frame>{}</socket_parent_frame><location>{}</location></PathPoint>"
OSIM: Final = f"""<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000"><Model name="leg">
<gravity>0 -9.80665 0</gravity><length_units>meters</length_units>
<BodySet><objects>{_BODY.format("thigh")}{_BODY.format("shank")}</objects></BodySet>
<JointSet><objects>
{_joint("PinJoint", "hip", "/ground", "thigh", "hip")}
{_joint("CustomJoint", "knee", "/bodyset/thigh", "shank", "knee", _KNEE)}
</objects></JointSet>
<ForceSet><objects><Thelen2003Muscle name="straight"><GeometryPath><PathPointSet><objects>
{_POINT.format("/ground", "0.1 0.1 0")}{_POINT.format("/bodyset/shank", "0.04 -0.1 0")}</objects></PathPointSet></GeometryPath>
<max_isometric_force>800</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.15</tendon_slack_length>
<pennation_angle_at_optimal>0.1</pennation_angle_at_optimal><max_contraction_velocity>12</max_contraction_velocity></Thelen2003Muscle>
<CoordinateActuator name="motor"><coordinate>hip</coordinate></CoordinateActuator></objects></ForceSet>
</Model></OpenSimDocument>
"""

YAML: Final = """symbody: 1
name: arm
parameters: {l: {value: 1.0, unit: m}, m1: 2, k: 30.0}
inputs: w
bodies:
  upper: {mass: m1, com: [l/2, 0, 0], inertia: [0.1, m1*l**2/12, 0.1]}
  lower: {mass: 1.5, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  shoulder: {revolute: [ground, upper], axis: z, actuation: w, damping: 0.1}
  elbow: {revolute: [upper, lower], axis: z, at: [l, 0, 0]}
loads:
  spring: {spring: ["upper.point(0, 0, 0.1)", "lower.point(0, 0.1, 0)"], stiffness: k, rest: 0.5}
gravity: [0, -9.81, 0]
outputs: {height: sin(shoulder)*l}
start: {shoulder: 0.5, elbow: 0.2}
"""

POINTS: Final = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
CORNERS: Final = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
TRIANGLES: Final = POINTS[CORNERS]
OBJ: Final = "o block\n" + "".join("v {} {} {}\n".format(*p) for p in POINTS.tolist()) + "".join("f {} {} {}\n".format(*(c + 1)) for c in CORNERS)  # fmt: skip
COLLADA: Final = f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g" name="block"><mesh>
<source id="p"><float_array id="f" count="12">{" ".join(map(str, POINTS.ravel()))}</float_array><technique_common>
<accessor source="#f" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{" ".join(map(str, CORNERS.ravel()))}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node name="block"><translate>1 2 3</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
_BUFFER: Final = POINTS.astype("<f4").tobytes() + CORNERS.astype("<u2").tobytes()
GLTF: Final = {
    "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "block", "mesh": 0, "translation": [1, 2, 3]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}, {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64," + base64.b64encode(_BUFFER).decode()}],
}  # fmt: skip

TIR: Final = """[MDI_HEADER]
FILE_TYPE = 'tir'
[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radians'
[MODEL]
PROPERTY_FILE_FORMAT = 'MF-TYRE'
FITTYP = 61    $ version
TYRESIDE = 'LEFT'
LONGVL = 16.7
[DIMENSION]
UNLOADED_RADIUS = 0.3135   $ free radius
[SHAPE]
{radial width}
1.0 0.0
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 2.0D+05
PCX1 = 1.579
"""

CRG: Final = """$CT
a straight road of three sections
$
$ROAD_CRG
REFERENCE_LINE_START_U   = 2.0
REFERENCE_LINE_END_U     = 3.5
REFERENCE_LINE_INCREMENT = 0.5
LONG_SECTION_V_RIGHT     = -1.0
LONG_SECTION_V_LEFT      = 1.0
LONG_SECTION_V_INCREMENT = 1.0
REFERENCE_LINE_START_PHI = 0.3
REFERENCE_LINE_START_B   = 0.02
$
$KD_DEFINITION
#:LRFI
D:long section 1,m
D:long section 2,m
D:long section 3,m
$
$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$
 0.0010000 0.0020000 0.0030000
 0.0040000-0.0050000 0.0060000
 0.0070000 0.0080000 0.0090000
 0.0100000 0.0110000 0.0120000
"""
