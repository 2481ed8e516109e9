"""A change as it is read: what is new in it, from contents and from patches."""

from __future__ import annotations

from citator.formats.patch import parse
from citator.guard.change import Change, changed, compared, named, of_patch

OLD = b"alpha = 1\nbeta = 2\ngamma = 3\n"


def patch_of(text: str) -> bytes:
    return f"--- a/x.py\n+++ b/x.py\n{text}".encode()


def test_what_a_file_gained_and_lost_is_numbered() -> None:
    one = compared("x.py", "x.py", OLD, b"alpha = 1\nnew = 9\ngamma = 3\n\n")
    assert (one.added, one.removed) == (((2, "new = 9"), (4, "")), ((2, "beta = 2"),))


def test_a_line_that_moves_within_a_file_or_between_files_is_not_new() -> None:
    assert compared("x.py", "x.py", OLD, b"gamma = 3\nalpha = 1\nbeta = 2\n").added == ()
    away = compared("x.py", None, OLD, None)
    here = compared(None, "y.py", None, OLD + b"delta = 4\n")
    change = changed([away, here])
    assert change.files[1].added == ((4, "delta = 4"),)
    assert change.paths == ("x.py", "y.py")


def test_line_ends_and_blanks_at_the_end_are_of_no_account() -> None:
    assert compared("x.py", "x.py", OLD, OLD.replace(b"\n", b"\r\n")).added == ()
    assert compared("x.py", "x.py", OLD, b"alpha = 1  \nbeta = 2\ngamma = 3").added == ()


def test_binary_files_change_by_their_path_alone() -> None:
    one = compared("x.png", "x.png", b"\x89PNG\0", b"\x89PNG\0\0")
    assert (one.whole, one.added, one.path) == (False, (), "x.png")


def test_a_patch_is_laid_over_the_file_it_is_for() -> None:
    patch = parse(patch_of("@@ -1,3 +1,3 @@\n alpha = 1\n-beta = 2\n+new = 9\n gamma = 3\n"))
    (one,) = of_patch(patch, {"x.py": OLD}.get).files
    assert one.whole
    assert (one.old, one.new) == (OLD, b"alpha = 1\nnew = 9\ngamma = 3\n")
    assert one.added == ((2, "new = 9"),)


def test_a_patch_with_other_line_ends_fits_too() -> None:
    patch = parse(patch_of("@@ -2 +2 @@\r\n-beta = 2\r\n+new = 9\r\n"))
    (one,) = of_patch(patch, {"x.py": OLD}.get).files
    assert (one.whole, one.added) == (True, ((2, "new = 9"),))


def test_a_patch_for_other_lines_says_what_it_says_itself() -> None:
    text = "@@ -7,2 +7,2 @@\n unknown\n-beta = 2\n+new = 9\n"
    for content in (OLD, None):
        (one,) = of_patch(parse(patch_of(text)), {"x.py": content}.get).files
        assert (one.whole, one.added, one.removed) == (False, ((8, "new = 9"),), ((8, "beta = 2"),))


def test_hunks_that_overlap_or_lie_beyond_the_end_are_not_laid() -> None:
    for text in (
        "@@ -1 +1 @@\n-alpha = 1\n+x = 1\n@@ -1 +1 @@\n-alpha = 1\n+y = 1\n",
        "@@ -900000 +1 @@\n-alpha = 1\n+x = 1\n",
    ):
        (one,) = of_patch(parse(patch_of(text)), {"x.py": OLD}.get).files
        assert not one.whole


def test_a_new_and_a_deleted_file_of_a_patch() -> None:
    raw = (
        b"diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n"
        b"@@ -0,0 +1,2 @@\n+one = 1\n+two = 2\n"
        b"diff --git a/x.py b/x.py\ndeleted file mode 100644\n--- a/x.py\n+++ /dev/null\n"
        b"@@ -1,3 +0,0 @@\n-alpha = 1\n-beta = 2\n-gamma = 3\n"
    )
    new, gone = of_patch(parse(raw), {"x.py": OLD}.get).files
    assert (new.old, new.new, len(new.added)) == (None, b"one = 1\ntwo = 2\n", 2)
    assert (gone.new_path, gone.new, len(gone.removed)) == (None, None, 3)


def test_so_much_is_looked_at_and_the_rest_is_told() -> None:
    huge = b"".join(b"line %d\n" % number for number in range(70_000))
    change = changed([compared(None, "a.txt", None, huge)])
    assert (len(change.files[0].added), change.cut) == (60_000, True)
    assert not Change().cut
    assert named("a.py").path == "a.py"
