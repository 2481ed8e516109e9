"""The tree of commands and the options they share.

Commands are listed in the order in which a person meets them. A name that does not exist is
answered with the nearest that does.
"""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from citator import __version__

COMMANDS = (
    "ask",
    "read",
    "why",
    "treatment",
    "locate",
    "check",
    "brief",
    "survey",
    "prove-absent",
    "init",
    "index",
    "serve",
    "clients",
    "hooks",
    "trust",
    "policy",
    "skills",
    "research",
    "decide",
    "approve",
    "reject",
    "apply",
    "decisions",
    "verify",
    "log",
    "note",
    "session",
    "claims",
    "stats",
    "import",
    "export",
    "eval",
    "doctor",
    "forget",
    "completion",
)

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class NearestGroup(click.Group):
    """A group that names the nearest command when it does not know one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order they were written."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` starts with. Raises click.UsageError."""
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(name, self.list_commands(ctx), 1, 0.5)
        hint = f". Did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"no command named {printable(name)}{hint}", ctx)


class Commands(NearestGroup):
    """The top group: each command is a module beside this one, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of first use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command's own module is imported here and not before."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = f"{name}_" if keyword.iskeyword(name) else name
        command = import_module(f"citator.cli.{module}").command
        return command if isinstance(command, click.Command) else None


def printable(word: str) -> str:
    """A word of the call, safe to show again: bounded and inert."""
    from citator.model.inert import inert_line

    shown = inert_line(word)
    return repr(shown if len(shown) <= 60 else f"{shown[:57]}...")


def house_options(function: Decorated) -> Decorated:
    """``--root`` and ``--json``, which every command has."""
    function = click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
    )(function)
    return click.option(
        "--root",
        type=click.Path(path_type=Path),
        default=Path(),
        metavar="PATH",
        help="A directory of the repository, if not here.",
    )(function)


def words_option(function: Decorated) -> Decorated:
    """``--words``: whether the repository's words are shown beside the references."""
    return click.option(
        "--words/--no-words",
        default=None,
        help="Show subjects and authors, quoted (default: on a terminal).",
    )(function)


def example(*lines: str) -> str:
    """An example block for the end of a help page, kept as it is written."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    no_args_is_help=False,
    invoke_without_command=True,
    epilog=example('citator ask "why do we pin the parser?"'),
)
@click.version_option(__version__, "-V", "--version", message="citator %(version)s")
@click.pass_context
def citator(context: click.Context) -> None:
    """Ask a code base why.

    Answers come from the repository's own history, as references you can read and cite.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
