"""Taut lines along points and around surfaces: length, rate and the forces of tension.

Points and wrapping surfaces in, `LinePath` out.
"""
