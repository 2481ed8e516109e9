"""A question over what HEAD has: evidence, or an abstention, with the horizon.

The answer carries references and plain facts (rule 1); ``read`` adds the exact text of the
first results, because the caller asked for it. Nothing is indexed here: an index that is behind
answers, and its horizon says by how much.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from citator.index.analysis import Analyser
from citator.index.protocol import Snapshot
from citator.model.domain import Applied
from citator.model.evidence import AbstainReason, Answer, ReadItem, Status
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.record import ItemKind
from citator.model.reference import DocumentKind
from citator.model.ruling import Governing
from citator.model.trace import timed
from citator.model.visibility import Audience
from citator.search.search import Found, Options, search
from citator.service import calibration
from citator.service.evidence import evidence_of
from citator.service.horizon import Seen, horizon_of
from citator.service.legs import VECTORS_LEG, WORDS_LEG, expansion, vectors, wants_vectors
from citator.service.opened import opened
from citator.service.policy import Policy, policy_for
from citator.service.predicted import FILES_LEG, MOST_FILES, Predicted, PredictedFile, predicted
from citator.service.read_evidence import MAX_CHARACTERS, MAX_LINES, read_one
from citator.service.readership import CALIBRATION_LEG, Mask, mask_of
from citator.service.treatment import LEG as TREATMENT_LEG
from citator.service.treatment import Treatments, treatments
from citator.service.workspace import Workspace

MAX_READ = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. ``limit`` None means what the repository's configuration says; ``read``
    (at most 3) asks for the text of the first results too; ``files`` is how many files that it is
    likely about are told at most (0: none are looked for).

    ``paths``, ``kinds``, ``as_of`` and ``at`` are for the record, as in
    :class:`citator.service.governing.Asked`; ``now`` is the time (RFC 3339, UTC) against which
    validity is held, None leaves it unread.
    """

    text: str
    limit: int | None = None
    read: int = 0
    cursor: str | None = None
    paths: tuple[str, ...] = ()
    kinds: tuple[ItemKind, ...] = ()
    as_of: str | None = None
    at: str | None = None
    files: int = MOST_FILES
    now: str | None = None


@dataclass(frozen=True, slots=True)
class Investigation:
    """The answer, what the record says, the texts that were asked for, in rank order, and the files
    that the question is likely about.

    It is an abstention where neither history nor the record has anything to say, whatever files it
    may be about, and whatever the policy does not cover: a gap of that is told beside.
    """

    answer: Answer
    texts: tuple[ReadItem, ...] = ()
    record: Governing = field(default_factory=Governing)
    predicted: Predicted = field(default_factory=Predicted)
    policy: Applied | None = None


def investigate(
    workspace: Workspace,
    question: Question,
    audience: Audience | None = None,
    asked: Investigation | None = None,
) -> Investigation:
    """Answer ``question`` from the current index, and from the record for ``audience`` (None: whom
    the operator granted). ``asked`` is what was found when more results were asked for: what the
    record said, and the files, are taken from it.

    Raises RefusedError where nothing was indexed, UsageError for a cursor of another question,
    IntegrityError where the index is damaged.
    """
    with timed("investigate", read=question.read) as facts:
        found = _investigated(workspace, question, audience, asked)
        facts.update(status=found.answer.status.value, evidence=len(found.answer.evidence))
    return found


