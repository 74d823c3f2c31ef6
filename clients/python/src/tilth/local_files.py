"""The local files to upload."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from typing import List, Sequence, Union

from .transfers import LeftOut, file_problem

Place = Union[str, "os.PathLike[str]"]


class UnreadableFile(Exception):
    """A local file that can't be sent; the others are sent."""


@dataclass(frozen=True)
class LocalFile:
    """A file in the state in which it was found; `path` is its name in the dataset, below the prefix."""

    path: str
    place: str
    size: int
    modified: int

    def read(self, start: int, size: int) -> bytes:
        """Reads a part of the file; fails if the file has changed, so that parts of two states are never mixed."""
        try:
            with open(self.place, "rb") as file:
                file.seek(start)
                data = file.read(size)
                now = os.fstat(file.fileno())
        except OSError as problem:
            raise UnreadableFile(file_problem(problem)) from problem
        if len(data) < size or now.st_size != self.size or now.st_mtime_ns != self.modified:
            raise UnreadableFile("it changed while being sent")
        return data


@dataclass
class FoundFiles:
    files: List[LocalFile]
    skipped: List[LeftOut]
    failed: List[LeftOut]


def find_local_files(places: Sequence[Place]) -> FoundFiles:
    """All files in folders, by their paths relative to the folder, and the files that are named directly."""
    found = FoundFiles([], [], [])
    for place in places:
        absolute = os.path.abspath(os.fspath(place))
        _visit(found, absolute, "" if os.path.isdir(absolute) else os.path.basename(absolute), True)
    found.files.sort(key=lambda file: file.path)
    single: List[LocalFile] = []
    for file in found.files:
        if not single or single[-1].path != file.path:
            single.append(file)
        elif single[-1].place == file.place:
            found.skipped.append(LeftOut(file.path, "named twice"))
        else:
            found.failed.append(LeftOut(file.path, f"has the same path in the dataset as {single[-1].place}"))
    found.files = single
    return found


def _visit(found: FoundFiles, place: str, path: str, is_named: bool) -> None:
    try:
        entry = os.stat(place) if is_named else os.lstat(place)
        if stat.S_ISLNK(entry.st_mode):
            found.skipped.append(LeftOut(path, "is a symbolic link, which is not followed"))
        elif stat.S_ISDIR(entry.st_mode):
            for name in os.listdir(place):
                _visit(found, os.path.join(place, name), name if path == "" else f"{path}/{name}", False)
        elif not _is_unicode(path):
            found.failed.append(LeftOut(ascii(path), "its name is not valid UTF-8"))
        elif stat.S_ISREG(entry.st_mode):
            found.files.append(LocalFile(path, place, entry.st_size, entry.st_mtime_ns))
        else:
            found.skipped.append(LeftOut(path, "is not a regular file"))
    except OSError as problem:
        found.failed.append(LeftOut(path or place, file_problem(problem)))


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def fingerprint_of(files: Sequence[LocalFile]) -> str:
    """Changes when any of the files changes, or their set."""
    digest = hashlib.sha256()
    for file in files:
        entry = [file.path, file.place, file.size, file.modified]
        digest.update(json.dumps(entry).encode())
    return digest.hexdigest()
