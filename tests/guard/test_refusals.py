"""What a decision refuses: exact, within its scope, and bounded."""

from __future__ import annotations

import pytest

from citator.guard.change import Change, changed, compared
from citator.guard.refusals import Refused, holds, refused_by
from citator.model.record import Refuse


def adding(path: str, content: str, before: str | None = "") -> Change:
    old = None if before is None else before.encode()
    return changed([compared(None if old is None else path, path, old, content.encode())])


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("requirements.txt", "Redis>=5\n"),
        ("package.json", '{"dependencies": {"redis": "1"}}'),
        ("package-lock.json", '{"packages": {"node_modules/redis": {}}}'),
        ("Cargo.toml", '[dependencies]\nredis = "1"\n'),
    ],
)
def test_a_package_is_refused_in_every_manifest_whatever_the_scope(path: str, content: str) -> None:
    found = refused_by(adding(path, content), Refuse(packages=("redis",)), ["src/**"])
    assert found is not None and found.predicate == "packages"
    there = adding(path, content, before=content)
    assert refused_by(there, Refuse(packages=("redis",)), []) is None


@pytest.mark.parametrize(
    ("path", "line", "refused"),
    [
        ("a.py", "import redis", True),
        ("a.py", "    from redis.asyncio import Redis as R", True),
        ("a.py", "import rediscover", False),
        ("a.py", "redis = 1", False),
        ("a.js", "const r = require('redis')", True),
        ("a.ts", 'import { x } from "redis/client";', True),
        ("a.js", 'import x from "./redis"', False),
        ("a.go", '\t"redis"', False),
        ("A.java", "import redis.clients.Jedis;", True),
        ("a.rs", "use redis::{Client, cmd};", True),
        ("a.rb", "require 'redis'", True),
        ("a.php", "use redis\\Client;", True),
        ("a.c", "#include <redis/x.h>", True),
        ("a.txt", "import redis", False),
    ],
)
def test_an_import_is_refused_with_all_below_it(path: str, line: str, refused: bool) -> None:
    found = refused_by(adding(path, f"x\n{line}\n"), Refuse(imports=("redis",)), [])
    assert (found == Refused("imports", path, 2)) is refused


def test_paths_and_patterns_are_refused_within_the_scope_alone() -> None:
    refuse = Refuse(paths=("src/old/**",), patterns=("os.environ[*SECRET",))
    assert refused_by(adding("src/old/a.py", "x = 1\n"), refuse, []) == Refused(
        "paths", "src/old/a.py", 0
    )
    line = 'y = 0\nx = os.environ["MY_SECRET"]\n'
    assert refused_by(adding("src/a.py", line), refuse, ["src/**"]) == Refused(
        "patterns", "src/a.py", 2
    )
    assert refused_by(adding("lib/a.py", line), refuse, ["src/**"]) is None
    assert refused_by(adding("src/a.py", line, before=line), refuse, ["src/**"]) is None


def test_a_file_that_goes_is_not_refused_nor_is_the_record() -> None:
    refuse = Refuse(paths=("**/a.py",), patterns=("redis",))
    gone = changed([compared("src/a.py", None, b"redis\n", None)])
    assert refused_by(gone, refuse, []) is None
    assert refused_by(adding(".citator/proposals/x.md", "redis\n"), refuse, []) is None


def test_patterns_match_in_time_that_grows_with_the_line_alone() -> None:
    assert holds("a long line with b in it", "a*b*it")
    assert not holds("abc", "b*a")
    pattern, line = "a*" * 90 + "b", "a" * 4_000
    assert not any(holds(line, pattern) for _ in range(200))
