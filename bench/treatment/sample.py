"""Draws the sample that is judged by hand, and prints it for reading. Ids alone are kept.

    python bench/treatment/sample.py DATA [--salt=7] [--each=16] NAME=REPOSITORY … > sample.json
    python bench/treatment/sample.py DATA --read NAME=REPOSITORY … < sample.json

The net is wider than the detector and shares nothing with it: any message with one of a few words.
From each history as many are drawn from messages in git's own form as from the others.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from citator.git import repository
from citator.index.treatment_mining import mask_at, opened
from citator.index.treatment_view import CommitTreatments

NET = re.compile(
    r"revert|re-?appl(?:y|ie)|re-?land|re-?commit|reinstat|back(?:s|ed|ing)?[ -]?out|"
    r"roll(?:s|ed|ing)?[ -]?back|\bundo|\bundid",
    re.I,
)
OWN_FORM = re.compile(r'Revert ".*"\n\n(?:.*\n)*?This reverts commit [0-9a-f]{40}', re.I)


def messages(path: str) -> dict[str, str]:
    """Every message by commit."""
    done = subprocess.run(
        ["git", "-C", path, "log", "-z", "--format=%H%n%B", "HEAD"], capture_output=True, check=True
    )
    pairs = (one.partition("\n") for one in done.stdout.decode("utf-8", "replace").split("\0"))
    return {commit: message for commit, _, message in pairs if commit}


def drawn(commits: list[str], count: int, salt: str) -> list[str]:
    """``count`` of ``commits``, the same ones every time."""

    def key(one: str) -> bytes:
        return hashlib.sha256(f"{salt}{one}".encode()).digest()

    return sorted(commits, key=key)[:count]


def main() -> None:
    """See the module."""
    data, *rest = sys.argv[1:]
    reading = "--read" in rest
    said = {"salt": "7", "each": "16"}
    said |= dict(one[2:].split("=", 1) for one in rest if one.startswith("--") and "=" in one)
    places = dict(one.split("=", 1) for one in rest if "=" in one and not one.startswith("--"))
    kept = json.load(sys.stdin) if reading else []
    found = []
    for name, path in places.items():
        all_messages = messages(path)
        if not reading:
            net = [one for one, message in all_messages.items() if NET.search(message)]
            own = [one for one in net if OWN_FORM.match(all_messages[one])]
            other = sorted(set(net) - set(own))
            for form, group in (("own", own), ("other", other)):
                found += [
                    {"repository": name, "form": form, "of": len(group), "commit": one}
                    for one in drawn(group, int(said["each"]), said["salt"])
                ]
            continue
        show(name, path, all_messages, Path(data), [x for x in kept if x["repository"] == name])
    if not reading:
        json.dump(found, sys.stdout, indent=1)


def show(
    name: str, path: str, texts: dict[str, str], data: Path, rows: list[dict[str, str]]
) -> None:
    """Print each message beside what was found, for somebody who reads."""
    repo = repository.discover(Path(path))
    with opened(repo, data / f"{name}.sqlite") as store:
        mask = mask_at(repo, store, repository.head(repo).commit or "")
        treated = CommitTreatments(store, mask or b"")
        for row in rows:
            commit = row["commit"]
            print(f"--- {name} {commit[:12]} [{row['form']}]")
            lines = texts[commit].strip().split("\n")
            near = {0}
            for at, line in enumerate(lines):
                if NET.search(line):
                    near |= {at - 1, at, at + 1}
            shown = [at for at in sorted(near) if 0 <= at < len(lines) and lines[at].strip()]
            print("\n".join(f"   | {lines[at][:150]}" for at in shown[:9]))
            for edge in treated.by(commit):
                if edge.treatment.value in ("reverts", "reinstates", "limits"):
                    of = texts.get(edge.of or "", "?").partition("\n")[0][:90]
                    told = f"{edge.rule.value} {edge.strength.value} {edge.confirmed}"
                    what = f"{edge.treatment.value} {(edge.of or 'NOT FOUND ' + edge.claimed)[:22]}"
                    print(f"   > {what} {told} :: {of}")


if __name__ == "__main__":
    main()
