"""Intermittent motion: cams from tables, saw teeth, contacts with obstacles that are bounded."""
