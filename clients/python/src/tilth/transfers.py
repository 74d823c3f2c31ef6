"""Shared by uploads and downloads: the report that accounts for every file, and work on several files at once."""

from __future__ import annotations

import hashlib
import os
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Callable, Iterable, List, NamedTuple, Set, TypeVar

from .errors import TilthError

T = TypeVar("T")


class LeftOut(NamedTuple):
    """A file that was skipped or failed, and why."""

    path: str
    reason: str


@dataclass
class TransferReport:
    """The outcome of the files: `files` = `stored` + skipped + failed."""

    files: int = 0
    bytes: int = 0
    stored: int = 0
    skipped: List[LeftOut] = field(default_factory=list)
    failed: List[LeftOut] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.files} files = {self.stored} stored + {len(self.skipped)} skipped + {len(self.failed)} failed"


class TransferIncomplete(TilthError):
    """All files were tried, and at least one failed; `report` names them. The same call tries them again."""

    def __init__(self, report: TransferReport) -> None:
        first = "; ".join(f"{path}: {reason}" for path, reason in report.failed[:3])
        more = len(report.failed) - 3
        super().__init__(f"{report}: {first}{f' and {more} more' if more > 0 else ''}")
        self.report = report


def finished(report: TransferReport) -> TransferReport:
    """Returns the report, or raises the error that contains it."""
    if report.failed:
        raise TransferIncomplete(report)
    return report


def for_each_at_once(items: Iterable[T], at_once: int, work: Callable[[T], None]) -> None:
    """Runs `work` on each item, several at once, taking items only as needed. After a failure, none is started."""
    failed = threading.Event()

    def attempt(item: T) -> None:
        try:
            if not failed.is_set():
                work(item)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(at_once, thread_name_prefix="tilth") as pool:
        running: Set[Future[None]] = set()
        try:
            for item in items:
                if failed.is_set():
                    break
                running.add(pool.submit(attempt, item))
                if len(running) >= at_once:
                    running = _without_done(running)
        finally:
            # After Ctrl-C, too, no further item is started.
            if not all(each.done() for each in running):
                wait(running)
        for each in running:
            each.result()


def _without_done(running: Set[Future[None]]) -> Set[Future[None]]:
    done, others = wait(running, return_when=FIRST_COMPLETED)
    for each in done:
        each.result()
    return others


def file_problem(error: OSError) -> str:
    return error.strerror or str(error)


def sha256_of_file(path: str) -> str:
    """SHA-256 of a local file, in lower-case hex."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while True:
            piece = file.read(1024 * 1024)
            if not piece:
                return digest.hexdigest()
            digest.update(piece)


def config_folder() -> str:
    """The folder of the settings, shared with the command line client."""
    if os.name == "nt" and "APPDATA" in os.environ and "XDG_CONFIG_HOME" not in os.environ:
        return os.path.join(os.environ["APPDATA"], "tilth")
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "tilth")
