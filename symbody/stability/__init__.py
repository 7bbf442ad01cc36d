"""Steady motions, linearisation, spectra, responses, sensitivities: what happens near a motion. No joints, no plots."""
