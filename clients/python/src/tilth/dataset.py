"""A dataset of the service, at its current or an earlier version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import downloads, models, tables, uploads
from .errors import NotFound, TilthError
from .local_files import Place
from .operations import Operations
from .runs import Run
from .transfers import TransferReport

if TYPE_CHECKING:
    import pandas
    import pyarrow


class Dataset:
    """A dataset. With a version it never changes and allows only reads; without one it is the current state."""

    def __init__(self, api: Operations, state: models.Dataset, version: Optional[int] = None) -> None:
        self._api = api
        self.id = state["id"]
        self.name = state["name"]
        self.version = version

    def state(self) -> models.Dataset:
        """The service's current record of it: type, tags, counts, the current version."""
        return self._api.get_dataset(self.id)

    def at(self, version: int) -> Dataset:
        """The dataset at a version."""
        return Dataset(self._api, self.state(), version)

    def url(self, path: str = "") -> str:
        """The fsspec URL of a file: `tilth://…`."""
        revision = "" if self.version is None else f"@{self.version}"
        return f"tilth://{self.id}{revision}/{path}"

    def files(self, prefix: str = "") -> Iterator[models.DatasetFile]:
        """All files below a folder, by path."""
        return downloads.list_all_files(self._api, self.id, prefix=prefix, version=self.version)

    def file(self, path: str) -> models.DatasetFile:
        """The file at a path; raises NotFound."""
        return find_file(self._api, self.id, path, self.version)

    def upload(self, *places: Place, prefix: str = "", progress: Optional[bool] = None) -> TransferReport:
        """
        Uploads folders and files as one version: files that exist with the same content are skipped, files with other
        content are replaced. After a crash, the same call continues.
        """
        self._must_be_current()
        return uploads.upload(self._api, self.id, places, prefix=prefix, progress=progress)

    def download(
        self, into: Place, *, prefix: str = "", overwrite: bool = False, progress: Optional[bool] = None
    ) -> TransferReport:
        """Downloads the files of the version into a folder. After a crash, the same call continues."""
        return downloads.download(
            self._api,
            self.id,
            into,
            version=self._version(),
            prefix=prefix,
            overwrite=overwrite,
            progress=progress,
        )

    def rows(
        self,
        path: str,
        *,
        where: Optional[Sequence[Mapping[str, Any]]] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
        unreadable: Optional[List[models.FileRow]] = None,
    ) -> Iterator[Dict[str, Any]]:
        """
        The rows of a table as dicts, all of one version. An unreadable row raises `UnreadableRow`, or is added to the
        list `unreadable`. Reads 1,000 rows per call: for whole tables, `url()` with pandas, pyarrow or DuckDB is
        faster.
        """
        version = self._version()
        file = find_file(self._api, self.id, path, version)
        return tables.rows(
            self._api,
            self.id,
            file["id"],
            version=version,
            where=None if where is None else json.dumps(list(where)),
            search=search,
            sort=sort,
            unreadable=unreadable,
        )

    def query(self, sql: str) -> tables.QueryRows:
        """The rows of a query as dicts; integers beyond 2^53, decimals, dates and times are strings."""
        return tables.QueryRows(self._api, self.id, sql, self.version)

    def query_arrow(self, sql: str) -> pyarrow.Table:
        """The whole result of a query with its types; requires pyarrow."""
        return tables.query_arrow(self._api, self.id, sql, self.version)

    def query_pandas(self, sql: str) -> pandas.DataFrame:
        """The same as a DataFrame; needs pandas and pyarrow."""
        return tables.query_pandas(self._api, self.id, sql, self.version)

    def clean(
        self,
        steps: Optional[List[models.NewCleaningStep]] = None,
        *,
        template: Optional[str] = None,
        name: Optional[str] = None,
        target: Optional[str] = None,
        input: Optional[models.NewCleaningInput] = None,
    ) -> Run:
        """
        Starts a cleaning run into a new dataset, with steps or a template's id or name; `.follow()` waits for it. `input`
        sets what to read, and which column holds the text.
        """
        body: models.NewCleaningTask = {"name": name or f"Clean {self.name}"[:100], "sourceDatasetId": self.id}
        if self.version is not None:
            body["sourceVersion"] = self.version
        if target is not None:
            body["targetDatasetName"] = target
        if input is not None:
            body["input"] = input
        if (steps is None) == (template is None):
            raise TilthError("Pass either steps or template")
        if steps is not None:
            body["steps"] = steps
        if template is not None:
            body["templateId"] = _template_id(self._api, template)
        task = self._api.create_cleaning_task(body)
        return Run(self._api, self._api.execute_cleaning_task(task["id"], {})["id"])

    def _version(self) -> int:
        return self.state()["version"] if self.version is None else self.version

    def _must_be_current(self) -> None:
        if self.version is not None:
            raise TilthError(f"Version {self.version} of {self.name} is read-only", hint="Write to the dataset itself.")

    def __repr__(self) -> str:
        return f"<Dataset {self.name}{'' if self.version is None else f' @{self.version}'} {self.id}>"


def find_file(api: Operations, dataset_id: str, path: str, version: Optional[int]) -> models.DatasetFile:
    """The file at a path, found by its folder and name."""
    folder, _, name = path.rpartition("/")
    page = 0
    while name:
        listed = api.list_files(
            dataset_id, prefix=folder or None, keyword=name, directories=True, version=version, page=page, size=1000
        )
        for file in listed["content"]:
            if file["filePath"] == path:
                return file
        if listed["last"]:
            break
        page += 1
    raise NotFound(f"There is no file {path}", status=404, code="FILE_NOT_FOUND")


def _template_id(api: Operations, id_or_name: str) -> str:
    page = 0
    found: List[str] = []
    while True:
        listed = api.list_cleaning_templates(keyword=id_or_name, page=page, size=1000)
        found += [each["id"] for each in listed["content"] if each["name"] == id_or_name]
        if listed["last"]:
            break
        page += 1
    if len(found) > 1:
        raise TilthError(f"{len(found)} templates are named {id_or_name}", hint=f"Use the id of one: {', '.join(found)}")
    return found[0] if found else id_or_name
