"""`simulate`: integrates a form of the equations with a method, from the initial state to an outcome, and returns a
`Trajectory`.
"""
