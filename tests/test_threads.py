"""One thread for numerical libraries, unless somebody asked for more."""

from __future__ import annotations

from citator.threads import use_one_thread


def test_numerical_libraries_are_kept_to_one_thread() -> None:
    environ = {"PATH": "here"}
    use_one_thread(environ)
    assert environ == {
        "PATH": "here",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
    }


def test_what_a_person_asked_for_stays() -> None:
    environ = {"OPENBLAS_NUM_THREADS": "4"}
    use_one_thread(environ)
    assert environ["OPENBLAS_NUM_THREADS"] == "4"
