"""What a pinned verifier attested: the migrations of the commits it speaks of, and no others."""

from __future__ import annotations

from typing import Final

from citator.git.folders import is_ancestor
from citator.git.repository import has_commit
from citator.model.errors import CitatorError
from citator.record import ledger as ledgers
from citator.record.attestations import FOLDER, Attestation, checked
from citator.record.ledger import Ledger
from citator.service.workspace import Workspace
from citator.trust.pins import Pin

MOST: Final = 64
LOOKED_AT: Final = 8


def verified_by(workspace: Workspace, tip: str, pin: Pin | None, ledger: Ledger) -> frozenset[str]:
    """The migrations of ``ledger``, at the commit ``tip``, that a verifier of ``pin`` attested.

    An attestation counts where its commit is in the history of ``tip``, for what that commit holds
    to the byte. The newest are looked at, and few: each speaks of all that was before it.
    """
    if pin is None or not pin.verifiers:
        return frozenset()
    repo = workspace.repository
    wanted = {one.id: one.digest for one in ledger.landed.values()}
    found: set[str] = set()
    for said in sorted(_said(workspace, tip, pin), key=lambda one: one.time, reverse=True)[
        :LOOKED_AT
    ]:
        if len(found) == len(wanted):
            break
        if not has_commit(repo, said.commit) or not is_ancestor(repo, said.commit, tip):
            continue
        then = ledgers.at_commit(repo, said.commit)
        if then.record == pin.record:
            found |= {one.id for one in then.landed.values() if wanted.get(one.id) == one.digest}
    return frozenset(found)


def _said(workspace: Workspace, tip: str, pin: Pin) -> list[Attestation]:
    """The attestations that verify and that a pinned verifier signed."""
    found = []
    files = ledgers.committed_files(workspace.repository, tip, [FOLDER])
    for count, file in enumerate(sorted(files, key=lambda one: one.path, reverse=True)):
        if count >= MOST:
            break
        if file.content is None:
            continue
        try:
            said, key = checked(file.content)
        except CitatorError:
            continue
        if said.record == pin.record and pin.verifier_of(key) is not None:
            found.append(said)
    return found
