"""Locks: what is refused before any request is sent."""

import pytest

from tests.azurite import ProxiedAccount
from tests.commands.conftest import Make
from tests.commands.records import ME
from tests.running import Result, Stcc

pytestmark = pytest.mark.usefixtures("own_state")
NO_DURATION = "  a number with a unit: 250ms, 90s, 5m, 2h, 7d\n"
TTL_RANGE = "  1s to 366d, or none: kept until it is released\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["show", ""], "stcc: the name of the lock is empty\n  is the variable set?\n"),
        (["show", " "], "stcc: the name of the lock is empty\n  is the variable set?\n"),
        (["show", ".."], "stcc: a segment '.' or '..' cannot be part of a blob's name: 'lock/..'\n"),
        (["show", "a/./b"], "stcc: a segment '.' or '..' cannot be part of a blob's name: 'lock/a/./b'\n"),
        (["show", "a\tb"], "stcc: the name of the lock contains a control character\n"),
        (["show", "x" * 513], "stcc: the name of the lock is longer than 512 bytes\n"),
        (["show", "\udcff"], "stcc: the name of the lock is not UTF-8 text\n"),
        (
            ["show", "a", "--container", "Locks"],
            "stcc: not the name of a container: 'Locks'\n  3 to 63 lower-case letters, digits and single hyphens\n",
        ),
        (
            ["list", "--container", "Locks"],
            "stcc: not the name of a container: 'Locks'\n  3 to 63 lower-case letters, digits and single hyphens\n",
        ),
        (["list", "--limit", "0"], "stcc: invalid value for '--limit': 0 is not in the range 1<=x<=1000000000.\n"),
        (["acquire", "a", "--identity", " "], "stcc: the identity is empty\n  is the variable set?\n"),
        (["acquire", "a", "--identity", "a\nb"], "stcc: the identity contains a control character\n"),
        (["acquire", "a", "--identity", "\udcff"], "stcc: the identity is not UTF-8 text\n"),
        (["acquire", "a", "--identity", "ä" * 257], "stcc: the identity is longer than 512 bytes\n"),
        (
            ["acquire", "a", "--note", "x" * 3950],
            "stcc: identity and note are too long together\n  the record of a lock is one line of 4 KiB\n",
        ),
        (
            ["acquire", "a", "--note", "a\x1b[31mb"],
            "stcc: --note is empty, or has characters that cannot be shown\n  a few words on one line\n",
        ),
        (
            ["acquire", "a", "--note", ""],
            "stcc: --note is empty, or has characters that cannot be shown\n  a few words on one line\n",
        ),
        (["acquire", "a", "--ttl", "0"], f"stcc: --ttl is out of range: '0'\n{TTL_RANGE}"),
        (["acquire", "a", "--ttl", "999ms"], f"stcc: --ttl is out of range: '999ms'\n{TTL_RANGE}"),
        (["acquire", "a", "--ttl", "367d"], f"stcc: --ttl is out of range: '367d'\n{TTL_RANGE}"),
        (["acquire", "a", "--ttl", "5x"], f"stcc: --ttl is not a duration: '5x'\n{NO_DURATION}"),
        (["acquire", "a", "--ttl", "-1"], f"stcc: --ttl is not a duration: '-1'\n{NO_DURATION}"),
        (["acquire", "a", "--wait", "soon"], f"stcc: --wait is not a duration: 'soon'\n{NO_DURATION}"),
        (["acquire", "a", "--wait", "1s", "--no-wait"], "stcc: --wait and --no-wait exclude each other\n"),
        (["acquire", "a", "--poll-max", "0"], "stcc: --poll-max is out of range: '0'\n  10ms to 60s\n"),
        (["acquire", "a", "--poll-max", "2m"], "stcc: --poll-max is out of range: '2m'\n  10ms to 60s\n"),
        (
            ["acquire", "a", "--fair"],
            "stcc: --fair needs Redis: on Azure, nobody keeps the order of those who wait\n",
        ),
        (["acquire", "a", "--identity", "a", "--identity", "b"], "stcc: --identity is given more than once\n"),
        (
            ["acquire", "a", "-o", "none"],
            "stcc: --output none would leave nobody with the identity\n  choose it with --identity\n",
        ),
        (
            ["renew", "a"],
            "stcc: no identity is given\n  --identity, with what acquire printed, or STCC_LOCK_IDENTITY\n",
        ),
        (
            ["release", "a"],
            "stcc: no identity is given\n  --identity, with what acquire printed, or STCC_LOCK_IDENTITY\n",
        ),
        (["release", "a", "--identity", ""], "stcc: the identity is empty\n  is the variable set?\n"),
        (["break", "a"], "stcc: break the lock a: it needs --yes\n  there is no terminal to ask on\n"),
        (
            ["show", "https://account.blob.core.windows.net/stcc-locks/lock/a"],
            (
                "stcc: not the URL of a Redis server: https://account.blob.core.windows.net\n"
                "  redis://HOST[:PORT]/DB/NAME, rediss://..., or unix:///PATH.sock?db=0&name=NAME\n"
            ),
        ),
        (
            ["show", "redis://localhost/0/a", "--container", "data"],
            "stcc: --container belongs to Azure: a Redis server has none\n",
        ),
        (["show"], "stcc: missing argument 'NAME'.\n"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], problem: str, proxied: ProxiedAccount, proxied_stcc: Stcc
) -> None:
    assert (proxied_stcc("lock", *words), proxied.requests) == (Result(2, "", problem), [])


