"""Spectra of rotating machines: `LinearSystem` -> multiblade systems, Floquet exponents, Campbell diagrams, unbalance
responses."""
