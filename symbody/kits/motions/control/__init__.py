"""Controllers that solve a problem again at every step: real-time iterations and compiled programs."""
