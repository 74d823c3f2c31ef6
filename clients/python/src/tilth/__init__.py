"""The Python client of Tilth: datasets, their files and tables, cleaning, and the file system `tilth://`."""

from . import models
from .client import Client
from .dataset import Dataset
from .errors import (
    ChecksumMismatch,
    Conflict,
    ConnectionLost,
    Forbidden,
    InvalidRequest,
    NotFound,
    RateLimited,
    RunFailed,
    ServiceError,
    TilthError,
    Unauthenticated,
    Unavailable,
    UnreadableRow,
)
from .operations import Operations
from .runs import Run
from .transfers import LeftOut, TransferIncomplete, TransferReport

__all__ = [
    "ChecksumMismatch",
    "Client",
    "Conflict",
    "ConnectionLost",
    "Dataset",
    "Forbidden",
    "InvalidRequest",
    "LeftOut",
    "NotFound",
    "Operations",
    "RateLimited",
    "Run",
    "RunFailed",
    "ServiceError",
    "TilthError",
    "TransferIncomplete",
    "TransferReport",
    "Unauthenticated",
    "Unavailable",
    "UnreadableRow",
    "models",
]
