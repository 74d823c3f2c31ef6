"""The client for a Tilth service."""

from __future__ import annotations

import json
import os
import re
from types import TracebackType
from typing import Iterator, List, Optional, Tuple, Type

from . import models
from .dataset import Dataset
from .errors import NotFound, TilthError
from .operations import Operations
from .runs import Run
from .session import Session
from .transfers import config_folder

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Client:
    """
    The client of a service, with an API key. By default, address and key are taken from TILTH_URL and TILTH_API_KEY,
    else from what `npm start -- cli login` has stored. `api` has every call of the API.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 300.0,
        patience: float = 120.0,
    ) -> None:
        place, key = _login(url, api_key)
        self.session = Session(place, key, timeout=timeout, patience=patience)
        self.api = Operations(self.session)

    def datasets(self, *, keyword: Optional[str] = None) -> Iterator[Dataset]:
        """All datasets, newest first."""
        page = 0
        while True:
            listed = self.api.list_datasets(keyword=keyword, page=page, size=1000)
            for state in listed["content"]:
                yield Dataset(self.api, state)
            if listed["last"]:
                return
            page += 1

    def dataset(self, id_or_name: str, version: Optional[int] = None) -> Dataset:
        """The dataset with this id, or with exactly this name."""
        if _ID.fullmatch(id_or_name):
            try:
                return Dataset(self.api, self.api.get_dataset(id_or_name), version)
            except NotFound:
                # It may be a name instead.
                pass
        found = [each for each in self.datasets(keyword=id_or_name) if each.name == id_or_name]
        if len(found) > 1:
            ids = ", ".join(each.id for each in found)
            raise TilthError(f"{len(found)} datasets are named {id_or_name}", hint=f"Use the id of one: {ids}")
        if not found:
            raise NotFound(f"There is no dataset {id_or_name}", status=404, code="DATASET_NOT_FOUND")
        found[0].version = version
        return found[0]

    def create_dataset(
        self, name: str, type: models.DatasetTypeCode = "TEXT", *, description: str = "", tags: Optional[List[str]] = None
    ) -> Dataset:
        body: models.NewDataset = {"name": name, "type": type}
        if description:
            body["description"] = description
        if tags:
            body["tags"] = tags
        return Dataset(self.api, self.api.create_dataset(body))

    def run(self, run_id: str) -> Run:
        """A run of any area."""
        return Run(self.api, run_id)

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def _login(url: Optional[str], api_key: Optional[str]) -> Tuple[str, str]:
    """Returns address and key. A stored key is only sent to the address it was stored for."""
    place = url or os.environ.get("TILTH_URL")
    key = api_key or os.environ.get("TILTH_API_KEY")
    if place and key:
        return place, key
    stored = {}
    try:
        with open(os.path.join(config_folder(), "credentials.json"), encoding="utf-8") as file:
            stored = json.load(file)
    except (FileNotFoundError, ValueError):
        # Not signed in.
        pass
    place = place or stored.get("url")
    if not place:
        raise TilthError("No service is configured", hint="Set TILTH_URL and TILTH_API_KEY, or pass url and api_key.")
    if not key and stored.get("url") == place.rstrip("/"):
        key = stored.get("apiKey")
    if not key:
        raise TilthError(f"There is no API key for {place}", hint="Set TILTH_API_KEY, or pass api_key.")
    return place, key
