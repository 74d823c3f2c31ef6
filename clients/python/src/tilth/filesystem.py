"""The file system `tilth://dataset/path`, and `tilth://dataset@version/path` for older versions."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from datetime import datetime
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile

from .client import Client
from .downloads import fetch_part, list_all_files
from .errors import ChecksumMismatch, ConnectionLost, NotFound, TilthError
from .file_entries import Entry, file_entry, folders_above, parted, time_of
from .file_writer import FileWriter
from .progress import Progress
from .uploads import upload_file

#: How long the current version of a dataset, and a listing, is cached.
_HEAD_SECONDS = 5.0
_LISTING_SECONDS = 30.0
_ATTEMPTS = 6
#: Revisions that are never names of versions, as at the service's Hub endpoints: numbers, the current version, commits.
_MAX_VERSION = 2**31 - 1
_NUMBER = re.compile(r"v?([0-9]{1,40})", re.IGNORECASE)
_CURRENT = ("main", "HEAD")
_COMMIT = re.compile(r"([0-9a-f]{32})([0-9a-f]{8})", re.IGNORECASE)
_RESERVED = re.compile(r"main|head|refs", re.IGNORECASE)


class TilthFileSystem(AbstractFileSystem):
    """
    Files of datasets for everything that uses fsspec. A dataset is named by its id or name (only by its id if the name
    contains `/` or `@`), a version by its number (`7` or `v7`), its name or a commit, the current one also by `main`.
    Paths are used unchanged: nothing is percent-decoded.
    """

    protocol = "tilth"
    root_marker = ""

    def __init__(self, url: Optional[str] = None, api_key: Optional[str] = None, **options: Any) -> None:
        super().__init__(**options)
        self.client = Client(url, api_key)
        self.api = self.client.api
        self._ids: Dict[str, str] = {}
        self._versions: Dict[Tuple[str, str], int] = {}
        self._heads: Dict[str, Tuple[float, int]] = {}
        self._listings: Dict[Tuple[str, int, str], Tuple[float, List[Entry]]] = {}

    # Looking up.

    def ls(self, path: str, detail: bool = True, refresh: bool = False, **_: Any) -> List[Any]:
        path = self._strip_protocol(path)
        if refresh:
            self.invalidate_cache()
        entries: List[Entry] = self._datasets() if path == "" else self._folder(path)
        if not entries and "/" in path:
            entries = [self.info(path)]
            entries = [] if entries[0]["type"] == "directory" else entries
        return entries if detail else [each["name"] for each in entries]

    def info(self, path: str, **_: Any) -> Entry:
        path = self._strip_protocol(path)
        if path == "":
            return {"name": "", "size": 0, "type": "directory"}
        place, inside = parted(path)
        dataset_id, version = self._resolve(place)
        if inside == "":
            return {"name": place, "size": 0, "type": "directory", "version": version}
        folder, _slash, name = inside.rpartition("/")
        known = self._listing(dataset_id, version, folder)
        if known is None:
            known = list(self._listed(place, dataset_id, version, folder, name))
        for entry in known:
            if parted(entry["name"])[1] == inside:
                return {**entry, "name": path}
        raise FileNotFoundError(path)

    def find(
        self, path: str, maxdepth: Optional[int] = None, withdirs: bool = False, detail: bool = False, **options: Any
    ) -> Any:
        path = self._strip_protocol(path)
        if path == "" or maxdepth is not None:
            return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail, **options)
        place, inside = parted(path)
        dataset_id, version = self._resolve(place)
        found: Dict[str, Entry] = {}
        for file in list_all_files(self.api, dataset_id, prefix=inside, version=version):
            entry = file_entry(place, dataset_id, version, file)
            found[entry["name"]] = entry
        if not found and inside:
            # As fsspec expects: find on a file returns the file, on a missing path nothing.
            found = {path: self.info(path)} if self.isfile(path) else {}
        if withdirs:
            for each in list(found):
                for folder in folders_above(each, path):
                    found.setdefault(folder, {"name": folder, "size": 0, "type": "directory"})
        names = sorted(found)
        return {name: found[name] for name in names} if detail else names

    def created(self, path: str) -> datetime:
        return time_of(self._file(path)["created"])

    def modified(self, path: str) -> datetime:
        return time_of(self._file(path)["modified"])

    def ukey(self, path: str) -> str:
        entry = self._file(path)
        return str(entry["sha256"] or f"{entry['id']}-{entry['version']}")

    def invalidate_cache(self, path: Optional[str] = None) -> None:
        self._heads.clear()
        self._listings.clear()
        super().invalidate_cache(path)

    # Reading.

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: Optional[int] = None,
        autocommit: bool = True,
        cache_options: Optional[Dict[str, Any]] = None,
        **options: Any,
    ) -> Any:
        if mode == "rb":
            entry = self._file(path)
            size = block_size or 5 * 1024 * 1024
            return TilthFile(self, path, entry, block_size=size, cache_options=cache_options, **options)
        if mode not in ("wb", "xb"):
            raise NotImplementedError(f"Mode {mode} is not supported: files can only be read, or written as a whole")
        if mode == "xb" and self.exists(path):
            raise FileExistsError(path)
        dataset_id, inside = self._writable(path)
        return FileWriter(self, dataset_id, inside, autocommit)

    def cat_file(self, path: str, start: Optional[int] = None, end: Optional[int] = None, **_: Any) -> bytes:
        entry = self._file(path)
        first, last, _step = slice(start, end).indices(entry["size"])
        data = self.fetch_range(entry, first, last)
        if len(data) == entry["size"] and entry["sha256"] and hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise ChecksumMismatch(f"{path}: its checksum does not match that of the service")
        return data

    def fetch_range(self, entry: Entry, start: int, end: int) -> bytes:
        """Reads bytes of a file at a version; continues after a broken connection."""
        data = bytearray()
        breaks = 0
        while start + len(data) < end:
            headers = {"range": f"bytes={start + len(data)}-{end - 1}"}
            before = len(data)
            try:
                with self.api.download_file(
                    entry["datasetId"], entry["id"], version=entry["version"], headers=headers
                ) as stream:
                    if stream.status != 206:
                        raise TilthError(f"{entry['name']}: the service returned HTTP {stream.status} for a range")
                    for piece in stream:
                        data += piece
            except ConnectionLost:
                breaks = 0 if len(data) > before else breaks + 1
                if breaks == _ATTEMPTS:
                    raise
                time.sleep(0.3 * 2**breaks)
            except NotFound as problem:
                raise FileNotFoundError(f"{entry['name']} no longer exists") from problem
        return bytes(data)

    def get_file(self, rpath: str, lpath: Any, callback: Any = None, outfile: Any = None, **_: Any) -> None:
        """Downloads into a local file and compares its checksum; a partial file is continued."""
        if self.isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
            return
        entry = self._file(rpath)
        target = os.fspath(lpath)
        os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
        file = self.api.get_file(entry["datasetId"], entry["id"], version=entry["version"])
        part = f"{target}.{entry['id']}-{entry['version']}.part"
        with Progress("get", None, shown=False) as progress:
            fetch_part(self.api, entry["datasetId"], file, entry["version"], part, progress)
        os.replace(part, target)

    # Writing.

    def put_file(self, lpath: str, rpath: str, callback: Any = None, mode: str = "overwrite", **_: Any) -> None:
        if os.path.isdir(lpath):
            return
        if mode == "create" and self.exists(rpath):
            raise FileExistsError(rpath)
        dataset_id, inside = self._writable(rpath)
        upload_file(self.api, dataset_id, lpath, inside)
        self.invalidate_cache()

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        if self.isdir(path1):
            return
        with self.open(path1, "rb") as source, self.open(path2, "wb") as target:
            shutil.copyfileobj(source, target, 1024 * 1024)

    def rm_file(self, path: str) -> None:
        entry = self._file(path)
        dataset_id = self._writable(path)[0]
        self.api.delete_file(dataset_id, entry["id"])
        self.invalidate_cache()

    def rm(self, path: Union[str, Sequence[str]], recursive: bool = False, maxdepth: Optional[int] = None) -> None:
        """Deletes files and folders in a new version; older versions keep them."""
        for each in self.expand_path(path, recursive=False):
            if not self.isdir(each):
                self.rm_file(each)
                continue
            if not recursive:
                raise IsADirectoryError(f"{each} is a folder: use recursive=True to delete it")
            dataset_id, inside = self._writable(each)
            self.api.delete_directory(dataset_id, path=inside)
            self.invalidate_cache()

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """Folders exist once a file is in them: this only checks that their dataset exists."""
        self._resolve(parted(self._strip_protocol(path))[0])

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self.mkdir(path)

    # Names.

    def _file(self, path: str) -> Entry:
        entry = self.info(path)
        if entry["type"] != "file":
            raise IsADirectoryError(path)
        return entry

    def _writable(self, path: str) -> Tuple[str, str]:
        path = self._strip_protocol(path)
        place, inside = parted(path)
        if "@" in place:
            raise PermissionError(f"{path}: versions are read-only; write to the dataset itself")
        if inside == "":
            raise IsADirectoryError(f"{path} is a dataset: create and delete datasets with Client")
        return self._resolve(place)[0], inside

    def _resolve(self, place: str) -> Tuple[str, int]:
        """Resolves the id of a dataset, and the number of the requested version."""
        name, _, revision = place.partition("@")
        try:
            if name not in self._ids:
                self._ids[name] = self.client.dataset(name).id
            dataset_id = self._ids[name]
            if revision and revision not in _CURRENT:
                return dataset_id, self._version(dataset_id, revision)
            head = self._heads.get(dataset_id)
            if head is None or time.monotonic() - head[0] > _HEAD_SECONDS:
                head = (time.monotonic(), self.api.get_dataset(dataset_id)["version"])
                self._heads[dataset_id] = head
            return dataset_id, head[1]
        except NotFound as problem:
            self._ids.pop(name, None)
            raise FileNotFoundError(f"There is no dataset {name}") from problem

    def _version(self, dataset_id: str, revision: str) -> int:
        commit = _COMMIT.fullmatch(revision)
        number = None if commit else _NUMBER.fullmatch(revision)
        if number and 1 <= int(number[1]) <= _MAX_VERSION:
            return int(number[1])
        if commit and commit[1].lower() == dataset_id.replace("-", "") and int(commit[2], 16) <= _MAX_VERSION:
            return int(commit[2], 16)
        if commit or number or _RESERVED.fullmatch(revision):
            raise FileNotFoundError(f"There is no version {revision}")
        known = self._versions.get((dataset_id, revision))
        page = 0
        while known is None:
            listed = self.api.list_dataset_versions(dataset_id, page=page, size=1000)
            known = next((each["version"] for each in listed["content"] if each["name"] == revision), None)
            if known is None and listed["last"]:
                raise FileNotFoundError(f"There is no version {revision}")
            page += 1
        self._versions[(dataset_id, revision)] = known
        return known

    # Listings.

    def _datasets(self) -> List[Entry]:
        all_datasets = list(self.client.datasets())
        names = [each.name for each in all_datasets]
        entries = []
        for each in all_datasets:
            is_plain = names.count(each.name) == 1 and "/" not in each.name and "@" not in each.name
            entries.append({"name": each.name if is_plain else each.id, "size": 0, "type": "directory"})
        return entries

    def _folder(self, path: str) -> List[Entry]:
        place, inside = parted(path)
        dataset_id, version = self._resolve(place)
        known = self._listing(dataset_id, version, inside)
        if known is None:
            known = list(self._listed(place, dataset_id, version, inside, None))
            now = time.monotonic()
            live = {key: each for key, each in self._listings.items() if now - each[0] < _LISTING_SECONDS}
            self._listings = {**live, (dataset_id, version, inside): (now, known)}
        return [{**entry, "name": f"{place}/{parted(entry['name'])[1]}"} for entry in known]

    def _listing(self, dataset_id: str, version: int, folder: str) -> Optional[List[Entry]]:
        found = self._listings.get((dataset_id, version, folder))
        return None if found is None or time.monotonic() - found[0] > _LISTING_SECONDS else found[1]

    def _listed(
        self, place: str, dataset_id: str, version: int, folder: str, keyword: Optional[str]
    ) -> Iterator[Entry]:
        page = 0
        while True:
            try:
                listed = self.api.list_files(
                    dataset_id,
                    prefix=folder or None,
                    keyword=keyword,
                    directories=True,
                    version=version,
                    page=page,
                    size=1000,
                )
            except NotFound as problem:
                raise FileNotFoundError(f"{place}/{folder}") from problem
            for each in listed.get("directories", []):
                yield {"name": f"{place}/{each['path']}", "size": 0, "type": "directory"}
            for file in listed["content"]:
                yield file_entry(place, dataset_id, version, file)
            if listed["last"]:
                return
            page += 1


class TilthFile(AbstractBufferedFile):
    """A file at one version, read by ranges through a cache."""

    def __init__(self, fs: TilthFileSystem, path: str, entry: Entry, **options: Any) -> None:
        self.entry = entry
        super().__init__(fs, path, mode="rb", size=entry["size"], **options)

    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.fetch_range(self.entry, start, min(end, self.entry["size"]))
        return data
