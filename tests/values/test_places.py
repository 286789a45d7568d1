"""Where a lock is kept: what each way of naming it means, and what is refused."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stcc.values.places import AzurePlace, RedisPlace, RedisServer, place, redis_server
from stcc.values.targets import BlobTarget
from tests.values.refusals import parsed_or_refused, refusal

SERVER = RedisServer("host", 6379, 0, tls=False, path=None, username=None, password=None)
WITHOUT = "the URL does not name a server, a database and a name"


@pytest.mark.parametrize("kind", ["lock", "semaphore", "leader", "table"])
def test_a_name_is_a_blob_of_its_kind(kind: str) -> None:
    found = place("a/b c", kind, container=None)  # type: ignore[arg-type]  # each of them is one

    assert found == AzurePlace(kind, "a/b c", BlobTarget("stcc-locks", f"{kind}/a/b c"))  # type: ignore[arg-type]
    assert str(found) == "a/b c"


def test_a_name_in_another_container() -> None:
    assert place("n", "lock", container="data") == AzurePlace("lock", "n", BlobTarget("data", "lock/n"))


@pytest.mark.parametrize(
    ("text", "server", "name", "shown"),
    [
        ("redis://host/0/n", SERVER, "n", "redis://host:6379/0/n"),
        ("REDIS://HOST/0/n", SERVER, "n", "redis://host:6379/0/n"),
        ("redis://host:6380/3/a/b", SERVER._replace(port=6380, db=3), "a/b", "redis://host:6380/3/a/b"),
        ("redis://host/0/a%2Fb%20%23%3F", SERVER, "a/b #?", "redis://host:6379/0/a/b #?"),
        ("redis://host/0/..", SERVER, "..", "redis://host:6379/0/.."),
        ("rediss://host/0/n", SERVER._replace(tls=True), "n", "rediss://host:6379/0/n"),
        ("redis://[::1]/0/n", SERVER._replace(host="::1"), "n", "redis://[::1]:6379/0/n"),
        (
            "redis://me:p%40w%3A@[fe80::1]:7000/15/n",
            SERVER._replace(host="fe80::1", port=7000, db=15, username="me", password="p@w:"),
            "n",
            "redis://[fe80::1]:7000/15/n",
        ),
        ("redis://:pw@host/0/n", SERVER._replace(password="pw"), "n", "redis://host:6379/0/n"),
        ("redis://:@host/0/n", SERVER._replace(password=""), "n", "redis://host:6379/0/n"),
        (
            "unix:///run/redis.sock?db=2&name=n",
            SERVER._replace(host="", db=2, path="/run/redis.sock"),
            "n",
            "unix:///run/redis.sock?db=2&name=n",
        ),
        (
            "unix://me:pw@/r%20s.sock?name=a%2Fb",
            SERVER._replace(host="", path="/r s.sock", username="me", password="pw"),
            "a/b",
            "unix:///r s.sock?db=0&name=a/b",
        ),
    ],
)
def test_the_url_of_a_name_on_a_redis_server(text: str, server: RedisServer, name: str, shown: str) -> None:
    found = place(text, "lock")

    assert (found, str(found)) == (RedisPlace("lock", name, server), shown)


@pytest.mark.parametrize(
    "text", ["redis://user:secret@host/0/n", "redis://:secret@host/0/n", "unix://user:secret@/r.sock?name=n"]
)
def test_a_password_is_never_shown(text: str) -> None:
    found = place(text, "lock")
    assert isinstance(found, RedisPlace)

    assert found.server.password == "secret"
    for shown in (str(found), repr(found), f"{found}", str(found.server), repr(found.server), f"{found.server!r:>9}"):
        assert "secret" not in shown
        assert "user" not in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the name of the lock is empty"),
        ("redis://", WITHOUT),
        ("redis://host", WITHOUT),
        ("redis://host/0", WITHOUT),
        ("redis://host/0/", WITHOUT),
        ("redis://host/n", WITHOUT),
        ("redis://host/x/n", WITHOUT),
        ("redis://host/-1/n", WITHOUT),
        ("redis://host/٣/n", WITHOUT),
        ("redis:///0/n", WITHOUT),
        ("redis://host:0/0/n", WITHOUT),
        ("redis://host/0/n?db=1", WITHOUT),
        ("unix:///r.sock", WITHOUT),
        ("unix:///r.sock?name=", WITHOUT),
        ("unix:///r.sock?db=&name=n", WITHOUT),
        ("unix:///r.sock?db=0&name=n&password=secret", WITHOUT),
        ("unix://?name=n", WITHOUT),
        ("unix://host/r.sock?name=n", WITHOUT),
        ("unix:///r.sock?db=1&db=2&name=n", "the target is not a URL that can be read"),
        ("unix:///r.sock?nonsense", "the target is not a URL that can be read"),
        ("unix:///r%00.sock?name=n", "the target is not a URL that can be read"),
        ("redis://host/0/%ff", "the target is not a URL that can be read"),
        ("redis://host:port/0/n", "the target is not a URL that can be read"),
        ("redis://host:65536/0/n", "the target is not a URL that can be read"),
        ("redis://user:secret@[::1/0/n", "the target is not a URL that can be read"),
        ("redis://host/0/a\nb", "the URL contains a control character"),
        ("redis://host/0/a%0Ab", "the target is not a URL that can be read"),
        ("unix:///r.sock?name=a%0Ab", "the name of the lock contains a control character"),
        ("redis://host/0/n#f", "a '#' is no part of the URL"),
        ("redis://host/0/n#", "a '#' is no part of the URL"),
        ("http://user:secret@host/0/n", "not the URL of a Redis server: http://host"),
        (
            "redis://host/0/semaphore::n",
            "names that start with 'stcc::' or 'semaphore::' are kept for what stcc notes beside the locks",
        ),
        (
            "redis://host/0/stcc%3A%3An",
            "names that start with 'stcc::' or 'semaphore::' are kept for what stcc notes beside the locks",
        ),
        ("redis://host/0/" + "x" * 513, "the name of the lock is longer than 512 bytes"),
    ],
)
def test_what_names_no_place_is_refused(text: str, message: str) -> None:
    told = refusal(lambda: place(text, "lock"))

    assert (told, "secret" in told) == (message, False)


@pytest.mark.parametrize(
    ("text", "server"),
    [("redis://host/2", SERVER._replace(db=2)), ("unix:///r.sock", SERVER._replace(host="", path="/r.sock"))],
)
def test_the_url_of_a_database(text: str, server: RedisServer) -> None:
    assert redis_server(text) == server


@pytest.mark.parametrize("text", ["redis://host", "redis://host/", "redis://host/0/n", "unix:///r.sock?name=n"])
def test_a_database_without_a_name_is_wanted(text: str) -> None:
    assert refusal(lambda: redis_server(text)) == ("the URL does not name a server and a database, and nothing else")


def test_a_container_is_nothing_for_redis() -> None:
    assert refusal(lambda: place("redis://host/0/n", "lock", container="c")) == (
        "--container belongs to Azure: a Redis server has none"
    )


@given(st.text())
@example("redis://[")
@example("redis://\u2100/0/n")
def test_any_text_is_a_place_or_is_refused(text: str) -> None:
    for one in (text, f"redis://{text}", f"redis://host/0/{text}", f"unix:///{text}", f"unix:///s?name={text}"):
        parsed_or_refused(lambda one=one: place(one, "lock"))  # type: ignore[misc]  # bound here
