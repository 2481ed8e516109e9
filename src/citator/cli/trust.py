"""``citator trust``: whose keys count here. A person's commands, kept outside every repository.

Without a terminal nothing is pinned unless every fingerprint is named: a command that anything
could run in passing must not decide whom this machine believes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options
from citator.cli.trust_readership import readership
from citator.cli.trust_words import words
from citator.cli.words import SIGNATURES, counted
from citator.model.errors import ExitCode, NotFoundError, UsageError
from citator.model.inert import inert_line
from citator.model.record import Sensitivity

if TYPE_CHECKING:
    from citator.service.desk import Desk
    from citator.service.trust import Candidate, Plan, Rules
    from citator.service.workspace import Workspace
    from citator.trust.pins import Approver, Pin
    from citator.trust.policy import Policy

MAX_FILE = 1 << 20
LEVELS = click.Choice(["terminal", "key", "key_with_presence"])
second_option = click.option("--second", is_flag=True, help="For the second ledger.")


@click.group("trust", cls=NearestGroup, epilog=example("citator trust pin", "citator trust show"))
def command() -> None:
    """Say whose signatures count on this machine."""


@command.command(
    "pin", epilog=example("citator trust pin", "citator trust pin --key ada@example.org=ada.pub")
)
@click.option("--key", multiple=True, metavar="[LABEL=]FILE", help="A public key (repeatable).")
@click.option("--ci-key", multiple=True, metavar="LABEL=FILE", help="A CI's key: it attests only.")
@click.option("--root-file", metavar="FILE", help="A root from `trust show --export`.")
@click.option("--from-record", is_flag=True, help="The keys that this repository names.")
@click.option("--branch", metavar="NAME", help="The protected branch (default: this one).")
@click.option("--policy", "policy_file", metavar="FILE", help="A policy, in YAML or JSON.")
@click.option("--author-may-approve/--no-author-may-approve", default=None, help="Own proposals.")
@click.option(
    "--signature", type=LEVELS, metavar="LEVEL", help="What an approval needs (default: key)."
)
@click.option("--approvers", type=click.IntRange(1, 100), metavar="N", help="How many.")
@click.option("--yes-i-read-them", multiple=True, metavar="FINGERPRINT", help="Every one of them.")
@second_option
@house_options
def pin(root: Path, as_json: bool, second: bool, **given: Any) -> int:
    """Show keys and a policy, and pin them as this record's root after a typed yes.

    Without options: your own keys, from ~/.ssh and the agent.
    """
    from citator.cli.decide import now
    from citator.service import trust

    workspace = opened_here(root)
    desk = trust.desk_of(workspace, second=second)
    made = _plan(workspace, desk, given)
    if not as_json:
        output.write_lines(_plan_lines(made))
        output.flush()
    _require_yes(made, given["yes_i_read_them"], as_json)
    found = trust.pin(made, now())
    if as_json:
        output.write_json(_pin_object(found))
    else:
        output.write_lines(["Pinned, outside the repository. Next: citator decide"])
    return ExitCode.OK


def _plan(workspace: Workspace, desk: Desk, given: dict[str, Any]) -> Plan:
    from citator.cli import signing
    from citator.service import trust

    rules = _rules(given)
    if given["root_file"]:
        candidates, policy, record = trust.from_root(
            _read(given["root_file"]), f"the file {given['root_file']}"
        )
        if desk.ledger.record != record:
            raise UsageError(
                "another_record",
                "that root is of another record than this repository's",
                "ask whoever gave it to you which repository it is for",
            )
        rules = trust.Rules(file=policy.to_dict())
        return trust.plan(workspace, desk, candidates, rules)
    found = [_named(workspace, one) for one in given["key"]]
    if given["from_record"]:
        found += trust.claimed(desk)
    if not found:
        found = trust.own(workspace, signing.held_keys(desk, None))
    found += [_verifier(workspace, one) for one in given["ci_key"]]
    return trust.plan(workspace, desk, found, rules)


def _named(workspace: Workspace, text: str) -> Candidate:
    from citator.cli import signing
    from citator.service.trust import Candidate, own_label
    from citator.trust.pins import Approver

    label, equals, name = text.partition("=")
    if not equals:
        label, name = "", text
    held = signing.held_in(Path(name))
    mine, emails = own_label(workspace)
    if not label or label == mine:
        return Candidate(Approver(mine, held.key, emails), str(held.file))
    return Candidate(Approver(label, held.key, (label,) if "@" in label else ()), str(held.file))


def _verifier(workspace: Workspace, text: str) -> Candidate:
    from dataclasses import replace

    if "=" not in text:
        raise UsageError("usage", "--ci-key wants LABEL=FILE", "See: citator trust pin --help")
    found = _named(workspace, text)
    return replace(found, verifier=True)


def _rules(given: dict[str, Any]) -> Rules:
    from citator.service.trust import Rules
    from citator.trust.assurance import Signature

    return Rules(
        file=_policy_file(given["policy_file"]) if given["policy_file"] else None,
        branch=given["branch"],
        author_may_approve=given["author_may_approve"],
        signature=Signature(given["signature"]) if given["signature"] else None,
        approvers=given["approvers"],
    )


def _policy_file(name: str) -> dict[str, Any]:
    from citator.formats.yaml_safe import load

    loaded = load(_read(name).decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    if loaded.problems or not isinstance(loaded.value, dict):
        raise UsageError("policy_malformed", "that file is no policy", "docs/reference/policy.md")
    return dict(loaded.value)


def _read(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_FILE)
        with Path(name).expanduser().open("rb") as file:
            return file.read(MAX_FILE)
    except OSError:
        raise UsageError("no_such_path", "that file cannot be read", "check its name") from None


def _plan_lines(made: Plan) -> list[str]:
    lines = ["These keys would be believed on this machine, for this record:"]
    for one in made.candidates:
        lines += _key_lines(one.approver, "attests only" if one.verifier else "")
        source = "  CLAIMED: " if one.claimed else "  from "
        lines.append(f"    {source.strip()} {inert_line(one.source)}")
    if any(one.claimed for one in made.candidates):
        lines.append("  A claimed key is the repository's word: check it with its owner first.")
    lines += ["", "under this policy:", *_policy_lines(made.policy)]
    if made.strange:
        lines += [
            "",
            f"{counted(made.strange, 'approval')} here was given under another policy, and would",
            "not count under this one. Ask who gave it for their root (trust show --export), or",
            "change the policy inside the record: citator trust policy FILE",
        ]
    if made.before is not None:
        lines += ["", "in place of what is pinned now:"]
        for approver in made.before.approvers:
            lines += _key_lines(approver)
        for approver in made.before.verifiers:
            lines += _key_lines(approver, "attests only")
    if made.shallow:
        lines += ["", "This clone is shallow: the pin holds for it alone."]
    return lines


def _key_lines(approver: Approver, note: str = "") -> list[str]:
    tail = f" ({note})" if note else ""
    emails = f" <{', '.join(map(inert_line, approver.emails))}>" if approver.emails else ""
    return [
        f"  {approver.key.fingerprint}  {approver.key.type}",
        f"    {approver.label}{emails}{tail}",
    ]


def _policy_lines(policy: Policy) -> list[str]:
    def said(threshold: Any) -> str:
        landed = threshold.landed.value.replace("_", " ")
        where = "" if landed == "no" else f", landed: {landed}"
        many = counted(threshold.approvers, "approver")
        return f"{SIGNATURES[threshold.signature.value]}, {many}{where}"

    own = "may" if policy.author_may_approve else "may not"
    lines = [
        f"  every decision: {said(policy.floor)}",
        f"  an author {own} approve their own proposal",
        f"  protected branch: {policy.protected_branch}",
    ]
    if policy.refuse:
        lines.append("  what a decision refuses blocks a change (citator check)")
    for rule in policy.rules:
        kind = rule.kind.value if rule.kind else "every kind"
        lines.append(f"  {kind}, from {rule.sensitivity.value} up: {said(rule.threshold)}")
    return lines


def _require_yes(made: Plan, named: Sequence[str], as_json: bool) -> None:
    from citator.cli import signing

    if named:
        if tuple(sorted(set(named))) != made.fingerprints:
            raise signing.not_agreed(
                "the fingerprints that were named are not exactly those; nothing was pinned",
                "read them again, and name every one",
            )
        return
    count = len(made.fingerprints)
    keys = "this key" if count == 1 else f"these {count} keys"
    if not signing.typed(f"Type `pin` to believe {keys}:", "pin", as_json=as_json):
        raise signing.not_agreed(
            "nothing was pinned",
            "a person does this at a terminal, or names each key: --yes-i-read-them FINGERPRINT",
        )


@command.command("show", epilog=example("citator trust show", "citator trust show --export"))
@click.option("--export", is_flag=True, help="Print the root as a file for another machine.")
@second_option
@house_options
def show(export: bool, second: bool, root: Path, as_json: bool) -> int:
    """Show the pinned keys, the policy, and who may approve now."""
    from citator.service import trust

    workspace = opened_here(root)
    desk = trust.desk_of(workspace, second=second)
    if export:
        sys.stdout.write(trust.handed_over(desk.pin()).decode("ascii"))
        return ExitCode.OK
    found = trust.pinned(desk)
    if found is None:
        desk.pin()
        raise NotFoundError("not_pinned", "nothing is pinned here", "citator trust pin")
    holds, record = trust.standing(desk)
    pinned_now = {one.key.text: one.label for one in found.approvers}
    now = (record.approvers if record is not None else {}) or pinned_now
    if as_json:
        output.write_json({**_pin_object(found), "holds": holds, "approvers_now": _now(now)})
        return ExitCode.OK
    lines = ["Pinned as the root of this record:"]
    for approver in found.approvers:
        lines += _key_lines(approver)
    for approver in found.verifiers:
        lines += _key_lines(approver, "attests only")
    lines += _policy_lines((record.policy if record is not None else None) or found.policy)
    if not holds:
        lines.append("It does not count here now: citator verify says why.")
    lines += ["May approve now:", *(f"  {one['fingerprint']}  {one['label']}" for one in _now(now))]
    place = trust.ledger_place(workspace)
    if place is not None:
        lines.append(f"Second ledger: {inert_line(str(place))}")
    output.write_lines(lines)
    return ExitCode.OK


def _now(approvers: Any) -> list[dict[str, str]]:
    from citator.trust.keys import parse_public_key

    return [
        {"label": label, "fingerprint": parse_public_key(key).fingerprint}
        for key, label in sorted(approvers.items())
    ]


def _pin_object(found: Pin) -> dict[str, Any]:
    def listed(approvers: Sequence[Approver]) -> list[dict[str, Any]]:
        return [
            {
                "label": one.label,
                "fingerprint": one.key.fingerprint,
                "type": one.key.type.value,
                "emails": list(one.emails),
            }
            for one in approvers
        ]

    return {
        "record": found.record,
        "approvers": listed(found.approvers),
        "verifiers": listed(found.verifiers),
        "policy": found.policy.to_dict(),
        "pinned_at": found.pinned_at,
        "repositories": list(found.repositories or ()),
        "shallow": bool(found.places),
    }


@command.command("unpin", epilog=example("citator trust unpin"))
@click.option("--yes", is_flag=True, help="Without being asked.")
@second_option
@house_options
def unpin(yes: bool, second: bool, root: Path, as_json: bool) -> int:
    """Believe no key of this record any more: nothing of it counts as signed then."""
    from citator.cli import signing
    from citator.cli.decide import now
    from citator.service import trust

    workspace = opened_here(root)
    desk = trust.desk_of(workspace, second=second)
    if not yes and not signing.typed(
        "Type `unpin` to believe none of its keys:", "unpin", as_json=as_json
    ):
        raise signing.not_agreed("nothing was changed", "to do it without being asked: --yes")
    gone = trust.unpin(workspace, desk, now())
    if as_json:
        output.write_json({"unpinned": gone})
    else:
        output.write_lines(["Unpinned." if gone else "Nothing was pinned."])
    return ExitCode.OK if gone else ExitCode.NOT_FOUND


@command.command("ledger", epilog=example("citator trust ledger ~/decisions/ferry"))
@click.argument("place", required=False, type=click.Path(path_type=Path), metavar="[PATH]")
@click.option("--remove", is_flag=True, help="There is none any more (its files stay).")
@house_options
def ledger(place: Path | None, remove: bool, root: Path, as_json: bool) -> int:
    """Say where what this repository's readers may not see is kept; or show it."""
    from citator.cli.decide import now
    from citator.service import trust

    workspace = opened_here(root)
    if place is not None or remove:
        where = None if remove or place is None else place.expanduser().resolve()
        trust.set_ledger(workspace, where, now())
    found = trust.ledger_place(workspace)
    if as_json:
        output.write_json({"ledger": None if found is None else str(found)})
    else:
        output.write_lines([inert_line(str(found)) if found else "There is no second ledger."])
    return ExitCode.OK


