"""Front matter: the YAML between two ``---`` lines at the very start of a Markdown file.

- It opens on the first line and closes with ``---`` or ``...`` within 64 Ki characters.
- What opens and closes like front matter and is not a readable mapping is *unreadable*: its lines
  stay text, no fact is taken from it, and the caller counts it.
- An opening line that nothing closes, or that a blank line follows, is a thematic break.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAX_CHARACTERS = 65_536


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """How many lines it takes (its fences included; 0: none), and what it says.

    ``unreadable`` says that the lines look like front matter and could not be wholly read;
    ``values`` then holds what is certain, which may be nothing.
    """

    lines: int = 0
    values: Mapping[str, object] = field(default_factory=dict)
    unreadable: bool = False

    def text(self, *names: str) -> str | None:
        """The first of ``names`` (any case) whose value is text or a number, stripped."""
        folded = {name.lower(): value for name, value in self.values.items()}
        for name in names:
            value = folded.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return None

    def texts(self, *names: str) -> tuple[str, ...]:
        """Every text or number under ``names``, lists flattened, in order."""
        folded = {name.lower(): value for name, value in self.values.items()}
        found: list[str] = []
        for name in names:
            value = folded.get(name)
            items = value if isinstance(value, list) else [value]
            found += [str(one).strip() for one in items if _is_word(one)]
        return tuple(found)


def _is_word(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(str(value).strip())


NONE = FrontMatter()


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file, given as its lines without line ends or byte-order mark."""
    if not lines or lines[0].rstrip() != "---":
        return NONE
    end = _closing(lines)
    if end is None or (end > 1 and not lines[1].strip()):
        return NONE
    content = "\n".join(lines[1:end])
    # Here, because most files have no front matter and PyYAML is slow to import.
    from citator.formats.yaml_safe import load

    loaded = load(content)
    if loaded.value is None and not loaded.problems:
        return FrontMatter(end + 1)
    if not isinstance(loaded.value, dict):
        return FrontMatter(end + 1, unreadable=True)
    return FrontMatter(end + 1, loaded.value, unreadable=bool(loaded.problems))


def _closing(lines: Sequence[str]) -> int | None:
    """The index of the closing line, None where there is none near enough."""
    size = 0
    for index in range(1, len(lines)):
        line = lines[index]
        if line.rstrip() in ("---", "..."):
            return index
        size += len(line) + 1
        if size > MAX_CHARACTERS:
            return None
    return None
