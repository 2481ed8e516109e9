"""How far a document speaks for *why*, by its kind alone (rule 3: no word of it takes part).

- A commit was written when the decision was made, and a decision record to say it: both count
  in full.
- Other Markdown tells how things are; it counts a little less, so that a folder of notes does
  not stand before the commits it sums up.
- A changelog tells what changed, in the words of the commits that say why.
"""

from __future__ import annotations

import re

from citator.index.protocol import Row
from citator.model.reference import DocumentKind

MARKDOWN = 0.85
CHANGELOG = 0.7

_CHANGELOG = re.compile(
    r"(?:^|/)(?:change[-_ ]?log|changes|history|news|releases?|release[-_ ]?notes|whats[-_ ]?new)"
    r"(?:[-_. ]?v?[\d.x]+)?\.\w+$|(?:^|/)(?:change[-_ ]?logs?|release[-_ ]?notes)/",
    re.IGNORECASE,
)


def prior(row: Row) -> float:
    """What the score of a passage of this document is multiplied by."""
    if row.kind is DocumentKind.COMMIT or row.adr_status is not None:
        return 1.0
    return CHANGELOG if _CHANGELOG.search(row.path) else MARKDOWN
