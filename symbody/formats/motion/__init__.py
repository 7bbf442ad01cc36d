"""Measured and computed motions: tables of OpenSim (.mot, .sto), marker trajectories (.trc, .c3d)."""
