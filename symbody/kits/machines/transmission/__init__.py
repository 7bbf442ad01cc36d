"""Transmissions: gear meshes, planetary sets, belts and chains."""
