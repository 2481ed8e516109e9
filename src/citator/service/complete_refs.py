"""References that begin as the caller began: what a client offers while somebody types one.

- Only what the caller's HEAD has and is for whom the operator granted is offered, as with reading.
- What is begun with a commit's or a blob's id is completed to the references of its passages.
- Fewer digits than a reference may be shortened to complete to nothing: that would be a list of
  everything.
"""

from __future__ import annotations

from itertools import islice

from citator.model.reference import Ref, split_ref
from citator.service.opened import opened
from citator.service.workspace import Workspace


def complete_refs(workspace: Workspace, begun: str, limit: int) -> list[Ref]:
    """At most ``limit`` whole references, those that ``begun`` is a prefix of first, each once.

    Empty where ``begun`` is no beginning of a reference or an id. Raises RefusedError where
    nothing was indexed, IntegrityError where the index is damaged.
    """
    parts = split_ref(begun)
    if parts is None:
        return []
    kind, prefix = parts
    with opened(workspace) as (_, view):
        rows = view.find_ref(kind, prefix, limit)
        if len(rows) < limit:
            of_objects = view.find_object(prefix, limit)
            rows += [row for row in of_objects if kind is None or row.kind is kind]
    return list(islice(dict.fromkeys(row.ref for row in rows), limit))
