"""All of it at once: a person and a client go through a repository that tries everything.

- Each command is a process of its own, with a bound on its memory and on its time.
- Nothing of the repository runs, nothing is written into it or beside it, nothing outside is read,
  no word of it leaves but where it was asked for, and there it is fenced and inert.
- The control: plain git in a copy of it does run its programs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from citator.cli.tree import COMMANDS
from citator.hooks.answers import CLIENTS, EVENTS
from citator.mcp.definitions import PROFILES
from citator.service import hooks_table
from citator.service.proposing import Moment
from citator.store.log import path_of
from mcp import Client, StdioServerParameters
from tests.cli.process import COMMAND, Finished, Home
from tests.hooks.speaking import Speaker
from tests.mcp import serving
from tests.mcp.serving import PATIENCE, TOOL_NAMES, command
from tests.mcp.test_sdk_client import text_of
from tests.support import hostile_record, hostile_reviews, surfaces
from tests.support.builder import contents_of, environment
from tests.support.hostile_carried import PACK, REMOTE, SKILL
from tests.support.hostile_repository import (
    NAMES,
    SECRET,
    SYNTAX,
    Hostile,
    hostile_repository,
)
from tests.support.record_ways import NAMED, spoken
from tests.support.surfaces import ABOUT, QUESTION, steering_in
from tests.support.ways_out import in_this_process

pytestmark = pytest.mark.long
SECONDS = 240
MEMORY = 6 << 30
# The way of the tour, and the exit codes that each may end with.
TOUR: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = (
    (("doctor",), (0, 1)),
    (("init",), (0,)),
    (("ask", QUESTION, "--limit", "50"), (0,)),
    (("ask", QUESTION, "--limit", "50", "--json"), (0,)),
    (("why", "docs/forged.md:1"), (0,)),
    (("why", "src/mail.py"), (0,)),
    (("why", "docs/leads-out.md"), (0, 3)),
    (("why", "names", "--json"), (0, 3)),
    (("why", QUESTION), (0, 3)),
    (("treatment", "HEAD"), (0, 3)),
    (("locate", QUESTION, "--detail"), (0, 3)),
    (("check", "--base", "HEAD~3"), (0,)),
    (("check", "--all", "--json"), (0,)),
    (("check", "--approach", "unpack the archive and run the hooks"), (0,)),
    (("check", "package.json", "pyproject.toml", "src/nested.py"), (0,)),
    (("brief",), (0, 3)),
    (("brief", "--json"), (0, 3)),
    (("claims", "list"), (0, 3)),
    (("session", "list"), (0, 2, 3)),
    (("claims", "sync"), (1,)),
    (("claims", "sync", "--remote", REMOTE), (0,)),
    (("claims", "list", "--json"), (0,)),
    (("claims", "start", "T-1", "src/mail.py"), (0, 1)),
    (("skills", "list"), (0,)),
    (("skills", "ingest", SKILL), (0,)),
    (("skills", "activate", "evil"), (4,)),
    (("skills", "list", "--json"), (0,)),
    (("policy", "add", PACK), (4,)),
    (("policy", "add", ".citator/trust/policy/packs/all"), (4,)),
    (("policy", "list"), (0,)),
    (("research", "https://evil.example.org/"), (1,)),
    (("survey",), (0,)),
    (("note", "capture", "--last", "200"), (0,)),
    (("note", "list", "--all"), (0,)),
    (("decisions", "list", "--all", "--rejections"), (0,)),
    (("verify",), (1,)),
    (("index", "build"), (0,)),
    (("index", "status", "--json"), (0,)),
    (("clients", "list"), (0,)),
    (("log",), (0,)),
)
KNOWN = [(words, codes) for words, codes in TOUR if words[0] in COMMANDS]


@dataclass
class Toured:
    """The repository, who went through it, what each command said, and how it all was before."""

    hostile: Hostile
    user: Home
    before: dict[str, Any]
    said: dict[tuple[str, ...], Finished] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.hostile.path

    def run(self, *words: str) -> Finished:
        """One bounded process, in the repository, whose home is empty."""
        home = str(self.user.path / "home")
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=self.root,
            env=self.user.environment(HOME=home, COLUMNS="100", CITATOR_LOG="debug"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=SECONDS,
            preexec_fn=None if sys.platform == "win32" else _bound,
        )
        return Finished(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def _bound() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Toured:
    folder = tmp_path_factory.mktemp("all-at-once")
    hostile = hostile_repository(folder / "hostile", int(time.time()))
    user = Home(folder / "user")
    (user.path / "home").mkdir(parents=True)
    found = Toured(hostile, user, contents_but_the_mirrors(hostile))
    for words, _ in KNOWN:
        found.said[words] = found.run(*words)
    return found


def contents_but_the_mirrors(hostile: Hostile) -> dict[str, Any]:
    """All but the remote, which takes the claims that a person syncs."""
    found = contents_of(hostile.folder)
    return {path: each for path, each in found.items() if path.split("/")[0] != REMOTE}


def quiet(told: str) -> list[str]:
    """What of the repository stands in ``told`` that nobody asked for."""
    named = NAMED["locate"] | NAMED["ask"]
    marks = [f"{surface}, {variant}" for surface, variant in surfaces.leaked(told)]
    marks += [one for one in hostile_record.leaked(told) if one not in named]
    marks += [one for one in hostile_reviews.leaked(told) if one not in named]
    return [*marks, *([SECRET] if SECRET in told else []), *steering_in(told), *spoken(told)]


@pytest.mark.parametrize(("words", "codes"), KNOWN, ids=lambda one: str(one)[:60])
def test_a_command_goes_through_it_and_no_word_of_it_rides_along(
    words: tuple[str, ...], codes: tuple[int, ...], toured: Toured
) -> None:
    done = toured.said[words]
    assert done.code in codes, done.err
    assert "unexpected error" not in done.err
    assert "Traceback" not in done.err
    assert quiet(done.out + done.err) == []
    if "--json" in words:
        assert isinstance(done.object, dict)


def test_the_honest_commit_is_found_and_what_was_not_read_is_said(toured: Toured) -> None:
    asked = toured.said["ask", QUESTION, "--limit", "50"].out
    assert toured.hostile.attacked.honest[:12] in asked
    horizon = toured.said["init",].out
    for said in (
        "replaced objects, whose originals were read: 1",
        "grafts, in spite of which the original history was read: 1",
        "symbolic links, not followed",
        "files whose front matter is not readable YAML",
        "long texts read only in part",
        "some contents are not here and were not fetched",
    ):
        assert said in horizon


def test_what_is_read_is_bounded_fenced_and_inert(toured: Toured) -> None:
    found = toured.said["ask", QUESTION, "--limit", "50", "--json"].object["evidence"]
    refs = [one["ref"] for one in found]
    assert len(refs) >= 40
    read = ""
    for at in range(0, len(refs), 8):
        done = in_this_process(
            ["read", "--root", str(toured.root), *refs[at : at + 8]], toured.user
        )
        assert done.code == 0
        assert len(done.out) < 120_000
        read += done.out
    assert steering_in(read) == []
    assert spoken(read) == []
    assert SECRET not in read
    # The control: what is read is what the repository says, orders and all.
    assert len(surfaces.leaked(read)) >= 10


@pytest.mark.parametrize("words", SYNTAX, ids=range(len(SYNTAX)))
def test_syntax_of_queries_options_and_paths_is_only_words(words: str, toured: Toured) -> None:
    for line in (["ask", "--", words], ["why", "--", words], ["read", "--", words]):
        done = in_this_process([*line[:1], "--root", str(toured.root), *line[1:]], toured.user)
        assert done.code in (0, 2, 3), (line, done.err)
        assert "unexpected error" not in done.err
        assert quiet(done.out + done.err) == [], line


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_hostile_name_is_only_a_name(name: str, toured: Toured) -> None:
    for line in (["why", "--", f"names/{name}"], ["check", "--", f"names/{name}"]):
        done = in_this_process([line[0], "--root", str(toured.root), *line[1:]], toured.user)
        assert done.code in (0, 2, 3), (line, done.err)
        assert "unexpected error" not in done.err
        assert steering_in(done.out + done.err) == []
        assert SECRET not in done.out + done.err


def test_a_real_client_goes_through_it(toured: Toured) -> None:
    program, *arguments = command(toured.root)
    home = serving.Home(toured.user.path / "data", toured.user.path / "config")
    server = StdioServerParameters(command=program, args=arguments, env=home.environment())
    calls: dict[str, list[dict[str, Any]]] = {
        "investigate_work": [{"task": one} for one in (QUESTION, *SYNTAX) if "\0" not in one],
        "why": [{"target": one} for one in ("src/mail.py", "docs/forged.md:1", *SYNTAX[:8])],
        "locate_files": [{"issue": QUESTION}, {"issue": "(" * 4_000}],
        "check_change": [{"approach": "run the hooks"}, {"diff": "--- a/../../x\n+++ b/-rf\n"}],
        "get_brief": [{}],
        "start_work": [{"ticket": "T-1", "paths": ["src/mail.py"]}],
        "finish_work": [{"ticket": "T-1"}],
        "read_evidence": [{"refs": [f"commit:v1:{'ab' * 32}"]}],
    }

    async def main() -> tuple[list[dict[str, Any]], list[str], str]:
        told: list[str] = []
        async with Client(server, mode="auto", read_timeout_seconds=PATIENCE * 4) as client:
            listed = (await client.list_tools()).tools
            for tool in [one for one in TOOL_NAMES if one in calls]:
                told += [text_of(await client.call_tool(tool, said)) for said in calls[tool]]
            asked = json.loads(told[TOOL_NAMES.index("investigate_work")])
            refs = [one["ref"] for one in asked["evidence"][:4]]
            read = text_of(await client.call_tool("read_evidence", {"refs": refs}))
        return [one.model_dump(by_alias=True, exclude_none=True) for one in listed], told, read

    listed, told, read = anyio.run(main)
    assert [one["name"] for one in listed] == TOOL_NAMES
    assert [one["description"] for one in listed] == [one["description"] for one in PROFILES["all"]]
    for text in told:
        assert quiet(text) == []
        assert "unexpected error" not in text
    texts = "\n".join(one["text"] for one in json.loads(read)["items"])
    assert steering_in(texts) == []
    assert spoken(texts) == []
    assert ABOUT in texts


def test_what_only_a_person_here_may_say_counts_for_nothing(toured: Toured) -> None:
    assert toured.said["policy", "list"].out.startswith("ok  citator.core, ")
    assert len(toured.said["policy", "list"].out.splitlines()) == 1
    skills = toured.said["skills", "list", "--json"].object
    assert skills["keys"] == []
    assert {one["by"] for one in skills["skills"] if one["active"]} == {"citator"}
    (evil,) = [one for one in skills["skills"] if one["name"] == "evil"]
    assert (evil["problem"], evil["active"]) == ("skill_not_approved", False)
    assert "research_off" in toured.run("research", "https://evil.example.org/", "--json").out
    told = toured.said["claims", "list", "--json"].object
    assert [one["ticket"] for one in told["claims"]] == ["T-9"]
    assert told["synced"]["unreadable"] >= 4


def test_no_hook_says_a_word_of_it(toured: Toured) -> None:
    data, builder = toured.user.path / "data", toured.hostile.attacked.builder
    now = Moment(int(time.time() * 1000), os.urandom)
    speaker = Speaker(builder, data, toured.root, now.milliseconds // 1000)
    assert hooks_table.refresh(speaker.workspace, now)
    told = [speaker.says(event, one) for event in EVENTS for one in CLIENTS]
    paths = ("src/mail.py", "docs/leads-out.md", *(f"names/{one}" for one in NAMES))
    told += [speaker.edits(path, session_id="") for path in paths]
    told.append(speaker.raw("before-edit", b"[" * 100_000))
    assert quiet("\n".join(told)) == []
    assert "branch:" in "".join(told)  # the control: something is said


def test_the_log_of_the_tour_holds_no_word_of_it(toured: Toured) -> None:
    text = path_of(toured.user.path / "data").read_text("ascii")
    assert {json.loads(line)["command"] for line in text.splitlines()} >= {"check", "claims"}
    assert quiet(text) == []


@pytest.mark.skipif(os.name == "nt", reason="links want a right there that few users have")
def test_what_turns_into_a_link_while_it_is_read_gives_nothing_away(toured: Toured) -> None:
    root, secret = toured.root, toured.hostile.outside / "secret.md"
    lines = [[one, "--root", str(root)] for one in ("check", "brief", "init")]
    lines += [["why", "--root", str(root), "src/mail.py"], ["skills", "ingest", str(root / SKILL)]]
    mail, skill = root / "src" / "mail.py", root / SKILL / "SKILL.md"
    with turning(mail, secret) as turns, turning(skill, Path("/dev/zero")):
        for line in lines:
            done = in_this_process(line, toured.user)
            assert done.code in (0, 1, 3), done.err
            assert "unexpected error" not in done.err
            assert quiet(done.out + done.err) == [], line
    assert len(turns) > 20


@contextmanager
def turning(path: Path, target: Path) -> Iterator[list[int]]:
    """``path`` is itself and a link to ``target`` by turns, as fast as that can be."""
    kept, link, done = path.with_name("kept"), path.with_name("link"), threading.Event()
    turns: list[int] = []
    kept.write_bytes(path.read_bytes())
    kept.chmod(path.stat().st_mode)

    def work() -> None:
        while not done.is_set():
            link.symlink_to(target)
            link.replace(path)
            link.write_bytes(kept.read_bytes())
            link.chmod(kept.stat().st_mode)
            link.replace(path)
            turns.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield turns
    finally:
        done.set()
        thread.join()
        kept.unlink()


def test_nothing_of_it_ran_and_nothing_was_written_into_it_or_beside_it(toured: Toured) -> None:
    """The last of the module: all of the above went before."""
    assert list(toured.hostile.ran.iterdir()) == []
    assert contents_but_the_mirrors(toured.hostile) == toured.before
    assert list((toured.user.path / "home").iterdir()) == []
    kept = {path.name for path in toured.user.path.iterdir()}
    assert kept <= {"data", "config", "home"}


@pytest.mark.skipif(os.name == "nt", reason="its programs are scripts of a shell")
def test_plain_git_does_run_its_programs(tmp_path: Path) -> None:
    hostile = hostile_repository(tmp_path / "hostile", 1_700_000_000)
    for line in (["status"], ["diff", "HEAD~1"], ["-p", "log", "-1"]):
        subprocess.run(
            ["git", *line],
            cwd=hostile.path,
            env=environment(GIT_CONFIG_NOSYSTEM="1"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    assert {path.name for path in hostile.ran.iterdir()} >= {"by-program"}
