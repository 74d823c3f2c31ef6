"""Uploads by the protocol of the service: announced, sent in chunks in parallel, continued after a crash."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import zlib
from dataclasses import asdict, dataclass
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Union

from . import models
from .errors import ConnectionLost, NotFound, ServiceError
from .local_files import FoundFiles, LocalFile, Place, UnreadableFile, find_local_files, fingerprint_of
from .operations import Operations
from .progress import Progress
from .session import Form, FormPart
from .transfers import (
    LeftOut,
    TransferReport,
    config_folder,
    finished,
    for_each_at_once,
    sha256_of_file,
)

_LEAST_CHUNK = 8 * 1024 * 1024
_MOST_CHUNK = 64 * 1024 * 1024
_MOST_CHUNKS = 100_000
_AT_ONCE = 4
_ANNOUNCEMENTS = 4
_CHECKSUM_PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 10.0)
_SMALL = 256 * 1024
_GROUP_BYTES = 4 * 1024 * 1024
_GROUP_FILES = 500
_SAME = "already in the dataset, with the same content"
#: The service refuses this file; other statuses concern the whole upload.
_REFUSALS_OF_FILE = (400, 409, 413)


@dataclass
class _Record:
    """An upload in progress; the file number of each of `paths` is its position."""

    req_id: str
    chunk_size: int
    fingerprint: str
    paths: List[str]


@dataclass
class _Chunk:
    number: int
    file: LocalFile
    chunk_no: int
    chunks: int


class _Journal:
    """Records an upload, so that the same call resumes it after an interruption."""

    def __init__(self, url: str, dataset_id: str, prefix: str, places: Sequence[Place]) -> None:
        identity = json.dumps([url, dataset_id, prefix, [os.path.abspath(os.fspath(place)) for place in places]])
        self._folder = os.path.join(config_folder(), "uploads")
        name = hashlib.sha256(identity.encode()).hexdigest()[:32]
        self._file = os.path.join(self._folder, f"python-{name}.json")

    def find(self) -> Optional[_Record]:
        try:
            with open(self._file, encoding="utf-8") as file:
                return _Record(**json.load(file))
        except (FileNotFoundError, ValueError, TypeError):
            # An unreadable record costs a comparison with the dataset, but no data.
            return None

    def store(self, record: _Record) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(record), file)
        os.replace(name, self._file)

    def remove(self) -> None:
        try:
            os.remove(self._file)
        except FileNotFoundError:
            pass


class _Received:
    """What an upload has received so far; in case of doubt, a chunk has not arrived: repeating one is harmless."""

    def __init__(self, api: Operations, dataset_id: str, req_id: str) -> None:
        self._complete: Set[int] = set()
        self._partly: Dict[int, Callable[[int], bool]] = {}
        start: Optional[int] = 0
        while start is not None:
            part = api.get_upload(dataset_id, req_id, from_file_no=start)
            for span in part["completed"]:
                self._complete.update(range(span["from"], span["to"] + 1))
            for file in part["incomplete"]:
                self._partly[file["fileNo"]] = _arrived(file)
            start = part["nextFileNo"]

    def is_complete(self, number: int) -> bool:
        return number in self._complete

    def has(self, number: int, chunk_no: int) -> bool:
        arrived = self._partly.get(number)
        return number in self._complete or (arrived is not None and arrived(chunk_no))


def _arrived(file: models.IncompleteFile) -> Callable[[int], bool]:
    missing = [(span["from"], span["to"]) for span in file["missingChunks"]]
    listed = sum(end - start + 1 for start, end in missing)
    # The list of missing chunks may be truncated: everything after its end counts as missing.
    whole = listed + file["receivedChunks"] >= file["totalChunkNum"]
    known = file["totalChunkNum"] if whole else (missing[-1][1] if missing else 0)
    return lambda number: number <= known and not any(start <= number <= end for start, end in missing)


def upload(
    api: Operations,
    dataset_id: str,
    places: Sequence[Place],
    *,
    prefix: str = "",
    progress: Optional[bool] = None,
) -> TransferReport:
    """Uploads the files that the dataset lacks, as one upload; raises `TransferIncomplete` if any failed."""
    prefix = prefix.strip("/")
    found = find_local_files(places)
    journal = _Journal(api.session.url, dataset_id, prefix, places)
    fingerprint = fingerprint_of(found.files)
    record = _earlier(api, dataset_id, journal, fingerprint)
    if record is None:
        files = _without_stored(api, dataset_id, prefix, found.files)
    else:
        by_path = {file.path: file for file in found.files}
        files = [by_path[path] for path in record.paths]
    report = _report_of(found, files)
    if files:
        if record is None:
            record = announce(api, dataset_id, prefix, files, fingerprint)
            journal.store(record)
        transfer(api, dataset_id, record, files, report, progress)
        journal.remove()
    return finished(report)


def upload_file(api: Operations, dataset_id: str, place: str, path: str) -> None:
    """Sends one local file to a path in the dataset, and replaces an existing file."""
    entry = os.stat(place)
    file = LocalFile(path, place, entry.st_size, entry.st_mtime_ns)
    report = TransferReport(files=1, bytes=file.size)
    transfer(api, dataset_id, announce(api, dataset_id, "", [file], ""), [file], report, False)
    finished(report)


def _report_of(found: FoundFiles, files: Sequence[LocalFile]) -> TransferReport:
    sent = {file.path for file in files}
    same = [LeftOut(file.path, _SAME) for file in found.files if file.path not in sent]
    return TransferReport(
        files=len(found.files) + len(found.skipped) + len(found.failed),
        bytes=sum(file.size for file in files),
        skipped=[*found.skipped, *same],
        failed=list(found.failed),
    )


def _earlier(api: Operations, dataset_id: str, journal: _Journal, fingerprint: str) -> Optional[_Record]:
    """Returns the interrupted upload of the same files; abandons one whose files have changed."""
    record = journal.find()
    if record is None:
        return None
    try:
        if record.fingerprint == fingerprint:
            api.get_upload(dataset_id, record.req_id)
            return record
        api.abandon_upload(dataset_id, record.req_id)
    except NotFound:
        # Expired or ended: the files that it completed are in the dataset.
        pass
    journal.remove()
    return None


def _without_stored(api: Operations, dataset_id: str, prefix: str, files: List[LocalFile]) -> List[LocalFile]:
    """The files whose content the dataset does not have at their paths."""
    by_path = {file.path if prefix == "" else f"{prefix}/{file.path}": file for file in files}
    stored: Set[str] = set()
    page = 0
    while by_path:
        listed = api.list_files(dataset_id, prefix=prefix or None, page=page, size=1000)
        for each in listed["content"]:
            file = by_path.get(each["filePath"])
            if file is None or each["status"] != "COMPLETED" or each["fileSize"] != file.size:
                continue
            try:
                if sha256_of_file(file.place) == (each["sha256"] or _awaited_checksum(api, dataset_id, each["id"])):
                    stored.add(file.path)
            except OSError:
                # A file that can't be read is reported when it is sent.
                continue
        if listed["last"]:
            break
        page += 1
    return [file for file in files if file.path not in stored]


def _awaited_checksum(api: Operations, dataset_id: str, file_id: str) -> Optional[str]:
    """Waits for a checksum that the service computes in the background; None if that takes too long."""
    for pause in _CHECKSUM_PAUSES:
        time.sleep(pause)
        known = api.get_file(dataset_id, file_id)["sha256"]
        if known is not None:
            return known
    return None


def announce(
    api: Operations, dataset_id: str, prefix: str, files: Sequence[LocalFile], fingerprint: str
) -> _Record:
    largest = max(file.size for file in files)
    chunk_size = min(_MOST_CHUNK, max(_LEAST_CHUNK, -(-largest // _MOST_CHUNKS)))
    body: models.UploadAnnouncement = {
        "totalFileNum": len(files),
        "totalSize": sum(file.size for file in files),
        "chunkSize": chunk_size,
    }
    if prefix:
        body["prefix"] = prefix
    return _Record(_announced(api, dataset_id, body), chunk_size, fingerprint, [file.path for file in files])


def _announced(api: Operations, dataset_id: str, body: models.UploadAnnouncement) -> str:
    """Announces an upload and returns its id. If a response with an id is lost, that upload has no files, and
    the service removes it after a while."""
    for _ in range(_ANNOUNCEMENTS - 1):
        try:
            return api.announce_upload(dataset_id, body)
        except ConnectionLost:
            time.sleep(1.0)
    return api.announce_upload(dataset_id, body)


def transfer(
    api: Operations,
    dataset_id: str,
    record: _Record,
    files: Sequence[LocalFile],
    report: TransferReport,
    shown: Optional[bool],
) -> None:
    """Sends what the upload lacks. The service's own report decides what counts as stored."""
    received = _Received(api, dataset_id, record.req_id)
    failed: Dict[int, str] = {}
    with Progress("upload", report.bytes, shown=shown) as progress:

        def send(item: Union[List[int], _Chunk]) -> None:
            if isinstance(item, list):
                _send_group(api, dataset_id, record, files, item, failed, progress)
            else:
                _send_chunk(api, dataset_id, record, item, failed, progress)

        for_each_at_once(_work(record, files, received, progress), _AT_ONCE, send)
    after = _Received(api, dataset_id, record.req_id)
    for number, file in enumerate(files):
        if after.is_complete(number):
            report.stored += 1
        else:
            report.failed.append(LeftOut(file.path, failed.get(number, "the service did not complete it")))
    if report.stored < len(files):
        # An incomplete upload would stay open; its complete files stay in the dataset.
        api.abandon_upload(dataset_id, record.req_id)


