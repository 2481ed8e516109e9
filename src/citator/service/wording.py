"""What people are told in words: what each limit means and what can be done, sizes.

Every limit has its sentence (tested); none carries words of the repository.
"""

from __future__ import annotations

from citator.model.horizon import HorizonFact, Limit

LIMITS: dict[Limit, str] = {
    Limit.SHALLOW: "the clone is shallow, so older history is not here",
    Limit.SINGLE_BRANCH: "the clone holds a single branch",
    Limit.PARTIAL_CLONE: "the clone is partial, so some contents are not here and were not fetched",
    Limit.MISSING_OBJECTS: "objects that the history names are missing",
    Limit.REPLACED_OBJECTS: "replaced objects, whose originals were read",
    Limit.GRAFTED: "grafts, in spite of which the original history was read",
    Limit.UNBORN_HEAD: "there is no commit yet",
    Limit.DETACHED_HEAD: "HEAD is detached",
    Limit.GUESSED_ENCODING: "commit messages whose encoding had to be guessed",
    Limit.UNREADABLE_COMMITS: "commits that could not be read",
    Limit.UNREADABLE_BLOBS: "files that could not be read",
    Limit.TOO_LARGE: "files too large to read",
    Limit.CUT_LONG: "long texts read only in part",
    Limit.LFS_POINTERS: "files kept in LFS, of which only the pointers are here",
    Limit.SYMLINKS_NOT_FOLLOWED: "symbolic links, not followed",
    Limit.INVALID_UTF8: "files that are not valid UTF-8, read as far as possible",
    Limit.FRONT_MATTER_UNREADABLE: "files whose front matter is not readable YAML",
    Limit.SUBMODULES_APART: "submodules, each a repository of its own",
    Limit.CONFIG_UNREADABLE: "settings in .citator/config.yaml that could not be used",
    Limit.NO_REASONS_RECORDED: "commits that say what changed but not why",
    Limit.INDEX_BEHIND: "commits that HEAD has and the index has not",
    Limit.RECORD_UNREADABLE: "a part of the record of decisions was not read",
    Limit.LEG_OFF: "a way of searching was off",
    Limit.TIME_LIMIT: "the time limit was reached",
    Limit.BRANCHES_UNREAD: "open branches of others that were not looked at",
}

# What can be done about a limit, where something can.
REMEDIES: dict[Limit, str] = {
    Limit.SHALLOW: "git fetch --unshallow",
    Limit.SINGLE_BRANCH: "git remote set-branches origin '*' && git fetch",
    Limit.REPLACED_OBJECTS: "git replace --list shows them",
    Limit.UNREADABLE_COMMITS: "git fsck says which",
    Limit.UNREADABLE_BLOBS: "git fsck says which",
    Limit.SUBMODULES_APART: "run citator in each",
    Limit.CONFIG_UNREADABLE: "see docs/reference/configuration.md",
    Limit.INDEX_BEHIND: "citator index build",
    Limit.RECORD_UNREADABLE: "citator verify says what is wrong",
}


def limit_sentence(fact: HorizonFact) -> str:
    """One limit for a person: the sentence, the plain detail, the count where known."""
    count = "" if fact.count is None else f": {fact.count:,}"
    detail = f" ({fact.detail})" if fact.detail else ""
    return f"{LIMITS[fact.limit]}{detail}{count}"


def size(number: int) -> str:
    """Bytes for a person, in powers of 1024."""
    amount = float(number)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
