"""Varied values, and the quantities to compute for each member: a `Question` about a subject, and its `Answers`."""
