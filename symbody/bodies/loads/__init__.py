"""Forces, torques, friction laws and the surfaces of contacts.

Points, frames and expressions in, `Load` out.
"""
