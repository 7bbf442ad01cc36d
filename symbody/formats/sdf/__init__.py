"""Robots from SDF files: text -> links, joints and frames with their poses resolved -> model."""
