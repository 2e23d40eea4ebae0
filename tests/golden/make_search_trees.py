"""Write the golden search trees: ``python tests/golden/make_search_trees.py``.

Run this by hand after an intended change of a search. Read the difference before committing it: one line is one node.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from search_trees import FILE, content


def main() -> None:
    """Write the file."""
    FILE.write_text(content(), encoding="utf-8")


if __name__ == "__main__":
    main()
