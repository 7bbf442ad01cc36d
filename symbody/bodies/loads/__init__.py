"""Forces, torques, friction laws and the surfaces of contacts.

This folder builds a `Load` from points, frames and expressions.
"""
