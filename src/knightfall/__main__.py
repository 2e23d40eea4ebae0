"""``python -m knightfall`` is the same as ``knightfall``."""

import sys

from knightfall.cli import main

if __name__ == "__main__":
    sys.exit(main())
