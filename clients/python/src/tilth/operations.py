# Made from the OpenAPI document by `npm run docs`; do not edit.
"""Every call of the API as a typed method."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, cast

from . import models
from .session import Content, Event, Form, Session, Stream


class Operations:
    """The calls of a service. Answers are the data alone, without the envelope of code and message."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_open_api(self) -> Dict[str, Any]:
        """
        This document

        Needs no credential.
        """
        return cast("Dict[str, Any]", self.session.json("GET", ("openapi.json",)))

    def list_api_keys(self) -> List[models.ApiKey]:
        """
        List your own API keys

        Needs the role VIEWER.
        """
        return cast("List[models.ApiKey]", self.session.json("GET", ("auth", "api-keys",)))

    def create_api_key(self, body: models.NewApiKey) -> models.CreatedApiKey:
        """
        Create an API key

        The body has at most 64 KiB.

        Needs the role VIEWER.
        """
        return cast("models.CreatedApiKey", self.session.json("POST", ("auth", "api-keys",), body=body, repeatable=False))

    def delete_api_key(self, key_id: str) -> None:
        """
        Delete one of your API keys

        Needs the role VIEWER.
        """
        self.session.json("DELETE", ("auth", "api-keys", key_id,))

    def login(self, body: models.LoginRequest) -> models.Login:
        """
        Sign in

        The body has at most 16 KiB.

        Needs no credential.
        """
        return cast("models.Login", self.session.json("POST", ("auth", "login",), body=body, repeatable=False))

    def logout(self) -> None:
        """
        Sign out: revoke the token or cookie in use

        Needs the role VIEWER.
        """
        self.session.json("POST", ("auth", "logout",), repeatable=False)

    def get_me(self) -> models.Me:
        """
        Get the current user

        Needs the role VIEWER.
        """
        return cast("models.Me", self.session.json("GET", ("auth", "me",)))

    def change_password(self, body: models.PasswordChange) -> None:
        """
        Change your own password

        The body has at most 64 KiB.

        Needs the role VIEWER.
        """
        self.session.json("PUT", ("auth", "me", "password",), body=body)

    def list_users(self) -> List[models.User]:
        """
        List users

        Needs the role ADMIN.
        """
        return cast("List[models.User]", self.session.json("GET", ("auth", "users",)))

    def create_user(self, body: models.NewUser) -> models.User:
        """
        Create a user

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.User", self.session.json("POST", ("auth", "users",), body=body, repeatable=False))

    def update_user(self, user_id: str, body: models.UserChanges) -> models.User:
        """
        Change a user's name, password or role

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.User", self.session.json("PUT", ("auth", "users", user_id,), body=body))

    def delete_user(self, user_id: str) -> None:
        """
        Remove a user

        Needs the role ADMIN.
        """
        self.session.json("DELETE", ("auth", "users", user_id,))

    def list_dataset_types(self) -> List[models.DatasetType]:
        """
        List the dataset types

        Needs the role VIEWER.
        """
        return cast("List[models.DatasetType]", self.session.json("GET", ("data-management", "dataset-types",)))

    def list_datasets(self, *, page: Optional[int] = None, size: Optional[int] = None, type: Optional[models.DatasetTypeCode] = None, tags: Optional[str] = None, keyword: Optional[str] = None, status: Optional[models.DatasetStatus] = None, has_errors: Optional[bool] = None, sort: Optional[models.DatasetSort] = None) -> models.DatasetPage:
        """
        List datasets, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param type: Code of a dataset type
        :param tags: Comma-separated tag names; datasets with all of them
        :param keyword: Part of the name or description; literal, not case-sensitive
        :param has_errors: true: only datasets that have files with status ERROR
        :param sort: Field and direction
        """
        return cast("models.DatasetPage", self.session.json("GET", ("data-management", "datasets",), query={"page": page, "size": size, "type": type, "tags": tags, "keyword": keyword, "status": status, "hasErrors": has_errors, "sort": sort}))

    def create_dataset(self, body: models.NewDataset) -> models.Dataset:
        """
        Create a dataset

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Dataset", self.session.json("POST", ("data-management", "datasets",), body=body, repeatable=False))

    def get_dataset(self, dataset_id: str) -> models.Dataset:
        """
        Get a dataset

        Needs the role VIEWER.
        """
        return cast("models.Dataset", self.session.json("GET", ("data-management", "datasets", dataset_id,)))

    def update_dataset(self, dataset_id: str, body: models.DatasetChanges) -> models.Dataset:
        """
        Change the name, description, tags or status of a dataset

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Dataset", self.session.json("PUT", ("data-management", "datasets", dataset_id,), body=body))

    def delete_dataset(self, dataset_id: str) -> None:
        """
        Delete a dataset with all its versions

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-management", "datasets", dataset_id,))

    def get_dataset_statistics(self, dataset_id: str, *, version: Optional[int] = None) -> models.DatasetStatistics:
        """
        Count the files by type and status, now or at a version

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.DatasetStatistics", self.session.json("GET", ("data-management", "datasets", dataset_id, "statistics",), query={"version": version}))

    def list_dataset_versions(self, dataset_id: str, *, page: Optional[int] = None, size: Optional[int] = None, sort: Optional[models.DatasetVersionSort] = None) -> models.DatasetVersionPage:
        """
        List the versions of a dataset, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param sort: Field and direction
        """
        return cast("models.DatasetVersionPage", self.session.json("GET", ("data-management", "datasets", dataset_id, "versions",), query={"page": page, "size": size, "sort": sort}))

    def name_dataset_version(self, dataset_id: str, body: models.VersionName) -> models.DatasetVersion:
        """
        Name the current version

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.DatasetVersion", self.session.json("POST", ("data-management", "datasets", dataset_id, "versions",), body=body, repeatable=False))

    def compare_dataset_versions(self, dataset_id: str, *, from_: int, page: Optional[int] = None, size: Optional[int] = None, to: Optional[int] = None, change: Optional[models.VersionFileChangeKind] = None, prefix: Optional[str] = None) -> models.VersionDiff:
        """
        List the files that differ between two versions

        Files are matched by path; a file that was renamed with unchanged content is MOVED. Identical content
        that was uploaded again does not count as a change once its SHA-256 is known.

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param from_: Version to compare with
        :param to: Default: the current version; may be older than `from`
        :param prefix: Folder: only files that are or were below it
        """
        return cast("models.VersionDiff", self.session.json("GET", ("data-management", "datasets", dataset_id, "diff",), query={"page": page, "size": size, "from": from_, "to": to, "change": change, "prefix": prefix}))

    def compare_table_versions(self, dataset_id: str, *, from_: int, path: str, to: Optional[int] = None, from_path: Optional[str] = None, sheet: Optional[str] = None, key: Optional[str] = None, change: Optional[models.RowChangeKind] = None, offset: Optional[int] = None, limit: Optional[int] = None, max_cell_characters: Optional[int] = None) -> models.RowDiff:
        """
        List the rows of a table that differ between two versions

        JSON Lines, JSON arrays, CSV, TSV and Parquet, also across formats. Rows are matched by key columns or
        compared by content. The first call builds both indexes and compares them in the background; until that
        is done, it returns 503 UNAVAILABLE with Retry-After.

        Needs the role VIEWER.

        :param from_: Version to compare with
        :param to: Default: the current version; may be older than `from`
        :param path: Path of the table at `to`
        :param from_path: Path of the table at `from`, if it was moved
        :param sheet: Name of a sheet, if the file is a workbook; default: the first visible one
        :param key: Key column that identifies matching rows, or a JSON list of several. Without it, rows are
        compared by content and none is CHANGED
        :param offset: Number of changes to skip
        :param max_cell_characters: Longer values are truncated; a list or object is truncated as JSON
        """
        return cast("models.RowDiff", self.session.json("GET", ("data-management", "datasets", dataset_id, "diff", "rows",), query={"from": from_, "to": to, "path": path, "fromPath": from_path, "sheet": sheet, "key": key, "change": change, "offset": offset, "limit": limit, "maxCellCharacters": max_cell_characters}))

    def restore_dataset_version(self, dataset_id: str, body: models.VersionRestore) -> models.DatasetVersion:
        """
        Restore the files of an older version

        Creates one version; no bytes are copied and no version is lost. Refused with 409 while a run writes to
        the dataset (DATASET_WRITTEN) or an upload is open (UPLOAD_OPEN).

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.DatasetVersion", self.session.json("POST", ("data-management", "datasets", dataset_id, "restore",), body=body, repeatable=False))

    def prune_dataset_versions(self, dataset_id: str, body: models.VersionPruning) -> models.PrunedVersions:
        """
        Delete old versions and the content that only they use

        Keeps the current version, named versions, versions that a stored run read, and those that `keepLast` or
        `before` keep; with both, a version is kept if either keeps it. The numbers of deleted versions are
        never reused.

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.PrunedVersions", self.session.json("POST", ("data-management", "datasets", dataset_id, "prune",), body=body, repeatable=False))

    def get_dataset_lineage(self, dataset_id: str, *, direction: Optional[models.LineageDirection] = None, depth: Optional[int] = None, limit: Optional[int] = None, version: Optional[int] = None) -> models.DatasetLineage:
        """
        Show what a dataset was created from, and what was created from it

        A graph of dataset versions, the completed runs of all areas that read and wrote them, and what the runs
        used: operators with the digests of their packages, models, synthesis templates and connectors; also the
        knowledge bases that contain documents of the versions. It remains when runs and tasks are deleted.
        Nodes of deleted datasets and models also remain, `hidden` and without a name.

        Needs the role VIEWER.

        :param direction: UP: what the dataset was created from; DOWN: what was created from it
        :param depth: Maximum number of consecutive runs to follow in each direction
        :param limit: Maximum number of nodes to return; the newest runs are kept
        :param version: Show what this version and earlier ones were created from, and what read this or a later
        version. Default: all versions
        """
        return cast("models.DatasetLineage", self.session.json("GET", ("data-management", "datasets", dataset_id, "lineage",), query={"direction": direction, "depth": depth, "limit": limit, "version": version}))

    def get_lineage(self, kind: str, id: str, *, direction: Optional[models.LineageDirection] = None, depth: Optional[int] = None, limit: Optional[int] = None) -> models.DatasetLineage:
        """
        Show what was created with an operator, a model or a knowledge base, and from what

        The graph of `getDatasetLineage` from another starting point: the runs that used the operator (in any
        version) or the model, or the dataset versions that the knowledge base contains; UP: what these were
        created from, DOWN: what was created from their results. An operator that no run has used is a single
        node.

        Needs the role VIEWER.

        :param direction: UP: what the dataset was created from; DOWN: what was created from it
        :param depth: Maximum number of consecutive runs to follow in each direction
        :param limit: Maximum number of nodes to return; the newest runs are kept
        """
        return cast("models.DatasetLineage", self.session.json("GET", ("data-management", "lineage", kind, id,), query={"direction": direction, "depth": depth, "limit": limit}))

    def get_dataset_card(self, dataset_id: str, *, version: Optional[int] = None) -> models.DatasetCard:
        """
        Show the card of a dataset: README, licence, tags, sizes, splits and tables

        Describes one version. For column statistics see `files/{fileId}/columns`, for the origin of the data
        `lineage`. Description, licence, citation and tags are changed by updating the dataset, the README by
        uploading a new one.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.DatasetCard", self.session.json("GET", ("data-management", "datasets", dataset_id, "card",), query={"version": version}))

    def get_dataset_croissant(self, dataset_id: str, *, version: Optional[int] = None) -> models.Croissant:
        """
        Describe a dataset in Croissant, the JSON-LD of MLCommons

        Complete files with their checksums, and a record set with typed fields for each of the first 50 tables.
        If Croissant readers cannot open a table, the description of its file says why; columns that they cannot
        read are listed in the description of the record set. 503 UNAVAILABLE with Retry-After while checksums
        and column types are being computed; 409 CARD_TOO_LARGE beyond 10,000 files.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.Croissant", self.session.json("GET", ("data-management", "datasets", dataset_id, "croissant",), query={"version": version}))

    def purge_files(self, dataset_id: str, body: models.PurgeRequest) -> models.PurgeReport:
        """
        Erase files from all versions and report the effects

        Erases all content that the files ever had in this dataset, the indexes of their tables, and the
        documents that knowledge bases created from them with texts, chunks and vectors. The report is stored.
        It also lists what was not erased and may still contain the content: identical files elsewhere, and the
        ledgers and results of runs that read it.

        The body has at most 128 KiB.

        Needs the role EDITOR.
        """
        return cast("models.PurgeReport", self.session.json("POST", ("data-management", "datasets", dataset_id, "purge",), body=body, repeatable=False))

    def list_purges(self, dataset_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.PurgeReportPage:
        """
        List the purges of a dataset, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.PurgeReportPage", self.session.json("GET", ("data-management", "datasets", dataset_id, "purges",), query={"page": page, "size": size}))

    def list_tags(self, *, keyword: Optional[str] = None) -> List[models.Tag]:
        """
        List tags by name

        Needs the role VIEWER.

        :param keyword: Part of the name; not case-sensitive
        """
        return cast("List[models.Tag]", self.session.json("GET", ("data-management", "tags",), query={"keyword": keyword}))

    def create_tag(self, body: models.NewTag) -> models.Tag:
        """
        Create a tag

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Tag", self.session.json("POST", ("data-management", "tags",), body=body, repeatable=False))

    def update_tag(self, tag_id: str, body: models.TagChanges) -> models.Tag:
        """
        Change the name, colour or description of a tag

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Tag", self.session.json("PUT", ("data-management", "tags", tag_id,), body=body))

    def delete_tag(self, tag_id: str) -> None:
        """
        Delete a tag and remove it from all datasets

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-management", "tags", tag_id,))

    def list_files(self, dataset_id: str, *, page: Optional[int] = None, size: Optional[int] = None, file_type: Optional[str] = None, status: Optional[models.FileStatus] = None, prefix: Optional[str] = None, keyword: Optional[str] = None, version: Optional[int] = None, directories: Optional[bool] = None, sort: Optional[models.DatasetFileSort] = None) -> models.DatasetFilePage:
        """
        List files by path

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param file_type: Extension without the dot, not case-sensitive; '' for none
        :param prefix: Folder: files at any depth below it; with directories=true, only directly in it
        :param keyword: Part of the path (with directories=true: of the name); literal, not case-sensitive
        :param version: Version of the dataset; default: the current one
        :param directories: List a single level with its folders and files
        :param sort: Field and direction
        """
        return cast("models.DatasetFilePage", self.session.json("GET", ("data-management", "datasets", dataset_id, "files",), query={"page": page, "size": size, "fileType": file_type, "status": status, "prefix": prefix, "keyword": keyword, "version": version, "directories": directories, "sort": sort}))

    def get_file(self, dataset_id: str, file_id: str, *, version: Optional[int] = None) -> models.DatasetFile:
        """
        Get a file, now or as it was at a version

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.DatasetFile", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", file_id,), query={"version": version}))

    def update_file(self, dataset_id: str, file_id: str, body: models.DatasetFileChanges) -> models.DatasetFile:
        """
        Rename or move a file

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.DatasetFile", self.session.json("PATCH", ("data-management", "datasets", dataset_id, "files", file_id,), body=body, repeatable=False))

    def delete_file(self, dataset_id: str, file_id: str, *, purge: Optional[bool] = None) -> None:
        """
        Delete a file; older versions keep it unless it is purged

        Needs the role EDITOR.

        :param purge: Erase the content from all versions instead of only creating a version without the files
        """
        self.session.json("DELETE", ("data-management", "datasets", dataset_id, "files", file_id,), query={"purge": purge})

    def preview_file(self, dataset_id: str, file_id: str, *, version: Optional[int] = None, max_bytes: Optional[int] = None) -> models.FilePreview:
        """
        Show the beginning of a file as a run reads it

        Decodes text, decompresses files (.gz, .zst, .bz2), and returns rows of Parquet files and JSON arrays as
        JSON Lines and documents as their text with its receipt. Reads only as much as `maxBytes` requires.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        :param max_bytes: Bytes to read from the beginning of the content, or of the text of a document
        """
        return cast("models.FilePreview", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", file_id, "preview",), query={"version": version, "maxBytes": max_bytes}))

    def delete_files(self, dataset_id: str, body: models.FileDeletion) -> models.FileDeletionResult:
        """
        Delete several files in one version

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.FileDeletionResult", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "batch-delete",), body=body, repeatable=False))

    def create_directory(self, dataset_id: str, body: models.NewDirectory) -> models.Directory:
        """
        Create a folder, which stays even when empty

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Directory", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "directories",), body=body, repeatable=False))

    def delete_directory(self, dataset_id: str, *, path: str, purge: Optional[bool] = None) -> None:
        """
        Delete a folder and everything in it

        Needs the role EDITOR.

        :param path: The folder to delete
        :param purge: Erase the content from all versions instead of only creating a version without the files
        """
        self.session.json("DELETE", ("data-management", "datasets", dataset_id, "files", "directories",), query={"path": path, "purge": purge})

    def list_file_rows(self, dataset_id: str, file_id: str, *, version: Optional[int] = None, sheet: Optional[str] = None, offset: Optional[int] = None, limit: Optional[int] = None, where: Optional[str] = None, search: Optional[str] = None, sort: Optional[str] = None, unreadable: Optional[bool] = None, max_cell_characters: Optional[int] = None) -> models.FileRows:
        """
        Show rows of a table: JSON Lines, JSON arrays, CSV, TSV, Parquet, or a sheet of a workbook

        Rows are in file order and numbered as in a run; unreadable rows are included with the reason. The first
        call starts building an index in the background and reads the file itself; requests that need the index
        wait for it, with 503 UNAVAILABLE and Retry-After while it is not ready.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        :param sheet: Name of a sheet, if the file is a workbook; default: the first visible one
        :param offset: Number of matching rows to skip
        :param where: JSON: conditions `{field, op, value}` that must all hold, as in the input of a cleaning
        task; a `field` is a column or a path of names into it
        :param search: Part of any column; literal, not case-sensitive
        :param sort: COLUMN,asc or COLUMN,desc; rows without a value come last
        :param unreadable: Only unreadable rows
        :param max_cell_characters: Longer values are truncated; a list or object is truncated as JSON
        """
        return cast("models.FileRows", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", file_id, "rows",), query={"version": version, "sheet": sheet, "offset": offset, "limit": limit, "where": where, "search": search, "sort": sort, "unreadable": unreadable, "maxCellCharacters": max_cell_characters}))

    def describe_file_columns(self, dataset_id: str, file_id: str, *, version: Optional[int] = None, sheet: Optional[str] = None) -> models.FileColumns:
        """
        Describe the columns of a table: types, empty and distinct values, ranges, histograms, most frequent
        values

        Computed once per content in the background and stored with the index; until then, 503 UNAVAILABLE with
        Retry-After.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        :param sheet: Name of a sheet, if the file is a workbook; default: the first visible one
        """
        return cast("models.FileColumns", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", file_id, "columns",), query={"version": version, "sheet": sheet}))

    def get_content_statistics(self, dataset_id: str, *, version: Optional[int] = None) -> models.ContentStatistics:
        """
        Get statistics of the file contents: texts, languages, tokens, columns, pictures, duplicates

        The first call starts counting in the background, each content once; until that is done, `state` is
        COUNTING with the number of files. The statistics are derived from the files and deleted with them.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.ContentStatistics", self.session.json("GET", ("data-management", "datasets", dataset_id, "content-statistics",), query={"version": version}))

    def get_file_content_statistics(self, dataset_id: str, file_id: str, *, version: Optional[int] = None) -> models.ContentStatistics:
        """
        Get statistics of the content of one file

        Works as for a dataset.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.ContentStatistics", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", file_id, "content-statistics",), query={"version": version}))

    def rebuild_content_statistics(self, dataset_id: str, *, version: Optional[int] = None) -> models.ContentStatistics:
        """
        Recount all files of a version

        Needs the role EDITOR.

        :param version: Version of the dataset; default: the current one
        """
        return cast("models.ContentStatistics", self.session.json("POST", ("data-management", "datasets", dataset_id, "content-statistics", "rebuild",), query={"version": version}, repeatable=False))

    def list_dataset_tables(self, dataset_id: str, *, version: Optional[int] = None) -> models.DatasetTables:
        """
        List the tables that a query can use, with their names and columns

        Needs the role VIEWER.

        :param version: The version that is read; default: the current one
        """
        return cast("models.DatasetTables", self.session.json("GET", ("data-management", "datasets", dataset_id, "tables",), query={"version": version}))

    def query_dataset(self, dataset_id: str, body: models.DatasetQuery, *, version: Optional[int] = None) -> models.QueryResult:
        """
        Run a query over the tables of a dataset

        One read-only SQL statement. It cannot read or change anything else, and it is stopped at limits of
        time, memory and disk (TILTH_QUERY_SECONDS, TILTH_QUERY_MEMORY_MB, TILTH_QUERY_DISK_MB). Unreadable rows
        are not part of a table; `tables` counts them. 400 SQL_INVALID gives line and column, 400 SQL_REFUSED
        why a query cannot be run; 503 UNAVAILABLE with Retry-After while a table is read for the first time. It
        ends when the connection is closed, or on DELETE with its `queryId`.

        The body has at most 64 KiB.

        Needs the role VIEWER.

        :param version: The version that is read; default: the current one
        """
        return cast("models.QueryResult", self.session.json("POST", ("data-management", "datasets", dataset_id, "query",), query={"version": version}, body=body))

    def cancel_dataset_query(self, dataset_id: str, query_id: str) -> None:
        """
        Cancel one of your running queries

        The call that runs it returns 409 QUERY_CANCELLED. Only the node that runs the query can cancel it.

        Needs the role VIEWER.
        """
        self.session.json("DELETE", ("data-management", "datasets", dataset_id, "query", query_id,))

    def export_dataset_query(self, dataset_id: str, body: models.QueryExport, *, version: Optional[int] = None, headers: Optional[Mapping[str, str]] = None) -> Stream:
        """
        Download the whole result of a query as CSV, JSON Lines or Parquet

        It cannot read or change anything else, and it is stopped at limits of time, memory and disk
        (TILTH_QUERY_SECONDS, TILTH_QUERY_MEMORY_MB, TILTH_QUERY_DISK_MB). Unreadable rows are not part of a
        table; `tables` counts them. 400 SQL_INVALID gives line and column, 400 SQL_REFUSED why a query cannot
        be run; 503 UNAVAILABLE with Retry-After while a table is read for the first time.

        The body has at most 64 KiB.

        Needs the role VIEWER.

        :param version: The version that is read; default: the current one
        """
        return self.session.stream("POST", ("data-management", "datasets", dataset_id, "query", "export",), query={"version": version}, body=body, headers=headers)

    def save_dataset_query(self, dataset_id: str, body: models.QuerySave, *, version: Optional[int] = None) -> models.DatasetFile:
        """
        Save the whole result of a query as a file of the dataset

        Creates one version, whose message contains the query and the version that it read. It cannot read or
        change anything else, and it is stopped at limits of time, memory and disk (TILTH_QUERY_SECONDS,
        TILTH_QUERY_MEMORY_MB, TILTH_QUERY_DISK_MB). Unreadable rows are not part of a table; `tables` counts
        them. 400 SQL_INVALID gives line and column, 400 SQL_REFUSED why a query cannot be run; 503 UNAVAILABLE
        with Retry-After while a table is read for the first time.

        The body has at most 64 KiB.

        Needs the role EDITOR.

        :param version: The version that is read; default: the current one
        """
        return cast("models.DatasetFile", self.session.json("POST", ("data-management", "datasets", dataset_id, "query", "files",), query={"version": version}, body=body, repeatable=False))

    def download_file(self, dataset_id: str, file_id: str, *, version: Optional[int] = None, headers: Optional[Mapping[str, str]] = None) -> Stream:
        """
        Download a file, now or as it was at a version

        Only COMPLETED files; others are 409 FILE_NOT_COMPLETED. Supports `Range` (up to 16 non-overlapping
        ranges; several are sent as multipart/byteranges), `If-Range` with an ETag, `If-None-Match` and
        `If-Match`. If the connection breaks before `Content-Length` bytes, the rest could not be read: repeat
        the call with `Range` and `If-Range`.

        Needs the role VIEWER.

        :param version: Version of the dataset; default: the current one
        """
        return self.session.stream("GET", ("data-management", "datasets", dataset_id, "files", file_id, "download",), query={"version": version}, headers=headers)

    def download_files(self, dataset_id: str, *, prefix: Optional[str] = None, file_ids: Optional[str] = None, file_type: Optional[str] = None, version: Optional[int] = None, headers: Optional[Mapping[str, str]] = None) -> Stream:
        """
        Download the files of a version as one ZIP

        Contains the COMPLETED files and the explicit empty folders of one version, regardless of later commits.
        Equal content gives an equal archive. Supports `Range` (up to 16 non-overlapping ranges; several are
        sent as multipart/byteranges), `If-Range` with an ETag, `If-None-Match` and `If-Match`. If the
        connection breaks before `Content-Length` bytes, the rest could not be read: repeat the call with
        `Range` and `If-Range`.

        Needs the role VIEWER.

        :param prefix: Folder: only files below it, at any depth
        :param file_ids: Comma-separated ids of files; 404 for an unknown id
        :param file_type: Extension without the dot, not case-sensitive; '' for none
        :param version: Version of the dataset; default: the current one
        """
        return self.session.stream("GET", ("data-management", "datasets", dataset_id, "files", "download",), query={"prefix": prefix, "fileIds": file_ids, "fileType": file_type, "version": version}, headers=headers)

    def announce_upload(self, dataset_id: str, body: models.UploadAnnouncement) -> str:
        """
        Start a chunked upload

        Returns the request ID to send with each chunk. All files of the upload form one version of the dataset.
        An upload expires after 7 days without a chunk.

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("str", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "upload", "pre-upload",), body=body, repeatable=False))

    def upload_chunk(self, dataset_id: str, form: Form) -> models.ChunkAnswer:
        """
        Send one chunk of a file

        Form fields and chunks may be sent in any order, and chunks also in parallel; sending a chunk again is
        harmless. A chunk has at most 64 MiB, a file at most 100,000 chunks.

        Needs the role EDITOR.
        """
        return cast("models.ChunkAnswer", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "upload", "chunk",), form=form))

    def get_upload(self, dataset_id: str, req_id: str, *, from_file_no: Optional[int] = None) -> models.Upload:
        """
        Get what an upload has received and what is missing

        Needs the role VIEWER.

        :param from_file_no: First file number of the lists
        """
        return cast("models.Upload", self.session.json("GET", ("data-management", "datasets", dataset_id, "files", "upload", req_id,), query={"fromFileNo": from_file_no}))

    def abandon_upload(self, dataset_id: str, req_id: str) -> None:
        """
        Cancel an upload; completed files stay in the dataset

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-management", "datasets", dataset_id, "files", "upload", req_id,))

    def upload_files(self, dataset_id: str, form: Form) -> List[models.DatasetFile]:
        """
        Send whole files

        The filename of a file may be a relative path. All files form one version, or none is stored: two files
        of one path are refused, with RENAME both are kept.

        Needs the role EDITOR.
        """
        return cast("List[models.DatasetFile]", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "upload",), form=form, repeatable=False))

    def upload_archive(self, dataset_id: str, content: Content, *, format: models.ArchiveFormat, prefix: Optional[str] = None, on_conflict: Optional[models.ConflictPolicy] = None, unpack_into: Optional[models.UnpackPlace] = None, file_name: Optional[str] = None, name_encoding: Optional[str] = None) -> models.ArchiveAnswer:
        """
        Send many files as one tar or zip archive

        The body is the archive. A tar (optionally with gzip) is unpacked as it arrives, a zip after it has
        arrived. The entries form one version, including the empty folders of the archive; nothing is stored if
        the archive is damaged or incomplete. A zip may be preceded by a program; its directory determines its
        entries, and a wrong entry count in its end record causes only a warning. Volume labels of a tar, and
        bytes after the end of the tar or its gzip stream, are skipped with a warning; sparse files are
        expanded. For names of a zip that are not declared as Unicode, the encoding is guessed from all of them
        together, with the languages of `Accept-Language` as a hint; a warning says so.

        Needs the role EDITOR.

        :param format: tar may be compressed with gzip
        :param prefix: Folder of the dataset for the entries
        :param on_conflict: If a file exists: REPLACE it (older versions keep its content), RENAME the new file
        to the next free name, or ERROR with 409 FILE_ALREADY_EXISTS
        :param unpack_into: Where to unpack an archive: into its own folder (PREFIX), or into a new folder named
        like the archive without extension (FOLDER)
        :param file_name: Name of the archive; names the folder if unpackInto is FOLDER
        :param name_encoding: Encoding of archive entry names that are not declared as Unicode, as a label of
        the WHATWG Encoding Standard (gbk, shift_jis, big5, euc-kr …), a code page of DOS (cp437, cp720, cp737,
        cp775, cp850, cp852, cp857, cp862) or of Windows (cp874, cp932, cp936, cp949, cp950). By default, it is
        guessed for each zip from all its names with the languages of `Accept-Language` as a hint, and such
        names in a tar must be UTF-8
        """
        return cast("models.ArchiveAnswer", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "upload", "stream",), query={"format": format, "prefix": prefix, "onConflict": on_conflict, "unpackInto": unpack_into, "fileName": file_name, "nameEncoding": name_encoding}, content=content, repeatable=False))

    def upload_small_files(self, dataset_id: str, req_id: str, form: Form) -> models.SmallFilesAnswer:
        """
        Send many small files of an upload

        For files that fit in one chunk: the form contains `fileNo`, `fileName`, optionally `checkSumHex`, then
        `file`, repeated for each file. Each refused file is listed with its reason, and the others are stored;
        sending a file again is harmless.

        Needs the role EDITOR.
        """
        return cast("models.SmallFilesAnswer", self.session.json("POST", ("data-management", "datasets", dataset_id, "files", "upload", req_id, "files",), form=form))

    def follow_upload(self, dataset_id: str, req_id: str, *, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """
        Follow an upload and the unpacking of its archives live: server-sent events

        Resumes after `Last-Event-ID`, even across restarts of the service. The stream ends after the event
        `end`, when the upload is abandoned or expires, and within seconds when its credential does.

        Needs the role VIEWER.

        :param last_event_id: ID of the last received event, for clients that cannot send the header
        Last-Event-ID
        """
        return self.session.events("GET", ("data-management", "datasets", dataset_id, "files", "upload", req_id, "events",), query={"lastEventId": last_event_id}, last_event_id=last_event_id)

    def list_cleaning_templates(self, *, page: Optional[int] = None, size: Optional[int] = None, keyword: Optional[str] = None, built_in: Optional[bool] = None, sort: Optional[models.CleaningTemplateSort] = None) -> models.CleaningTemplatePage:
        """
        List templates of cleaning tasks, by name

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param built_in: true: only built-in templates; false: only the others
        :param sort: Field and direction
        """
        return cast("models.CleaningTemplatePage", self.session.json("GET", ("data-cleaning", "templates",), query={"page": page, "size": size, "keyword": keyword, "builtIn": built_in, "sort": sort}, wrapped=True))

    def create_cleaning_template(self, body: models.NewCleaningTemplate) -> models.CleaningTemplate:
        """
        Create a template

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.CleaningTemplate", self.session.json("POST", ("data-cleaning", "templates",), body=body, wrapped=True, repeatable=False))

    def get_cleaning_template(self, id: str) -> models.CleaningTemplate:
        """
        Get a template

        Needs the role VIEWER.
        """
        return cast("models.CleaningTemplate", self.session.json("GET", ("data-cleaning", "templates", id,), wrapped=True))

    def update_cleaning_template(self, id: str, body: models.CleaningTemplateChanges) -> models.CleaningTemplate:
        """
        Change a template that is not built in

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.CleaningTemplate", self.session.json("PUT", ("data-cleaning", "templates", id,), body=body, wrapped=True))

    def delete_cleaning_template(self, id: str) -> None:
        """
        Delete a template that is not built in; tasks created from it stay

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-cleaning", "templates", id,))

    def preview_cleaning(self, body: models.CleaningPreviewRequest) -> models.CleaningPreview:
        """
        Preview steps on the first samples of a dataset, or on random ones; writes nothing

        Steps over the whole set, such as deduplication, compare only these samples. Long texts are cut to
        20,000 characters, or fewer for many samples × steps. With `sample`, samples are drawn from the whole
        input: tables of up to 128 MiB in all are read whole; from larger ones, random 64 KiB blocks are drawn,
        and then rows that begin in them (`drawn`). Drawing takes at most 30 s, and so does the preview itself.
        Steps that use models really call them, for about 20 samples at most and only for editors; `asked`
        reports the usage.

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.CleaningPreview", self.session.json("POST", ("data-cleaning", "preview",), body=body, wrapped=True))

    def preview_pictures(self, form: Form) -> models.PicturePreview:
        """
        Preview steps on uploaded pictures; stores nothing

        The pictures belong to no dataset and are discarded after the response.

        Needs the role EDITOR.
        """
        return cast("models.PicturePreview", self.session.json("POST", ("data-cleaning", "preview", "pictures",), form=form, wrapped=True, repeatable=False))

    def inspect_cleaning_input(self, body: models.CleaningInspectionRequest) -> models.CleaningInspection:
        """
        Show how a task would read the files of a dataset; writes nothing

        For use before creating a task: lists the tables with their text columns and the one that would be
        cleaned, guessed encodings, and files that cannot be read. Inspects only the first bytes of each file.

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.CleaningInspection", self.session.json("POST", ("data-cleaning", "inputs",), body=body, wrapped=True))

    def list_cleaning_tasks(self, *, page: Optional[int] = None, size: Optional[int] = None, status: Optional[models.TaskStatus] = None, keyword: Optional[str] = None, operator_id: Optional[str] = None, sort: Optional[models.TaskSort] = None) -> models.CleaningTaskPage:
        """
        List cleaning tasks

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param operator_id: An operator that its steps use
        :param sort: Field and direction
        """
        return cast("models.CleaningTaskPage", self.session.json("GET", ("data-cleaning", "tasks",), query={"page": page, "size": size, "status": status, "keyword": keyword, "operatorId": operator_id, "sort": sort}, wrapped=True))

    def create_cleaning_task(self, body: models.NewCleaningTask) -> models.CleaningTask:
        """
        Create a cleaning task

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.CleaningTask", self.session.json("POST", ("data-cleaning", "tasks",), body=body, wrapped=True, repeatable=False))

    def get_cleaning_task(self, id: str) -> models.CleaningTask:
        """
        Get a cleaning task

        Needs the role VIEWER.
        """
        return cast("models.CleaningTask", self.session.json("GET", ("data-cleaning", "tasks", id,), wrapped=True))

    def update_cleaning_task(self, id: str, body: models.CleaningTaskChanges) -> models.CleaningTask:
        """
        Change a cleaning task that is not running

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.CleaningTask", self.session.json("PUT", ("data-cleaning", "tasks", id,), body=body, wrapped=True))

    def delete_cleaning_task(self, id: str) -> None:
        """
        Delete a cleaning task and its runs; datasets stay

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-cleaning", "tasks", id,))

    def execute_cleaning_task(self, id: str, body: models.Execution) -> models.Run:
        """
        Execute a cleaning task

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-cleaning", "tasks", id, "execute",), body=body, wrapped=True, repeatable=False))

    def stop_cleaning_task(self, id: str) -> models.Run:
        """
        Stop the run of a task

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-cleaning", "tasks", id, "stop",), wrapped=True, repeatable=False))

    def list_cleaning_runs(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None, sort: Optional[models.RunSort] = None) -> models.RunPage:
        """
        List the runs of a task

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param sort: Field and direction
        """
        return cast("models.RunPage", self.session.json("GET", ("data-cleaning", "tasks", id, "runs",), query={"page": page, "size": size, "sort": sort}, wrapped=True))

    def get_cleaning_run(self, id: str, run_id: str) -> models.Run:
        """
        Get a run

        Needs the role VIEWER.
        """
        return cast("models.Run", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id,), wrapped=True))

    def list_cleaning_run_logs(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.LogLinePage:
        """
        Read a run's log

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.LogLinePage", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id, "logs",), query={"page": page, "size": size}, wrapped=True))

    def follow_cleaning_run(self, id: str, run_id: str, *, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """
        Follow a run live: server-sent events

        Resumes after `Last-Event-ID`, even after a restart of the service. The stream ends after the event
        `end`, and within seconds when its credential expires or is revoked.

        Needs the role VIEWER.

        :param last_event_id: ID of the last received event, for clients that cannot send the header
        Last-Event-ID
        """
        return self.session.events("GET", ("data-cleaning", "tasks", id, "runs", run_id, "events",), query={"lastEventId": last_event_id}, last_event_id=last_event_id)

    def profile_dataset(self, body: models.CleaningProfileRequest) -> models.CleaningProfile:
        """
        Show how the scores of all operators are distributed over a dataset; changes nothing

        Every score that operators compute for a text, with histogram and quantiles; languages, encodings and
        duplicates. With `sample`, covers randomly drawn samples: the response arrives within 30 s. Without it,
        a run reads all samples (201, role EDITOR): `GET /data-cleaning/profiles/{runId}` shows its progress and
        then its profile.

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.CleaningProfile", self.session.json("POST", ("data-cleaning", "profile",), body=body, wrapped=True, repeatable=False))

    def list_profiles(self, *, source_dataset_id: str, page: Optional[int] = None, size: Optional[int] = None) -> models.ListedCleaningProfilePage:
        """
        List the profiles of all samples of a dataset, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param source_dataset_id: Opaque ID
        """
        return cast("models.ListedCleaningProfilePage", self.session.json("GET", ("data-cleaning", "profiles",), query={"page": page, "size": size, "sourceDatasetId": source_dataset_id}, wrapped=True))

    def get_profile(self, run_id: str) -> models.CleaningProfileRun:
        """
        Get a profile of all samples: its run and, once completed, the results

        Needs the role VIEWER.
        """
        return cast("models.CleaningProfileRun", self.session.json("GET", ("data-cleaning", "profiles", run_id,), wrapped=True))

    def stop_profile(self, run_id: str) -> models.CleaningProfileRun:
        """
        Stop a profile of all samples

        Needs the role EDITOR.
        """
        return cast("models.CleaningProfileRun", self.session.json("POST", ("data-cleaning", "profiles", run_id, "stop",), wrapped=True, repeatable=False))

    def resume_profile(self, run_id: str) -> models.CleaningProfileRun:
        """
        Resume a profile that failed or was stopped, in a new run

        Needs the role EDITOR.
        """
        return cast("models.CleaningProfileRun", self.session.json("POST", ("data-cleaning", "profiles", run_id, "resume",), wrapped=True, repeatable=False))

    def list_ledger_entries(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None, verdict: Optional[models.Verdict] = None, operator_id: Optional[str] = None, reason_code: Optional[str] = None, search: Optional[str] = None, file_path: Optional[str] = None, row: Optional[int] = None) -> models.LedgerEntryPage:
        """
        List the ledger of a run: the verdict on each sample

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param operator_id: Samples that this operator dropped or failed on
        :param reason_code: Samples whose reason has this code; OTHER for reasons without a code
        :param search: Part of the path, the reason, the raw text or the text that was read; not case-sensitive.
        Texts are searched in the source for about 20 s: see `unsearched`
        :param file_path: Samples of this file
        :param row: Data row of that file, from 1; requires filePath
        """
        return cast("models.LedgerEntryPage", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id, "ledger",), query={"page": page, "size": size, "verdict": verdict, "operatorId": operator_id, "reasonCode": reason_code, "search": search, "filePath": file_path, "row": row}, wrapped=True))

    def get_ledger_summary(self, id: str, run_id: str) -> models.LedgerSummary:
        """
        Get the counts of each step of a run

        Needs the role VIEWER.
        """
        return cast("models.LedgerSummary", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id, "ledger", "summary",), wrapped=True))

    def list_run_inputs(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.RunInputPage:
        """
        Show how a run read each of its files

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.RunInputPage", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id, "inputs",), query={"page": page, "size": size}, wrapped=True))

    def download_failed_samples(self, id: str, run_id: str, *, headers: Optional[Mapping[str, str]] = None) -> Stream:
        """
        Download the failed samples of a run with their original bytes

        Needs the role VIEWER.
        """
        return self.session.stream("GET", ("data-cleaning", "tasks", id, "runs", run_id, "failed",), headers=headers)

    def get_ledger_sample(self, id: str, run_id: str, sample_id: str) -> models.LedgerSample:
        """
        Get one sample of a run with the effect of each step

        Needs the role VIEWER.
        """
        return cast("models.LedgerSample", self.session.json("GET", ("data-cleaning", "tasks", id, "runs", run_id, "ledger", sample_id,), wrapped=True))

    def rethreshold_cleaning_run(self, id: str, run_id: str, body: models.RethresholdRequest) -> models.Rethreshold:
        """
        Count what other thresholds would drop, without a new run

        `steps` are those of the run; only threshold parameters (`thresholds` of the operator) may differ, and
        omitted ones keep their value. The counts are computed from the run's stored scores. A sample that was
        dropped but would now pass is `unknown`, unless the last step dropped it; so is every sample that
        reaches a step over the whole set (deduplication) after a changed threshold. `kept` gives the minimum,
        maximum and expected number of kept samples.

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.Rethreshold", self.session.json("POST", ("data-cleaning", "tasks", id, "runs", run_id, "rethreshold",), body=body, wrapped=True))

    def list_connectors(self, *, page: Optional[int] = None, size: Optional[int] = None) -> models.ConnectorPage:
        """
        List the connectors with their configuration schemas

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.ConnectorPage", self.session.json("GET", ("data-collection", "connectors",), query={"page": page, "size": size}, wrapped=True))

    def test_connector(self, type: str, body: models.ConnectorTest) -> models.ConnectorTestResult:
        """
        Connect to a source and list a sample; writes nothing

        Returns 200 even if the source cannot be reached; `message` then says why. Takes at most 60 s.

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.ConnectorTestResult", self.session.json("POST", ("data-collection", "connectors", type, "test",), body=body, wrapped=True))

    def list_collection_tasks(self, *, page: Optional[int] = None, size: Optional[int] = None, status: Optional[models.TaskStatus] = None, keyword: Optional[str] = None, operator_id: Optional[str] = None, sort: Optional[models.TaskSort] = None) -> models.CollectionTaskPage:
        """
        List collection tasks

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param operator_id: An operator that its steps use
        :param sort: Field and direction
        """
        return cast("models.CollectionTaskPage", self.session.json("GET", ("data-collection", "tasks",), query={"page": page, "size": size, "status": status, "keyword": keyword, "operatorId": operator_id, "sort": sort}, wrapped=True))

    def create_collection_task(self, body: models.NewCollectionTask) -> models.CollectionTask:
        """
        Create a collection task

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.CollectionTask", self.session.json("POST", ("data-collection", "tasks",), body=body, wrapped=True, repeatable=False))

    def get_collection_task(self, id: str) -> models.CollectionTask:
        """
        Get a collection task

        Needs the role VIEWER.
        """
        return cast("models.CollectionTask", self.session.json("GET", ("data-collection", "tasks", id,), wrapped=True))

    def update_collection_task(self, id: str, body: models.CollectionTaskChanges) -> models.CollectionTask:
        """
        Change a collection task that is not running

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.CollectionTask", self.session.json("PUT", ("data-collection", "tasks", id,), body=body, wrapped=True))

    def delete_collection_task(self, id: str) -> None:
        """
        Delete a collection task and its runs; datasets stay

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-collection", "tasks", id,))

    def execute_collection_task(self, id: str, body: models.CollectionExecution) -> models.Run:
        """
        Execute a collection task

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-collection", "tasks", id, "execute",), body=body, wrapped=True, repeatable=False))

    def stop_collection_task(self, id: str) -> models.Run:
        """
        Stop the run of a task

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-collection", "tasks", id, "stop",), wrapped=True, repeatable=False))

    def list_collection_runs(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None, sort: Optional[models.RunSort] = None) -> models.RunPage:
        """
        List the runs of a task

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param sort: Field and direction
        """
        return cast("models.RunPage", self.session.json("GET", ("data-collection", "tasks", id, "runs",), query={"page": page, "size": size, "sort": sort}, wrapped=True))

    def get_collection_run(self, id: str, run_id: str) -> models.Run:
        """
        Get a run

        Needs the role VIEWER.
        """
        return cast("models.Run", self.session.json("GET", ("data-collection", "tasks", id, "runs", run_id,), wrapped=True))

    def list_collection_run_logs(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.LogLinePage:
        """
        Read a run's log

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.LogLinePage", self.session.json("GET", ("data-collection", "tasks", id, "runs", run_id, "logs",), query={"page": page, "size": size}, wrapped=True))

    def follow_collection_run(self, id: str, run_id: str, *, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """
        Follow a run live: server-sent events

        Resumes after `Last-Event-ID`, even after a restart of the service. The stream ends after the event
        `end`, and within seconds when its credential expires or is revoked.

        Needs the role VIEWER.

        :param last_event_id: ID of the last received event, for clients that cannot send the header
        Last-Event-ID
        """
        return self.session.events("GET", ("data-collection", "tasks", id, "runs", run_id, "events",), query={"lastEventId": last_event_id}, last_event_id=last_event_id)

    def list_collection_state(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.CollectionStatePage:
        """
        List what a task has fetched so far; later runs compare it with the source

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.CollectionStatePage", self.session.json("GET", ("data-collection", "tasks", id, "state",), query={"page": page, "size": size}, wrapped=True))

    def list_collection_items(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None, verdict: Optional[models.CollectionVerdict] = None, search: Optional[str] = None) -> models.CollectionItemPage:
        """
        List the items of a run: what was new, unchanged or failed, and why

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param search: Part of the name, path or reason; not case-sensitive
        """
        return cast("models.CollectionItemPage", self.session.json("GET", ("data-collection", "tasks", id, "runs", run_id, "items",), query={"page": page, "size": size, "verdict": verdict, "search": search}, wrapped=True))

    def list_synthesis_templates(self, *, page: Optional[int] = None, size: Optional[int] = None, keyword: Optional[str] = None, type: Optional[models.SynthesisTemplateType] = None, built_in: Optional[bool] = None, sort: Optional[models.SynthesisTemplateSort] = None) -> models.SynthesisTemplatePage:
        """
        List instruction templates, by name

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param built_in: true: only built-in templates; false: only the others
        :param sort: Field and direction
        """
        return cast("models.SynthesisTemplatePage", self.session.json("GET", ("data-synthesis", "templates",), query={"page": page, "size": size, "keyword": keyword, "type": type, "builtIn": built_in, "sort": sort}, wrapped=True))

    def create_synthesis_template(self, body: models.NewSynthesisTemplate) -> models.SynthesisTemplate:
        """
        Create an instruction template

        The body has at most 512 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisTemplate", self.session.json("POST", ("data-synthesis", "templates",), body=body, wrapped=True, repeatable=False))

    def get_synthesis_template(self, id: str) -> models.SynthesisTemplate:
        """
        Get an instruction template

        Needs the role VIEWER.
        """
        return cast("models.SynthesisTemplate", self.session.json("GET", ("data-synthesis", "templates", id,), wrapped=True))

    def update_synthesis_template(self, id: str, body: models.SynthesisTemplateChanges) -> models.SynthesisTemplate:
        """
        Change an instruction template that is not built in: makes its next version

        The body has at most 512 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisTemplate", self.session.json("PUT", ("data-synthesis", "templates", id,), body=body, wrapped=True))

    def delete_synthesis_template(self, id: str) -> None:
        """
        Delete an instruction template that is not built in; tasks keep their copy

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-synthesis", "templates", id,))

    def list_synthesis_template_versions(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.SynthesisTemplateVersionPage:
        """
        List the versions of an instruction template, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.SynthesisTemplateVersionPage", self.session.json("GET", ("data-synthesis", "templates", id, "versions",), query={"page": page, "size": size}, wrapped=True))

    def preview_synthesis_template(self, id: str, body: models.NewSynthesisPreview) -> models.SynthesisPreview:
        """
        Try an instruction template on the first samples of a dataset

        Returns the messages and their tokens. With a model, each sample is one paid call, as in a run; a later
        run with the same template, sample and model reuses the reply from the ledger. `changes` to the template
        are tried without being stored.

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisPreview", self.session.json("POST", ("data-synthesis", "templates", id, "preview",), body=body, wrapped=True, repeatable=False))

    def list_synthesis_tasks(self, *, page: Optional[int] = None, size: Optional[int] = None, status: Optional[models.TaskStatus] = None, keyword: Optional[str] = None, operator_id: Optional[str] = None, sort: Optional[models.TaskSort] = None) -> models.SynthesisTaskPage:
        """
        List synthesis tasks

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param operator_id: An operator that its steps use
        :param sort: Field and direction
        """
        return cast("models.SynthesisTaskPage", self.session.json("GET", ("data-synthesis", "tasks",), query={"page": page, "size": size, "status": status, "keyword": keyword, "operatorId": operator_id, "sort": sort}, wrapped=True))

    def create_synthesis_task(self, body: models.NewSynthesisTask) -> models.SynthesisTask:
        """
        Create a synthesis task

        The body has at most 512 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisTask", self.session.json("POST", ("data-synthesis", "tasks",), body=body, wrapped=True, repeatable=False))

    def get_synthesis_task(self, id: str) -> models.SynthesisTask:
        """
        Get a synthesis task

        Needs the role VIEWER.
        """
        return cast("models.SynthesisTask", self.session.json("GET", ("data-synthesis", "tasks", id,), wrapped=True))

    def update_synthesis_task(self, id: str, body: models.SynthesisTaskChanges) -> models.SynthesisTask:
        """
        Change a synthesis task that is not running

        The body has at most 512 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisTask", self.session.json("PUT", ("data-synthesis", "tasks", id,), body=body, wrapped=True))

    def delete_synthesis_task(self, id: str) -> None:
        """
        Delete a synthesis task and its runs; datasets stay

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("data-synthesis", "tasks", id,))

    def execute_synthesis_task(self, id: str, body: models.Execution) -> models.Run:
        """
        Execute a synthesis task

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-synthesis", "tasks", id, "execute",), body=body, wrapped=True, repeatable=False))

    def stop_synthesis_task(self, id: str) -> models.Run:
        """
        Stop the run of a task

        Needs the role EDITOR.
        """
        return cast("models.Run", self.session.json("POST", ("data-synthesis", "tasks", id, "stop",), wrapped=True, repeatable=False))

    def list_synthesis_runs(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None, sort: Optional[models.RunSort] = None) -> models.RunPage:
        """
        List the runs of a task

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param sort: Field and direction
        """
        return cast("models.RunPage", self.session.json("GET", ("data-synthesis", "tasks", id, "runs",), query={"page": page, "size": size, "sort": sort}, wrapped=True))

    def get_synthesis_run(self, id: str, run_id: str) -> models.Run:
        """
        Get a run

        Needs the role VIEWER.
        """
        return cast("models.Run", self.session.json("GET", ("data-synthesis", "tasks", id, "runs", run_id,), wrapped=True))

    def list_synthesis_run_logs(self, id: str, run_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.LogLinePage:
        """
        Read a run's log

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.LogLinePage", self.session.json("GET", ("data-synthesis", "tasks", id, "runs", run_id, "logs",), query={"page": page, "size": size}, wrapped=True))

    def follow_synthesis_run(self, id: str, run_id: str, *, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """
        Follow a run live: server-sent events

        Resumes after `Last-Event-ID`, even after a restart of the service. The stream ends after the event
        `end`, and within seconds when its credential expires or is revoked.

        Needs the role VIEWER.

        :param last_event_id: ID of the last received event, for clients that cannot send the header
        Last-Event-ID
        """
        return self.session.events("GET", ("data-synthesis", "tasks", id, "runs", run_id, "events",), query={"lastEventId": last_event_id}, last_event_id=last_event_id)

    def list_synthesis_records(self, id: str, *, page: Optional[int] = None, size: Optional[int] = None, run_id: Optional[str] = None, verdict: Optional[models.SynthesisVerdict] = None, reason_code: Optional[str] = None, column: Optional[str] = None, review: Optional[models.SynthesisReviewFilter] = None, edited: Optional[bool] = None, search: Optional[str] = None) -> models.SynthesisRecordPage:
        """
        List the records of a run, by default the latest run that has any, in source order

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param run_id: Default: the latest run
        :param reason_code: Code of the reason
        :param column: The column at which they were dropped or failed
        :param search: Part of the record or of the path of its source
        """
        return cast("models.SynthesisRecordPage", self.session.json("GET", ("data-synthesis", "tasks", id, "records",), query={"page": page, "size": size, "runId": run_id, "verdict": verdict, "reasonCode": reason_code, "column": column, "review": review, "edited": edited, "search": search}, wrapped=True))

    def count_synthesis_records(self, id: str, *, run_id: Optional[str] = None) -> models.SynthesisFacets:
        """
        Count the records of a run by verdict, reason and review

        Needs the role VIEWER.

        :param run_id: Default: the latest run
        """
        return cast("models.SynthesisFacets", self.session.json("GET", ("data-synthesis", "tasks", id, "records", "facets",), query={"runId": run_id}, wrapped=True))

    def get_synthesis_record(self, id: str, record_id: str) -> models.SynthesisRecord:
        """
        Get a record with its source and prompt

        Needs the role VIEWER.
        """
        return cast("models.SynthesisRecord", self.session.json("GET", ("data-synthesis", "tasks", id, "records", record_id,), wrapped=True))

    def edit_synthesis_record(self, id: str, record_id: str, body: models.SynthesisRecordChanges) -> models.SynthesisRecord:
        """
        Edit a record; later runs of the task keep the edit

        The body has at most 512 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisRecord", self.session.json("PATCH", ("data-synthesis", "tasks", id, "records", record_id,), body=body, wrapped=True, repeatable=False))

    def accept_synthesis_record(self, id: str, record_id: str) -> models.SynthesisRecord:
        """
        Accept a record: it is included in the result even if it was dropped

        Needs the role EDITOR.
        """
        return cast("models.SynthesisRecord", self.session.json("POST", ("data-synthesis", "tasks", id, "records", record_id, "accept",), wrapped=True, repeatable=False))

    def reject_synthesis_record(self, id: str, record_id: str, body: models.SynthesisRejection) -> models.SynthesisRecord:
        """
        Reject a record: it is excluded from the result

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisRecord", self.session.json("POST", ("data-synthesis", "tasks", id, "records", record_id, "reject",), body=body, wrapped=True, repeatable=False))

    def regenerate_synthesis_record(self, id: str, record_id: str) -> models.SynthesisRecord:
        """
        Regenerate a record with one more call

        Replaces the record, its edit and its review; later runs of the task use the new reply. It is checked as
        in a run, except for the comparison with other records. A record that is KEPT, edited, accepted or
        rejected is not replaced (SYNTHESIS_NOT_REPLACED) if the new one would not be KEPT. The counts of the
        run do not change; `records/facets` gives current counts.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisRecord", self.session.json("POST", ("data-synthesis", "tasks", id, "records", record_id, "regenerate",), wrapped=True, repeatable=False))

    def export_synthesis_records(self, id: str, body: models.NewSynthesisExport) -> models.SynthesisExport:
        """
        Write the records of the latest run that has any to the target dataset, replacing those written before

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.SynthesisExport", self.session.json("POST", ("data-synthesis", "tasks", id, "export",), body=body, wrapped=True, repeatable=False))

    def forecast_synthesis_task(self, id: str) -> models.SynthesisForecast:
        """
        Estimate the calls, tokens, cost and time of a run

        Reads up to 2,000 samples for at most 5 s and estimates the rest by size; calls no model.

        Needs the role VIEWER.
        """
        return cast("models.SynthesisForecast", self.session.json("GET", ("data-synthesis", "tasks", id, "forecast",), wrapped=True))

    def get_synthesis_run_usage(self, id: str, run_id: str) -> models.SynthesisRunUsage:
        """
        Get the usage of a run and the runs that it resumes, compared with the estimate

        Needs the role VIEWER.
        """
        return cast("models.SynthesisRunUsage", self.session.json("GET", ("data-synthesis", "tasks", id, "runs", run_id, "usage",), wrapped=True))

    def get_synthesis_diversity(self, id: str, run_id: str) -> models.SynthesisDiversity:
        """
        Measure how diverse the records of a run are and how much of the source they cover

        Needs the role VIEWER.
        """
        return cast("models.SynthesisDiversity", self.session.json("GET", ("data-synthesis", "tasks", id, "runs", run_id, "diversity",), wrapped=True))

    def get_rag_limits(self) -> models.RagLimits:
        """
        Get the limits of knowledge bases and their documents

        Needs the role VIEWER.
        """
        return cast("models.RagLimits", self.session.json("GET", ("rag", "limits",), wrapped=True))

    def add_rag_documents(self, knowledge_base_id: str, form: Optional[Form] = None, body: Optional[models.RagDocumentsOfDataset] = None) -> models.RagDocumentPage:
        """
        Add documents: files as multipart/form-data, or files of a dataset as JSON

        Returns at once; each document is then read, chunked, embedded and indexed, and ends as COMPLETED,
        PARTIAL or FAILED. At most 1,000 files per call.

        Needs the role EDITOR.
        """
        return cast("models.RagDocumentPage", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "documents",), form=form, body=body, wrapped=True, repeatable=False))

    def list_rag_documents(self, knowledge_base_id: str, *, page: Optional[int] = None, size: Optional[int] = None, status: Optional[models.RagDocumentStatus] = None, keyword: Optional[str] = None, rebuild: Optional[models.RagDocumentRebuildStatus] = None, sort: Optional[models.RagDocumentSort] = None) -> models.RagDocumentPage:
        """
        List documents with their status and receipts

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name
        :param rebuild: Status in the index that is being rebuilt
        :param sort: Field and direction
        """
        return cast("models.RagDocumentPage", self.session.json("GET", ("rag", "knowledge-bases", knowledge_base_id, "documents",), query={"page": page, "size": size, "status": status, "keyword": keyword, "rebuild": rebuild, "sort": sort}, wrapped=True))

    def get_rag_document(self, knowledge_base_id: str, document_id: str) -> models.RagDocument:
        """
        Show a document

        Needs the role VIEWER.
        """
        return cast("models.RagDocument", self.session.json("GET", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id,), wrapped=True))

    def delete_rag_document(self, knowledge_base_id: str, document_id: str) -> None:
        """
        Delete a document; after the response, searches no longer find it

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id,))

    def delete_rag_documents(self, knowledge_base_id: str, body: models.RagDocumentsDeletion) -> models.RagDocumentsDeletionResult:
        """
        Delete several documents; after the response, searches no longer find them

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.RagDocumentsDeletionResult", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "documents", "batch-delete",), body=body, wrapped=True, repeatable=False))

    def retry_rag_document(self, knowledge_base_id: str, document_id: str) -> models.RagDocument:
        """
        Process a document again

        Text that was already read and stored vectors are reused.

        Needs the role EDITOR.
        """
        return cast("models.RagDocument", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id, "retry",), wrapped=True, repeatable=False))

    def list_rag_chunks(self, knowledge_base_id: str, document_id: str, *, page: Optional[int] = None, size: Optional[int] = None) -> models.RagChunkPage:
        """
        List the chunks of a document in their order

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.RagChunkPage", self.session.json("GET", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id, "chunks",), query={"page": page, "size": size}, wrapped=True))

    def get_rag_document_text(self, knowledge_base_id: str, document_id: str, *, start: Optional[int] = None, end: Optional[int] = None) -> models.RagText:
        """
        Get part of the text that was read from a document

        Needs the role VIEWER.

        :param start: Default 0
        :param end: At most 100,000 after `start`, which is also the default
        """
        return cast("models.RagText", self.session.json("GET", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id, "text",), query={"start": start, "end": end}, wrapped=True))

    def download_rag_document(self, knowledge_base_id: str, document_id: str, *, headers: Optional[Mapping[str, str]] = None) -> Stream:
        """
        Download the file of a document

        Needs the role VIEWER.
        """
        return self.session.stream("GET", ("rag", "knowledge-bases", knowledge_base_id, "documents", document_id, "content",), headers=headers)

    def list_knowledge_bases(self, *, page: Optional[int] = None, size: Optional[int] = None, keyword: Optional[str] = None, sort: Optional[models.KnowledgeBaseSort] = None) -> models.KnowledgeBasePage:
        """
        List knowledge bases

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name or description
        :param sort: Field and direction
        """
        return cast("models.KnowledgeBasePage", self.session.json("GET", ("rag", "knowledge-bases",), query={"page": page, "size": size, "keyword": keyword, "sort": sort}, wrapped=True))

    def create_knowledge_base(self, body: models.NewKnowledgeBase) -> models.KnowledgeBase:
        """
        Create a knowledge base

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.KnowledgeBase", self.session.json("POST", ("rag", "knowledge-bases",), body=body, wrapped=True, repeatable=False))

    def get_knowledge_base(self, knowledge_base_id: str) -> models.KnowledgeBase:
        """
        Show a knowledge base

        Needs the role VIEWER.
        """
        return cast("models.KnowledgeBase", self.session.json("GET", ("rag", "knowledge-bases", knowledge_base_id,), wrapped=True))

    def change_knowledge_base(self, knowledge_base_id: str, body: models.KnowledgeBaseChanges) -> models.KnowledgeBase:
        """
        Change a knowledge base

        Changing the model or chunking builds a new index; until the switch, searches, settings and counts are
        those of the current index. Omitted settings keep their current values. Repeating the same change
        resumes a rebuild, a different one replaces it, and changing back cancels it.

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.KnowledgeBase", self.session.json("PUT", ("rag", "knowledge-bases", knowledge_base_id,), body=body, wrapped=True))

    def delete_knowledge_base(self, knowledge_base_id: str) -> None:
        """
        Delete a knowledge base with its documents

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("rag", "knowledge-bases", knowledge_base_id,))

    def switch_knowledge_base(self, knowledge_base_id: str) -> models.KnowledgeBase:
        """
        Switch searches to the rebuilt index

        Documents that it could not index then become FAILED.

        Needs the role EDITOR.
        """
        return cast("models.KnowledgeBase", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "rebuild", "switch",), wrapped=True, repeatable=False))

    def give_up_knowledge_base_rebuild(self, knowledge_base_id: str) -> None:
        """
        Cancel a rebuild; the current index stays in use

        Needs the role EDITOR.
        """
        self.session.json("DELETE", ("rag", "knowledge-bases", knowledge_base_id, "rebuild",))

    def preview_chunking(self, knowledge_base_id: str, body: models.ChunkingPreview) -> models.ChunkingPreviewResult:
        """
        Preview the chunks of a text or a document; stores nothing

        The body has at most 1 MiB.

        Needs the role VIEWER.
        """
        return cast("models.ChunkingPreviewResult", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "chunking", "preview",), body=body, wrapped=True))

    def search_knowledge_base(self, knowledge_base_id: str, body: models.RagSearch) -> models.RagSearchResult:
        """
        Search by meaning, by words, or both

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.RagSearchResult", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "search",), body=body, wrapped=True))

    def search_knowledge_bases(self, body: models.RagSearchTogether) -> models.RagSearchTogetherResult:
        """
        Search several knowledge bases as one

        As a search of each with the best hits of all. HYBRID ranks the hits of all bases together; similarities
        of different embedding models are ranked apart.

        The body has at most 256 KiB.

        Needs the role VIEWER.
        """
        return cast("models.RagSearchTogetherResult", self.session.json("POST", ("rag", "search",), body=body, wrapped=True, repeatable=False))

    def answer_from_knowledge_base(self, knowledge_base_id: str, body: models.RagQuestion) -> models.RagAnswer:
        """
        Answer a question from the documents, with citations

        The chunks found are passed to the model as data between tags. If nothing relevant was found, no model
        is called and `answer` is null; a chunk is relevant if it contains a word of the query or has a cosine
        similarity of at least 0.25.

        The body has at most 256 KiB.

        Needs the role EDITOR.
        """
        return cast("models.RagAnswer", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "answer",), body=body, wrapped=True, repeatable=False))

    def evaluate_knowledge_base(self, knowledge_base_id: str, body: models.RagEvaluation) -> models.RagEvaluationResult:
        """
        Measure the retrieval quality of several settings

        Recall@k, mean reciprocal rank and nDCG@k with intervals. Questions are generated from chunks spread
        evenly over the knowledge base; the relevant chunk is the one that a question was generated from.

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.RagEvaluationResult", self.session.json("POST", ("rag", "knowledge-bases", knowledge_base_id, "evaluate",), body=body, wrapped=True, repeatable=False))

    def get_retention(self) -> models.Retention:
        """
        Get how long runs and model replies are kept

        Needs the role VIEWER.
        """
        return cast("models.Retention", self.session.json("GET", ("settings", "retention",), wrapped=True))

    def list_nodes(self, *, page: Optional[int] = None, size: Optional[int] = None) -> models.NodePage:
        """
        List the processes that serve this API with the same database, oldest first

        Needs the role ADMIN.

        :param page: Zero-based page
        :param size: Items per page
        """
        return cast("models.NodePage", self.session.json("GET", ("settings", "nodes",), query={"page": page, "size": size}, wrapped=True))

    def get_cluster(self) -> models.Cluster:
        """
        Get the current state of the Ray cluster that drives runs

        Needs the role ADMIN.
        """
        return cast("models.Cluster", self.session.json("GET", ("settings", "cluster",), wrapped=True))

    def list_models(self, *, page: Optional[int] = None, size: Optional[int] = None, kind: Optional[models.ModelKind] = None, keyword: Optional[str] = None) -> models.ModelPage:
        """
        List models, built-in ones first, then the newest

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the name
        """
        return cast("models.ModelPage", self.session.json("GET", ("settings", "models",), query={"page": page, "size": size, "kind": kind, "keyword": keyword}, wrapped=True))

    def create_model(self, body: models.NewModel) -> models.Model:
        """
        Create a model

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.Model", self.session.json("POST", ("settings", "models",), body=body, wrapped=True, repeatable=False))

    def get_model(self, id: str) -> models.Model:
        """
        Get a model

        Needs the role VIEWER.
        """
        return cast("models.Model", self.session.json("GET", ("settings", "models", id,), wrapped=True))

    def update_model(self, id: str, body: models.ModelChanges) -> models.Model:
        """
        Change a model that is not built in; omitted fields stay unchanged, including the API key

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.Model", self.session.json("PUT", ("settings", "models", id,), body=body, wrapped=True))

    def delete_model(self, id: str) -> None:
        """
        Delete a model that is not built in, with its API key

        Needs the role ADMIN.
        """
        self.session.json("DELETE", ("settings", "models", id,))

    def test_model(self, id: str) -> models.ModelTest:
        """
        Test a model with one small call, within 60 seconds

        Needs the role ADMIN.
        """
        return cast("models.ModelTest", self.session.json("POST", ("settings", "models", id, "test",), wrapped=True, repeatable=False))

    def get_model_usage(self, id: str) -> models.ModelUsage:
        """
        Get the calls, tokens and cost of a model by day and by run

        Needs the role VIEWER.
        """
        return cast("models.ModelUsage", self.session.json("GET", ("settings", "models", id, "usage",), wrapped=True))

    def list_operators(self, *, page: Optional[int] = None, size: Optional[int] = None, keyword: Optional[str] = None, words: Optional[str] = None, modality: Optional[models.OperatorModality] = None, kind: Optional[models.OperatorKind] = None, category: Optional[str] = None, author: Optional[str] = None, capability: Optional[str] = None, source: Optional[models.OperatorSource] = None, installed: Optional[bool] = None, verified: Optional[bool] = None, sort: Optional[models.OperatorSort] = None) -> models.OperatorPage:
        """
        List operators

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param keyword: Part of the id, name or description
        :param words: Comma-separated words, each with alternatives after `|`: `remove|delete,links|url`.
        Searched in the name, the summary, the categories, the author and the parameters; best matches first,
        unless `sort` is given. If nothing matches all words, returns what matches most
        :param capability: A capability that it requests; `none`: operators that request none
        :param verified: Whether it is signed with a known publisher key
        :param sort: Field and direction
        """
        return cast("models.OperatorPage", self.session.json("GET", ("operator-market", "operators",), query={"page": page, "size": size, "keyword": keyword, "words": words, "modality": modality, "kind": kind, "category": category, "author": author, "capability": capability, "source": source, "installed": installed, "verified": verified, "sort": sort}, wrapped=True))

    def publish_operator(self, form: Optional[Form] = None, body: Optional[models.NewOperator] = None) -> models.Operator:
        """
        Publish an operator: a package (.tgz or .zip) as multipart/form-data, or manifest and source as JSON

        Before it returns, the manifest is checked, the examples run in the sandbox, and speed, memory and
        determinism are measured. Published versions never change.

        Needs the role EDITOR.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators",), form=form, body=body, wrapped=True, repeatable=False))

    def list_operator_facets(self, *, source: Optional[models.OperatorSource] = None) -> models.OperatorFacets:
        """
        List the filter values for operators, with the number of operators per value

        Needs the role VIEWER.
        """
        return cast("models.OperatorFacets", self.session.json("GET", ("operator-market", "facets",), query={"source": source}, wrapped=True))

    def get_operator(self, id: str, *, version: Optional[str] = None) -> models.Operator:
        """
        Get an operator

        Needs the role VIEWER.

        :param version: Default: the installed version, else the newest
        """
        return cast("models.Operator", self.session.json("GET", ("operator-market", "operators", id,), query={"version": version}, wrapped=True))

    def delete_operator(self, id: str, *, version: Optional[str] = None) -> None:
        """
        Delete a version of a published operator, or all of them

        Only for its publisher and administrators. The number of a deleted version can never be used again.

        Needs the role EDITOR.

        :param version: Default: all versions
        """
        self.session.json("DELETE", ("operator-market", "operators", id,), query={"version": version})

    def try_operator(self, id: str, body: models.OperatorTrialRequest) -> models.OperatorTrial:
        """
        Try an operator on given texts; writes nothing

        An operator over the whole set, such as a deduplicator, compares the given texts with each other.
        Resulting texts longer than 20,000 characters are truncated.

        The body has at most 1 MiB.

        Needs the role EDITOR.
        """
        return cast("models.OperatorTrial", self.session.json("POST", ("operator-market", "operators", id, "try",), body=body, wrapped=True, repeatable=False))

    def compare_operator_versions(self, id: str, body: models.OperatorComparisonRequest) -> models.OperatorComparison:
        """
        Compare two versions of an operator over samples of a dataset; writes nothing

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.OperatorComparison", self.session.json("POST", ("operator-market", "operators", id, "compare",), body=body, wrapped=True, repeatable=False))

    def list_operator_speeds(self) -> models.OperatorSpeeds:
        """
        Get the speed of the operators on this machine

        Measured once per process after the first request, which takes a few seconds; on a busy machine, returns
        early with the results so far and what is pending. Each operator runs with its default parameters, on
        one core, over documents of about 2,000 characters, three in English to one in Chinese, or over a JPEG
        and a PNG of half a megapixel. For operators over the whole set, only computing the signatures of
        samples is measured.

        Needs the role VIEWER.
        """
        return cast("models.OperatorSpeeds", self.session.json("GET", ("operator-market", "speeds",), wrapped=True))

    def examine_operator_package(self, form: Form) -> models.OperatorExamination:
        """
        Run all publishing checks on a package (.tgz or .zip) without publishing it

        Returns 200 even for a package that would be refused, with the failed check and the reason.

        Needs the role EDITOR.
        """
        return cast("models.OperatorExamination", self.session.json("POST", ("operator-market", "examinations",), form=form, wrapped=True, repeatable=False))

    def list_operator_versions(self, id: str) -> models.OperatorVersions:
        """
        List the versions of an operator, newest first

        Needs the role VIEWER.
        """
        return cast("models.OperatorVersions", self.session.json("GET", ("operator-market", "operators", id, "versions",), wrapped=True))

    def rate_operator(self, id: str, body: models.NewOperatorRating) -> models.Operator:
        """
        Rate an operator; each user has one rating

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Operator", self.session.json("PUT", ("operator-market", "operators", id, "rating",), body=body, wrapped=True))

    def install_operator(self, id: str, body: models.OperatorVersionChoice) -> models.Operator:
        """
        Install a version of an operator, replacing the installed one

        The body has at most 64 KiB.

        Needs the role EDITOR.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators", id, "install",), body=body, wrapped=True, repeatable=False))

    def uninstall_operator(self, id: str) -> models.Operator:
        """
        Uninstall an operator; tasks that use it remain and report that it is missing

        Needs the role EDITOR.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators", id, "uninstall",), wrapped=True, repeatable=False))

    def approve_operator(self, id: str, body: models.OperatorVersionChoice) -> models.Operator:
        """
        Approve the capabilities that a version of an operator requests

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators", id, "approve",), body=body, wrapped=True, repeatable=False))

    def disable_operator(self, id: str) -> models.Operator:
        """
        Disable an operator: no task can use it

        Needs the role ADMIN.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators", id, "disable",), wrapped=True, repeatable=False))

    def enable_operator(self, id: str) -> models.Operator:
        """
        Enable a disabled operator

        Needs the role ADMIN.
        """
        return cast("models.Operator", self.session.json("POST", ("operator-market", "operators", id, "enable",), wrapped=True, repeatable=False))

    def list_publisher_keys(self) -> models.PublisherKeys:
        """
        List the publisher keys used to verify signatures

        Needs the role VIEWER.
        """
        return cast("models.PublisherKeys", self.session.json("GET", ("operator-market", "publisher-keys",), wrapped=True))

    def add_publisher_key(self, body: models.NewPublisherKey) -> models.PublisherKey:
        """
        Add a publisher key

        The body has at most 64 KiB.

        Needs the role ADMIN.
        """
        return cast("models.PublisherKey", self.session.json("POST", ("operator-market", "publisher-keys",), body=body, wrapped=True, repeatable=False))

    def delete_publisher_key(self, key_id: str) -> None:
        """
        Delete a publisher key; its signatures are no longer verified

        Needs the role ADMIN.
        """
        self.session.json("DELETE", ("operator-market", "publisher-keys", key_id,))

    def list_runs(self, *, page: Optional[int] = None, size: Optional[int] = None, area: Optional[str] = None, status: Optional[models.RunStatus] = None, created_by: Optional[str] = None, sort: Optional[models.RunSort] = None) -> models.ListedRunPage:
        """
        List the runs of all areas, newest first

        Needs the role VIEWER.

        :param page: Zero-based page
        :param size: Items per page
        :param area: URL prefix of an area: data-cleaning
        :param created_by: Username
        :param sort: Field and direction
        """
        return cast("models.ListedRunPage", self.session.json("GET", ("runs",), query={"page": page, "size": size, "area": area, "status": status, "createdBy": created_by, "sort": sort}, wrapped=True))

    def get_run(self, run_id: str) -> models.ListedRun:
        """
        Get a run of any area

        Needs the role VIEWER.
        """
        return cast("models.ListedRun", self.session.json("GET", ("runs", run_id,), wrapped=True))
