"""Equations in other variables: minimal coordinates, added constraints, transformed speeds.

This folder transforms `Equations` into `Equations`.
"""
