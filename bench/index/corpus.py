"""A history that looks like one and is the same every time: Zipf words, a fixed seed, any size.

The most frequent words are the function words of English, so that questions meet posting lists
as long as a real corpus has them; the others are made of syllables. Nothing here is anybody's
text.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator

from citator.index.protocol import DocumentKey
from citator.model.document import Document, Passage, Person
from citator.model.reference import DocumentKind, make_ref

VERSIONS = "bench"
_FUNCTION_WORDS = (
    "the to a of and in is for it that this be on with not as we are when if from by can an was "
    "so but or which have will all use no only than does should has now more there its into also "
    "do would because at been any one they after same where these their other then make just new "
    "before without both most over some such between while being still since each could may must "
    "need instead already given however used using even those through under until about again"
)
_STARTS = "b br c cl d dr f fl g gr h j k l m n p pl pr qu r s sh st t tr v w z"
_ENDS = "a e i o u ai ea or er an in on us al ic et"
FUNCTION_WORDS = _FUNCTION_WORDS.split()
VOCABULARY = 60_000


class Corpus:
    """Documents number ``0``, ``1``, … of one seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [*FUNCTION_WORDS, *self._made_words(VOCABULARY - len(FUNCTION_WORDS))]
        weights = (1.0 / (rank + 2.7) for rank in range(VOCABULARY))
        self._weights = list(itertools.accumulate(weights))
        self._paths = [self._path() for _ in range(4_000)]
        self._people = [Person(f"Person {n}", f"p{n}@example.org") for n in range(300)]

    def _made_words(self, count: int) -> Iterator[str]:
        starts, ends = _STARTS.split(), _ENDS.split()
        made: set[str] = set(FUNCTION_WORDS)
        while len(made) < count + len(FUNCTION_WORDS):
            syllables = self._random.choice((1, 2, 2, 3, 3, 4))
            word = "".join(
                self._random.choice(starts) + self._random.choice(ends) for _ in range(syllables)
            )
            if self._random.random() < 0.08:
                word += "_" + self._random.choice(starts) + self._random.choice(ends)
            if word not in made:
                made.add(word)
                yield word

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))

    def _path(self) -> str:
        parts = self._random.choices(self._words[120:2_000], k=self._random.choice((1, 2, 3, 4)))
        return "/".join(parts) + self._random.choice((".py", ".rs", ".md", ".c", ".rb"))

    def documents(self, passages: int, start: int = 0) -> Iterator[Document]:
        """Commits of ``passages`` passages in all, numbered from ``start``."""
        left, number = passages, start
        while left > 0:
            document = self._commit(number, min(left, self._random.choice((1, 1, 1, 2, 2, 3))))
            left -= len(document.passages)
            number += 1
            yield document

    def _commit(self, number: int, passages: int) -> Document:
        identity = hashlib.sha1(b"%d" % number).hexdigest()
        texts = [self._text(self._random.randint(12, 110)) for _ in range(passages)]
        made = tuple(
            Passage(
                2 * n + 1,
                2 * n + 1,
                text,
                make_ref(DocumentKind.COMMIT, identity, (2 * n + 1, 2 * n + 1), text, VERSIONS),
            )
            for n, text in enumerate(texts)
        )
        return Document(
            kind=DocumentKind.COMMIT,
            object_id=identity,
            subject=self._text(self._random.randint(4, 9)),
            text="\n\n".join(texts),
            passages=made,
            paths=tuple(self._random.choices(self._paths, k=self._random.choice((1, 1, 2, 3, 8)))),
            author=self._random.choice(self._people),
            authored_at=1_500_000_000 + 600 * number,
            committed_at=1_500_000_000 + 600 * number,
        )


def questions(texts: list[str], count: int, seed: int = 3) -> tuple[list[str], list[str]]:
    """Questions in the words of passages: raw (8 to 12 in a row), and content words alone."""
    chosen = random.Random(seed)
    raw: list[str] = []
    content: list[str] = []
    while len(raw) < count:
        words = chosen.choice(texts).split()
        length = chosen.randint(8, 12)
        if len(words) < length:
            continue
        start = chosen.randrange(len(words) - length + 1)
        piece = words[start : start + length]
        kept = [word for word in piece if word.lower() not in FUNCTION_WORDS]
        if len(kept) >= 2:
            raw.append(" ".join(piece))
            content.append(" ".join(kept))
    return raw, content


def key_of(document: Document) -> DocumentKey:
    """The key under which the index holds a document."""
    return DocumentKey(document.kind, document.object_id, document.path or "")
