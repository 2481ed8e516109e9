"""``citator completion``: a script that completes commands and options in a shell.

The script holds the whole tree of commands, so that completing starts no process; it is written
from the commands themselves and is renewed by printing it again. Works with bash from 3.2, zsh
and fish.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from citator.cli import output
from citator.cli.tree import example


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its words after ``citator``, its help line, what may follow it."""

    path: tuple[str, ...]
    help: str
    children: tuple[Entry, ...]
    choices: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    @property
    def words(self) -> list[tuple[str, str]]:
        """What may follow and is no option, each with its help line."""
        commands = [(child.path[-1], child.help) for child in self.children]
        return commands + [(choice, choice) for choice in self.choices]


@click.command(
    "completion",
    epilog=example("source <(citator completion bash)", "citator completion fish | source"),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print the completion script for bash, zsh or fish."""
    tree = entry_of(context.find_root().command, context.find_root(), ())
    script = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[shell]
    output.write_lines(script(tree).splitlines())
    return 0


def entry_of(found: click.Command, context: click.Context, path: tuple[str, ...]) -> Entry:
    """The tree that hangs from a command."""
    children: list[Entry] = []
    if isinstance(found, click.Group):
        for name in found.list_commands(context):
            child = found.get_command(context, name)
            if child is not None:
                children.append(entry_of(child, context, (*path, name)))
    choices: list[str] = []
    options: list[tuple[str, str]] = []
    for parameter in found.get_params(context):
        if isinstance(parameter, click.Argument) and isinstance(parameter.type, click.Choice):
            choices += parameter.type.choices
        if isinstance(parameter, click.Option) and not parameter.hidden:
            names = [*parameter.opts, *parameter.secondary_opts]
            help_line = (parameter.help or "").partition(". ")[0].rstrip(".")
            options += [(name, help_line) for name in names if name.startswith("--")]
    help_line = found.get_short_help_str(78).rstrip(".")
    return Entry(path, help_line, tuple(children), tuple(choices), tuple(options))


def walk(entry: Entry) -> Iterator[Entry]:
    """The entry and everything below it, parents first."""
    yield entry
    for child in entry.children:
        yield from walk(child)


def bash_script(tree: Entry) -> str:
    """Completion for bash, also as old as the one on macOS."""
    return f"""\
_citator() {{
    local word at='' choices='' current=${{COMP_WORDS[COMP_CWORD]}}
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$at $word" in
            {_steps(tree)}) at="$at $word" ;;
        esac
    done
    if [ "${{COMP_WORDS[COMP_CWORD-1]}}" = --root ]; then
        local IFS=$'\\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -d -- "$current"))
        return
    fi
    case "$at" in
{_bash_cases(tree)}
    esac
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
}}
complete -F _citator citator
"""


def _bash_cases(tree: Entry) -> str:
    lines = []
    for entry in walk(tree):
        words = [name for name, _ in [*entry.words, *entry.options]]
        lines.append(f"        '{_at(entry)}') choices='{' '.join(words)}' ;;")
    return "\n".join(lines)


def zsh_script(tree: Entry) -> str:
    """Completion for zsh, sourced or from ``fpath``."""
    return f"""\
#compdef citator
_citator() {{
    local word at=''
    local -a choices
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "$at $word" in
            {_steps(tree)}) at="$at $word" ;;
        esac
    done
    if [[ "${{words[CURRENT-1]}}" == --root ]]; then
        _files -/
        return
    fi
    case "$at" in
{_zsh_cases(tree)}
    esac
    _describe 'citator' choices
}}
if [ "$funcstack[1]" = _citator ]; then
    _citator "$@"
else
    compdef _citator citator
fi
"""


def _zsh_cases(tree: Entry) -> str:
    lines = []
    for entry in walk(tree):
        known = [*entry.words, *entry.options]
        words = " ".join(_quoted(f"{name}:{text}") for name, text in known)
        lines.append(f"        '{_at(entry)}') choices=({words}) ;;")
    return "\n".join(lines)


def fish_script(tree: Entry) -> str:
    """Completion for fish."""
    lines = ["complete -c citator -f"]
    for entry in walk(tree):
        offer = f"complete -c citator -n '{_fish_condition(entry)}'"
        lines += [
            f"{offer} -a {child.path[-1]} -d {_quoted(child.help)}" for child in entry.children
        ]
        for name, text in entry.options:
            more = " -r -a '(__fish_complete_directories)'" if name == "--root" else ""
            lines.append(f"{offer} -l {name[2:]}{more} -d {_quoted(text)}")
    return "\n".join(lines) + "\n"


def _fish_condition(entry: Entry) -> str:
    """Where fish offers what follows ``entry``: behind its words and none of its children's."""
    seen = [f"__fish_seen_subcommand_from {word}" for word in entry.path]
    children = " ".join(child.path[-1] for child in entry.children)
    unseen = [f"not __fish_seen_subcommand_from {children}"] if children else []
    return "; and ".join([*seen, *unseen])


def _steps(tree: Entry) -> str:
    """The patterns ``'<words so far> <next word>'`` that lead deeper into the tree."""
    return "|".join(f"'{_at(entry)}'" for entry in walk(tree) if entry.path)


def _at(entry: Entry) -> str:
    return "".join(f" {word}" for word in entry.path)


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
