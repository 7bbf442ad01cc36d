"""Piles: many free bodies that touch each other and walls, by Moreau-Jean time stepping on a sparse contact graph.

Shapes, numbers of bodies and their states in, motions as arrays out. Nothing is compiled for a body or a contact.
"""
