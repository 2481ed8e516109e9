"""Targets for what reads prose, markup, code and questions: nothing of it may raise at all.

Beside that: markup stays markup (no tag of an author survives), what is made inert is, redaction
keeps the lines, and what is folded or encoded once stays so.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from citator.formats import codeowners, globs, trailers, yaml_safe
from citator.formats.front_matter import read_front_matter
from citator.formats.html_text import to_html
from citator.formats.markdown import outline
from citator.formats.one_line import first_sentence, one_line
from citator.formats.sections import sections
from citator.formats.steering import signs
from citator.git.commit_objects import commit_of, signed_part
from citator.git.decoding import decoded
from citator.index.analysis import Analyser
from citator.index.code.languages import language_of
from citator.index.code.parsing import facts_of
from citator.index.code.words import Words
from citator.locate.issue import read_issue
from citator.model.errors import UsageError
from citator.model.inert import inert, inert_line
from citator.model.plain import is_plain, percent_encoded, plain_path
from citator.model.reference import is_ref, split_ref
from citator.record.folding import folded
from citator.search import question
from citator.search.docket.target import target_of
from citator.sources.commits import document_of
from citator.sources.markdown import decode
from citator.sources.redaction import redact
from citator.sources.removals.dependencies import named_in
from citator.sources.removals.marks import flags, keys_of, shingles
from citator.sources.splitter import split_markdown, split_message
from citator.sources.stated import stated_of
from citator.sources.treatment.claims import claims_of, watches_of
from citator.sources.treatment.names import names_of
from tests.fuzz.harness import Target

MANIFESTS: Final = (
    "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pyproject.toml",
    "poetry.lock", "uv.lock", "requirements.txt", "setup.cfg", "Pipfile", "Pipfile.lock",
    "Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "Gemfile", "Gemfile.lock", "pom.xml",
    "build.gradle", "composer.json", "composer.lock", "x.csproj", "packages.config", "a.gemspec",
    "build.gradle.kts", "libs.versions.toml", "mix.exs", "setup.py", "environment.yml",
)  # fmt: skip
SOURCES: Final = (
    "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.rs", "a.java", "a.rb", "a.c", "a.cpp", "a.cs",
    "a.kt", "a.php", "a.sh", "a.txt",
)  # fmt: skip
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_HIDDEN: Final = re.compile("[\u200b-\u200f\ufe00-\ufe0f\ufeff]{3}")


def text_of(data: bytes) -> str:
    """Bytes as the product decodes a document."""
    return decode(data).text


@cache
def _analyser() -> Analyser:
    return Analyser()


@cache
def _words() -> Words:
    return Words()


def _front_matter(data: bytes) -> None:
    front = read_front_matter(text_of(data).split("\n"))
    front.text("title", "status")
    front.texts("supersedes", "deciders")


def _yaml(data: bytes) -> None:
    loaded = yaml_safe.load(data.decode("utf-8", "surrogateescape"))
    assert loaded.readable or loaded.value is None


def _trailers(data: bytes) -> None:
    text = text_of(data)
    found = trailers.find_trailers(text.split("\n"))
    stated_of(found.trailers, text)


def _markdown(data: bytes) -> None:
    text = text_of(data)
    lines = text.split("\n")
    structure = outline(lines)
    split_markdown(lines, structure)
    sections(text)


def _html(data: bytes) -> None:
    page = to_html(text_of(data))
    tags = re.findall(r"<\s*/?\s*([a-zA-Z]*)", page)
    assert not {one.lower() for one in tags} & {"script", "img", "iframe", "style", "svg", "form"}
    assert not re.search(r"""(href|src)\s*=\s*["']?\s*(?!https?:|mailto:|#)""", page) or (
        "javascript:" not in re.sub(r">[^<]*", ">", page).lower()
    )


def _message(data: bytes) -> None:
    raw = commit_of("a" * 40, data, ("a.py",))
    document = document_of(raw)
    assert document is None or document.passages
    split_message(raw.message.split("\n"), raw.message)
    signed_part(data)


def _claims(data: bytes) -> None:
    text, _ = decoded(data, None)
    claims_of(text)
    watches_of(text)
    names_of(text)


def _redaction(data: bytes) -> None:
    text = text_of(data)
    clean, count = redact(text)
    assert clean.count("\n") == text.count("\n")
    assert count or clean == text


def _inert(data: bytes) -> None:
    text = data.decode("utf-8", "surrogatepass") if _passes(data) else text_of(data)
    shown = inert(text)
    assert not _CONTROL.search(shown.replace("\n", ""))
    assert not _HIDDEN.search(shown)
    assert "\n" not in inert_line(text)
    assert inert(shown) == shown
    assert is_plain(plain_path(text)) or not is_plain(percent_encoded(text))


