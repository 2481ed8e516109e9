"""``citator policy``: which signed packs say what sources apply here. A person's commands.

- A pack or a root is shown before anything is added or signed; without a terminal nothing is,
  unless the digest of what was shown is named.
- No tool reaches any of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.tree import NearestGroup, example, house_options
from citator.model.errors import ExitCode, RefusedError
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.policy_packs import Offered
    from citator.trust.pack_format import Pack, Root
    from citator.trust.packs import Loaded, Refused

PLACE = click.Path(path_type=Path)
digest_option = click.option("--digest", metavar="HEX", help="Without asking, if it is this one.")


@click.group(
    "policy", cls=NearestGroup, epilog=example("citator policy list", "citator policy add FOLDER")
)
def command() -> None:
    """Say which signed policy packs count on this machine."""


@command.command("list", epilog=example("citator policy list"))
@house_options
def list_(root: Path, as_json: bool) -> int:
    """The packs here, whether each counts, and the pinned roots. Exit code 1: one does not."""
    from citator.service import policy_packs

    places, moment = surroundings.places(), surroundings.now()
    found = policy_packs.shelf(places, moment)
    pinned = policy_packs.roots(places)
    if as_json:
        packs = [*map(loaded_object, found.loaded), *map(refused_object, found.refused)]
        output.write_json({"packs": packs, "roots": [root_object(one) for one in pinned]})
    else:
        lines = [*map(_loaded_line, found.loaded), *map(_refused_line, found.refused)]
        lines += [line for one in pinned for line in _root_lines(one)]
        output.write_lines(lines or ["No policy packs here."])
    return ExitCode.REFUSED if found.refused else ExitCode.OK


@command.command("show", epilog=example("citator policy show citator.core"))
@click.argument("name", metavar="PACK")
@house_options
def show(name: str, root: Path, as_json: bool) -> int:
    """All that a pack says: its domains, its sources one by one, and its envelope."""
    from citator.service import policy_packs
    from citator.trust.packs import Loaded

    found = policy_packs.named(surroundings.places(), name, surroundings.now())
    if not isinstance(found, Loaded):
        if as_json:
            output.write_json(refused_object(found))
        else:
            output.write_lines([_refused_line(found)])
        return ExitCode.INTEGRITY
    if as_json:
        output.write_json({**loaded_object(found), **pack_object(found.pack)})
    else:
        output.write_lines([_loaded_line(found), *_pack_lines(found.pack)])
    return ExitCode.OK


@command.command("verify", epilog=example("citator policy verify ~/packs/acme.law"))
@click.argument("folder", metavar="FOLDER", type=PLACE)
@house_options
def verify(folder: Path, root: Path, as_json: bool) -> int:
    """Say whether the pack or root in FOLDER would count here. Exit code 4: it would not."""
    from citator.service import policy_packs

    places = surroundings.places()
    given = policy_packs.offered(places, folder)
    loaded = policy_packs.require_countable(places, given, surroundings.now())
    form = root_object(given.root) if given.root else pack_object(given.pack)
    if loaded is not None:
        form = {**loaded_object(loaded), **form}
    return output.write_told(
        {**form, "digest": given.digest, "counts": True}, "It would count here.", as_json
    )


@command.command("add", epilog=example("citator policy add ~/packs/acme.law"))
@click.argument("folder", metavar="FOLDER", type=PLACE)
@digest_option
@house_options
def add(folder: Path, digest: str | None, root: Path, as_json: bool) -> int:
    """Show the pack or root in FOLDER, and let it count here after a typed yes.

    A root of a new name is pinned; one of a name that is pinned must be signed by a key of that.
    """
    from citator.service import policy_packs

    places, moment = surroundings.places(), surroundings.now()
    given = policy_packs.offered(places, folder)
    loaded = policy_packs.require_countable(places, given, moment)
    if not as_json:
        until = [] if loaded is None else [_loaded_line(loaded)]
        output.write_lines([*until, *_offered_lines(given)])
    _require_yes(given.digest, digest, "let it count here", as_json)
    name = policy_packs.add(places, given, moment)
    kind = "root" if given.root else "pack"
    return output.write_told(
        {kind: name, "digest": given.digest}, f"Counts here now: {name}.", as_json
    )


@command.command("sign", epilog=example("citator policy sign ~/packs/acme.law --key ~/.ssh/acme"))
@click.argument("folder", metavar="FOLDER", type=PLACE)
@click.option("--key", type=PLACE, metavar="FILE", help="Sign with this key.")
@click.option(
    "--days",
    type=click.IntRange(1, 3700),
    default=365,
    show_default=True,
    metavar="N",
    help="How long a pack counts.",
)
@click.option("--counter", type=click.IntRange(1), metavar="N", help="Which one it is (the next).")
@digest_option
@house_options
def sign(
    folder: Path,
    key: Path | None,
    days: int,
    counter: int | None,
    digest: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Show the pack or root in FOLDER, and sign exactly that with your key.

    Writes the signature (and of a pack its manifest) into FOLDER; nothing counts here by it.
    """
    from citator.cli import signing
    from citator.service import policy_packs

    given = policy_packs.offered(surroundings.places(), folder)
    message, namespace = policy_packs.to_sign(given, surroundings.now(), days, counter)
    if not as_json:
        output.write_lines(_offered_lines(given))
    trees = signing.trees_here(root)
    held = signing.keys_at_hand(lambda: trees, key)
    if not held:
        raise RefusedError("no_key", "there is no key to sign with", "name one: --key FILE")
    _require_yes(given.digest, digest, f"sign it with {held[0].key.fingerprint}", as_json)
    with signing.signer(trees, namespace) as signer:
        armored, by, _ = signer(held[0], message)
    written = policy_packs.write_signed(given, message, armored)
    form = {"signed": [str(one) for one in written], "fingerprint": by.fingerprint}
    return output.write_told(form, f"Signed by {by.fingerprint}.", as_json)


