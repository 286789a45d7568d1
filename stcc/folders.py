"""Folders of local files: what is in one, and files made below one and never anywhere else."""

import contextlib
import os
import stat
import uuid
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stcc import files
from stcc.errors import Local, Usage

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry(NamedTuple):
    """Something below a folder: its name there, with slashes, and why it is no file to be read, if it is none."""

    name: str
    path: Path
    problem: str | None


def below(folder: Path) -> Iterator[Entry]:
    """Yield everything but the folders below one, in order; links are not followed."""

    def unreadable(error: OSError) -> None:
        raise Local(f"{error.filename!r} cannot be read: {files.why(error)}") from error

    for root, folders, names in os.walk(folder, onerror=unreadable):
        folders.sort()
        links = [name for name in folders if Path(root, name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(root, name)
            yield Entry(path.relative_to(folder).as_posix(), path, _problem(path))


def _problem(path: Path) -> str | None:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "it is a symbolic link, which is not followed"
    return None if stat.S_ISREG(mode) else "it is no regular file"


class Folder:
    """A folder that files are made in, at any depth; no name and no link leads out of it."""

    def __init__(self, path: Path) -> None:
        umask = os.umask(0o077)
        os.umask(umask)
        self._mode = 0o666 & ~umask
        self._path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Usage(f"not a folder to write to: {str(path)!r}", hint=files.why(error)) from error

    @contextlib.contextmanager
    def new(self, name: str, *, force: bool) -> Generator[files.Draft]:
        """Make a file that appears under its name when it is kept; `Usage` for a name that is none, or is taken.

        Every folder on the way is entered by itself and must not be a link, so that nobody can lead it astray.
        """
        segments = _segments(name)
        try:
            with contextlib.ExitStack() as opened:
                parent = self._entered(segments[:-1], opened)
                if not force and _exists(segments[-1], parent):
                    raise Usage(f"the destination exists: {str(self._path / name)!r}", hint="--force overwrites it")
                with self._draft(segments[-1], parent, force=force) as draft:
                    yield draft
        except OSError as error:
            raise Local(f"{str(self._path / name)!r} cannot be written: {files.why(error)}") from error

    @contextlib.contextmanager
    def _draft(self, name: str, parent: int, *, force: bool) -> Generator[files.Draft]:
        temporary = f".{name[:64]}.{uuid.uuid4().hex[:12]}.stcc"
        draft = files.Draft(os.open(temporary, _NEW_FILE, 0o600, dir_fd=parent))
        try:
            yield draft
            if draft.size is not None:
                draft.complete()
                os.chmod(temporary, self._mode, dir_fd=parent)
                if force:
                    os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
                else:  # a link is never made over what has come meanwhile
                    os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
                os.fsync(parent)
        finally:
            draft.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)

    def _entered(self, segments: Sequence[str], opened: contextlib.ExitStack) -> int:
        descriptor = self._descriptor
        for segment in segments:
            with contextlib.suppress(FileExistsError):
                os.mkdir(segment, dir_fd=descriptor)
            descriptor = os.open(segment, _FOLDER, dir_fd=descriptor)
            opened.callback(os.close, descriptor)
        return descriptor


def _segments(name: str) -> list[str]:
    segments = name.split("/")
    if any(segment in {"", ".", ".."} or "\0" in segment for segment in segments):
        raise Usage(
            f"not a name for a local file: {name!r}", hint="it would be empty, absolute, or lead out of the folder"
        )
    return segments


def _exists(name: str, parent: int) -> bool:
    try:
        os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return False
    return True
