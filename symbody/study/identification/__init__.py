"""Parameters from measured motions, by multiple shooting with exact sensitivities."""
