"""Robots: regressors, base parameters, identification; kinematics and control laws of links."""
