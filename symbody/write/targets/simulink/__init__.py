"""The Simulink target."""
