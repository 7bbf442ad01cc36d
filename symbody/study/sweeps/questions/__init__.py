"""What is varied, and what is asked of each member.

Values to vary and a subject in, a `Question` and the `Answers` to it out.
"""
