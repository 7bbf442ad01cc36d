"""Lines in the plane and surfaces: flat, measured, random, curved, from OpenCRG files.

Points, samples or files in, a `PlanePath` or a `Road` out.
"""
