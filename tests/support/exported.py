"""A record with decisions of every standing, some of them hostile, approved by a pinned person."""

from __future__ import annotations

from citator.record.evaluation import History, Record, evaluate
from citator.record.ledger import read
from tests.support.approving import Person, files, pin
from tests.support.record import Ledger, creation, text

HOSTILE = (
    "</title></style></script><script>document.title='owned'</script>"
    '<img src=x onerror="document.title=1">'
)
HOSTILE_BODY = """# Heading <script>document.title='owned'</script>

<script>document.title='owned'</script>

<img src=x onerror="document.title='owned'"> [click](javascript:document.title='owned')

```html
</code></pre><script>document.title='owned'</script>
```

| a | b |
| --- | --- |
| <svg onload="document.title='owned'"> | `</code><script>1</script>` |

> <iframe srcdoc="<script>parent.document.title='owned'</script>"></iframe>

- **</strong><script>document.title='owned'</script>**
- \u202ereversed\u202c and \u200bunseen

--> <!-- <style>*{display:none}</style> --> ]]> &lt;script&gt;
"""
BODY = """# Put slow calls on a queue

## Context

Calls to the printer took **seconds**, and callers gave up.

## Considered Options

1. A thread a call
2. A queue that survives a restart

## Decision

We put every slow call on a queue that survives a restart. See `queue/worker.py`.

| | thread | queue |
| --- | --- | --- |
| restart | lost | kept |

### Why not threads

- They are lost with the process.
  - Always.

## Consequences

```python
queue.put(call)
```

## Rejected alternatives

A thread a call: lost on restart. A pool of processes would change our mind.
"""


def ledger(*, withheld: bool = True) -> tuple[Ledger, dict[str, str]]:
    """The migrations, and the items by name. Without ``withheld``: as if those never were."""
    made = Ledger()
    items = {
        "queue": made.decide(
            "Put slow calls on a queue",
            kind="architecture",
            ruling="Every slow call goes through a queue that survives a restart.",
            body=BODY,
            paths=["queue/**"],
            labels=["adr-0007", "messaging"],
            anchors=[{"path": "docs/adr/0007-queue.md"}],
            valid_to="2027-01-01T00:00:00Z",
        ),
        "log": made.decide("Keep the log for a year", kind="operations"),
        "old": made.decide("Keep the log for ever", body="Words of what was retired.\n"),
        "hostile": made.decide(HOSTILE, kind="security", ruling=HOSTILE, body=HOSTILE_BODY),
    }
    made.add({"op": "add_alias", "item": items["queue"], "alias": "adr-0007"})
    relation = {"op": "add_relation", "source": items["log"], "type": "supersedes"}
    made.add({**relation, "target": items["old"]})
    relation = {"op": "add_relation", "source": items["log"], "type": "depends_on"}
    made.add({**relation, "target": items["queue"], "note": "for its order"})
    made.add(
        {
            "op": "reject_value",
            "value": "a thread a call",
            "reason": "lost on restart",
            "change": "a pool of processes",
        }
    )
    if withheld:
        secret = made.decide(
            "Rotate the signing key", sensitivity="restricted", body="Words of what is withheld.\n"
        )
        items["secret"] = secret
        relation = {"op": "add_relation", "source": items["log"], "type": "related_to"}
        made.add({**relation, "target": secret})
        made.add(
            {
                "op": "reject_value",
                "value": "keep the key for ever",
                "reason": "withheld reason",
                "sensitivity": "restricted",
            }
        )
    return made, items


def record(made: Ledger) -> Record:
    """The record in which Ada approved everything, with one proposal that nobody approved."""
    ada = Person()
    waiting = made.make(*creation(made.id(), "Shard the queue", {}), body="Not yet.\n")
    approvals = [ada.says(one) for one in made.migrations]
    found = read(files(made.migrations, [waiting], approvals))
    return evaluate(found, pin(ada), History())


__all__ = ["BODY", "HOSTILE", "HOSTILE_BODY", "ledger", "record", "text"]