@command.command("remove", epilog=example("citator policy remove acme.law"))
@click.argument("name", metavar="NAME")
@click.option("--pinned-root", is_flag=True, help="NAME is a pinned root: its packs count no more.")
@click.option("--yes", is_flag=True, help="Without being asked.")
@house_options
def remove(name: str, pinned_root: bool, yes: bool, root: Path, as_json: bool) -> int:
    """Take a pack that was added away. An older one of its name is refused afterwards, too."""
    from citator.cli import signing
    from citator.service import policy_packs

    shown = inert_line(name)
    if not yes and not signing.typed(f"To remove {shown}, type yes:", "yes", as_json=as_json):
        raise signing.not_agreed("nothing was removed", "to do it without being asked: --yes")
    policy_packs.remove(surroundings.places(), name, surroundings.now(), root=pinned_root)
    return output.write_told({"removed": name}, f"Removed: {shown}.", as_json)


def _require_yes(wanted: str, named: str | None, what: str, as_json: bool) -> None:
    """A typed yes, or the digest of what was shown. Raises RefusedError."""
    from citator.cli import signing

    output.flush()
    signing.require_digest(
        wanted,
        named,
        what,
        again="look at it again: citator policy verify FOLDER",
        todo="at a terminal, or name it: --digest HEX",
        as_json=as_json,
    )


def loaded_object(one: Loaded) -> dict[str, Any]:
    """A pack that counts."""
    return {
        "pack": one.pack.id,
        "state": "counts",
        "shipped": one.shipped,
        "root": one.pack.root,
        "counter": one.manifest.counter,
        "expires_at": one.manifest.expires_at,
        "days_left": one.days_left,
        "domains": sorted(one.pack.domains),
    }


def refused_object(one: Refused) -> dict[str, Any]:
    """A pack that is here and does not count."""
    domains = None if one.domains is None else sorted(one.domains)
    return {"pack": one.pack, "state": one.kind.value, "shipped": one.shipped, "domains": domains}


def root_object(one: Root) -> dict[str, Any]:
    """A root, by its keys."""
    keys = [key.fingerprint for key in one.keys]
    return {"name": one.name, "counter": one.counter, "keys": keys}


def pack_object(pack: Pack | None) -> dict[str, Any]:
    """All that a pack says."""
    assert pack is not None
    return {
        "pack": pack.id,
        "root": pack.root,
        "domains": sorted(pack.domains),
        "sources": [
            {
                **output.plain(one),
                "domains": sorted(one.domains),
                "intents": sorted(one.intents),
            }
            for one in pack.sources
        ],
        "envelope": {"hosts": list(pack.hosts), "paths": list(pack.paths)},
    }


def _loaded_line(one: Loaded) -> str:
    soon = " (soon: ask for the next one)" if one.expires_soon else ""
    where = "comes with citator" if one.shipped else f"root {one.pack.root}"
    until = one.manifest.expires_at[:10]
    return f"ok  {one.pack.id}, no. {one.manifest.counter}, {where}, until {until}{soon}"


def _refused_line(one: Refused) -> str:
    from citator.model.domain import Gap
    from citator.service.policy_wording import gap_sentence

    return f"!!  {gap_sentence(Gap(one.kind, one.pack))}"


def _root_lines(one: Root) -> list[str]:
    return [f"root {one.name}, no. {one.counter}:", *(f"    {k.fingerprint}" for k in one.keys)]


def _offered_lines(given: Offered) -> list[str]:
    if given.root is None:
        assert given.pack is not None
        return [*_pack_lines(given.pack), f"digest: {given.digest}"]
    lines = ["These keys would sign policy packs for this machine:", *_root_lines(given.root)]
    if given.before is not None:
        lines += ["in place of, and signed by a key of:", *_root_lines(given.before)]
    return [*lines, f"digest: {given.digest}"]


def _pack_lines(pack: Pack) -> list[str]:
    lines = [f"pack {pack.id}, for {_listed(pack.domains)}"]
    for one in pack.sources:
        days = "" if one.fresh_days is None else f", fresh {one.fresh_days} days"
        days += "" if one.expires_days is None else f", expired after {one.expires_days}"
        lines.append(f"  {one.id}: {one.kind}, {one.authority}{days}")
        lines.append(f"    for {_listed(one.domains)}; {_listed(one.intents)}")
        lines += [f"    {place}" for place in one.locators]
    lines += [f"  may reach at most {place}" for place in (*pack.hosts, *pack.paths)]
    return lines


def _listed(words: Sequence[str] | frozenset[Any]) -> str:
    return ", ".join(sorted(words))
