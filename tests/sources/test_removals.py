"""What leaves a repository: marks of lines and names, dependencies, what a commit says of it."""

from __future__ import annotations

import pytest

from citator.git.records import RawCommit
from citator.model.document import Person
from citator.sources.removals.causes import Cause, stated_by
from citator.sources.removals.dependencies import MAX_BYTES, folded, is_manifest, named_in
from citator.sources.removals.marks import (
    definition,
    few_lines,
    flags,
    is_config,
    is_distinctive,
    is_prose,
    key,
    runs,
    shingles,
    significant,
)

WHY = "It served stale manifests for hours, because nothing invalidated it.\n"


def commit(message: str, *, author: str = "Ada", parents: int = 1) -> RawCommit:
    who = Person(author, "ada@example.org")
    ids = tuple(str(number) * 40 for number in range(parents))
    return RawCommit("a" * 40, "b" * 40, ids, who, 1, who, 1, message, False, ("x.py",))


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ('Revert "Add a cache"\n\nThis reverts commit 1234567.\n', Cause.REVERT),
        ('Revert "Add a cache"\n', Cause.REVERT),
        ("revert: add a cache (#12)\n", Cause.REVERT),
        ("revert(cache): add it\n", Cause.REVERT),
        ("Back out 1234567\n\nIt broke.\n", Cause.REVERT),
        ("[cache] Undo it\n\nThis reverts commit 12345678.\n", Cause.REVERT),
        (f"Remove the cache\n\n{WHY}", Cause.STATED),
        (f"refactor(core)!: drop the cache\n\n{WHY}", Cause.STATED),
        (f"cache: don't keep manifests\n\n{WHY}", Cause.STATED),
        ("Remove the cache\n", None),
        ("Remove the cache\n\nSigned-off-by: Ada <ada@example.org>\n", None),
        (f"Explain how to revert a change\n\n{WHY}", None),
        (f"Squash\n\n- Add x\n- This reverts commit 1234567\n\n{WHY}", None),
    ],
)
def test_a_commit_removes_by_the_shape_of_its_message(message: str, cause: Cause | None) -> None:
    said = stated_by(commit(message), manifests=False)
    assert (said.cause if said is not None else None) is cause


def test_an_explanation_is_enough_where_a_manifest_is_touched_and_a_merge_never_is() -> None:
    raw = commit(f"Use the standard library\n\n{WHY}")
    assert stated_by(raw, manifests=False) is None
    said = stated_by(raw, manifests=True)
    assert said is not None
    assert (said.cause, said.ref[:10]) == (Cause.EXPLAINED, "commit:v1:")
    assert stated_by(commit(f"Remove x\n\n{WHY}", parents=2), manifests=True) is None


def test_a_revert_says_what_it_undoes() -> None:
    said = stated_by(
        commit('Revert "x"\n\nThis reverts commit 1234567890.\nReverts abcdef01\n'), manifests=False
    )
    assert said is not None
    assert said.undoes == ("1234567890", "abcdef01")


def test_programs_that_update_dependencies_state_no_reason() -> None:
    raw = commit(f"Remove left-pad\n\n{WHY}", author="dependabot[bot]")
    assert stated_by(raw, manifests=True) is None


MANIFESTS = {
    "requirements.txt": (
        "# c\nRequests[x]>=2 ; y\n-r other\nruamel.yaml\n",
        {"requests", "ruamel-yaml"},
    ),
    "requirements/dev.txt": ("pytest==8\n", {"pytest"}),
    "pyproject.toml": (
        '[project]\ndependencies = ["aa>=1"]\noptional-dependencies.x = ["bb"]\n'
        '[tool.poetry.dependencies]\npython = "3"\nc_d = "1"\n[dependency-groups]\nq = ["ee"]\n',
        {"aa", "bb", "c-d", "ee"},
    ),
    "setup.cfg": ("[options]\ninstall_requires =\n    aa>1\n    bb\n[x]\ny = z\n", {"aa", "bb"}),
    "setup.py": ("setup(install_requires=['aa>1', \"bb\"],\n name='cc')", {"aa", "bb"}),
    "package.json": (
        '{"dependencies": {"@a/b": "1"}, "devDependencies": {"cc": "2"}}',
        {"@a/b", "cc"},
    ),
    "web/package-lock.json": ('{"packages": {"": {}, "node_modules/aa": {}}}', {"aa"}),
    "yarn.lock": ('"@a/b@^1", "@a/b@^2":\n  version "1"\nccc@1:\n', {"@a/b", "ccc"}),
    "Cargo.toml": (
        '[dependencies]\nserde = "1"\n[target."x".dependencies]\nwinapi = "0"\n',
        {"serde", "winapi"},
    ),
    "Cargo.lock": ('[[package]]\nname = "serde"\n', {"serde"}),
    "Gemfile": ("gem 'rails', '~> 7'\n  gem \"puma\"\n", {"rails", "puma"}),
    "x.gemspec": ("  s.add_dependency 'rack', '1'\n", {"rack"}),
    "Gemfile.lock": ("GEM\n  specs:\n    rack (1.2)\n      dep (1)\n", {"rack"}),
    "go.mod": ("module m\nrequire (\n\tgithub.com/A/b v1.2.3\n)\n", {"github.com/A/b"}),
    "pom.xml": (
        "<dependency>\n <groupId>g</groupId>\n <artifactId>art</artifactId></dependency>",
        {"art"},
    ),
    "build.gradle.kts": ('implementation("com.x:lib:1.0")', {"lib"}),
    "composer.json": ('{"require": {"php": "8", "a/b": "1"}}', {"a/b"}),
    "x.csproj": ('<PackageReference Include="Newtonsoft.Json" Version="1" />', {"newtonsoft.json"}),
    "environment.yml": ("dependencies:\n  - numpy=1\n", {"numpy"}),
    "pubspec.yaml": ("dependencies:\n  http: ^1\n", {"http"}),
    "mix.exs": ('{:phoenix, "~> 1"}', {"phoenix"}),
}


