"""Files and folders as fsspec describes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Tuple

from . import models

Entry = Dict[str, Any]


def file_entry(place: str, dataset_id: str, version: int, file: models.DatasetFile) -> Entry:
    return {
        "name": f"{place}/{file['filePath']}",
        "size": file["fileSize"],
        "type": "file",
        "id": file["id"],
        "datasetId": dataset_id,
        "version": version,
        "status": file["status"],
        "sha256": file["sha256"],
        "contentType": file["contentType"],
        "created": file["uploadTime"],
        "modified": file["updatedAt"],
    }


def parted(path: str) -> Tuple[str, str]:
    """Splits a path into the name of its dataset, including the version, and the path inside."""
    place, _, inside = path.partition("/")
    return place, inside.strip("/")


def folders_above(name: str, root: str) -> List[str]:
    """The folders between a root and a file below it, without the root."""
    found = []
    folder = name.rpartition("/")[0]
    while len(folder) > len(root):
        found.append(folder)
        folder = folder.rpartition("/")[0]
    return found


def time_of(text: str) -> datetime:
    """Parses a time of the API: before Python 3.11, `Z` must be written as an offset."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
