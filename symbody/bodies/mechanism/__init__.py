"""The immutable `Mechanism` that a model becomes, and the checks that it must pass."""
