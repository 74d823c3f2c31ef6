"""Downloads of a version into a folder: small files together, large ones by ranges, each compared with its checksum."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import time
import zipfile
from typing import Iterator, List, Optional, Union

from . import models
from .errors import ChecksumMismatch, Conflict, ConnectionLost, NotFound, ServiceError, TilthError
from .local_files import Place
from .operations import Operations
from .progress import Progress
from .transfers import LeftOut, TransferReport, file_problem, finished, for_each_at_once, sha256_of_file

_AT_ONCE = 4
_PARTS = ".tilth-download"
_SMALL = 1024 * 1024
#: Small files are fetched in groups of one call; the limit is that the ids must fit into an address.
_GROUP_FILES = 200
_GROUP_BYTES = 32 * 1024 * 1024
_PAUSES = (0.3, 1.0, 2.0, 4.0, 8.0, 10.0)
_PIECE = 1024 * 1024


class _LeftOutFile(Exception):
    """This file is left out; the others are downloaded."""


def download(
    api: Operations,
    dataset_id: str,
    into: Place,
    *,
    version: int,
    prefix: str = "",
    overwrite: bool = False,
    progress: Optional[bool] = None,
) -> TransferReport:
    """
    Downloads the files of one version. Files that exist with the same content are skipped, partial ones are continued;
    raises `TransferIncomplete` if any file failed.
    """
    return _Download(api, dataset_id, os.path.abspath(os.fspath(into)), version, overwrite).run(prefix, progress)


def list_all_files(
    api: Operations, dataset_id: str, *, prefix: str = "", version: Optional[int] = None
) -> Iterator[models.DatasetFile]:
    """The files of a dataset in a folder and its subfolders, by path."""
    page = 0
    while True:
        listed = api.list_files(dataset_id, prefix=prefix.strip("/") or None, version=version, page=page, size=1000)
        yield from listed["content"]
        if listed["last"]:
            return
        page += 1


class _Download:
    def __init__(self, api: Operations, dataset_id: str, into: str, version: int, overwrite: bool) -> None:
        self.api = api
        self.dataset_id = dataset_id
        self.into = into
        self.version = version
        self.overwrite = overwrite
        self.parts = os.path.join(into, _PARTS)
        self.report = TransferReport()
        self.lock = threading.Lock()
        self.progress = Progress("download", None, shown=False)

    def run(self, prefix: str, shown: Optional[bool]) -> TransferReport:
        files = list(list_all_files(self.api, self.dataset_id, prefix=prefix, version=self.version))
        self.report.files = len(files)
        self.report.bytes = sum(file["fileSize"] for file in files)
        os.makedirs(self.parts, exist_ok=True)
        with Progress("download", self.report.bytes, shown=shown) as progress:
            self.progress = progress
            for_each_at_once(self._work(files), _AT_ONCE, self._fetch)
        if not self.report.failed:
            # Parts of failed files are kept for the next attempt.
            shutil.rmtree(self.parts, ignore_errors=True)
        return finished(self.report)

    def _work(self, files: List[models.DatasetFile]) -> Iterator[Union[models.DatasetFile, List[models.DatasetFile]]]:
        """Yields small files in groups and large ones alone; existing and unavailable files are left out."""
        group: List[models.DatasetFile] = []
        size = 0
        for file in files:
            if not self._is_wanted(file):
                continue
            if file["fileSize"] > _SMALL:
                yield file
                continue
            if len(group) == _GROUP_FILES or size + file["fileSize"] > _GROUP_BYTES:
                yield group
                group, size = [], 0
            group.append(file)
            size += file["fileSize"]
        if group:
            yield group

    def _is_wanted(self, file: models.DatasetFile) -> bool:
        try:
            target = self._target(file)
            if not os.path.lexists(target):
                return True
            same_size = os.path.isfile(target) and os.path.getsize(target) == file["fileSize"]
            if same_size and sha256_of_file(target) == file["sha256"]:
                self.report.skipped.append(LeftOut(file["filePath"], "already in the folder, with the same content"))
                self.progress.advance(file["fileSize"])
                return False
            if self.overwrite and os.path.isfile(target):
                return True
            raise _LeftOutFile("the folder has a different file with this name; use overwrite=True to replace it")
        except _LeftOutFile as problem:
            self._fail(file, str(problem))
        except OSError as problem:
            self._fail(file, file_problem(problem))
        return False

    def _target(self, file: models.DatasetFile) -> str:
        """The local path of a file; a path from the service must not lead out of the folder."""
        segments = file["filePath"].split("/")
        forbidden = '<>:"\\|?*' if os.name == "nt" else "\0"
        unsafe = any(each in ("", ".", "..") or any(sign in each for sign in forbidden) for each in segments)
        if unsafe or segments[0] == _PARTS:
            raise _LeftOutFile("no local file can have this path")
        if file["status"] != "COMPLETED":
            raise _LeftOutFile(f"it is {file['status']} in the dataset")
        return os.path.join(self.into, *segments)

    def _fail(self, file: models.DatasetFile, reason: str) -> None:
        with self.lock:
            self.report.failed.append(LeftOut(file["filePath"], reason))

    def _fetch(self, item: Union[models.DatasetFile, List[models.DatasetFile]]) -> None:
        if isinstance(item, list):
            self._fetch_group(item)
            return
        try:
            part = os.path.join(self.parts, f"{item['id']}-{self.version}")
            fetch_part(self.api, self.dataset_id, item, self.version, part, self.progress)
            self._store(item, part)
        except ServiceError as refusal:
            if refusal.status not in (404, 409):
                raise
            self._fail(item, refusal.message)
        except ChecksumMismatch as problem:
            self._fail(item, problem.message)
        except OSError as problem:
            self._fail(item, file_problem(problem))

    def _store(self, file: models.DatasetFile, part: str) -> None:
        target = self._target(file)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.replace(part, target)
        with self.lock:
            self.report.stored += 1

    def _fetch_group(self, group: List[models.DatasetFile]) -> None:
        """Fetches small files as one ZIP, or one by one if that fails or only one is left."""
        with tempfile.TemporaryFile(dir=self.parts) as file:
            try:
                self._fetch_archive(group, file.fileno())
            except (NotFound, Conflict):
                # One of them is gone; fetching them one by one shows which.
                for each in group:
                    self._fetch(each)
                return
            with zipfile.ZipFile(file) as archive:
                names = {entry.filename: entry for entry in archive.infolist()}
                for each in group:
                    entry = names.get(each["filePath"])
                    if entry is None or not self._unpack(archive, entry, each):
                        self._fetch(each)

    def _unpack(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: models.DatasetFile) -> bool:
        if file["sha256"] is None:
            return False
        try:
            data = archive.read(entry)
        except zipfile.BadZipFile:
            return False
        if len(data) != file["fileSize"] or hashlib.sha256(data).hexdigest() != file["sha256"]:
            return False
        part = os.path.join(self.parts, f"{file['id']}-{self.version}")
        try:
            with open(part, "wb") as target:
                target.write(data)
            self._store(file, part)
        except OSError as problem:
            self._fail(file, file_problem(problem))
            return True
        self.progress.advance(len(data))
        return True

    def _fetch_archive(self, group: List[models.DatasetFile], target: int) -> None:
        ids = ",".join(file["id"] for file in group)
        for number in range(len(_PAUSES) + 1):
            try:
                os.ftruncate(target, 0)
                os.lseek(target, 0, os.SEEK_SET)
                length = 0
                with self.api.download_files(self.dataset_id, file_ids=ids, version=self.version) as stream:
                    for piece in stream:
                        _write_all(target, piece)
                        length += len(piece)
                    if length == int(stream.headers.get("content-length", length)):
                        return
            except ConnectionLost:
                if number == len(_PAUSES):
                    raise
            time.sleep(_PAUSES[min(number, len(_PAUSES) - 1)])
        raise ConnectionLost(f"The connection to {self.api.session.url} was lost")


def fetch_part(
    api: Operations, dataset_id: str, file: models.DatasetFile, version: int, part: str, progress: Progress
) -> None:
    """Continues a partial file until it is complete, and compares its checksum."""
    digest = hashlib.sha256()
    with open(part, "a+b") as target:
        size = target.seek(0, os.SEEK_END)
        if size > file["fileSize"]:
            target.truncate(0)
            size = 0
        target.seek(0)
        for piece in iter(lambda: target.read(_PIECE), b""):
            digest.update(piece)
        progress.advance(size)
        breaks = 0
        while size < file["fileSize"]:
            before = size
            headers = {"range": f"bytes={size}-"} if size > 0 else {}
            with api.download_file(dataset_id, file["id"], version=version, headers=headers) as stream:
                if stream.status != (206 if size > 0 else 200):
                    raise TilthError(f"{file['filePath']}: the service returned HTTP {stream.status} for a range")
                try:
                    for piece in stream:
                        target.write(piece)
                        digest.update(piece)
                        size += len(piece)
                        progress.advance(len(piece))
                except ConnectionLost:
                    # Every piece that arrives restarts the count of attempts.
                    breaks = 0 if size > before else breaks + 1
                    if breaks == len(_PAUSES):
                        raise
                    time.sleep(_PAUSES[breaks])
        expected = file["sha256"] or _checksum_of(api, dataset_id, file, version)
        if digest.hexdigest() != expected:
            target.truncate(0)
            progress.advance(-size)
            raise ChecksumMismatch("its checksum does not match that of the service; repeat the call to download it again")


def _checksum_of(api: Operations, dataset_id: str, file: models.DatasetFile, version: int) -> str:
    """The service computes checksums in the background, which may take a moment for a new file."""
    for pause in (*_PAUSES, 0.0):
        known = api.get_file(dataset_id, file["id"], version=version)["sha256"]
        if known is not None:
            return known
        time.sleep(pause)
    raise ChecksumMismatch("the service has not computed its checksum yet; repeat the call later to finish")


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while len(view) > 0:
        view = view[os.write(target, view) :]
