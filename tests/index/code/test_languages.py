"""Every language's entry reads its fixture: definitions with lines, imports, calls, prose."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from citator.index.code.facts import Field, pack, unpack
from citator.index.code.kinds import State
from citator.index.code.languages import LANGUAGES, language_of
from citator.index.code.parsing import facts_of
from citator.index.code.words import Words, number_of


@dataclass(frozen=True)
class Fixture:
    """A file, and what it holds: (name, first line, last line, name of the holder)."""

    path: str
    text: str
    defined: tuple[tuple[str, int, int, str | None], ...]
    imports: tuple[str, ...]
    calls: tuple[str, ...]
    prose: str = "harvest"
    string: str = "barley"


FIXTURES = {
    "python": Fixture(
        "farm/field.py",
        '"""About the harvest."""\nimport os.path\nfrom .barn import Store, keep\nROWS = 3\n\n'
        "class Field:\n    def sow(self):\n        # later\n        return keep('barley')\n",
        (("ROWS", 4, 4, None), ("Field", 6, 9, None), ("sow", 7, 9, "Field")),
        ("os/path", "./barn", "./barn/Store", "./barn/keep"),
        ("keep",),
    ),
    "javascript": Fixture(
        "farm/field.js",
        "// the harvest\nimport { keep } from './barn.js';\nconst fs = require('fs');\n"
        "class Field {\n  sow() { return keep('barley'); }\n}\nconst reap = () => 1;\n",
        (
            ("fs", 3, 3, None),
            ("Field", 4, 6, None),
            ("sow", 5, 5, "Field"),
            ("reap", 7, 7, None),
        ),
        ("./barn", "fs"),
        ("require", "keep"),
    ),
    "typescript": Fixture(
        "farm/field.ts",
        "// the harvest\nimport { keep } from './barn';\ninterface Rows { n: number }\n"
        "export class Field {\n  sow(): string { return keep('barley'); }\n}\n",
        (("Rows", 3, 3, None), ("Field", 4, 6, None), ("sow", 5, 5, "Field")),
        ("./barn",),
        ("keep",),
    ),
    "tsx": Fixture(
        "farm/Field.tsx",
        "// the harvest\nimport { keep } from './barn';\n"
        "export function Field() {\n  keep();\n  return <div title='barley'>x</div>;\n}\n",
        (("Field", 3, 6, None),),
        ("./barn",),
        ("keep",),
    ),
    "go": Fixture(
        "farm/field.go",
        'package farm\n\nimport "example.org/farm/barn"\n\n// the harvest\ntype Field struct{}\n\n'
        'func (f *Field) Sow() string {\n\treturn barn.Keep("barley")\n}\n',
        (("Field", 6, 6, None), ("Sow", 8, 10, None)),
        ("example.org/farm/barn",),
        ("Keep",),
    ),
    "rust": Fixture(
        "src/field.rs",
        "// the harvest\nuse crate::barn::{Store, keep};\nmod rows;\nstruct Field;\n"
        'impl Field {\n    fn sow(&self) -> String {\n        keep("barley")\n    }\n}\n',
        (("Field", 4, 4, None), ("Field", 5, 9, None), ("sow", 6, 8, "Field")),
        ("barn/Store", "barn/keep", "rows"),
        ("keep",),
    ),
    "java": Fixture(
        "src/Field.java",
        "import org.farm.Barn;\n// the harvest\nclass Field {\n  String sow() {\n"
        '    return Barn.keep("barley");\n  }\n}\n',
        (("Field", 3, 7, None), ("sow", 4, 6, "Field")),
        ("org/farm/Barn",),
        ("keep",),
    ),
    "c": Fixture(
        "farm/field.c",
        '#include "barn.h"\n/* the harvest */\n#define ROWS 3\nstruct field { int n; };\n'
        'char *sow(void)\n{\n    return keep("barley");\n}\n',
        (("ROWS", 3, 4, None), ("field", 4, 4, None), ("sow", 5, 8, None)),
        ("barn",),
        ("keep",),
    ),
    "cpp": Fixture(
        "farm/field.cpp",
        '#include "barn.hpp"\n// the harvest\nclass Field {\n  void reap() {}\n};\n'
        'std::string Field::sow() {\n  return keep("barley");\n}\n',
        (("Field", 3, 5, None), ("reap", 4, 4, "Field"), ("sow", 6, 8, None)),
        ("barn",),
        ("keep",),
    ),
    "csharp": Fixture(
        "Farm/Field.cs",
        "using Farm.Barn;\n// the harvest\nclass Field {\n  string Sow() {\n"
        '    return Keep("barley");\n  }\n}\n',
        (("Field", 3, 7, None), ("Sow", 4, 6, "Field")),
        ("Farm/Barn",),
        ("Keep",),
    ),
    "ruby": Fixture(
        "farm/field.rb",
        "require_relative 'barn'\n# the harvest\nclass Field\n  def sow\n"
        "    keep('barley')\n  end\nend\n",
        (("Field", 3, 7, None), ("sow", 4, 6, "Field")),
        ("barn",),
        ("require_relative", "keep"),
    ),
    "php": Fixture(
        "farm/Field.php",
        "<?php\nuse Farm\\Barn;\n// the harvest\nclass Field {\n  function sow() {\n"
        "    return keep('barley');\n  }\n}\n",
        (("Field", 4, 8, None), ("sow", 5, 7, "Field")),
        ("Farm/Barn",),
        ("keep",),
    ),
    "kotlin": Fixture(
        "farm/Field.kt",
        "import org.farm.keep\n// the harvest\nclass Field {\n  fun sow(): String {\n"
        '    return keep("barley")\n  }\n}\n',
        (("Field", 3, 7, None), ("sow", 4, 6, "Field")),
        ("org/farm/keep",),
        ("keep",),
    ),
}


def test_every_language_has_a_fixture() -> None:
    assert set(FIXTURES) == {one.name for one in LANGUAGES}


@pytest.mark.parametrize("name", list(FIXTURES))
def test_a_language_is_read(name: str) -> None:
    fixture = FIXTURES[name]
    language = language_of(fixture.path)
    assert language is not None
    assert language.name == name
    facts = unpack(pack(facts_of(fixture.text.encode(), fixture.path, Words())))
    assert facts.state is State.READ
    found = tuple(
        (name, int(span[0]), int(span[1]), facts.names[parent] if parent >= 0 else None)
        for name, span, parent in zip(facts.names, facts.spans, facts.parents, strict=True)
    )
    assert found == fixture.defined
    assert facts.imports == fixture.imports
    assert facts.calls == fixture.calls
    counts = dict(zip(facts.terms.tolist(), facts.counts.tolist(), strict=True))
    assert counts[number_of(fixture.prose)][Field.PROSE] == 1
    assert counts[number_of("barley")][Field.STRINGS] == 1


BARE = {
    "a.rs": (
        "impl<T> a::Field<T> { fn sow<U>() { keep::<U>(); Store::<u8>::new(); } }\n"
        "impl<'a> Crop for &'a Field<T> {}\nimpl Crop for u8 { fn reap() {} }\n"
        "impl Crop for [T; 3] { fn rest() {} }\n",
        ("Field", "Field.sow", "Field", "u8", "u8.reap", "rest"),
        ("keep", "new"),
    ),
    "a.cpp": (
        "template <> struct Field<barley> { void sow() { keep<int>(); } };\n"
        "template <class T> T A<T>::B<T>::reap() { a.find<int>(); std::move<T>(a); }\n"
        "A::~A() {}\nT& A::operator[](int i) {}\ntemplate <> void rest<int>() {}\n",
        ("Field", "Field.sow", "reap", "~A", "operator[]", "rest"),
        ("keep", "find", "move"),
    ),
    "a.h": (
        "namespace farm {\nclass Field : Base {\n public:\n  void sow() { keep(); }\n};\n}\n",
        ("farm", "farm.Field", "farm.Field.sow"),
        ("keep",),
    ),
    "b.h": (
        "struct field { int n; };\nstatic int sow(void) { return keep(1); }\n",
        ("field", "sow"),
        ("keep",),
    ),
    "A.java": (
        "class Field<T> { <U> void sow() { this.<U>keep(); new Store<T>(); } }\n",
        ("Field", "Field.sow"),
        ("keep", "Store"),
    ),
    "A.cs": (
        "class Field<T> { void Sow<U>() { Keep<U>(); a.Find<U>(); new Store<T>(); } }\n",
        ("Field", "Field.Sow"),
        ("Keep", "Find", "Store"),
    ),
    "a.ts": (
        "class Field<T> { sow<U>() { keep<U>(); } }\ntype Row<T> = T;\n"
        "const reap = <T,>(x: T) => x;\n",
        ("Field", "Field.sow", "Row", "reap"),
        ("keep",),
    ),
    "A.kt": (
        "class Field<T> {\n  fun <U> List<U>.sow() { keep<U>() }\n}\n",
        ("Field", "Field.sow"),
        ("keep",),
    ),
    "a.go": (
        "package farm\ntype Field[T any] struct{}\nfunc (f *Field[T]) Sow() { keep(1) }\n",
        ("Field", "Sow"),
        ("keep",),
    ),
    "a.rb": (
        "class Farm::Field\n  def sow\n    a.keep\n  end\nend\nmodule ::Barn\nend\n",
        ("Field", "Field.sow", "Barn"),
        ("keep",),
    ),
}


@pytest.mark.parametrize("path", list(BARE))
def test_a_name_is_bare(path: str) -> None:
    text, names, calls = BARE[path]
    facts = facts_of(text.encode(), path, Words())
    found = []
    for name, parent in zip(facts.names, facts.parents.tolist(), strict=True):
        while parent >= 0:
            name, parent = f"{facts.names[parent]}.{name}", int(facts.parents[parent])
        found.append(name)
    assert facts.state is State.READ
    assert tuple(found) == names
    assert facts.calls == calls
