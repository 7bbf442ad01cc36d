"""What every target gets: functions of the equations as programs, loops around them, a start, and numbers to check by."""
