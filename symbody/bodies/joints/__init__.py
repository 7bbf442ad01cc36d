"""Joints as chains of frames, and the conditions with which they close loops.

Two frames in, `Joint` out.
"""
