"""Every kind of file in the data directory, and the number of its format.

What is *derived* is made again where an older version wrote it; what is not is upgraded
(:mod:`citator.store.stamp`). Whatever a newer version wrote is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: ``path`` in the data directory, its number, and where that is written.

    ``derived`` says that it can be made again from the repository or from installed packages.
    """

    path: str
    number: int
    written: str
    derived: bool


PLACE: Final = "<id>-<place>"
INDEX: Final = f"{PLACE}/derived/index"


def formats() -> tuple[Format, ...]:
    """All of them, in the order of their paths."""
    from citator.formats import reviews
    from citator.index import generations, lexicon, removals, treatment_store, vector_store
    from citator.record import provenance
    from citator.service import (
        brief_settings,
        calibration,
        call_log,
        claims_sync,
        docket_kept,
        findings,
        guard_log,
        hooks,
        kept_views,
        outcomes,
        reading_plan,
        replayed_cases,
        research,
        shown,
    )
    from citator.store import hook_files, journal, layout, log, stamp
    from citator.team import claim_store, claims, notes, sessions, standing
    from citator.team import outcomes as ends
    from citator.trust import (
        grants,
        ledgers,
        pack_format,
        pins,
        readership,
        remembered,
        skill_statement,
        skills,
        words,
    )

    whole, manifest = f"`{stamp.NAME}`", "`manifest.json`"
    derived = f"{PLACE}/derived"
    cases = f"{PLACE}/local/{replayed_cases.FOLDER}"
    kept = f"{PLACE}/local/{claim_store.FOLDER}"
    ended = f"{PLACE}/local/{ends.FOLDER}"
    return (
        Format(f"{INDEX}/current", generations.FORMAT, manifest, True),
        Format(f"{INDEX}/generations/*", generations.FORMAT, manifest, True),
        Format(f"{INDEX}/lock", stamp.FORMAT, whole, True),
        Format(f"{derived}/{calibration.FILE}", calibration.FORMAT, "`format`", True),
        Format(f"{derived}/{claims_sync.FOLDER}/*", 1, "git's own; made anew by each sync", True),
        Format(f"{derived}/code/*", 1, "its name, or `contract` in `facts.sqlite`", True),
        Format(f"{derived}/{docket_kept.FOLDER}/*.json", docket_kept.FORMAT, "its name", True),
        Format(f"{derived}/{findings.FILE}", findings.FORMAT, "`format`", True),
        Format(f"{derived}/{hook_files.FOLDER}/*", hook_files.FORMAT, "`v` in each table", True),
        Format(f"{derived}/{hook_files.FOLDER}/{hooks.LOCK}", stamp.FORMAT, whole, True),
        Format(f"{derived}/lexicon/*", lexicon.FORMAT, "`format` in `words-*.json`", True),
        Format(f"{derived}/{standing.FILE}", standing.FORMAT, "`v`", True),
        Format(f"{derived}/{outcomes.FILE}", outcomes.FORMAT, "its first word", True),
        Format(f"{derived}/record/origins", provenance.VERSION, "its first word, sealed", True),
        Format(f"{derived}/record/partitions/*", 1, "its name, a digest of what it holds", True),
        Format(f"{derived}/record/provenance.json", provenance.VERSION, "`version`, sealed", True),
        Format(f"{derived}/record/views/*.json", kept_views.VERSION, "`version`, sealed", True),
        Format(f"{derived}/{removals.FILE}", removals.FORMAT, "`contract`", True),
        Format(f"{derived}/{treatment_store.FILE}", treatment_store.FORMAT, "`contract`", True),
        Format(f"{derived}/vectors.sqlite", vector_store.FORMAT, "`user_version`", True),
        Format(f"{derived}/vectors.sqlite.lock", stamp.FORMAT, whole, True),
        Format(f"{cases}/{replayed_cases.NAME}", replayed_cases.FORMAT, "`v` in each line", True),
        Format(f"{cases}/{reading_plan.NAME}", reading_plan.FORMAT, "`format`", True),
        Format(f"{cases}/{replayed_cases.LOCK}", stamp.FORMAT, whole, True),
        Format(f"{kept}/*.json", claims.FORMAT, "`v`", False),
        Format(f"{kept}/{claim_store.LOCK}", stamp.FORMAT, whole, True),
        Format(f"{kept}/{claim_store.STATE}", claim_store.STATE_FORMAT, "`v`", True),
        Format(f"{kept}/{claims_sync.LOCK}", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/{brief_settings.NAME}", brief_settings.FORMAT, "`v`", False),
        Format(f"{PLACE}/local/{brief_settings.LOCK}", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/drafts/*", 1, "none: a text that a person wrote", False),
        Format(f"{PLACE}/local/{guard_log.FOLDER}/*", guard_log.FORMAT, "`v` in each line", False),
        Format(f"{PLACE}/local/{hook_files.FOLDER}/*.json", 1, "none: one event", False),
        Format(
            f"{PLACE}/local/{journal.FOLDER}/*.jsonl", journal.FORMAT, "`v` in each line", False
        ),
        Format(f"{PLACE}/local/{journal.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/{notes.FOLDER}/files/*", notes.FORMAT, "`v`", False),
        Format(
            f"{PLACE}/local/{notes.FOLDER}/{journal.FOLDER}/*.jsonl",
            journal.FORMAT,
            "`v` in each line",
            False,
        ),
        Format(f"{PLACE}/local/{notes.FOLDER}/{journal.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/{notes.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{ended}/files/*", ends.FORMAT, "`v`", False),
        Format(f"{ended}/{journal.FOLDER}/*.jsonl", journal.FORMAT, "`v` in each line", False),
        Format(f"{ended}/{journal.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{ended}/lock", stamp.FORMAT, whole, True),
        Format(f"{ended}/{shown.FILE}*", shown.FORMAT, "`v` in each line", False),
        Format(f"{PLACE}/local/record.lock", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/reviews/*", reviews.VERSION, "`citator_review`", False),
        Format(f"{PLACE}/local/{call_log.FOLDER}/*", call_log.FORMAT, "`v` in each line", True),
        Format(f"{PLACE}/local/{sessions.FOLDER}/files/*", sessions.FORMAT, "`v`", False),
        Format(
            f"{PLACE}/local/{sessions.FOLDER}/{journal.FOLDER}/*.jsonl",
            journal.FORMAT,
            "`v` in each line",
            False,
        ),
        Format(f"{PLACE}/local/{sessions.FOLDER}/{journal.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/local/{sessions.FOLDER}/lock", stamp.FORMAT, whole, True),
        Format(f"{PLACE}/{layout.DESCRIPTION}", layout.DESCRIPTION_FORMAT, "`version`", False),
        Format(f"{PLACE}/watch.lock", stamp.FORMAT, whole, True),
        Format(stamp.NAME, stamp.FORMAT, "`format`", False),
        Format(stamp.LOCK, stamp.FORMAT, whole, True),
        Format("http-token", stamp.FORMAT, whole, False),
        Format("http.lock", stamp.FORMAT, whole, True),
        Format(f"log/{log.NAME}", log.FORMAT, "`v` in each line", True),
        Format("log/lock", stamp.FORMAT, whole, True),
        Format("reports/*", 1, "`report`", True),
        Format(f"{research.FOLDER}/*.page", research.FORMAT, "`version` in the first line", True),
        Format("secret", stamp.FORMAT, whole, False),
        Format("shared/*", 1, "its name, a digest of what it was made from", True),
        Format("trust/audience.json", grants.VERSION, "`version`", False),
        Format("trust/ledgers.json", ledgers.VERSION, "`version`", False),
        Format("trust/pins/*.json", pins.VERSION, "`version`", False),
        Format("trust/counters.json", remembered.VERSION, "`version`", False),
        Format("trust/policy/journal/*.jsonl", journal.FORMAT, "`v` in each line", False),
        Format("trust/policy/journal/lock", stamp.FORMAT, whole, True),
        Format("trust/policy/lock", stamp.FORMAT, whole, True),
        Format(
            "trust/policy/packs/*/*",
            pack_format.VERSION,
            "`version` in the pack and the manifest",
            False,
        ),
        Format("trust/policy/roots/*.json", pack_format.VERSION, "`version`", False),
        Format("trust/readership.json", readership.VERSION, "`version`", False),
        Format("trust/remembered-*.json", remembered.VERSION, "`version`", False),
        Format("trust/skills.json", skills.VERSION, "`version`", False),
        Format(
            "trust/skills/approvals/*.json",
            skill_statement.VERSION,
            "`version` in the statement",
            False,
        ),
        Format("trust/skills/journal/*.jsonl", journal.FORMAT, "`v` in each line", False),
        Format("trust/skills/journal/lock", stamp.FORMAT, whole, True),
        Format("trust/skills/kept/*", 1, "its first line", False),
        Format("trust/skills/lock", stamp.FORMAT, whole, True),
        Format("trust/words.json", words.VERSION, "`version`", False),
    )
