"""`symbody` on the command line: the parser, the commands, and the commands as tools of a server. Nothing imports this folder but
`__main__.py`.
"""
