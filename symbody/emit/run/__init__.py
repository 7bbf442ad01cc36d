"""Compiled programs and loops, ready to call."""
