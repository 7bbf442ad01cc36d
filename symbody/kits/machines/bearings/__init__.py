"""Bearings: short journal bearings and ball bearings as forces between a journal and its housing."""
