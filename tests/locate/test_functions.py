"""Functions inside a file are told apart by what the others of the file do not say."""

from __future__ import annotations

from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.locate.functions import NAMES, Functions
from citator.locate.fusion import shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene

FIELD = b"""
class Field:
    def sow(self):
        return barley(oats)

    def reap(self):
        return barley(scythe)

    def rest(self):
        return barley(1)

def _weigh(harvest):
    return 1
"""


def functions_of(text: str) -> Functions:
    words = Words()
    files = [("barn.py", b"def keep():\n    return 1\n"), ("field.py", FIELD)]
    code = snapshot_of([(path, facts_of(text, path, words)) for path, text in files], words)
    return Functions(read_issue(text, words), Scene(code, None), shipped().functions)


def names(text: str, limit: int = 5) -> list[str]:
    return [one.name for one in functions_of(text).best(1, limit)]


def test_a_word_that_every_function_says_tells_none_apart() -> None:
    assert names("The barley is cut without a scythe")[0] == "Field.reap"


def test_a_name_that_is_spelled_in_words_is_found() -> None:
    assert names("What we weigh is too light")[0] == "_weigh"


def test_a_frame_leads_to_the_function_around_it() -> None:
    trace = 'It stops\n\n  File "farm/field.py", line 10, in rest\n    return barley(1)\n'
    assert names(trace)[0] == "Field.rest"


def test_what_nothing_points_at_is_not_shown() -> None:
    assert names("Nothing of the kind") == []


def test_a_file_without_definitions_has_none() -> None:
    words = Words()
    code = snapshot_of([("a.py", facts_of(b"x = 1\n", "a.py", words))], words)
    functions = Functions(read_issue("x is wrong", words), Scene(code, None), {})
    assert functions.best(0, 5) == []
    here, opinions = functions.opinions(0, 1)
    assert (len(here), opinions.shape) == (0, (0, len(NAMES)))
