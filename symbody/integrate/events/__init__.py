"""Events: functions whose zeros are located, and what happens there.

`Event` in, handlers of located zeros out.
"""
