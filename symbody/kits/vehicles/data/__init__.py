"""Checks of what users give: parameters of models, numbers of tyres.

Numbers in, the same numbers out, or an error that names the coefficient.
"""