@command.command("audience", epilog=example("citator trust audience --ceiling public"))
@click.option(
    "--ceiling",
    type=click.Choice([one.value for one in Sensitivity]),
    metavar="LEVEL",
    help="The most sensitive that is served.",
)
@click.option("--unapproved/--no-unapproved", default=None, help="Serve proposals and drafts.")
@click.option("--tenant", metavar="NAME", help="Of this tenant (empty: of none).")
@click.option("--group", multiple=True, metavar="NAME", help="Of this group (repeatable).")
@click.option("--yes", is_flag=True, help="Without being asked.")
@house_options
def audience(
    ceiling: str | None,
    unapproved: bool | None,
    tenant: str | None,
    group: tuple[str, ...],
    yes: bool,
    root: Path,
    as_json: bool,
) -> int:
    """Grant what is served on this machine at most; without options: show it."""
    from citator.cli import signing
    from citator.cli.decide import now
    from citator.model.visibility import Audience
    from citator.service import trust

    workspace = opened_here(root)
    granted = trust.audience(workspace)
    if ceiling or unapproved is not None or tenant is not None or group:
        granted = Audience(
            Sensitivity(ceiling) if ceiling else granted.ceiling,
            granted.unapproved if unapproved is None else unapproved,
            (tenant or None) if tenant is not None else granted.tenant,
            tuple(sorted(set(group))) if group else granted.groups,
        )
        if not yes and not signing.typed(
            "Type `grant` to serve this from now on:", "grant", as_json=as_json
        ):
            raise signing.not_agreed("nothing was changed", "to do it without being asked: --yes")
        trust.set_audience(workspace, granted, now())
    shown = output.plain(granted)
    if as_json:
        output.write_json(shown)
    else:
        output.write_lines([f"{name}: {json.dumps(value)}" for name, value in shown.items()])
    return ExitCode.OK


