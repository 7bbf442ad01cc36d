"""Piles of bodies: their description in shapes, masses and walls, and the motions that come of it."""
