"""A command that runs while something is held, and never longer."""

import gc
import selectors
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from stcc.errors import StccError
from stcc.leash import terminal
from stcc.leash.group import Group
from stcc.leash.inbox import Inbox, blocked, receiving
from stcc.leash.starting import Guard, start_gate, start_guard
from stcc.leash.terminal import Terminal
from stcc.leash.timetable import Timetable
from stcc.operations.child import NotRun
from stcc.operations.keeping import TICK, Answer, Hold, Keeper, Kept, Lost, Missed
from stcc.operations.waiting import Clock, pauses

GRACE: Final = 5.0
_FORWARDED: Final = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2),
    *(signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP),
)
# A guard answers within milliseconds. One that does not for this long, or for a sixth of the ttl, has been stopped.
_SILENCE: Final = 1.0
# How long to wait for the answer to a renewal that is under way when the command has ended.
_LAST_ANSWER: Final = 2.0


class Ended(NamedTuple):
    """How a command ended: with an exit code or by a signal; neither when the hold was lost before it began.

    `lost` says why the hold was lost, and `stopped` whether the command was ended for that; if not, it ended by
    itself. `held` is in seconds. `deadline` is the clock value until which it is still ours; None: no end.
    `unanswered`: a renewal is still under way, and may yet be applied.
    """

    exit: int | None
    signal: int | None
    lost: str | None
    stopped: bool
    renewals: int
    held: float
    deadline: float | None
    unanswered: bool


def supervise(
    command: Sequence[str],
    hold: Hold,
    *,
    granted: Kept,
    environment: Mapping[str, str],
    grace: float = GRACE,
    max_hold: float | None = None,
    clock: Clock,
    tell: Callable[[str], None],
) -> Ended:
    """Run a command to its end, or to the end of the hold; afterwards no process of its group lives. Raise NotRun.

    For the main thread only. Signals to us are the command's meanwhile, and its group has the terminal if we had it.
    """
    gc.enable()  # this may take days
    times = Timetable(hold.ttl, deadline=granted.deadline, grace=grace, max_hold=max_hold, now=clock.monotonic())
    with ExitStack() as during:
        mask = during.enter_context(blocked({signal.SIGTTOU}))  # we may write while the command has the terminal
        inbox = during.enter_context(receiving(_FORWARDED))
        try:
            with blocked(signal.valid_signals()):
                gate = during.enter_context(start_gate(environment))
                guard = start_guard(patience=_SILENCE if hold.ttl is None else min(_SILENCE, hold.ttl / 6))
        except OSError as error:
            raise NotRun(command[0], error) from error
        leash = _Leash(
            group=gate.group,
            guard=guard,
            tty=during.enter_context(terminal.opened(gate.group)),
            inbox=inbox,
            keeper=Keeper(hold, granted, clock=clock),
            times=times,
            clock=clock,
            target=hold.target,
            tell=tell,
        )
        try:
            if leash.begin():
                failure = gate.open(command, environment=environment, blocked=mask)
                if failure is not None:
                    raise NotRun(command[0], failure)
                leash.follow()
        finally:
            leash.let_go()
        return leash.ended()


