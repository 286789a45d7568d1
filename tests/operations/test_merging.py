"""Merging two changes of one text: by its laws, and beside `git merge-file`."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stcc.operations.merging import Labels, Merged, has_conflicts, merge

LABELS = Labels(mine="mine", base="base", theirs="theirs")
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e\r\n"]), max_size=8)


def joined(lines: list[str], end: str) -> str:
    return "".join(lines) + end


TEXTS = st.builds(joined, LINES, st.sampled_from(["", "x"]))


def merged(base: str, mine: str, theirs: str) -> Merged:
    return merge(base, mine, theirs, labels=LABELS)


@given(TEXTS, TEXTS)
def test_who_changed_nothing_takes_the_other_change(base: str, changed: str) -> None:
    assert merged(base, base, changed) == Merged(changed, 0)
    assert merged(base, changed, base) == Merged(changed, 0)


@given(TEXTS, TEXTS)
def test_the_same_change_twice_is_one(base: str, changed: str) -> None:
    assert merged(base, changed, changed) == Merged(changed, 0)


@given(TEXTS, TEXTS, TEXTS)
def test_what_fits_together_fits_either_way_round(base: str, mine: str, theirs: str) -> None:
    there, back = merged(base, mine, theirs), merged(base, theirs, mine)

    assert there.conflicts == back.conflicts
    assert there.text == back.text or there.conflicts
    assert has_conflicts(there.text, labels=LABELS) == bool(there.conflicts)


def test_changes_of_different_lines_are_both_kept() -> None:
    assert merged("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n") == Merged("one\n2\n3\n4\nfive\n", 0)


def test_changes_of_the_same_line_are_both_shown() -> None:
    assert merged("1\n2\n3\n", "1\nzwei\n3\n", "1\ndeux\n3\n") == Merged(
        "1\n<<<<<<< mine\nzwei\n||||||| base\n2\n=======\ndeux\n>>>>>>> theirs\n3\n", 1
    )


def test_a_last_line_without_its_end_keeps_the_marks_on_lines_of_their_own() -> None:
    assert merged("1", "2", "3") == Merged("<<<<<<< mine\n2\n||||||| base\n1\n=======\n3\n>>>>>>> theirs\n", 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<<<<<<< mine\n2\n", True),
        ("1\r\n||||||| base\r\n", True),
        (">>>>>>> theirs", True),
        ("<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> main\n", False),
        ("two\n=======\n", False),
        (" <<<<<<< mine\n", False),
        ("", False),
    ],
)
def test_our_marks_are_told_from_those_of_others(text: str, left: bool) -> None:
    assert has_conflicts(text, labels=LABELS) == left


def test_marks_end_as_the_lines_around_them() -> None:
    assert merged("1\r\n2", "1\r\nzwei", "1\r\n\x0cdeux") == Merged(
        "1\r\n<<<<<<< mine\nzwei\n||||||| base\n2\n=======\n\x0cdeux\n>>>>>>> theirs\n", 1
    )
    assert merged("1\r\n", "a\x0cb\r\n", "c\u2028d") == Merged(
        "<<<<<<< mine\r\na\x0cb\r\n||||||| base\r\n1\r\n=======\r\nc\u2028d\r\n>>>>>>> theirs\r\n", 1
    )


def test_a_long_text_of_equal_lines_is_merged_in_no_time() -> None:
    many = "\n" * 100_000

    assert merged(many, f"mine\n{many}", f"{many}theirs") == Merged(f"mine\n{many}theirs", 0)


# Lines that each occur once: what belongs together is the same for everybody then.
DISTINCT = [f"line {number}\n" for number in range(12)]


@st.composite
def changes(draw: st.DrawFn, name: str) -> str:
    lines = list(DISTINCT)
    for position in sorted(draw(st.sets(st.integers(0, 11), max_size=3)), reverse=True):
        lines[position : position + 1] = draw(
            st.sampled_from([[], [f"{name} {position}\n"], [f"{name} {position}\n", lines[position]]])
        )
    return "".join(lines)


@settings(max_examples=60, deadline=None)
@given(changes("mine"), changes("theirs"))
def test_git_comes_to_the_same(tmp_path_factory: pytest.TempPathFactory, mine: str, theirs: str) -> None:
    folder = tmp_path_factory.mktemp("merge")
    for name, text in (("base", "".join(DISTINCT)), ("mine", mine), ("theirs", theirs)):
        (folder / name).write_text(text)
    git = subprocess.run(
        ["git", "merge-file", "-p", "mine", "base", "theirs"], cwd=folder, capture_output=True, text=True, check=False
    )
    ours = merged("".join(DISTINCT), mine, theirs)

    assert (git.returncode == 0) == (ours.conflicts == 0)
    if ours.conflicts == 0:
        assert ours.text == git.stdout
    for path in folder.iterdir():
        path.unlink()
    Path(folder).rmdir()
