"""`python -m symbody`"""

from .cli import main

main()
