"""Review threads, code, and exports and records of other tools, in which everything tries to speak.

- ``kept`` puts files under ``.citator/reviews/`` as anybody who can commit may write them: as an
  import does, and as none would.
- ``code`` puts files that a question about the mailer is about, one under a name that is an order.
- ``abroad`` makes the folders that a person hands to ``citator import``: saved API exports,
  decision records, a bundle, a Theurian record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from citator.formats.reviews import About, ChangeState, Comment, Kept, Thread, ThreadState, render
from citator.record.ulid import mint
from tests.support.builder import Builder
from tests.support.importing import put
from tests.support.marks import Marks, in_a_name
from tests.support.review_exports import graph, graph_pull, graph_thread, merge_request, note, pull
from tests.support.surfaces import ABOUT, FORGED, ORDER, STEERING

KEPT: Final = (
    "thread words",
    "thread person",
    "change title",
    "thread id",
    "thread path",
    "provider",
    "suggested change",
    "front matter of a review",
    "comment in its front matter",
    "review without a shape",
    "review file name",
    "review folder name",
)
ABROAD: Final = (
    "exported words",
    "exported title",
    "exported login",
    "exported branch",
    "exported path",
    "exported unknown key",
    "exported file name",
    "unreadable file name",
    "exported description",
    "exported note",
    "exported user",
    "record file name",
    "record title",
    "record text",
    "skipped file name",
    "bundle file name",
    "bundle title",
    "bundle text",
    "bundle source",
    "their title",
    "their text",
    "their author",
    "their file name",
)
CODE: Final = (
    "code comment",
    "code string",
    "code documentation",
    "function name",
    "code file name",
)
SURFACES: Final = (*KEPT, *CODE, *ABROAD)
MARKS: Final = Marks("zqv", SURFACES)
mark_of = MARKS.of
leaked = MARKS.leaked
# What an explicit read of a kept thread shows; names of files and other files are none of it.
READ: Final = tuple(one for one in KEPT[:-2] if one not in ("provider", "review without a shape"))


def said(surface: str) -> str:
    """What a surface says on one line, printable."""
    return f"{mark_of(surface)} {ORDER} {mark_of(surface)}"


def steered(surface: str) -> str:
    """What it says where it may hold anything."""
    return f"{said(surface)}\n{mark_of(surface)}{STEERING}\n{FORGED} {mark_of(surface)}"


def kept(builder: Builder) -> None:
    """Commit hostile threads, each beside the honest sentence."""
    suggested = f"```suggestion\n{steered('suggested change')}\n```"
    comments = (
        Comment(said("thread person") + STEERING, "2026-01-02T03:04:05Z", ABOUT),
        Comment("grace", None, f"{ABOUT}\n{steered('thread words')}"),
        Comment("ada", None, f"{ABOUT}\n{suggested}\n**x**, at no known time:"),
    )
    where = f"src/{mark_of('thread path')}{STEERING} {ORDER}.py"
    thread = Thread(said("thread id") + STEERING, ThreadState.RESOLVED, comments, where, 7)
    title = said("change title") + STEERING
    one = Kept(said("provider"), 7, About.CHANGE, ChangeState.MERGED, title, thread)
    files = {"github/change-7/main.md": render(one)}
    plain = render(
        Kept(
            "github",
            8,
            About.CHANGE,
            ChangeState.OPEN,
            "Mailer queue",
            Thread("main", ThreadState.OPEN, (Comment("cal", None, ABOUT),)),
        )
    )
    more = f"---\n# {said('comment in its front matter')}\nmore: {json.dumps(said(KEPT[7]))}\n"
    files["github/change-8/main.md"] = plain.replace("---\n", more, 1)
    files["github/change-9/main.md"] = f"# Mailer\n\n{ABOUT}\n{steered('review without a shape')}\n"
    name, folder = (in_a_name(f"{mark_of(one)}{STEERING} {ORDER}") for one in KEPT[-2:])
    files[f"github/change-10/{name}.md"] = plain.replace("8", "10")
    files[f"{folder}/change-11/main.md"] = plain.replace("8", "11")
    for path, text in files.items():
        builder.write(f".citator/reviews/{path}", text)
    builder.commit("Keep the reviews")


def code(builder: Builder) -> None:
    """Commit hostile code, to be located."""
    text = (
        f'"""Bounds the mailer retry queue. {said("code documentation")}"""\n\n'
        f"# mailer retry queue {said('code comment')}\n"
        f"def {mark_of('function name')}_mailer_queue(queue):\n"
        f"    bound = {steered('code string')!r}\n    return queue[:bound]\n"
    )
    builder.write("src/mailer/retry_queue.py", text)
    name = in_a_name(f"{mark_of('code file name')} {ORDER}{STEERING}")
    builder.write(f"src/{name}.py", text)
    builder.commit("Split the queue from the mailer")


def abroad(folder: Path) -> Mapping[str, Path]:
    """The folders to import from: ``adr``, ``okf``, ``theurian``, ``reviews``, and ``broken``."""
    broken = in_a_name(f"{said('unreadable file name')}{STEERING}")
    return {
        "reviews": put(folder / "exports", _exports()),
        "adr": put(folder / "adr", _records()),
        "okf": put(folder / "okf", _bundle()),
        "theurian": put(folder / "theirs", _theirs()),
        "broken": put(folder / "broken", {f"{broken}.json": "["}),
    }


def _exports() -> dict[str, str]:
    thread = graph_thread(
        f"{ABOUT}\n{steered('exported words')}",
        path=f"src/{mark_of('exported path')}{STEERING}.py",
    )
    thread["comments"]["nodes"][0]["author"] = {"login": steered("exported login")}
    change = graph_pull(
        3, thread, title=steered("exported title"), headRefName=steered("exported branch")
    )
    listed = [
        pull(4, body=steered("exported description"), **{said("exported unknown key"): STEERING}),
        {said("exported unknown key"): {said("exported unknown key"): 1}},
    ]
    gitlab = [
        merge_request(5, author={"username": steered("exported user")}),
        note(9, 5, steered("exported note")),
    ]
    name = in_a_name(f"{mark_of('exported file name')} {ORDER}{STEERING}")
    return {
        f"{name}.json": json.dumps(graph(change)),
        "pulls.json": json.dumps(listed),
        "requests.json": json.dumps(gitlab),
    }


def _records() -> dict[str, str]:
    accepted = "## Status\n\nAccepted\n\n## Decision\n\nWe bound the queue of the mailer.\n"
    named = ("record file name", "skipped file name")
    name, other = (in_a_name(f"{mark_of(one)} {ORDER}{STEERING}") for one in named)
    title = said("record title")
    return {
        f"0001-{name}.md": f"# 1. Bound the queue\n\n{accepted}",
        "0002-mailer.md": f"# 2. {title}{STEERING}\n\n{accepted}\n{steered('record text')}\n",
        f"{other}.md": "Notes that are no record.\n",
    }


def _bundle() -> dict[str, str]:
    name = in_a_name(f"{mark_of('bundle file name')} {ORDER}{STEERING}")
    head = f"---\ntype: Metric\ntitle: {json.dumps(said('bundle title'))}\n"
    source = f"sources:\n  - resource: {json.dumps(said('bundle source'))}\n---\n\n"
    return {f"{name}.md": f"{head}{source}{ABOUT}\n{steered('bundle text')}\n"}


def _theirs() -> dict[str, str]:
    body = f"{ABOUT}\n{steered('their text')}\n"
    missing = f"{mark_of('their file name')} {ORDER}.md"

    def migration(number: int, name: str, digest: str) -> str:
        made = mint(1_760_000_000_000 + number, lambda size: bytes(size))
        item = f"decision.mailer-{number}"
        values = {
            "apiVersion": "theurian.dev/v1",
            "id": made,
            "createdAt": "2026-01-01T00:00:00Z",
            "author": said("their author"),
            "operations": [
                {"op": "createItem", "itemId": item, "kind": "domain", "owner": "team"},
                {
                    "op": "upsertRevision",
                    "itemId": item,
                    "revisionId": made,
                    "contentFile": name,
                    "contentSha256": digest,
                    "metadata": {
                        "title": said("their title"),
                        "status": "approved",
                        "contentType": "text/markdown",
                    },
                },
            ],
        }
        return json.dumps(values)

    return {
        ".theurian/migrations/1.yaml": migration(
            1, "1.md", hashlib.sha256(body.encode()).hexdigest()
        ),
        ".theurian/migrations/1.md": body,
        ".theurian/migrations/2.yaml": migration(2, missing, "0" * 64),
    }