@pytest.mark.parametrize("path", MANIFESTS)
def test_a_manifest_names_its_dependencies(path: str) -> None:
    content, names = MANIFESTS[path]
    found = named_in(path, content.encode())
    assert found is not None
    assert found.names == names


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"x" * (MAX_BYTES + 1), b"\0", b"[]", b"3"],
)
def test_a_manifest_that_cannot_be_read_names_nothing(content: bytes) -> None:
    for path in ("package.json", "pyproject.toml", "Cargo.toml", "composer.json", "setup.cfg"):
        found = named_in(path, content)
        assert found is not None
        assert found.names == frozenset()


def test_a_lock_file_says_that_a_program_chose() -> None:
    for path, lock in {
        "requirements_lock_3_14.txt": True,
        "requirements-dev.txt": False,
        "poetry.lock": True,
        "Cargo.toml": False,
    }.items():
        found = named_in(path, None)
        assert found is not None and found.lock is lock


def test_names_are_folded_as_their_ecosystem_does() -> None:
    assert folded("pypi", "Ruamel_YAML") == "ruamel-yaml"
    assert (folded("go", "github.com/A/b"), folded("npm", "Left-Pad")) == (
        "github.com/A/b",
        "left-pad",
    )
    assert is_manifest("a/b/requirements-dev.txt")
    assert not is_manifest("src/setup_py.py")


def test_lines_without_meaning_are_not_compared() -> None:
    assert significant("   value  =  1 ") == "value = 1"
    for line in (
        "}",
        "  # a comment",
        "// x y z",
        "import os",
        "end",
        "x" * 500,
        "",
        "/* a b c */",
    ):
        assert significant(line) == ""
    assert significant("#include <x.h>") == ""
    assert significant("#define LIMIT 10") == "#define LIMIT 10"


def test_runs_go_on_over_lines_without_meaning_and_end_at_a_gap_and_at_what_moved() -> None:
    lines = [(1, "alpha = 1"), (2, ""), (3, "beta = 2"), (9, "gamma = 3"), (10, "delta = 4")]
    assert runs(lines, {"delta = 4"}) == [
        [(1, "alpha = 1"), (3, "beta = 2")],
        [(9, "gamma = 3")],
    ]


def test_shingles_are_three_lines_in_a_row_and_few_lines_belong_to_their_file() -> None:
    three = ["alpha = 1", "beta = 2", "gamma = 3"]
    assert len(shingles([*three, "delta"])) == 2
    assert shingles(three) == shingles(["x", *three])[1:]
    assert few_lines("a.py", three[:1]) != few_lines("b.py", three[:1])


def test_names_are_taken_from_definitions_keys_and_options() -> None:
    assert definition("    async def fetch_rows(self):") == "fetch_rows"
    assert definition("pub(crate) fn warm_up<T>(x: T) {") == "warm_up"
    assert definition("func (s *Server) ServeRows(w int) {") == "ServeRows"
    assert definition("export default class RowCache {") == "RowCache"
    assert definition("classify(x)") == ""
    assert key('  "max_size": 3,') == "max_size"
    assert key("max_size = 3") == "max_size"
    assert key("if max_size == 3") == ""
    assert flags('parser.add_argument("--dry-run", "-n") --not-quoted') == ["--dry-run"]
    assert is_distinctive("fetch_rows") and is_distinctive("fetchRows")
    assert not (
        is_distinctive("fetch") or is_distinctive("__init__") or is_distinctive("test_rows_1")
    )
    assert is_config("a/b.yaml") and is_config("deploy/.env.prod") and not is_config("a.py")
    assert is_prose("README.md") and is_prose("docs/x.rst") and not is_prose("a.py")