def _investigated(
    workspace: Workspace,
    question: Question,
    audience: Audience | None,
    asked: Investigation | None,
) -> Investigation:
    analyser = Analyser()
    settings = workspace.config.retrieval
    mask = mask_of(workspace, audience)
    with opened(workspace, mask) as (snapshot, view):
        files, record = _beside(workspace, question, audience, mask, asked)
        words = expansion(workspace, snapshot, analyser)
        wanted = wants_vectors(workspace)
        near = vectors(workspace, snapshot, view) if wanted and not mask.hides else None
        found = search(
            view,
            question.text,
            Options(
                limit=question.limit or settings.results,
                cursor=question.cursor,
                per_document=settings.per_document,
                seal=_seal(workspace, snapshot, mask),
            ),
            expander=words if settings.expansion and not mask.hides else None,
            vector_leg=near,
            calibration=(None if mask.hides else calibration.load(workspace, snapshot.generation)),
            analyser=analyser,
        )
        if found.abstained is AbstainReason.UNKNOWN_TERMS and record.silent:
            files, record = (
                _of_the_unknown(files, found.unknown_words),
                replace(record, decisions=()),
            )
        off = [WORDS_LEG] if words.off or mask.hides else []
        if mask.hides:
            off.append(CALIBRATION_LEG)
        if wanted and (near is None or near.off):
            off.append(VECTORS_LEG)
        if files.off:
            off.append(FILES_LEG)
        horizon = horizon_of(workspace, snapshot, off, Seen(view, mask))
        policy = policy_for(workspace.layout, question.text, question.now)
        with treatments(workspace, audience, question.now) as treated:
            answer = _answer(horizon, found, record, treated, policy)
        texts = [
            read_one(view, item.ref, MAX_LINES, MAX_CHARACTERS)
            for item in answer.evidence[: min(question.read, MAX_READ)]
        ]
    told = policy.told(silent=answer.abstained is not None)
    return Investigation(answer, tuple(texts), record, files, told)


def _of_the_unknown(files: Predicted, unknown: tuple[str, ...]) -> Predicted:
    """Of files beside a question about what history never mentions, those that do: where the rest
    of its words lead is nothing that was asked."""
    words = [word.casefold() for word in unknown]

    def mentions(one: PredictedFile) -> bool:
        tokens = {token.casefold() for token in one.why.tokens}
        return any(word in tokens or word in one.path.casefold() for word in words)

    return replace(files, files=tuple(one for one in files.files if mentions(one)))


def _beside(
    workspace: Workspace,
    question: Question,
    audience: Audience | None,
    mask: Mask,
    asked: Investigation | None,
) -> tuple[Predicted, Governing]:
    """What stands beside the evidence. A page after the first has had it."""
    if asked is not None:
        return asked.predicted, asked.record
    if question.cursor is not None:
        return Predicted(), Governing()
    files = predicted(workspace, question.text, mask, question.files)
    return files, _from_record(workspace, question, audience, files)


def _from_record(
    workspace: Workspace, question: Question, audience: Audience | None, files: Predicted
) -> Governing:
    """What the record says to the question, and of the files it is likely about."""
    from citator.service.governing import Asked, governing
    from citator.service.record_view import audience_of

    asked = Asked(
        question.text,
        paths=question.paths,
        kinds=question.kinds,
        as_of=question.as_of,
        at=question.at,
        predicted=tuple(one.path for one in files.files),
        now=question.now,
    )
    return governing(workspace, audience or audience_of(workspace), asked)


def _answer(
    horizon: Horizon, found: Found, record: Governing, treated: Treatments, policy: Policy
) -> Answer:
    facts = [HorizonFact(Limit.RECORD_UNREADABLE, None, code) for code in record.facts]
    if found.hits and not treated.read:
        facts.append(HorizonFact(Limit.LEG_OFF, None, TREATMENT_LEG))
    spoken = found.abstained is not None and not record.silent
    treated.look_ahead(hit.row.object_id for hit in found.hits)
    commits = (hit.row for hit in found.hits if hit.row.kind is DocumentKind.COMMIT)
    treated.look_at_files({row.object_id: row.paths for row in commits})
    return Answer(
        status=Status.COMPLETE if spoken else found.status,
        evidence=tuple(evidence_of(hit.row, hit.matched, treated, policy) for hit in found.hits),
        horizon=horizon.having(facts),
        abstained=None if spoken else found.abstained,
        unknown_words=found.unknown_words,
        left_out=found.left_out,
        cursor=found.cursor,
    )


def _seal(workspace: Workspace, snapshot: Snapshot, mask: Mask) -> bytes:
    """What a cursor is bound to: this installation, this generation, this HEAD, what is hidden."""
    bound = f"{snapshot.generation} {workspace.head.commit}"
    if mask.hides:
        bound = f"{bound} {mask.id}"
    return workspace.secret + bound.encode()
