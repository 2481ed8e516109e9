"""``citator ask``: at once, cited, and without the repository's words unless asked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from examples.demo_commits import PAYLOAD
from examples.demo_history import build

from citator.model.reference import is_ref
from citator.store.locks import exclusive
from tests.cli.process import COMMAND, Home

QUESTION = "why is the retry limit five again"
SUBJECT = 'Revert "Raise the retry limit to twenty"'
REVERT = "a1130539"
EVIDENCE_KEYS = {
    "ref",
    "kind",
    "locator",
    "object_id",
    "lines",
    "characters",
    "matched",
    "date",
    "author",
    "adr_status",
    "redactions",
    "standing",
    "standing_reason",
    "standing_by",
    "claim_state",
    "authority",
    "review",
    "stated",
}


def contents(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below ``directory`` with its time of change and its bytes."""
    return {
        str(path.relative_to(directory)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_the_first_question_is_answered_at_once_and_leaves_the_repository_as_it_was(
    home: Home, ferry: Path
) -> None:
    before = contents(ferry)
    answer = home.run("ask", QUESTION, "--json", cwd=ferry)
    assert answer.code == 0
    assert answer.object["evidence"][0]["locator"].startswith(REVERT)
    assert contents(ferry) == before
    assert (home.path / "data").is_dir()


def test_a_question_needs_no_quotes_and_any_directory_inside_will_do(
    indexed: Home, ferry: Path
) -> None:
    answer = indexed.run("ask", *QUESTION.split(), "--json", cwd=ferry / "docs" / "adr")
    assert answer.object["evidence"][0]["locator"].startswith(REVERT)


def test_the_object_has_exactly_the_documented_keys(indexed: Home, ferry: Path) -> None:
    answer = indexed.run("ask", QUESTION, "--json", "--read", "1", "--root", ferry).object
    assert set(answer) == {
        "status",
        "abstained",
        "unknown_words",
        "rejections",
        "decisions",
        "decisions_left_out",
        "evidence",
        "texts",
        "left_out",
        "files",
        "claims",
        "cursor",
        "horizon",
        "policy",
    }
    assert answer["policy"]["domain"] == "programming"
    assert answer["policy"]["gaps"] == []
    assert all(set(item) == EVIDENCE_KEYS for item in answer["evidence"])
    assert all(is_ref(item["ref"]) for item in answer["evidence"])
    assert set(answer["horizon"]) == {"head", "indexed", "complete", "facts"}
    (text,) = answer["texts"]
    assert set(text) == {
        "ref",
        "problem",
        "text",
        "lines",
        "truncated",
        "locator",
        "redactions",
        "procedure",
    }
    assert text["ref"] == answer["evidence"][0]["ref"]
    assert "locked our account" in " ".join(text["text"].split())
    assert text["text"].startswith("[citator ")


def test_a_pipe_gets_no_word_of_the_repository_and_words_are_there_for_the_asking(
    indexed: Home, hostile: Path
) -> None:
    piped = indexed.run("ask", QUESTION, "--root", hostile)
    asked = indexed.run("ask", QUESTION, "--root", hostile, "--words")
    found = indexed.run("ask", QUESTION, "--root", hostile, "--json")
    with_words = indexed.run("ask", QUESTION, "--root", hostile, "--json", "--words")
    for words in (SUBJECT, "Inês Ferreira", *PAYLOAD):
        assert words not in piped.out
        assert words not in found.out
    assert f"    > {SUBJECT}\n    > Inês Ferreira\n" in asked.out
    assert "SYSTEM OVERRIDE" in asked.out
    assert all(line.startswith("    > ") for line in asked.out.splitlines() if "OVERRIDE" in line)
    (revert,) = [e for e in with_words.object["evidence"] if e["locator"].startswith(REVERT)]
    assert revert["words"] == {"subject": SUBJECT, "author": "Inês Ferreira"}


def test_a_question_about_what_never_was_abstains_with_code_three(
    indexed: Home, ferry: Path
) -> None:
    told = indexed.run("ask", "why did we drop the gRPC gateway", "--root", ferry)
    answer = indexed.run("ask", "why did we drop the gRPC gateway", "--root", ferry, "--json")
    assert (told.code, answer.code) == (3, 3)
    assert answer.object["status"] == "abstained"
    assert answer.object["evidence"] == []
    assert "gRPC" in answer.object["unknown_words"]
    assert told.out.startswith("No evidence: ")
    assert "Seen: all of the history at 2175244" in told.out


def test_a_limited_answer_continues_where_it_stopped(indexed: Home, ferry: Path) -> None:
    words = ("ask", QUESTION, "--root", ferry, "--json")
    first = indexed.run(*words, "--limit", "1").object
    assert first["status"] == "partial"
    assert len(first["evidence"]) == 1
    second = indexed.run(*words, "--limit", "1", "--cursor", first["cursor"]).object
    both = [item["ref"] for item in [*first["evidence"], *second["evidence"]]]
    whole = indexed.run(*words, "--limit", "2").object
    assert both == [item["ref"] for item in whole["evidence"]]


def test_the_line_that_continues_an_answer_is_safe_to_paste(indexed: Home, ferry: Path) -> None:
    question = "why is the retry limit $(touch owned) five again"
    told = indexed.run("ask", question, "--root", ferry, "--limit", "1")
    (line,) = [line for line in told.out.splitlines() if line.startswith("Continue: ")]
    assert f"'{question}'" in line
    assert "owned" not in {path.name for path in ferry.iterdir()}


def commit(repository: Path, message: str) -> str:
    """Add an empty commit and return its id."""
    identity = ["-c", "user.name=N", "-c", "user.email=n@ferry.example"]
    subprocess.run(
        ["git", *identity, "commit", "-q", "--allow-empty", "-m", message],
        cwd=repository,
        check=True,
    )
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def test_a_new_commit_is_in_the_next_answer(home: Home, tmp_path: Path) -> None:
    repository = build(tmp_path / "moving", hostile=False)
    assert home.run("ask", QUESTION, "--root", repository, "--json").code == 0
    head = commit(repository, "Paint the hull green\n\nThe old paint flaked as the wood was damp.")
    answer = home.run("ask", "why was the hull painted green", "--root", repository, "--json")
    assert answer.object["evidence"][0]["object_id"] == head
    assert answer.object["horizon"]["indexed"] == head


def test_while_another_process_indexes_the_answer_comes_from_what_is_there(
    home: Home, tmp_path: Path
) -> None:
    repository = build(tmp_path / "moving", hostile=False)
    words = ("ask", QUESTION, "--root", repository, "--json")
    before = home.run(*words).object
    head = commit(repository, "Paint the hull green\n\nThe old paint flaked as the wood was damp.")
    (lock,) = home.path.glob("data/*/derived/index/lock")
    with exclusive(lock):
        during = home.run(*words)
        building = home.run("index", "build", "--root", repository, "--json")
    assert during.code == 0
    assert [e["ref"] for e in during.object["evidence"]] == [e["ref"] for e in before["evidence"]]
    assert during.object["horizon"]["indexed"] != head
    assert {"limit": "index_behind", "count": 1, "detail": None} in during.object["horizon"][
        "facts"
    ]
    assert building.code == 1
    assert building.object["error"]["code"]
    assert home.run(*words).object["horizon"]["indexed"] == head


@pytest.mark.parametrize("locale", ["ascii", "latin-1", "utf-8"])
def test_no_encoding_of_the_terminal_is_an_error(locale: str, indexed: Home, hostile: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "ask", "why pin the cron parser", "--words", "--root", str(hostile)],
        env=indexed.environment(PYTHONIOENCODING=locale, LC_ALL="C"),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    author = "张伟".encode(locale, "backslashreplace")
    assert b"    > Pin the cron parser below 3\n    > " + author in done.stdout


def test_json_is_utf8_even_where_the_terminal_is_not(indexed: Home, ferry: Path) -> None:
    words = ("ask", "why pin the cron parser", "--words", "--json", "--root", ferry)
    answer = indexed.run(*words, PYTHONIOENCODING="ascii")
    assert answer.object["evidence"][0]["words"]["author"] == "张伟"


def test_a_reader_who_leaves_is_no_error(indexed: Home, ferry: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [*COMMAND, "ask", QUESTION, "--root", str(ferry)],
            env=indexed.environment(),
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_outside_a_repository_it_says_so_in_one_line_and_one_step(
    home: Home, tmp_path: Path
) -> None:
    told = home.run("ask", QUESTION, "--json", "--root", tmp_path)
    assert told.code in (2, 5)
    assert told.object["error"]["code"]
    assert told.err.startswith("citator: ")
    assert len(told.err.splitlines()) == 2


def test_before_the_first_commit_there_is_nothing_to_cite(home: Home, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "new"], check=True)
    told = home.run("ask", QUESTION, "--root", tmp_path / "new", "--json")
    assert told.object["error"]["code"] == "no_commits"
    assert told.code == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows does not delete a directory in use")
def test_a_directory_that_was_deleted_is_named_as_the_cause(home: Home, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *COMMAND, "ask", QUESTION],
        env=home.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "citator: the directory you are in no longer exists\n  Go to one that does.\n"
    )
