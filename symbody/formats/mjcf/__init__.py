"""Robots from MJCF files (MuJoCo's XML): text -> elements with their defaults -> checked links and joints -> model."""
