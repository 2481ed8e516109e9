"""Signs what ships: policy packs and skills, with a key that is made for it and then is gone.

    python scripts/sign_shipped.py [--time 2026-11-30T00:00:00Z] [--days 1826] [--commit]
    python scripts/sign_shipped.py --check

- The private half is made in this process, written nowhere, and ends with it: there is none to
  steal. So all that ships is signed together, whenever any of it changes, and the public half in
  ``src/citator/shipped/key.pub`` is another each time. A distributor signs with a root of its own
  (docs/how-to/sign-policy-packs.md).
- What is signed are files in the repository, so a wheel is the same bytes for whoever builds it.
- ``--check`` says (exit 1) whether what ships is signed as it stands.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.support.keys import SigningKey, fresh_ed25519  # noqa: E402

from citator.model.errors import CitatorError  # noqa: E402
from citator.store.layout import Layout  # noqa: E402
from citator.trust import packs, skill_statement  # noqa: E402
from citator.trust.canonical import digest, encode  # noqa: E402
from citator.trust.pack_format import NAMESPACE, Manifest, parse_manifest, parse_pack  # noqa: E402
from citator.trust.skill_folder import Skill, read_folder  # noqa: E402
from citator.trust.skill_statement import SkillApproval, signer_of, statement_of  # noqa: E402
from citator.trust.skills import Shelf  # noqa: E402

DAYS = 1826
SHIPPED = packs.shipped_folder()


def main() -> int:
    """Sign, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", default=datetime.now(UTC).strftime("%Y-%m-%dT00:00:00Z"))
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--commit", action="store_true", help="commit what was signed, alone")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        return check(given.time)
    key = fresh_ed25519()
    (SHIPPED / packs.SHIPPED_KEY).write_text(f"{key.public.text}\n", "ascii")
    for folder in folders("packs"):
        sign_pack(folder, key, given.time, given.days)
    sign_skills(key, given.time)
    if given.commit:
        commit()
    return check(given.time)


def folders(kind: str) -> list[Path]:
    """The folders of one kind that ship, by name."""
    place = SHIPPED / kind
    return sorted(one for one in place.iterdir() if one.is_dir()) if place.is_dir() else []


def sign_pack(folder: Path, key: SigningKey, time: str, days: int) -> None:
    """Write the manifest of a pack, one counter on, and its signature."""
    data = (folder / packs.PACK).read_bytes()
    pack = parse_pack(data)
    before = folder / packs.MANIFEST
    counter = parse_manifest(before.read_bytes()).counter + 1 if before.exists() else 1
    until = datetime.fromisoformat(time) + timedelta(days=days)
    end = until.strftime("%Y-%m-%dT%H:%M:%SZ")
    made = Manifest(pack.id, pack.root, counter, digest(data), time, end).to_bytes()
    before.write_bytes(made)
    (folder / packs.SIGNATURE).write_text(key.sign(made, NAMESPACE), "ascii")


def sign_skills(key: SigningKey, time: str) -> None:
    """Write the list of the skills that ship, in its order before and then by name, all signed."""
    there = {one.name: one for one in folders("skills")}
    listed = SHIPPED / "skills.json"
    before = json.loads(listed.read_bytes())["skills"] if listed.exists() else []
    names = [one["statement"]["skill"] for one in before]
    signed = []
    for name in dict.fromkeys([*(one for one in names if one in there), *there]):
        said = statement_of(read_folder(there[name]), time)
        armored = key.sign(said.to_bytes(), skill_statement.NAMESPACE)
        signed.append(SkillApproval(said, armored).to_dict())
    if signed:
        listed.write_bytes(encode({"skills": signed}) + b"\n")


def check(moment: str) -> int:
    """Whether everything that ships counts at ``moment``."""
    found = list(packs.shipped(moment))
    skills = Shelf(Layout(Path())).shipped
    refused = {one.pack: one.kind.value for one in found if isinstance(one, packs.Refused)}
    bad = [one.name for one, said in skills.values() if not holds(one, said)]
    there = len(folders("skills"))
    print(json.dumps({"packs": len(found), "refused": refused, "skills": there, "unsigned": bad}))
    return 1 if refused or not found or bad or there != len(skills) else 0


def holds(skill: Skill, said: SkillApproval) -> bool:
    """Whether the signature is over this skill as it stands."""
    try:
        return bool(signer_of(said, skill, Shelf(Layout(Path())).shipped_keys))
    except CitatorError:
        return False


def commit() -> None:
    """Commit the signatures and the public half: these paths and no others."""
    subject = "Sign what ships with a key that is gone"
    for command in (["add"], ["commit", "-q", "-m", subject]):
        subprocess.run(["git", "-C", str(ROOT), *command, "--", str(SHIPPED)], check=True)


if __name__ == "__main__":
    sys.exit(main())
