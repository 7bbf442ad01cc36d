"""The target AUTO-07p."""
