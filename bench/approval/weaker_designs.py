"""Tries to get past designs of approval that this product does not use, and says which hold.

    python bench/approval/weaker_designs.py

Everything is done in a temporary directory with git, OpenSSH and a pseudo-terminal; nothing of
the person's is touched. Linux and macOS.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.support.builder import Builder  # noqa: E402
from tests.trust.openssh import OpenSsh  # noqa: E402

PROMPT = """
import sys
if not (sys.stdin.isatty() and sys.stdout.isatty()):
    sys.exit("a person has to be at a terminal")
sys.exit(0 if input("Type yes to approve: ") == "yes" else 1)
"""
MESSAGE = b"approve decision 7"


def prompt_at_a_pipe(folder: Path) -> bool:
    """A prompt that refuses without a terminal, answered through a pipe."""
    done = subprocess.run(
        [sys.executable, "-c", PROMPT], input=b"yes\n", capture_output=True, check=False
    )
    return done.returncode == 0


def prompt_at_a_pty(folder: Path) -> bool:
    """The same prompt, answered through a pseudo-terminal."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROMPT], stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, b"yes\n")
        code = process.wait(30)
    os.close(ours)
    return code == 0


def commit_at_head(folder: Path) -> bool:
    """What is committed at HEAD counts as approved."""
    builder = Builder.init(folder / "repo")
    builder.commit("Begin")
    builder.write("decisions/7.md", "status: approved\n").commit("Approve")
    return builder.git("cat-file", "-t", "HEAD:decisions/7.md") == b"blob\n"


def _clone(folder: Path) -> Builder:
    origin = Builder.init(folder / "origin")
    origin.commit("Begin")
    clone = origin.clone(folder / "clone")
    clone.write("decisions/7.md", "approved\n").commit("Approve")
    return clone


def _on_origin(clone: Builder) -> bool:
    command = ["git", "merge-base", "--is-ancestor", "HEAD", "refs/remotes/origin/main"]
    return subprocess.run(command, cwd=clone.path, check=False).returncode == 0


def ancestor_of_origin_main(folder: Path) -> bool:
    """What ``origin/main`` has counts as approved; the ref is moved by hand."""
    clone = _clone(folder)
    assert not _on_origin(clone)
    clone.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return _on_origin(clone)


def ancestor_after_a_fetch(folder: Path) -> bool:
    """The same, but origin is asked first."""
    clone = _clone(folder)
    clone.git("update-ref", "refs/remotes/origin/main", "HEAD")
    clone.git("fetch", "-q", "--force", "origin", "+refs/heads/*:refs/remotes/origin/*")
    return _on_origin(clone)


def _signs(openssh: OpenSsh, key: Path) -> bool:
    words = ("ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "approval@example.org")
    (openssh.directory / "message").write_bytes(MESSAGE)
    return openssh.run(*words, "message").returncode == 0


def plain_key(folder: Path) -> bool:
    """A key on disk without a passphrase, used without a terminal."""
    openssh = OpenSsh.at(folder)
    return _signs(openssh, openssh.key("key", "-t", "ed25519"))


def key_with_passphrase(folder: Path) -> bool:
    """A key with a passphrase that nobody types."""
    openssh = OpenSsh.at(folder)
    return _signs(openssh, openssh.key("key", "-t", "ed25519", passphrase="correct horse"))


def key_in_the_agent(folder: Path) -> bool:
    """The same key, which the person has loaded into the agent."""
    openssh = OpenSsh.at(folder)
    key = openssh.key("key", "-t", "ed25519", passphrase="correct horse")
    with openssh.agent() as agent:
        agent.add(str(key), answer="correct horse")
        return _signs(agent, key.with_suffix(".pub"))


def _confirmed(folder: Path, answer: str | None) -> bool:
    openssh = OpenSsh.at(folder)
    key = openssh.key("key", "-t", "ed25519")
    with openssh.agent(answer) as agent:
        agent.add("-c", str(key))
        return _signs(agent, key.with_suffix(".pub"))


def agent_that_asks_nobody(folder: Path) -> bool:
    """A key that the agent uses after a yes on the desktop, which nobody gives."""
    return _confirmed(folder, None)


def agent_that_asks_a_program(folder: Path) -> bool:
    """The same, on a desktop where a program clicks yes."""
    return _confirmed(folder, "yes")


DESIGNS: tuple[Callable[[Path], bool], ...] = (
    prompt_at_a_pipe,
    prompt_at_a_pty,
    commit_at_head,
    ancestor_of_origin_main,
    ancestor_after_a_fetch,
    plain_key,
    key_with_passphrase,
    key_in_the_agent,
    agent_that_asks_nobody,
    agent_that_asks_a_program,
)


def main() -> None:
    """Print one line for each: whether it was got past, and in how many milliseconds."""
    for design in DESIGNS:
        with tempfile.TemporaryDirectory() as place:
            began = time.perf_counter()
            past = design(Path(place))
            spent = (time.perf_counter() - began) * 1000
        said = "got past" if past else "held"
        print(f"{said:9} {spent:6.0f} ms  {design.__name__}: {design.__doc__}")


if __name__ == "__main__":
    main()
