"""Eliminations of matrices, dense and sparse, and the orders in which unknowns are eliminated. The entries are of any kind that
can be added, multiplied and divided: numbers, expressions, numbers in the loop language.
"""
