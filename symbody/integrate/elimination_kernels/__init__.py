"""Eliminations in the loop language: complete pivoting, complex numbers, few entries in a known order, null spaces."""
