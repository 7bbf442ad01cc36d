"""Mechanism -> Equations, by several independent routes; reactions, energies, power, certificates."""