def _passes(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _folding(data: bytes) -> None:
    once = folded(text_of(data))
    assert folded(once) == once
    assert folded(f"  {once}\n") == once


def _steering(data: bytes) -> None:
    signs(text_of(data))


def _one_line(data: bytes) -> None:
    text = text_of(data)
    assert len(one_line(text, 280)) <= 280
    assert "\n" not in one_line(text, 280)
    first_sentence(text)


def _globs(data: bytes) -> None:
    pattern, _, path = text_of(data).partition("\n")
    if globs.problem_with(pattern) is None:
        found = globs.compiled(pattern)
        found.fullmatch(path or "a/" * 2_000 + "b")


def _code_owners(data: bytes) -> None:
    owners = codeowners.parse(data)
    for path in ("src/a.py", "docs/a b.md", "a/" * 500 + "b"):
        assert all("\n" not in one for one in owners.of(path))


def _question(data: bytes) -> None:
    question.parse(data.decode("utf-8", "surrogateescape"), _analyser())


def _issue(data: bytes) -> None:
    read_issue(text_of(data), _words())


def _target(data: bytes) -> None:
    target_of(text_of(data), lambda path: path == "src/a.py", lambda path: path == "src/old.py")


def _ref(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    found = split_ref(text)
    assert found is not None or not is_ref(text)


def _manifests(data: bytes) -> None:
    """The first line names the file; the rest is its content."""
    name, _, content = data.partition(b"\n")
    path = name.decode("utf-8", "replace")
    for one in (path, *MANIFESTS) if len(content) < 600 else (path, MANIFESTS[len(data) % 29]):
        named_in(one, content)


def _marks(data: bytes) -> None:
    text = text_of(data)
    lines = text.split("\n")
    shingles(lines)
    keys_of(data)
    for line in lines[:200]:
        flags(line)


def _code(data: bytes) -> None:
    """The first line names the file; the rest is its content."""
    name, _, content = data.partition(b"\n")
    path = name.decode("utf-8", "replace")
    facts_of(content, path if language_of(path, content) else SOURCES[len(data) % 15], _words())


TARGETS: Final = (
    Target("front-matter", _front_matter, words=(b"---\n", b"...\n", b"status: accepted\n")),
    Target(
        "yaml", _yaml, words=(b"&a ", b"*a ", b"<<: ", b"!!python/object ", b"? ", b"|\n", b"- ")
    ),
    Target(
        "trailers", _trailers, words=(b"\nReverts: ", b"\nSigned-off-by: ", b"\n "), most=32_768
    ),
    Target(
        "markdown", _markdown, words=(b"```\n", b"\n# ", b"~~~~", b"\n===\n", b"|"), most=32_768
    ),
    Target(
        "html",
        _html,
        words=(b"](javascript:", b"<script>", b"![", b"](", b"**", b"&#"),
        most=16_384,
    ),
    Target(
        "commit", _message, words=(b"\nencoding ", b"\ngpgsig ", b"\n\n", b"\nparent "), most=32_768
    ),
    Target(
        "claims",
        _claims,
        words=(b"This reverts commit ", b"\nFixes: ", b"supersedes #"),
        most=32_768,
    ),
    Target(
        "redaction",
        _redaction,
        words=(b"password = ", b"AKIA", b"-----BEGIN ", b"://u:p@"),
        most=16_384,
    ),
    Target("inert", _inert, words=(b"\xe2\x80\xae", b"\xf3\xa0\x81\x81", b"\x1b]8;;")),
    Target("folding", _folding, words=("ﬁ".encode(), "İ".encode(), "ẞ".encode(), b"_-")),
    Target("steering", _steering, words=(b"ignore previous", b"<!--", b"system:"), most=32_768),
    Target("one-line", _one_line, words=(b"**", b"](", b"`", b". "), most=16_384),
    Target("globs", _globs, words=(b"**/", b"*", b"?", b"[a-", b"{a,", b"]"), most=2_048),
    Target("code-owners", _code_owners, words=(b"* @a\n", b"/docs/ ", b"**/", b"\\ ", b"[x]\n")),
    Target("question", _question, words=(b'"', b" OR ", b"NEAR(", b"title:", b"*", b"'; DROP")),
    Target(
        "issue", _issue, words=(b'File "a.py", line 1', b"\nat a.b(", b"```\n", b"#1"), most=32_768
    ),
    Target(
        "target",
        _target,
        (UsageError,),
        words=(b"::", b":1-2", b"src/a.py", b'"', b"Error: "),
        most=4_096,
    ),
    Target("ref", _ref, words=(b"commit:v1:", b":v1:", b"@"), most=512),
    Target(
        "manifests",
        _manifests,
        words=(b'"dependencies": {', b"[[package]]\n", b"<dependency>"),
        most=8_192,
    ),
    Target("marks", _marks, words=(b"--flag=", b"export A=", b": ", b"def a(")),
    Target(
        "code",
        _code,
        words=(b"def a():\n", b"class A {", b"import a\n", b"function(", b'"""'),
        most=4_096,
    ),
)