def test_the_longest_values_are_taken(stcc: Stcc, records: Make) -> None:
    lock = records("lock")
    lock.free()
    who, note = "x" * 512, "n" * 3300
    words = ("--identity", who, "--note", note, "--ttl", "366d")

    assert stcc("lock", "acquire", lock.name, *words, "-q") == Result(0, f"{who}\n", "")
    assert (lock.facts["note"], lock.facts["ttl"]) == (note, 366 * 86400)
    assert len(lock.blob.get_blob_properties().metadata["stcc"]) <= 4096


@pytest.mark.parametrize(
    "name", ["a b", "a/b", "ä%2F?#&", "50% off", "http:/x", "a:b"], ids=["space", "slash", "signs", "percent", "x", "y"]
)
def test_any_other_text_is_a_name(name: str, stcc: Stcc, records: Make) -> None:
    lock = records("lock")
    lock.free()
    chosen = f"{lock.name}-{name}"

    assert stcc("lock", "acquire", chosen, "--identity", ME, "-q") == Result(0, "me\n", "")
    assert chosen in stcc("lock", "list", "--query", "[?holder == 'me'].name").out
    assert stcc("lock", "release", chosen, "--identity", ME) == Result(0, "", f"released {chosen}\n")


def test_the_identity_may_be_in_the_environment(stcc: Stcc, records: Make) -> None:
    lock = records("lock")
    lock.hold()
    told = Stcc(connection_string=stcc.connection_string, environment={"STCC_LOCK_IDENTITY": ME})

    assert told("lock", "renew", lock.name) == Result(0, "", f"renewed {lock.name} for 60 seconds, fence 7\n")
    assert told("lock", "release", lock.name, "--identity", "other").code == 9
    assert told("lock", "release", lock.name) == Result(0, "", f"released {lock.name}\n")
    code, out, _ = told("lock", "acquire", lock.name)
    assert (code, out, out == "me\n") == (0, f"{lock.holder}\n", False)


def test_an_identity_in_the_environment_that_is_empty_is_refused(stcc: Stcc) -> None:
    told = Stcc(connection_string=stcc.connection_string, environment={"STCC_LOCK_IDENTITY": ""})

    assert told("lock", "release", "a") == Result(2, "", "stcc: the identity is empty\n  is the variable set?\n")
