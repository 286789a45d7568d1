"""On the wire: every condition is sent exactly or refused, and an operation is one request."""

from urllib.parse import parse_qsl

import pytest

from stcc.knowledge.operations import CONDITIONS, EVERY_CONDITION, HEADERS, POSITION, SEQUENCE, SOURCE
from tests.azurite import ProxiedAccount
from tests.calls import CALLS, ELSEWHERE, ETAGS, Call, beside, operations
from tests.proxy import Proxy
from tests.running import Stcc
from tests.situations import Situation
from tests.teams import HELD
from tests.wire import Answer, Recorded

GUID = "0F8FAD5B-D9CB-469F-A165-70867728950E"
ETAG_SPELLINGS = {"quoted": '"0x8D1"', "unquoted": "0x8D1", "weak": 'W/"0x8D1"', "weak unquoted": "W/0x8D1"}
# Flag -> how it is spelled -> (what is typed, what is sent).
BASIC: dict[str, dict[str, tuple[str, str]]] = {
    "--if-match": {name: (text, '"0x8D1"') for name, text in ETAG_SPELLINGS.items()} | {"any": ("*", "*")},
    "--if-none-match": {name: (text, '"0x8D1"') for name, text in ETAG_SPELLINGS.items()} | {"any": ("*", "*")},
    "--if-modified-since": {
        "RFC 3339": ("2020-01-31T12:00:00+02:00", "Fri, 31 Jan 2020 10:00:00 GMT"),
        "RFC 1123": ("Fri, 31 Jan 2020 10:00:00 GMT", "Fri, 31 Jan 2020 10:00:00 GMT"),
    },
    "--if-unmodified-since": {
        "RFC 3339": ("2020-01-31T12:00:00.9Z", "Fri, 31 Jan 2020 12:00:00 GMT"),
        "RFC 1123": ("Fri, 31 Jan 2020 10:00:00 GMT", "Fri, 31 Jan 2020 10:00:00 GMT"),
    },
    "--if-tags": {"expression": (""" "stage" = 'done' """, """"stage" = 'done'""")},
    "--lease-id": {"upper case": (GUID, GUID.lower()), "braces": (f"{{{GUID}}}", GUID.lower())},
}
# The same for what only a few commands know; to the others, it is no option.
SPELLINGS = (
    BASIC
    | {flag: BASIC[flag.replace("--source-", "--")] for flag in SOURCE}
    | {flag: {"number": ("007", "7")} for flag in (*POSITION, *SEQUENCE)}
)
CONDITION_HEADERS = frozenset(name.lower() for name in HEADERS.values())
MAY_LIST = {"accept-encoding", "date", "x-ms-date"}  # a date has a comma of its own
EACH_CALL = [pytest.param(call, id=call.argv) for call in CALLS]


def asked_by(call: Call, request: Recorded) -> dict[str, str]:
    """Return the condition headers that come from the command line: not the ETag that stcc has read itself."""
    return {name: value for name, value in conditions_of(request).items() if not (call.pins and name == "if-match")}


def conditions_of(request: Recorded) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if name in CONDITION_HEADERS}


def line(request: Recorded) -> str:
    """Name a request by its method and its query; long values are shortened."""
    pairs = parse_qsl(request.query, keep_blank_values=True)
    shown = "&".join(sorted(f"{key}={value if len(value) < 15 else '...'}" for key, value in pairs))
    return f"{request.method} {shown}".strip()


def sent_with(call: Call, flag: str, typed: str, sent: str) -> str | None:
    """Return what the header of this flag must carry, or None when the command must refuse the flag."""
    creates = call.create_only and flag == "--if-none-match"
    if flag not in call.honours or (flag.endswith("-none-match") and typed == "*" and not creates):
        return None
    return f"W/{sent}" if call.weak and sent != "*" else sent


def test_every_command_that_asks_storage_is_called_here() -> None:
    assert {verb for verb, _ in operations()} == {call.verb for call in CALLS} | ELSEWHERE


def flags_of(call: Call) -> list[str]:
    """Return the flags to try: those that every command knows, and those that this one knows besides."""
    return [flag for flag in EVERY_CONDITION if flag in CONDITIONS or flag in call.honours]


