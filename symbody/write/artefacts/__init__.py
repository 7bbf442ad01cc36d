"""The common input of all targets: functions of the equations as programs, loops around them, an initial state, and
reference values."""
