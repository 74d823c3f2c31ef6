"""Progress for people: tqdm bars if it is installed, else an occasional line."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, Optional, Type

try:
    from tqdm import tqdm as _tqdm
except ImportError:
    _tqdm = None  # type: ignore[assignment, misc, unused-ignore]

_EVERY_SECONDS = 2.0


class Progress:
    """Counts the finished bytes of a transfer, or samples of a run; thread-safe."""

    def __init__(self, what: str, total: Optional[int], *, unit: str = "B", shown: Optional[bool] = None) -> None:
        self._lock = threading.Lock()
        self._what = what
        self._total = total
        self._unit = unit
        self._done = 0
        self._told = time.monotonic()
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._bar: Any = None
        if self._shown and _tqdm is not None:
            self._bar = _tqdm(total=total, desc=what, unit=unit, unit_scale=True, file=sys.stderr)

    def advance(self, more: int) -> None:
        with self._lock:
            self._done += more
            if self._bar is not None:
                self._bar.update(more)
            elif self._shown and time.monotonic() - self._told >= _EVERY_SECONDS:
                self._told = time.monotonic()
                print(self._line(), file=sys.stderr)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._shown:
            print(self._line(), file=sys.stderr)

    def _line(self) -> str:
        done = _size(self._done) if self._unit == "B" else f"{self._done} {self._unit}"
        if self._total is None or self._total == 0:
            return f"{self._what}: {done}"
        of = _size(self._total) if self._unit == "B" else f"{self._total} {self._unit}"
        return f"{self._what}: {done} of {of} ({100 * self._done // self._total} %)"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
