"""Analyses of equations: audit, certificate, reactions, power balance, rigid motions. Each returns a result that can be
printed.
"""
