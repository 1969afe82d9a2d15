"""Makes the links of README.md absolute, for package indexes, which show that page without the files around it.

    python tools/absolute_links.py ADDRESS REVISION

ADDRESS is that of the repository, as GitHub writes it; REVISION is a tag. The workflow `release` runs this before it
builds; nothing else should.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)")
"""A link or a picture (`!`), its text, and where it leads, if that is a file."""


def with_absolute_links(text: str, address: str, revision: str) -> str:
    """A page whose links to files lead to this revision of the repository."""

    def absolute(link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        return f"{mark}[{words}]({address}/{'raw' if mark else 'blob'}/{revision}/{target})"

    return LINK.sub(absolute, text)


if __name__ == "__main__":
    README.write_text(with_absolute_links(README.read_text(encoding="utf-8"), *sys.argv[1:3]), encoding="utf-8")
