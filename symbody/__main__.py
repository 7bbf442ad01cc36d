"""`python -m symbody`"""

from .cli import main

raise SystemExit(main())
