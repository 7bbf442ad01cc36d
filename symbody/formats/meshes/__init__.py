"""Surfaces of triangles from files, and the solids that they bound."""
