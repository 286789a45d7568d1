"""--etag-save and --etag-compare: an ETag in a file from one call to the next."""

from pathlib import Path

import pytest

from tests.azurite import ProxiedAccount
from tests.running import Result, Stcc
from tests.situations import Situation


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "etag"


def test_the_first_get_is_unconditional_and_the_second_finds_nothing_new(
    stcc: Stcc, there: Situation, kept: Path, tmp_path: Path
) -> None:
    argv = ["blob", "get", there.blob, str(tmp_path / "copy"), "--etag-compare", str(kept), "--etag-save", str(kept)]

    first = stcc(*argv)
    assert (first.code, first.out, kept.read_text()) == (0, f"{there.etag}\n", f"{there.etag}\n")
    assert stcc(*argv, "--force", "-q") == Result(30, "", f"stcc: {there.blob}: not modified (304 ConditionNotMet)\n")
    assert kept.read_text() == f"{there.etag}\n"


def test_a_put_compares_and_saves(stcc: Stcc, there: Situation, kept: Path) -> None:
    stcc("blob", "get", there.blob, "-", "--etag-save", str(kept))
    argv = ["blob", "put", there.blob, "-", "--etag-compare", str(kept), "--etag-save", str(kept)]

    second = stcc(*argv, stdin=b"second")
    assert (second.code, kept.read_text()) == (0, second.out)
    there.named("free", b"somebody else's")
    third = stcc(*argv, stdin=b"third")
    assert (third.code, third.out, kept.read_text(), there.content(there.blob)) == (
        12,
        "",
        second.out,
        b"somebody else's",
    )


@pytest.mark.parametrize("text", ["", " \n", "\t"])
@pytest.mark.parametrize("argv", ["blob get {blob} -", "blob put {blob} -"])
def test_an_empty_file_is_never_no_condition(
    argv: str, text: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, kept: Path
) -> None:
    kept.write_text(text)
    words = there.argv(argv)

    result = proxied_stcc(*words, "--etag-compare", str(kept), stdin=b"text")

    expected = f"stcc: --etag-compare is an empty file: '{kept}'\n  remove it to begin anew\n"
    assert (result, proxied.requests) == (Result(2, "", expected), [])


def test_a_put_needs_the_file(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, kept: Path) -> None:
    words = there.argv("blob put {blob} -")
    hint = "blob get --etag-save makes it; --force overwrites whatever is there"

    assert proxied_stcc(*words, "--etag-compare", str(kept)) == Result(
        2, "", f"stcc: --etag-compare: there is no such file: '{kept}'\n  {hint}\n"
    )
    assert proxied.requests == []


@pytest.mark.parametrize(
    "argv",
    [
        "blob put {blob} - --etag-compare FILE --if-match 0x1",
        "blob put {blob} - --etag-compare FILE --force",
        "blob get {blob} - --etag-compare FILE --if-none-match 0x1",
        "blob get {blob} - --etag-compare /",
        "blob get {blob} - --etag-save /",
        "blob get {blob} - --etag-save /nonexistent/file",
        "blob get {blob} - --etag-save -",
        "blob put {blob} - --etag-compare -",
        ["blob", "get", "{blob}", "-", "--etag-save", ""],
        ["blob", "get", "{blob}", "-", "--etag-compare", " "],
        "blob put -r {container} FOLDER --etag-save FILE",
        "blob get -r {container} FOLDER --etag-compare FILE",
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(
    argv: str | list[str], proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, kept: Path, tmp_path: Path
) -> None:
    kept.write_text("0x2")
    words = [word.replace("FILE", str(kept)).replace("FOLDER", str(tmp_path)) for word in there.argv(argv)]

    assert (proxied_stcc(*words).code, proxied.requests) == (2, [])


@pytest.mark.parametrize("text", ['"0x1" "0x2"', "not\x00one", '"', "*", ' "0x1"\n"0x2"\n', '\ufeff"0x1"'])
@pytest.mark.parametrize("verb", ["put", "get"])
def test_what_is_no_etag_is_refused(
    verb: str, text: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, kept: Path
) -> None:
    kept.write_text(text)

    assert proxied_stcc("blob", verb, there.blob, "-", "--etag-compare", str(kept)) == Result(
        2, "", f"stcc: --etag-compare holds no ETag: '{kept}'\n  remove it to begin anew\n"
    )
    assert proxied.requests == []


@pytest.mark.parametrize("verb", ["put", "get"])
@pytest.mark.parametrize("linked", [False, True], ids=["the same name", "a link"])
def test_the_etag_never_takes_the_place_of_the_content(
    verb: str, linked: bool, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation, kept: Path, tmp_path: Path
) -> None:
    content = tmp_path / "content"
    content.write_bytes(b"mine")
    if linked:
        kept.symlink_to(content)
    name = str(kept if linked else content)

    assert proxied_stcc("blob", verb, there.blob, str(content), "--force", "--etag-save", name) == Result(
        2, "", f"stcc: --etag-save would overwrite the content: {name!r}\n  name a file of its own for the ETag\n"
    )
    assert (proxied.requests, content.read_bytes()) == ([], b"mine")
