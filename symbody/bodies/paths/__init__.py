"""Taut lines along points and around surfaces: length, rate and the forces of tension.

This folder builds a `LinePath` from points and wrapping surfaces.
"""
