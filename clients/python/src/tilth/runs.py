"""Runs of any area, which can be followed to their end."""

from __future__ import annotations

import time
from typing import Optional

from . import models
from .errors import RunFailed
from .operations import Operations
from .progress import Progress

_ENDED = ("COMPLETED", "FAILED", "STOPPED")
_PAUSES = (0.2, 0.5, 1.0, 2.0)


class Run:
    """A run, active or ended; `state` is its last known state."""

    def __init__(self, api: Operations, run_id: str) -> None:
        self._api = api
        self.id = run_id
        self.state: models.ListedRun = api.get_run(run_id)

    def refresh(self) -> models.ListedRun:
        self.state = self._api.get_run(self.id)
        return self.state

    def follow(self, *, progress: Optional[bool] = None, check: bool = True) -> models.ListedRun:
        """Waits for the end; raises `RunFailed` if it is not COMPLETED, unless `check` is False."""
        polls = 0
        with Progress(f"run {self.id}", 100, unit="%", shown=progress) as bar:
            shown = 0
            while self.state["status"] not in _ENDED:
                time.sleep(_PAUSES[min(polls, len(_PAUSES) - 1)])
                polls += 1
                done = int(self.refresh()["progress"])
                bar.advance(done - shown)
                shown = done
        if check and self.state["status"] != "COMPLETED":
            cause = self.state["error"] or "unknown cause"
            raise RunFailed(f"Run {self.id} is {self.state['status']}: {cause}", self.state)
        return self.state

    def __repr__(self) -> str:
        counts = self.state["counts"]
        words = f"{counts['in']} in = {counts['kept']} kept + {counts['dropped']} dropped + {counts['failed']} failed"
        return f"<Run {self.id} {self.state['status']}: {words}>"
