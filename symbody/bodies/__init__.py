"""The mechanism as described: frames, points, vectors, bodies, joints, loads, constraints."""
