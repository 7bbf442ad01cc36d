"""Robots from URDF files: text -> checked links and joints -> model."""