def _work(
    record: _Record, files: Sequence[LocalFile], received: _Received, progress: Progress
) -> Iterator[Union[List[int], _Chunk]]:
    """Small files in groups, then the chunks of large files in order."""
    group: List[int] = []
    group_bytes = 0
    for number, file in enumerate(files):
        if received.is_complete(number):
            progress.advance(file.size)
        elif file.size <= _SMALL:
            if group and (len(group) == _GROUP_FILES or group_bytes + file.size > _GROUP_BYTES):
                yield group
                group, group_bytes = [], 0
            group.append(number)
            group_bytes += file.size
    if group:
        yield group
    for number, file in enumerate(files):
        if file.size <= _SMALL or received.is_complete(number):
            continue
        chunks = -(-file.size // record.chunk_size)
        for chunk_no in range(1, chunks + 1):
            if received.has(number, chunk_no):
                progress.advance(min(record.chunk_size, file.size - (chunk_no - 1) * record.chunk_size))
            else:
                yield _Chunk(number, file, chunk_no, chunks)


def _send_group(
    api: Operations,
    dataset_id: str,
    record: _Record,
    files: Sequence[LocalFile],
    group: Sequence[int],
    failed: Dict[int, str],
    progress: Progress,
) -> None:
    form: List[FormPart] = []
    for number in group:
        file = files[number]
        try:
            data = file.read(0, file.size)
        except UnreadableFile as problem:
            failed[number] = str(problem)
            continue
        form += [
            ("fileNo", str(number)),
            ("fileName", file.path),
            ("checkSumHex", _checksum(data)),
            ("file", ("blob", data)),
        ]
    if not form:
        return
    answer = api.upload_small_files(dataset_id, record.req_id, form)
    for outcome in answer["files"]:
        number = outcome["fileNo"]
        if "error" in outcome:
            failed[number] = outcome["error"]["message"]
        else:
            progress.advance(files[number].size)


def _send_chunk(
    api: Operations, dataset_id: str, record: _Record, chunk: _Chunk, failed: Dict[int, str], progress: Progress
) -> None:
    if chunk.number in failed:
        return
    start = (chunk.chunk_no - 1) * record.chunk_size
    try:
        data = chunk.file.read(start, min(record.chunk_size, chunk.file.size - start))
        form: Form = [
            ("reqId", record.req_id),
            ("fileNo", str(chunk.number)),
            ("fileName", chunk.file.path),
            ("totalChunkNum", str(chunk.chunks)),
            ("chunkNo", str(chunk.chunk_no)),
            ("checkSumHex", _checksum(data)),
            ("file", ("blob", data)),
        ]
        api.upload_chunk(dataset_id, form)
    except UnreadableFile as problem:
        failed[chunk.number] = str(problem)
    except ServiceError as refusal:
        if refusal.status not in _REFUSALS_OF_FILE:
            raise
        failed[chunk.number] = refusal.message
    else:
        progress.advance(len(data))


def _checksum(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"
