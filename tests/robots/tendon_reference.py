"""MuJoCo 3.3.2 on the arm of test_tendons.py with muscles, at one state."""

MUSCLE_STATE = (
    (0.2, -0.1, 0.3, 0.4),
    (0.3, -0.2, 0.5, 0.1),
    (0.4, 0.7, 0.2),
    (0.9, 0.1, 0.5, 0.3, 0.8),
)  # qpos, qvel, act, ctrl
ACTIVATION_RATES = (45.454545454545446, -18.599999999999994, 37.5)
MUSCLE_FORCES = (32.82068848778044, 25.650391403118334, 10.802931475572802, 10.050265297359388)
