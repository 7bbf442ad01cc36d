"""The `Model` class, with one file for each subject. Its methods describe a mechanism; `freeze` returns the
`Mechanism`.
"""
