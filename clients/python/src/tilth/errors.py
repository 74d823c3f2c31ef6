"""Exceptions of the package; their messages say what to do."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Type

_HINTS = {
    401: "The API key may have expired or been deleted: create a new one on the page API keys.",
    403: "The role of the API key does not allow this: create a key with another role, or ask an administrator.",
    413: "Send less data at once.",
    507: "The disk of the service is full: delete data that is no longer needed, or ask an administrator.",
}


class TilthError(Exception):
    """The base of all errors of this package."""

    def __init__(self, message: str, *, hint: Optional[str] = None) -> None:
        self.message = message
        self.hint = hint
        super().__init__(message if hint is None else f"{message.rstrip('.')}. {hint}")


class ConnectionLost(TilthError):
    """The service can't be reached, or the connection broke more often than it is retried."""


class ChecksumMismatch(TilthError):
    """Bytes differ from those of the service."""


class UnreadableRow(TilthError):
    """An unreadable row of a table; `row` is its number from 1, `text` its raw text in the file."""

    def __init__(self, message: str, *, row: int, text: Optional[str]) -> None:
        super().__init__(message)
        self.row = row
        self.text = text


class RunFailed(TilthError):
    """A run ended in another state than COMPLETED; `run` is its last state."""

    def __init__(self, message: str, run: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.run = run


class ServiceError(TilthError):
    """The service refused a call: `code` names the reason; docs/errors.md lists all codes."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: Optional[str] = None,
        params: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        about = ", ".join(
            part
            for part in (code, f"HTTP {status}", None if request_id is None else f"request {request_id}")
            if part is not None
        )
        super().__init__(f"{message.rstrip('.')} ({about})", hint=_HINTS.get(status))
        self.message = message
        self.status = status
        self.code = code
        self.params: Dict[str, Any] = params or {}
        self.request_id = request_id
        self.retry_after = retry_after


class InvalidRequest(ServiceError):
    """400, 405, 413, 415, 416: the call itself is invalid."""


class Unauthenticated(ServiceError):
    """401: the key is missing, unknown, expired or deleted."""


class Forbidden(ServiceError):
    """403: the role of the key does not allow this."""


class NotFound(ServiceError):
    """404"""


class Conflict(ServiceError):
    """409: the present state of an object does not allow this."""


class RateLimited(ServiceError):
    """429: `retry_after` is the number of seconds to wait. Calls wait automatically, unless waiting is disabled."""


class Unavailable(ServiceError):
    """502 to 504, 507: the service is temporarily unavailable."""


_KINDS: Dict[int, Type[ServiceError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
    507: Unavailable,
}


def error_of(status: int, body: Any, headers: Mapping[str, str], url: str) -> ServiceError:
    """The exception for a response: its body has one of the service's two error shapes, or a foreign one."""
    kind = _KINDS.get(status, InvalidRequest if 400 <= status < 500 else ServiceError)
    message: Optional[str] = None
    code: Optional[str] = None
    params: Optional[Dict[str, Any]] = None
    if isinstance(body, dict):
        has_code = "code" in body
        message = body.get("error") if has_code else body.get("message")
        code = body.get("errorCode") if has_code else body.get("error")
        params = body.get("errorParams")
    if not isinstance(message, str) or message == "":
        message = f"{url} returned HTTP {status}"
    if 300 <= status < 400:
        place = headers.get("location", "elsewhere")
        message = f"{url} redirects to {place}: use that address, because the API key is not sent to other addresses"
    return kind(
        message,
        status=status,
        code=code if isinstance(code, str) else None,
        params=params if isinstance(params, dict) else None,
        request_id=headers.get("x-request-id"),
        retry_after=seconds_of(headers.get("retry-after")),
    )


def seconds_of(text: Optional[str]) -> Optional[float]:
    """`Retry-After` in seconds; the service never sends a date."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
