"""Expressions as text: infix, LaTeX, MathML, and identifiers that are valid in every target language.

This folder turns `Expr` into `str`.
"""
