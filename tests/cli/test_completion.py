"""Completion scripts know every command and option, and real shells run them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import click
import pytest

from citator.cli import completion
from citator.cli.tree import citator

BASH = shutil.which("bash")
FISH = shutil.which("fish")
ZSH = shutil.which("zsh")


@pytest.fixture(scope="module")
def tree() -> completion.Entry:
    return completion.entry_of(citator, click.Context(citator), ())


Script = Callable[[completion.Entry], str]


@pytest.mark.parametrize(
    "script", [completion.bash_script, completion.zsh_script, completion.fish_script]
)
def test_every_command_and_option_is_in_the_script(script: Script, tree: completion.Entry) -> None:
    written = script(tree)
    for entry in completion.walk(tree):
        for word in entry.path:
            assert word in written
        for name, _ in entry.options:
            assert name.removeprefix("--") in written


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["citator", "as"], ["ask"]),
        (["citator", "index", ""], ["build", "status", "promote", "rollback", "watch", "--help"]),
        (["citator", "index", "build", "--f"], ["--fresh"]),
        (["citator", "completion", "f"], ["fish"]),
        (["citator", "ask", "read", "--li"], ["--limit"]),
        (["citator", "nothing", "zzz"], []),
    ],
)
def test_bash_completes(line: list[str], expected: list[str], tree: completion.Entry) -> None:
    assert BASH is not None, "these tests need bash"
    words = " ".join(f"'{word}'" for word in line)
    script = (
        f"{completion.bash_script(tree)}\nCOMP_WORDS=({words})\nCOMP_CWORD={len(line) - 1}\n"
        '_citator\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run([BASH, "--norc", "-c", script], capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.decode().split() == expected


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        (shell, script)
        for shell, script in (
            (BASH, completion.bash_script),
            (ZSH, completion.zsh_script),
            (FISH, completion.fish_script),
        )
        if shell is not None
    ],
)
def test_a_shell_that_is_here_accepts_the_script(
    shell: str, script: Script, tree: completion.Entry
) -> None:
    done = subprocess.run(
        [shell, "-n"], input=script(tree).encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
