"""Identification of parameters from measured motions, by multiple shooting with exact sensitivities."""
