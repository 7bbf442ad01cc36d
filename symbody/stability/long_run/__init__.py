"""Long-time behaviour: Poincaré sections, Lyapunov exponents, attractors over a parameter, basins of attraction."""
