"""Containers: what each command prints and returns."""

import json

from tests.conftest import Names
from tests.running import Result, Stcc


def test_a_container_is_created_once(stcc: Stcc, names: Names) -> None:
    name = names()
    code, etag, story = stcc("container", "create", name)

    assert (code, story) == (0, f"created container {name}\n")
    shown = json.loads(stcc("-o", "json", "container", "show", name).out)
    assert etag == shown["result"]["etag"] + "\n"
    assert stcc("container", "create", name) == Result(
        9,
        "",
        f"stcc: cannot create container {name}: there is a container of that name (409 ContainerAlreadyExists)\n"
        f"  seen afterwards: etag {shown['result']['etag']}, last modified {shown['result']['last_modified']}, "
        "lease state available, lease status unlocked\n",
    )


def test_a_container_that_is_not_there_is_absent(stcc: Stcc, names: Names) -> None:
    name = names()

    assert stcc("container", "show", name, "-q") == Result(
        4, "", f"stcc: cannot show container {name}: there is no such container (404 ContainerNotFound)\n"
    )
