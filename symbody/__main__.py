"""`symbody` and `python -m symbody`. Loading takes longer than many commands, so an interrupt during loading also ends
with exit code 130 and one line."""

import signal
import sys
from typing import NoReturn


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt("interrupted by SIGTERM")


_before = signal.signal(signal.SIGTERM, _interrupt)
try:
    from .command_line.cli import main
except KeyboardInterrupt as reason:
    print(f"symbody: {str(reason) or 'interrupted'}", file=sys.stderr)
    raise SystemExit(130) from None
finally:
    signal.signal(signal.SIGTERM, _before or signal.SIG_DFL)

if __name__ == "__main__":
    raise SystemExit(main())
