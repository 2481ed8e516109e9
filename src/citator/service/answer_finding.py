"""The answer to a finding: it applies, it does not (why), or it is challenged, which proposes.

Nothing here approves, lifts or withdraws anything signed: a challenge is a proposal like any other,
for a person to sign or not.
"""

from __future__ import annotations

from dataclasses import dataclass

from citator.model.errors import NotFoundError, UsageError
from citator.model.record import RULING_CHARACTERS
from citator.model.visibility import Audience
from citator.service import guard_log, journal
from citator.service.check_findings import FindingKind
from citator.service.decide import Links
from citator.service.decision_template import Wish
from citator.service.guard_log import Reply, Tally
from citator.service.journal import Event
from citator.service.propose_decision import Reply as Proposal
from citator.service.propose_decision import propose_decision
from citator.service.proposing import Moment
from citator.service.workspace import Workspace, require_commits


@dataclass(frozen=True, slots=True)
class Answered:
    """What was noted: ``shown`` and ``honoured`` times so far; ``withdrawn``: it is shown no more.

    ``proposal`` is what a challenge wrote.
    """

    id: str
    reply: Reply
    shown: int
    honoured: int
    withdrawn: bool
    proposal: Proposal | None = None


def answer(
    workspace: Workspace,
    id: str,
    reply: Reply,
    why: str,
    moment: Moment,
    audience: Audience | None = None,
) -> Answered:
    """Note an answer to the finding ``id``, which was shown here before.

    Raises NotFoundError ``unknown_finding``, UsageError ``why_missing``, and for a challenge what
    proposing raises.
    """
    base = require_commits(workspace)
    tally = guard_log.tallies(workspace).get(id)
    if tally is None or not tally.shown:
        raise NotFoundError(
            "unknown_finding",
            "no finding with that id was shown here",
            "give the id as `citator check` printed it",
        )
    words = " ".join(why.split())
    if reply is not Reply.APPLIES and not words:
        raise UsageError("why_missing", f"`{reply.value}` needs a reason", "say it with --why")
    made = None
    if reply is Reply.CHALLENGE:
        made = _challenged(workspace, tally, words, moment, audience)
    guard_log.note_reply(workspace, id, reply, words, base, moment.text)
    journal.note(workspace, Event.ANSWERED, moment.text, (id,))
    after = guard_log.tallies(workspace)[id]
    return Answered(id, reply, len(after.shown), after.honoured, after.withdrawn, made)


def _challenged(
    workspace: Workspace, tally: Tally, why: str, moment: Moment, audience: Audience | None
) -> Proposal:
    """The proposal: against a decision it supersedes it, against history it stands by itself."""
    subject = tally.subject
    links = Links()
    title = f"Reconsider what stands against {subject[:26]}"
    if tally.kind in (FindingKind.GOVERNED, FindingKind.REFUSED):
        links, title = Links(supersedes=(subject,)), f"Reconsider the decision {subject}"
    elif tally.kind == FindingKind.REJECTED:
        title = f"Reconsider the rejection {subject[:16]}"
    elif tally.kind == FindingKind.RESURRECTION:
        title = f"Bring back what commit {subject[:12]} removed"
    body = f"A challenge to {tally.kind} {subject}.\n\n{why}\n"
    wish = Wish(title=title, ruling=why[:RULING_CHARACTERS], body=body)
    return propose_decision(workspace, wish, links, None, moment, audience)
