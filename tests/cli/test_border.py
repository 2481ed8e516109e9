"""Every exception ends as one message and one exit code, and none carries the repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NoReturn

import pytest

from citator.cli.border import guarded, usage
from citator.model import errors

SECRET = "words of the repository"


def raising(error: BaseException) -> Callable[[], int]:
    def action() -> NoReturn:
        raise error

    return action


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.RefusedError, 1),
        (errors.LockedError, 1),
        (errors.StorageError, 1),
        (errors.UsageError, 2),
        (errors.NotFoundError, 3),
        (errors.IntegrityError, 4),
        (errors.GitRefusedError, 5),
    ],
)
def test_an_error_of_ours_says_what_happened_and_what_to_do(
    kind: type[errors.CitatorError], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(raising(kind("a_code", "it broke", "mend it")), as_json=False) == code
    told = capsys.readouterr()
    assert told.err == "citator: it broke\n  mend it\n"
    assert told.out == ""


def test_with_json_standard_output_still_holds_one_object(
    capfd: pytest.CaptureFixture[str],
) -> None:
    error = errors.NotFoundError("no_index", "nothing there", "make it")
    assert guarded(raising(error), as_json=True) == 3
    told = capfd.readouterr()
    assert json.loads(told.out) == {
        "error": {"code": "no_index", "what": "nothing there", "todo": "make it"}
    }
    assert told.err.startswith("citator: nothing there")


def test_an_unexpected_error_shows_its_class_and_none_of_its_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert guarded(raising(ValueError(SECRET)), as_json=False) == 1
    told = capsys.readouterr()
    assert told.err.startswith("citator: unexpected error: ValueError\n")
    assert "CITATOR_DEBUG=1" in told.err
    assert SECRET not in told.err
    assert "Traceback" not in told.err


def test_a_report_is_printed_when_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITATOR_DEBUG", "1")
    assert guarded(raising(ValueError(SECRET)), as_json=False) == 1
    told = capsys.readouterr()
    assert "Traceback" in told.err
    assert SECRET in told.err


def test_an_interrupt_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(KeyboardInterrupt()), as_json=False) == 130
    assert capsys.readouterr() == ("", "")


def test_a_usage_error_names_the_help_that_explains_it() -> None:
    error = usage("no such option", "citator ask")
    assert (error.exit_code, error.todo) == (2, "See: citator ask --help")
