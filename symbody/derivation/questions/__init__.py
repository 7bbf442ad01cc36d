"""Questions to equations: audit, certificate, reactions, power balance, rigid motions.

`Equations` in, an answer that prints itself out.
"""
