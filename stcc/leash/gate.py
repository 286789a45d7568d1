"""The gate: what a command is before it may run, in its process group already.

    python -I -S gate.py ORDER ERROR

It reads what to become from the pipe ORDER, to the end; when only a part came, its sender has died, and the command
never runs. An exec that fails is told through the pipe ERROR as the number of the error; one that works closes it.
It imports nothing of its package: it must be up within milliseconds.
"""

import marshal
import os
import signal
import sys


def order(command: list[str], environment: dict[str, str], mask: list[int]) -> bytes:
    """Return what to send through the pipe: the command, its whole environment, and the signals it has blocked."""
    arguments = [os.fsencode(argument) for argument in command]
    variables = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
    return marshal.dumps((arguments, variables, mask))


def received(pipe: int) -> tuple[list[bytes], dict[bytes, bytes], list[int]] | None:
    """Return what was sent, or None when it is not all there."""
    data = b""
    while piece := os.read(pipe, 65536):
        data += piece
    os.close(pipe)
    try:
        command, environment, mask = marshal.loads(data)  # noqa: S302  # from the process that has started us
    except EOFError:
        return None
    return command, environment, mask


def become(command: list[bytes], environment: dict[bytes, bytes], mask: list[int]) -> int:
    """Become the command; return the number of the error when that cannot be."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and a command expects to end by
        signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What came meanwhile acts now, and the command never runs if it is ended by that.
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        return error.errno or 0


def pass_through(pipe: int, errors: int) -> None:
    """Wait until the pipe says what to become, and become it."""
    os.set_inheritable(errors, False)  # noqa: FBT003
    what = received(pipe)
    if what is not None:
        os.write(errors, b"%d" % become(*what))


if __name__ == "__main__":
    pass_through(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)
