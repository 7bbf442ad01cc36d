"""Small MJCF files of our own, which use what larger ones use."""

CREATURE = """<mujoco model="creature">
  <compiler angle="degree" eulerseq="zyx" boundmass="0.01"/>
  <option gravity="0.5 0 -9.81" timestep="0.01"/>
  <default>
    <geom density="800" rgba="0.8 0.6 0.4 1"/>
    <joint armature="0.02" damping="0.3"/>
    <motor gear="20"/>
    <default class="limb">
      <geom type="capsule" size="0.04"/>
      <joint stiffness="2" range="-60 60"/>
      <default class="foot"><geom type="ellipsoid" size="0.1 0.05 0.03"/></default>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="torso" pos="0.1 0.2 1" euler="20 -10 35">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.15 0.1" pos="0 0 0.02" axisangle="1 1 0 25"/>
      <geom type="sphere" size="0.08" pos="0 0 0.2" mass="0.7"/>
      <site name="back" pos="-0.2 0 0.1"/><site name="hip" pos="0.1 0.1 0"/>
      <body name="thigh" pos="0.1 0.1 -0.1" quat="0.9 0.1 0.3 -0.2" childclass="limb">
        <joint name="hip_x" axis="1 0 0" pos="0 0 0.02" ref="10"/>
        <joint name="hip_y" axis="0 1 0.2" pos="0.01 0 0.03" springref="15"/>
        <geom fromto="0 0 0 0.05 0.02 -0.3"/>
        <body name="shank" pos="0.05 0.02 -0.3" xyaxes="1 0.2 0 -0.1 1 0.3">
          <joint name="knee" axis="0 -1 0"/>
          <geom fromto="0 0 0 0 0 -0.3" size="0.03"/>
          <site name="heel" pos="0 0.02 -0.3"/>
          <body name="foot" pos="0 0 -0.32" zaxis="0.2 0.1 1" childclass="foot">
            <joint type="ball" name="ankle" pos="0.01 0 0.02" range="0 60" stiffness="0"/>
            <geom pos="0.04 0 0"/>
            <geom class="limb" type="cylinder" size="0.02 0.05" euler="0 90 0"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-0.2 0 0">
        <inertial mass="0.4" pos="-0.1 0.01 0" quat="1 0.2 0 0.1" diaginertia="0.003 0.002 0.004"/>
        <joint name="wag" axis="0 0 1"/><joint name="lift" axis="0 1 0"/><joint name="stretch" type="slide" axis="1 0.1 0"/>
        <geom type="sphere" size="0.5"/>
        <frame pos="-0.2 0 0.05" euler="0 0 30">
          <body name="tip" pos="0.01 0 0"><inertial mass="0.1" pos="0 0.02 0" fullinertia="2e-4 3e-4 4e-4 2e-5 -1e-5 3e-5"/></body>
        </frame>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sinew" stiffness="5" damping="0.4"><joint joint="wag" coef="0.3"/><joint joint="knee" coef="-0.2"/></fixed>
    <spatial name="string" stiffness="30" springlength="0.2" damping="1"><site site="back"/><site site="hip"/>
      <pulley divisor="2"/><site site="hip"/><site site="heel"/></spatial>
  </tendon>
  <actuator>
    <motor name="kicker" joint="knee" ctrlrange="-1 1"/>
    <position name="servo" joint="wag" kp="7" kv="0.5"/>
    <velocity joint="lift" kv="3" gear="2"/>
    <general tendon="sinew" gainprm="4" biastype="affine" biasprm="0.1 -0.2 -0.3"/>
    <motor name="jet" site="heel" gear="1 0 2 0 0.5 0"/>
    <motor name="turner" joint="ankle" gear="1 2 3"/>
  </actuator>
  <keyframe><key name="bent" qpos="0 0 1 1 0 0 0  0.2 0.1 -0.5 1 0 0 0 0.1 0.2 0.03"/></keyframe>
</mujoco>"""

FOUR_BAR = """<mujoco model="four bar">
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.01"/>
      <body name="coupler" pos="0 0 0.1"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.01"/></body>
    </body>
    <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.01"/>
      <body name="wheel" pos="0 0 0.1"><joint name="d" axis="0 1 0"/><geom type="cylinder" size="0.03 0.01" euler="1.57 0 0"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0.1"/>
    <joint name="gear" joint1="d" joint2="c" polycoef="0.1 -2 0.5 0 0"/>
  </equality>
</mujoco>"""
