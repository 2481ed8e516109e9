"""The ``citator`` command: one file a command, imported when it is called for.

``--version`` is answered before anything else is imported. Every exception ends at
:mod:`citator.cli.border`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from citator import __version__

Serve = Callable[..., Any]


def run(arguments: Sequence[str], serve: Serve) -> int:
    """Run one command line and return its exit code.

    ``serve`` is the MCP face, handed in because faces do not import each other.
    """
    if list(arguments) in (["--version"], ["-V"]):
        sys.stdout.write(f"citator {__version__}\n")
        return 0
    from citator.cli import surroundings
    from citator.cli.border import guarded
    from citator.cli.output import prepare_streams
    from citator.model.trace import told_to

    prepare_streams()
    with told_to(surroundings.event_log(_named(arguments))):
        return guarded(lambda: _timed(arguments, serve), as_json="--json" in arguments)


def _named(arguments: Sequence[str]) -> str:
    """The command that is called, if it is one."""
    from citator.cli.tree import COMMANDS

    return arguments[0] if arguments and arguments[0] in COMMANDS else "none"


def _timed(arguments: Sequence[str], serve: Serve) -> int:
    from citator.model.trace import timed

    with timed("command") as facts:
        facts["exit"] = code = _dispatch(arguments, serve)
    return code


def _dispatch(arguments: Sequence[str], serve: Serve) -> int:
    """Parse and invoke without click's own handling of errors, exits and closed pipes."""
    import click

    from citator.cli.border import usage
    from citator.cli.tree import citator

    _stand_somewhere()
    try:
        with citator.make_context("citator", list(arguments), obj=serve) as context:
            code = citator.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else "citator"
        raise usage(error.format_message().rstrip("."), path) from None
    return code if isinstance(code, int) else 0


def _stand_somewhere() -> None:
    """Raises UsageError where the current directory was deleted: git's own words would mislead."""
    from citator.model.errors import UsageError

    try:
        Path.cwd()
    except FileNotFoundError:
        raise UsageError(
            "no_directory", "the directory you are in no longer exists", "Go to one that does."
        ) from None
