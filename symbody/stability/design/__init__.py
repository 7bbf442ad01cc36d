"""Design of feedback and parameters of a linear system: LQR, pole placement, eigenvalue targets."""
