"""A reference is completed from what the caller's HEAD has, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citator.model.errors import RefusedError
from citator.service.complete_refs import complete_refs
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.workspace import Workspace
from tests.support.builder import Builder

Opened = Callable[[Builder], Workspace]
REMOVAL = "why was the manifest cache removed although parsing was slow?"


def first_of(workspace: Workspace, question: str) -> tuple[str, str]:
    """The best evidence for ``question``: its reference and the object it stands in."""
    best = investigate(workspace, Question(question)).answer.evidence[0]
    return best.ref, best.object_id


def test_a_beginning_of_a_reference_or_of_an_id_is_completed(
    history: Builder, open_workspace: Opened
) -> None:
    workspace = open_workspace(history)
    update(workspace)
    ref, commit = first_of(workspace, REMOVAL)
    digits = ref.rpartition(":")[2]
    for begun in (ref, f"commit:v1:{digits[:9]}", f"commit:{digits[:6]}", digits[:6], commit[:7]):
        assert complete_refs(workspace, begun, 20) == [ref]
    assert complete_refs(workspace, f"commit:{commit[:12]}", 20) == [ref]
    assert complete_refs(workspace, f"markdown:{commit[:12]}", 20) == []


def test_every_passage_of_an_object_is_offered_in_one_order_and_no_more_than_asked_for(
    history: Builder, open_workspace: Opened
) -> None:
    paragraph = "The queue lost letters because nothing bounded it, so each part says why. " * 20
    long = "\n\n".join(f"## Part {n}\n\n{paragraph}" for n in range(6))
    history.write("docs/queue.md", f"# Queue\n\n{long}\n").commit("Describe the queue")
    workspace = open_workspace(history)
    update(workspace)
    blob = history.resolve("HEAD:docs/queue.md")
    refs = complete_refs(workspace, blob[:10], 20)
    assert len(refs) >= 6
    assert len(set(refs)) == len(refs)
    assert all(ref.startswith("markdown:v1:") for ref in refs)
    assert complete_refs(workspace, blob[:10], 20) == refs
    assert complete_refs(workspace, blob[:10], 3) == refs[:3]


def test_what_head_does_not_have_is_not_offered(history: Builder, open_workspace: Opened) -> None:
    before = history.head()
    hidden = history.commit(
        "Refund twice on Sundays\n\nThe bank drops refunds on Sundays, so each is sent twice."
    )
    workspace = open_workspace(history)
    update(workspace)
    ref, commit = first_of(workspace, "why are refunds sent twice on Sundays by the bank?")
    assert commit == hidden
    assert complete_refs(workspace, hidden[:8], 20) == [ref]
    history.git("reset", "--hard", before)
    earlier = open_workspace(history)
    assert complete_refs(earlier, hidden[:8], 20) == []
    assert complete_refs(earlier, ref, 20) == []


@pytest.mark.parametrize("begun", ["", "abcde", "HEAD", "ABCDEF", "commit:v1:", "../x", "a" * 65])
def test_what_begins_no_reference_is_completed_to_nothing(
    history: Builder, open_workspace: Opened, begun: str
) -> None:
    assert complete_refs(open_workspace(history), begun, 20) == []


def test_where_nothing_was_indexed_it_says_so(history: Builder, open_workspace: Opened) -> None:
    with pytest.raises(RefusedError) as caught:
        complete_refs(open_workspace(history), "abcdef", 20)
    assert caught.value.code == "index_not_built"
