"""Events: functions whose zeros are located, and the handlers that act at them."""
