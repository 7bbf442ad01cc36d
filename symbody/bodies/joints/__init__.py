"""Joints as chains of frames, and the loop-closure conditions of joints."""
