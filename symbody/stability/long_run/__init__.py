"""Long-time behaviour: Poincaré sections, Lyapunov exponents, where motions end up over a parameter and over starts."""