command.add_command(readership)
command.add_command(words)


@command.command("policy", epilog=example("citator trust policy team.yaml --because 'two people'"))
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--because", default="", metavar="TEXT", help="Why.")
@click.option("--author", metavar="NAME", help="Who proposes (default: as git is configured).")
@second_option
@house_options
def policy(
    file: str | None, because: str, author: str | None, second: bool, root: Path, as_json: bool
) -> int:
    """Propose another policy; without FILE: print the one in force."""
    from citator.cli.decide import now
    from citator.service import trust
    from citator.service.proposing import author_of
    from citator.trust.policy import parse_policy

    workspace = opened_here(root)
    desk = trust.desk_of(workspace, second=second)
    if file is None:
        found = desk.record.policy or desk.pin().policy
        if as_json:
            output.write_json({"policy": found.to_dict(), "digest": found.digest})
        else:
            output.write_lines([json.dumps(found.to_dict(), indent=1)])
        return ExitCode.OK
    wanted = parse_policy(_policy_file(file))
    who = author_of(workspace, author)
    return _proposed(trust.propose_policy(desk, wanted, who, because, now()), as_json)


@command.command(
    "approvers", epilog=example("citator trust approvers --add bob@example.org=bob.pub")
)
@click.option("--add", multiple=True, metavar="LABEL=FILE", help="May approve, too.")
@click.option("--remove", multiple=True, metavar="LABEL", help="May not any more.")
@click.option("--because", default="", metavar="TEXT", help="Why.")
@click.option("--author", metavar="NAME", help="Who proposes (default: as git is configured).")
@second_option
@house_options
def approvers(
    add: tuple[str, ...],
    remove: tuple[str, ...],
    because: str,
    author: str | None,
    second: bool,
    root: Path,
    as_json: bool,
) -> int:
    """Propose who may approve. The pinned root's own keys approve it."""
    from citator.cli.decide import now
    from citator.service import trust
    from citator.service.preview import approvers_of
    from citator.service.proposing import author_of

    workspace = opened_here(root)
    desk = trust.desk_of(workspace, second=second)
    known = list(approvers_of(desk, desk.pin()).values()) or list(desk.pin().approvers)
    if not add and not remove:
        now_may = _now({one.key.text: one.label for one in known})
        if as_json:
            output.write_json({"approvers": now_may})
        else:
            output.write_lines([f"{one['fingerprint']}  {one['label']}" for one in now_may])
        return ExitCode.OK
    unknown = set(remove) - {one.label for one in known}
    if unknown:
        raise NotFoundError("unknown_approver", "nobody of that label may approve", "")
    wanted = [one for one in known if one.label not in remove]
    wanted += [_named(workspace, one).approver for one in add]
    who = author_of(workspace, author)
    return _proposed(trust.propose_approvers(desk, wanted, who, because, now()), as_json)


def _proposed(done: Any, as_json: bool) -> int:
    from citator.cli.decide import said

    return said(done, as_json)
