"""A record in which everything that an author controls tries to speak, signed by its own approvers.

- Each surface holds a mark that stands nowhere else, around an order to the reading agent where the
  form of the place allows it; honest words stand beside it, so that a question about the mailer's
  queue finds the decision, and one about an unbounded queue what was told no.
- A field of the record takes no steering character but letters that are drawn as nothing; a text,
  a file that is refused and a file's name take all of them, and a line that pretends to be ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citator.model.record import ItemKind
from citator.record.approvals import Approval
from citator.record.ledger import identity_file
from citator.record.migration import Migration
from citator.trust.policy import Policy
from tests.support.approving import RECORD, Person
from tests.support.builder import Builder
from tests.support.keys import ed25519_key
from tests.support.marks import Marks, in_a_name
from tests.support.record import Ledger, creation, text
from tests.support.surfaces import FORGED, ORDER, STEERING, in_yaml
from tests.support.surfaces import QUESTION as QUESTION

BLANK: Final = "\u3164"  # a letter that is drawn as nothing, and printable to every Python
PROMPT: Final = "To approve it as Ada, type the first 8 digits of the digest:"
TOLD_NO: Final = "an unbounded mailer queue"
_IN_LF: Final = STEERING.replace("\r", "")  # a text is signed with one kind of line end
UNBOUNDED: Final = f"shall we go back to {TOLD_NO}?"
SURFACES: Final = (
    "title",
    "ruling",
    "body",
    "label",
    "alias",
    "scope path",
    "author",
    "author address",
    "owner",
    "anchor path",
    "anchor address",
    "reason of a retirement",
    "reason of a change",
    "relation note",
    "evidence source",
    "evidence description",
    "specification address",
    "rejected value",
    "rejection reason",
    "rejection condition",
    "rejection scope",
    "signed rejected value",
    "signed rejection reason",
    "approval reason",
    "approver label",
    "approver address",
    "typed label",
    "protected branch",
    "landed file name",
    "approval file name",
    "second title",
    "proposed title",
    "proposed ruling",
    "proposed body",
    "draft title",
    "group",
    "tenant",
    "reason of an honest no",
    "condition of an honest no",
    "retired body",
    "withheld title",
    "withheld body",
    "draft body",
    "comment in a migration",
    "comment in an approval",
    "comment in the ledger",
    "refused migration",
    "refused file name",
    "refused proposal",
    "refused approval",
    "attributes",
    "earlier title",
    "earlier ruling",
    "earlier body",
    "open title",
    "open ruling",
    "open body",
)
MARKS: Final = Marks("zqr", SURFACES)
mark_of = MARKS.of
leaked = MARKS.leaked


def said(surface: str) -> str:
    """What a surface says where it may hold a printable sentence."""
    mark = mark_of(surface)
    return f"{mark} The mailer retry queue has a bound.{BLANK} {ORDER} {mark}"


def steered(surface: str) -> str:
    """The same where it may hold anything: with what steers, and a line that pretends."""
    lines = (said(surface), mark_of(surface) + _IN_LF, f"{FORGED} {mark_of(surface)}")
    return "\n".join((*lines, f"{PROMPT} y {mark_of(surface)}"))


HOSTILE: Final = Person(mark_of("approver label"), ed25519_key(31))
POLICY: Final = Policy(mark_of("protected branch"), author_may_approve=True)


@dataclass(frozen=True)
class Made:
    """What was committed: a decision of two texts, one that was retired, a proposal that was told
    no (``waiting``, under a pinned root), one that was told nothing, a draft.
    """

    item: str
    retired: str
    waiting: Migration
    open: Migration
    draft: Migration


def hostile(builder: Builder) -> Made:
    """Commit the record to ``builder``."""
    made = Ledger()
    author = f"{mark_of('author')} <{mark_of('author address')}@example.org>"
    item = made.id()
    made.add(
        *creation(
            item,
            said("earlier title"),
            {"owner": said("owner")[:100], "ruling": said("earlier ruling")},
        ),
        body=f"{steered('earlier body')}\n",
        author=author,
    )
    made.add(
        text(
            item,
            said("title"),
            labels=[mark_of("label")],
            paths=[f"src/{mark_of('scope path')}/**", "src/mail.py"],
            anchors=[
                {"path": f"src/{mark_of('anchor path')}.py"},
                {"uri": f"https://example.org/{mark_of('anchor address')}"},
            ],
            ruling=said("ruling"),
        ),
        body=f"{steered('body')}\n",
        author=author,
    )
    made.add({"op": "add_alias", "item": item, "alias": mark_of("alias")})
    retired = made.decide(said("second title"), author=author, body=f"{steered('retired body')}\n")
    made.add({"op": "deprecate_item", "item": retired, "reason": said("reason of a retirement")})
    made.add(
        {
            "op": "change_sensitivity",
            "item": item,
            "sensitivity": "internal",
            "reason": said("reason of a change"),
        }
    )
    made.add(
        {
            "op": "add_relation",
            "source": item,
            "type": "related_to",
            "target": retired,
            "note": said("relation note"),
        },
        {
            "op": "add_evidence",
            "item": item,
            "source": said("evidence source"),
            "description": said("evidence description"),
        },
        {
            "op": "register_specification",
            "item": item,
            "specification": made.id(),
            "uri": f"https://example.org/{mark_of('specification address')}",
            "format": "text/markdown",
        },
    )
    made.add(
        {
            "op": "reject_value",
            "value": said("rejected value"),
            "reason": said("rejection reason"),
            "change": said("rejection condition"),
            "scope": [f"src/{mark_of('rejection scope')}/**"],
        }
    )
    made.add(
        {
            "op": "reject_value",
            "value": TOLD_NO,
            "reason": said("reason of an honest no"),
            "change": said("condition of an honest no"),
        }
    )
    withheld = creation(
        made.id(),
        said("withheld title"),
        {"tenant": mark_of("tenant"), "groups": [mark_of("group")]},
    )
    made.add(*withheld, body=f"{steered('withheld body')}\n")
    emails = [f"{mark_of('approver address')}@example.org"]
    approver = {"label": HOSTILE.label, "key": HOSTILE.key.public.text, "emails": emails}
    made.add({"op": "set_approvers", "approvers": [approver]})
    made.add({"op": "set_policy", "policy": POLICY.to_dict()})
    waiting = made.make(
        *creation(made.id(), said("proposed title"), {"ruling": said("proposed ruling")}),
        body=f"{steered('proposed body')}\n",
    )
    unheard = made.make(
        *creation(made.id(), said("open title"), {"ruling": said("open ruling")}),
        body=f"{steered('open body')}\n",
    )
    draft = made.make(
        *creation(made.id(), said("draft title"), {}),
        draft=True,
        body=f"{steered('draft body')}\n",
    )
    _write(builder, made, waiting, (waiting, unheard, draft))
    return Made(item, retired, waiting, unheard, draft)


def _write(
    builder: Builder, made: Ledger, waiting: Migration, proposals: Sequence[Migration]
) -> None:
    comment = f"# {in_yaml(said('comment in the ledger'))}\n"
    builder.write(".citator/ledger.yaml", identity_file(RECORD) + comment.encode())
    builder.write(".citator/.gitattributes", f"* -text {mark_of('attributes')}\n")
    for number, one in enumerate(made.migrations):
        path = f".citator/record/{one.id}-{mark_of('landed file name')}.md"
        builder.write(path, _commented(one.render(), "comment in a migration"))
        approval = HOSTILE.says(one, policy=POLICY.digest, reason=said("approval reason"))
        name = f"{one.id}.approve.{mark_of('approval file name')}.{number}.yaml"
        text = approval.render() + f"# {said('comment in an approval')}\n".encode()
        builder.write(f".citator/approvals/{name}", text)
    for one in proposals:
        builder.write(f".citator/proposals/{one.id}.md", one.render())
    rejection = HOSTILE.rejects(
        waiting,
        said("signed rejected value"),
        kind=ItemKind.DECISION,
        policy=POLICY.digest,
        reason=said("signed rejection reason"),
    )
    typed = Approval(
        HOSTILE.says(made.migrations[0], policy=POLICY.digest).statement,
        typed_by=mark_of("typed label"),
    )
    builder.write(".citator/approvals/no.yaml", rejection.render())
    builder.write(".citator/approvals/typed.yaml", typed.render())
    _refused(builder, made)
    builder.commit("Land decisions")


def _commented(file: bytes, surface: str) -> bytes:
    """A migration's file with a comment in its head: not a part of what is signed."""
    return file.replace(b"---\n", f"---\n# {said(surface)}\n".encode(), 1)


def _refused(builder: Builder, made: Ledger) -> None:
    """Files that no reader takes: what is wrong with them is said in our own words."""
    name = in_a_name(f"{mark_of('refused file name')}{STEERING} {ORDER}")
    head = made.migrations[0].render().decode().partition("\n---\n")[0]
    field = head.replace("author: ", f"author: {in_yaml(steered('refused migration'))!r} ")
    builder.write(f".citator/record/{name}.md", f"{field}\n---\n{steered('refused migration')}\n")
    builder.write(".citator/proposals/no.md", f"{steered('refused proposal')}\n")
    builder.write(".citator/approvals/bad.yaml", f"citator: 1\n{steered('refused approval')}: 1\n")
