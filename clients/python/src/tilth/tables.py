"""Rows of tables, and queries over them."""

from __future__ import annotations

import io
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from . import models
from .errors import TilthError, UnreadableRow
from .operations import Operations

if TYPE_CHECKING:
    import pandas
    import pyarrow

_MOST_CHARACTERS = 1_000_000


def rows(
    api: Operations,
    dataset_id: str,
    file_id: str,
    *,
    version: int,
    where: Optional[str],
    search: Optional[str],
    sort: Optional[str],
    unreadable: Optional[List[models.FileRow]],
) -> Iterator[Dict[str, Any]]:
    offset = 0
    while True:
        page = api.list_file_rows(
            dataset_id,
            file_id,
            version=version,
            offset=offset,
            limit=1000,
            where=where,
            search=search,
            sort=sort,
            max_cell_characters=_MOST_CHARACTERS,
        )
        for row in page["content"]:
            values = row["values"]
            if row["cut"]:
                raise TilthError(
                    f"Row {row['row']} has a value with more than {_MOST_CHARACTERS:,} characters in {', '.join(row['cut'])}",
                    hint="Read the file itself.",
                )
            if values is not None:
                yield values
            elif unreadable is None:
                problem = f"Row {row['row']} cannot be read: {row['problem']}"
                raise UnreadableRow(problem, row=row["row"], text=row["text"])
            else:
                unreadable.append(row)
        offset += len(page["content"])
        if not page["content"] or (page["total"] is not None and offset >= page["total"]):
            return


class QueryRows:
    """The result of a query, page by page. `tables` lists what was read, including the unreadable rows."""

    def __init__(self, api: Operations, dataset_id: str, sql: str, version: Optional[int]) -> None:
        self._api = api
        self._dataset_id = dataset_id
        self._sql = sql
        self._first = self._page(0, version)
        self.version = self._first["version"]
        self.columns = [column["name"] for column in self._first["columns"]]
        self.tables = self._first["tables"]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        page = self._first
        while True:
            if page["cut"]:
                raise TilthError(
                    f"The result has a value with more than {_MOST_CHARACTERS:,} characters",
                    hint="query_arrow() and query_pandas() return whole values.",
                )
            for row in page["rows"]:
                yield dict(zip(self.columns, row))
            if not page["hasMore"]:
                return
            page = self._page(page["offset"] + len(page["rows"]), self.version)

    def _page(self, offset: int, version: Optional[int]) -> models.QueryResult:
        body: models.DatasetQuery = {
            "sql": self._sql,
            "offset": offset,
            "limit": 10_000,
            "maxCellCharacters": _MOST_CHARACTERS,
        }
        return self._api.query_dataset(self._dataset_id, body, version=version)


def query_arrow(api: Operations, dataset_id: str, sql: str, version: Optional[int]) -> pyarrow.Table:
    import pyarrow.parquet

    with tempfile.TemporaryFile() as file:
        with api.export_dataset_query(dataset_id, {"sql": sql, "format": "PARQUET"}, version=version) as stream:
            for piece in stream:
                file.write(piece)
        file.seek(0, io.SEEK_SET)
        return pyarrow.parquet.read_table(file)


def query_pandas(api: Operations, dataset_id: str, sql: str, version: Optional[int]) -> pandas.DataFrame:
    frame: pandas.DataFrame = query_arrow(api, dataset_id, sql, version).to_pandas()
    return frame