@pytest.mark.parametrize(
    ("call", "flag"),
    [pytest.param(call, flag, id=f"{call.argv} {flag}") for call in CALLS for flag in flags_of(call)],
)
def test_a_condition_is_sent_exactly_or_refused(
    call: Call, flag: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    takes_id = "--lease-id" in call.argv
    for typed, meant in SPELLINGS[flag].values():
        argv = call.arguments(there)
        proxied.clear()
        code = proxied_stcc(*beside(argv, flag, typed, "--no-diagnose"), stdin=b"text").code

        expected = sent_with(call, flag, typed, meant)
        if takes_id and flag == "--lease-id":
            continue  # it names the lease itself, and the last one given wins
        if expected is None:
            assert (code, proxied.requests) == (2, []), typed
            continue
        # A condition may be met or not; either way it was sent, with the last request, and no other one with it.
        held = {"x-ms-lease-id": there.held} if takes_id else {}
        if flag in SOURCE:
            held = {"if-none-match": "*"}  # what the target has to meet is another matter
        assert code in {0, 4, 12, 30}, typed
        assert len(proxied.requests) == len(call.sends), typed
        assert asked_by(call, proxied.requests[-1]) == {HEADERS[flag].lower(): expected} | held, typed
        assert [conditions_of(request) for request in proxied.requests[:-1]] == [{}] * (len(call.sends) - 1), typed
        there = Situation(there.azurite)


@pytest.mark.parametrize("call", EACH_CALL)
def test_a_condition_that_a_command_does_not_know_is_refused(
    call: Call, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = call.succeeding(there)
    for flag in set(EVERY_CONDITION) - set(flags_of(call)):
        assert (proxied_stcc(*beside(argv, flag, "7"), stdin=b"text").code, proxied.requests) == (2, []), flag


@pytest.mark.parametrize("call", EACH_CALL)
def test_an_empty_condition_is_never_no_condition(
    call: Call, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    for flag in EVERY_CONDITION:
        for empty in ("", " ", '""', "W/", 'W/""') if flag in ETAGS else ("", " "):
            argv = beside(call.succeeding(there), flag, empty)
            assert (proxied_stcc(*argv, stdin=b"text").code, proxied.requests) == (2, [])


@pytest.mark.parametrize("call", EACH_CALL)
def test_a_success_is_one_request(call: Call, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = call.succeeding(there)
    code, _, _ = proxied_stcc(*argv, stdin=b"text")

    assert (code, tuple(map(line, proxied.requests))) == (0, call.sends)
    for request in proxied.requests:
        assert asked_by(call, request) == unasked(call)
        if call.verb.split()[0] in {"blob", "container", "lease", "queue"}:
            assert request.headers["x-ms-version"] == "2021-12-02"
        # The proxy joins the values of a header that comes twice.
        assert not [name for name, value in request.headers.items() if ", " in value and name not in MAY_LIST]


def unasked(call: Call) -> dict[str, str]:
    """Return the condition headers that go out with a success when no condition was typed."""
    if call.create_only:
        return {"if-none-match": "*"}
    if call.weak and not call.pins:
        return {"if-match": "*"}
    return {"x-ms-lease-id": "0f8fad5b-d9cb-469f-a165-70867728950e"} if "--lease-id" in call.argv else {}


@pytest.mark.parametrize("call", EACH_CALL)
def test_a_redirect_is_not_followed(call: Call, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = call.succeeding(there)
    with Proxy(1) as elsewhere:
        proxied.fail(
            Answer(307, {"Location": f"http://127.0.0.1:{elsewhere.port}/devstoreaccount1/elsewhere"}), times=9
        )

        assert (proxied_stcc(*argv, stdin=b"text").code, elsewhere.requests) == (1, [])
    assert len(proxied.requests) == 1


def test_force_sends_no_condition(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    code, _, _ = proxied_stcc(*there.argv("blob put {blob} - --force"), stdin=b"text")

    assert (code, [conditions_of(request) for request in proxied.requests]) == (0, [{}])


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (
            "--if-match 0x8D1 --if-unmodified-since 2020-01-31T12:00:00Z",
            {"if-match": '"0x8D1"', "if-unmodified-since": "Fri, 31 Jan 2020 12:00:00 GMT"},
        ),
        (
            "--if-none-match 0x8D1 --if-modified-since 2020-01-31T12:00:00Z",
            {"if-none-match": '"0x8D1"', "if-modified-since": "Fri, 31 Jan 2020 12:00:00 GMT"},
        ),
        ("--if-match 0x8D1 --lease-id {held}", {"if-match": '"0x8D1"', "x-ms-lease-id": GUID.lower()}),
        ("--if-match 0x8D1 --if-modified-since 2020-01-31T12:00:00Z", None),
        ("--if-match 0x8D1 --if-none-match 0x8D2", None),
        ("--if-none-match 0x8D1 --if-unmodified-since 2020-01-31T12:00:00Z", None),
        ("--if-modified-since 2020-01-31T12:00:00Z --if-unmodified-since 2020-01-31T12:00:00Z", None),
        ("--if-none-match * --lease-id {held}", None),
        ("--force --if-match 0x8D1", None),
        ("--force --lease-id {held}", None),
    ],
)
def test_a_pair_that_the_service_would_reject_or_misread_is_refused(
    typed: str, sent: dict[str, str] | None, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    code = proxied_stcc(*there.argv(f"blob put {{blob}} - --no-diagnose {typed}"), stdin=b"text").code

    assert (code == 2, [conditions_of(request) for request in proxied.requests]) == (
        (True, []) if sent is None else (False, [sent])
    )


@pytest.mark.parametrize("argv", ["blob delete {blob}", "entity replace {table} P R n:=2", "entity delete {table} P R"])
def test_an_unconditional_change_must_be_said(
    argv: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    assert (proxied_stcc(*there.argv(argv)).code, proxied.requests) == (2, [])


def test_an_empty_blob_takes_two_requests(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    code, out, _ = proxied_stcc(*there.argv("blob get {empty_blob} -"))

    assert (code, out, [(request.method, request.status) for request in proxied.requests]) == (
        0,
        "",
        [("GET", 416), ("GET", 200)],
    )


def test_a_refusal_is_looked_at_once(proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation) -> None:
    argv = there.argv("blob put {blob} -")

    assert proxied_stcc(*argv, stdin=b"text").code == 9
    assert list(map(line, proxied.requests)) == ["PUT", "HEAD"]
    proxied.clear()
    assert proxied_stcc(*argv, "--no-diagnose", stdin=b"text").code == 9
    assert list(map(line, proxied.requests)) == ["PUT"]


def test_a_large_put_looks_first_then_sends_blocks_and_commits(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob put {blob} - --if-match {etag}")
    code, _, _ = proxied_stcc(*argv, stdin=bytes(33 << 20))

    sent = list(map(line, proxied.requests))
    assert (code, sent[0], sent[1:-1], sent[-1]) == (
        0,
        "HEAD",
        ["PUT blockid=...&comp=block"] * 5,
        "PUT comp=blocklist",
    )
    expected = {"if-match": there.etag}
    assert [conditions_of(request) for request in proxied.requests] == [{}] * 6 + [expected]


def test_a_large_put_that_is_bound_to_fail_sends_no_block(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv("blob put {blob} - --if-match 0x8D1 --no-diagnose")
    code, _, _ = proxied_stcc(*argv, stdin=bytes(33 << 20))

    assert (code, list(map(line, proxied.requests))) == (12, ["HEAD"])


@pytest.mark.parametrize("way", ["", "--in-place", "--exclusive"])
def test_putting_a_file_takes_no_condition(
    way: str, proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(f"file put {{file}} - {way}")
    for flag in {*EVERY_CONDITION} - {"--lease-id"}:
        assert (proxied_stcc(*argv, flag, "7", stdin=b"text").code, proxied.requests) == (2, []), flag


def test_every_change_of_a_file_that_is_put_has_the_id_of_its_lease(
    proxied: ProxiedAccount, proxied_stcc: Stcc, there: Situation
) -> None:
    argv = there.argv(f"file put {{file}} - --lease-id {HELD}")
    there.team.lease("file").acquire()
    code, _, _ = proxied_stcc(*argv, stdin=bytes(range(256)) * (9 << 12))
    changes = [request for request in proxied.requests if request.method == "PUT"]

    assert (code, len(changes)) == (0, 6)
    assert {request.headers.get("x-ms-lease-id") for request in changes} == {HELD}