@dataclass(kw_only=True)
class _Leash:
    """What is done about the command, the hold, the guard and the terminal, whichever has news."""

    group: Group
    guard: Guard
    tty: Terminal
    inbox: Inbox
    keeper: Keeper
    times: Timetable
    clock: Clock
    target: str
    tell: Callable[[str], None]
    news: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    looks: Iterator[float] = field(default_factory=lambda: pauses(longest=0.25))
    ran: bool = False
    has_ended: bool = False
    code: int = 0
    renewals: int = 0
    missed: str | None = None
    lost: str | None = None
    stopped: bool = False
    unanswered: bool = False

    def begin(self) -> bool:
        """Have the command guarded, the hold kept, and the terminal handed over; False when it is too late for it."""
        self._tell_guard()
        self.guard.wait_until_ready()
        self._enforce()
        if self.lost is not None:
            return False
        self.keeper.start()
        self.tty.give()
        self._pass_on()
        self.ran = True
        return True

    def follow(self) -> None:
        """Return when the command and all the others of its group have ended."""
        self.news.register(self.inbox, selectors.EVENT_READ, self._pass_on)
        self.news.register(self.keeper, selectors.EVENT_READ, self._hear)
        self.news.register(self.guard, selectors.EVENT_READ, self._check_guard)
        while not self._is_over():
            for key, _ in self.news.select(self._patience()):
                key.data()
            self._check_guard()

    def let_go(self) -> None:
        """Kill what there is, if anything went wrong, and end what was started."""
        self.group.tell(signal.SIGKILL)
        left = _LAST_ANSWER if self.times.deadline is None else self.times.deadline - self.clock.monotonic()
        answers, self.unanswered = self.keeper.end(wait=min(left, _LAST_ANSWER))
        self._take_in(answers)
        self.guard.dismiss()
        self.code = self.group.close()
        self.tty.take()
        if self.code < 0:
            self.tty.restore(-self.code)
        self.news.close()

    def ended(self) -> Ended:
        """Return how it ended, after `let_go`."""
        killed = self.lost is not None and self.code == -signal.SIGKILL  # by the guard, while we were stopped
        return Ended(
            exit=self.code if self.ran and self.code >= 0 else None,
            signal=-self.code if self.ran and self.code < 0 else None,
            lost=self.lost,
            stopped=self.stopped or killed,
            renewals=self.renewals,
            held=self.clock.monotonic() - self.times.began,
            deadline=self.times.deadline,
            unanswered=self.unanswered,
        )

    def _is_over(self) -> bool:
        if not self.has_ended and self.group.has_ended:
            self.has_ended = True
            self.tty.take()
        self._enforce()
        if not self.has_ended:
            return False
        if not self.group.lives:
            return True
        self._end_group()  # what is held is released next
        return False

    def _patience(self) -> float:
        """Return how long there is nothing to do without news."""
        now = self.clock.monotonic()
        due = self.times.next(now)
        left = min(TICK if due is None else due - now, TICK, self.guard.pause)
        # The ends of those who are not our children are no news to us.
        return min(left, next(self.looks)) if self.times.is_ending else left

    def _enforce(self) -> None:
        """Do what the clock says."""
        now = self.clock.monotonic()
        if self.times.held_long_enough(now):
            self.keeper.stop()
            self._lose("it was held as long as was allowed", words="is given up")
        if self.times.nearly_over(now):
            self._lose(f"it could not be renewed in time: {self.missed or 'no answer'}")
        if self.times.kills(now):
            self.group.tell(signal.SIGKILL)

    def _lose(self, why: str, *, words: str = "is lost") -> None:
        if self.lost is not None:
            return
        self.lost = why
        if not self.has_ended:
            self.stopped = True
            self._end_group()
        self.tell(f"{self.target} {words}: {why}")  # last: it may take its time

    def _end_group(self) -> None:
        """Tell every process of the group to end; those that do not are killed later."""
        if self.times.is_ending:
            return
        self.times.end(self.clock.monotonic())
        allowed = self.group.tell(signal.SIGTERM)
        self.group.tell(signal.SIGCONT)  # one that is stopped would not hear it
        if not allowed:
            self.tell("the command belongs to another user: it cannot be ended")

    def _tell_guard(self) -> None:
        last = self.times.last_moment
        self.guard.tell(self.group, None if last is None else last - self.clock.monotonic())

    def _check_guard(self) -> None:
        """Start another guard when somebody has ended or stopped ours."""
        if self.guard.check():
            return
        self.news.unregister(self.guard)
        try:
            with blocked(signal.valid_signals()):
                self.guard = self.guard.replace()
        except (OSError, StccError) as error:
            self._lose(f"its guard has ended, and another cannot be started: {error}")
            return
        self.news.register(self.guard, selectors.EVENT_READ, self._check_guard)

    def _hear(self) -> None:
        self._take_in(self.keeper.answers())

    def _take_in(self, answers: list[Answer]) -> None:
        for answer in answers:
            match answer:
                case Kept(deadline):
                    self.times.deadline, self.missed = deadline, None
                    self.renewals += 1
                    self._tell_guard()
                case Missed(why):
                    if self.missed is None:
                        self.tell(f"{self.target} could not be renewed: {why}; trying again")
                    self.missed = why
                case Lost(why):
                    self._lose(why)

    def _pass_on(self) -> None:
        """Pass on the signals that have come, and do as the command does when it has been stopped."""
        self._enforce()
        for number in self.inbox.read():
            if number == signal.SIGCONT:
                self.tty.give()
            if number != signal.SIGCHLD:
                self.group.tell(number)
        by = self.group.stopped()
        if by is not None and not self.times.is_ending:
            self.tty.follow(by, tell=self._say_what_stopping_means)

    def _say_what_stopping_means(self) -> None:
        if self.times.last_moment is not None:
            left = self.times.last_moment - self.clock.monotonic()
            self.tell(f"stopped; unless it goes on within {left:.0f} s, the command is killed")
