"""From measurements to muscle forces: markers and ground reactions -> motion -> joint moments -> activations."""
