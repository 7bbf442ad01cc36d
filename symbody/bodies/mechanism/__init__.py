"""The frozen result of a description, and the conditions under which it exists.

Parts in, `Mechanism` out.
"""
