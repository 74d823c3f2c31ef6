"""Files written through fsspec: kept on disk, and uploaded whole when they are closed."""

from __future__ import annotations

import io
import os
import tempfile
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Type

from .uploads import upload_file

if TYPE_CHECKING:
    from .filesystem import TilthFileSystem


class FileWriter(io.BufferedIOBase):
    """
    A file being written. Its bytes are kept in a temporary file; closing sends them as one upload, so that nobody ever
    sees half a file. A `with` block that ends with an exception, and a writer that is never closed, store nothing.
    """

    def __init__(self, fs: TilthFileSystem, dataset_id: str, path: str, autocommit: bool) -> None:
        super().__init__()
        self.fs = fs
        self.path = path
        self._dataset_id = dataset_id
        self._autocommit = autocommit
        handle, self._place = tempfile.mkstemp(prefix="tilth-")
        self._file = os.fdopen(handle, "w+b")

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if self.closed:
            return
        super().close()
        self._file.close()
        if self._autocommit:
            self.commit()

    def commit(self) -> None:
        """Uploads what was written; fsspec's transactions call it when they end."""
        try:
            upload_file(self.fs.api, self._dataset_id, self._place, self.path)
        finally:
            os.remove(self._place)
            self.fs.invalidate_cache()

    def discard(self) -> None:
        """Discards what was written."""
        if not self.closed:
            super().close()
            self._file.close()
        if os.path.exists(self._place):
            os.remove(self._place)

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if error is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # A file that was never closed may be incomplete.
        if hasattr(self, "_file") and not self.closed:
            self.discard()
