"""Rotors: shafts of finite elements, discs, unbalance, motors -> `Model`."""
