"""Calls of a service with an API key: waits, retries, and never repeats a call that must run only once."""

from __future__ import annotations

import json
import logging
import os
import random
import threading
import time
from types import TracebackType
from typing import IO, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, Union
from urllib.parse import quote, urlencode

import httpx

from .errors import ConnectionLost, RateLimited, ServiceError, TilthError, Unavailable, error_of

logger = logging.getLogger("tilth")

#: A part of a form: its name and its value; a file is `(name, bytes or file object)`.
FormPart = Tuple[str, Union[str, Tuple[str, Union[bytes, IO[bytes]]]]]
Form = Sequence[FormPart]
#: A body of bytes; a file is sent from its start.
Content = Union[bytes, IO[bytes]]

_PAUSES = (0.3, 1.0, 2.0, 4.0, 8.0, 10.0)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Event(NamedTuple):
    """A server-sent event; `data` is its JSON."""

    name: str
    id: Optional[str]
    data: Any


class Stream:
    """A response whose bytes are read as they arrive; use it in a `with` block."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes(256 * 1024)
        except httpx.TransportError as problem:
            raise ConnectionLost(f"The connection to {self._response.url.host} was lost: {_words(problem)}") from problem

    def read(self) -> bytes:
        return b"".join(self)

    def lines(self) -> Iterator[str]:
        return self._response.iter_lines()

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class Session:
    """The connections to one service. Threads may share it; a forked process opens its own connections."""

    def __init__(self, url: str, api_key: str, *, timeout: float = 300.0, patience: float = 120.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise TilthError(f"{url} is not a valid service URL", hint="Use a form such as https://tilth.example.org.")
        self.url = url.rstrip("/")
        #: Seconds for which broken connections and an overloaded service are retried.
        self.patience = patience
        self._api_key = api_key
        self._timeout = timeout
        self._lock = threading.Lock()
        self._http: Optional[httpx.Client] = None
        self._pid = 0

    def json(
        self,
        method: str,
        parts: Sequence[str],
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Any] = None,
        form: Optional[Form] = None,
        content: Optional[Content] = None,
        wrapped: bool = False,
        repeatable: bool = True,
    ) -> Any:
        """Returns the data of a response; None if it has none."""
        given: Dict[str, Any] = {"body": body, "form": form, "content": content}
        for attempt in self._attempts(repeatable, method):
            with attempt:
                response = self._send(method, parts, query, given, {})
                try:
                    text = response.read()
                finally:
                    response.close()
                if text == b"":
                    return None
                data = _parsed(text, self.url)
                return data["data"] if wrapped else data
        return None

    def stream(
        self,
        method: str,
        parts: Sequence[str],
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Any] = None,
        headers: Optional[Mapping[str, str]] = None,
        wrapped: bool = False,
        repeatable: bool = True,
    ) -> Stream:
        """Returns a response of bytes; if it breaks off later, the reader has to resume it."""
        for attempt in self._attempts(repeatable, method):
            with attempt:
                return Stream(self._send(method, parts, query, {"body": body}, headers or {}))
        raise AssertionError("unreachable")

    def events(
        self,
        method: str,
        parts: Sequence[str],
        *,
        query: Optional[Mapping[str, Any]] = None,
        last_event_id: Optional[str] = None,
    ) -> Iterator[Event]:
        """Yields server-sent events until `end`; after a lost connection they continue after the last one."""
        last = last_event_id
        ended = False
        while not ended:
            headers = {} if last is None else {"last-event-id": last}
            with self.stream(method, parts, query=query, headers=headers) as answer:
                if answer.status == 204:
                    return
                try:
                    for event in _events(answer.lines()):
                        last = event.id or last
                        ended = event.name == "end"
                        yield event
                except httpx.TransportError:
                    logger.warning("The connection to %s was lost; reconnecting", self.url)
            if not ended:
                time.sleep(_PAUSES[1])

    def close(self) -> None:
        with self._lock:
            if self._http is not None and self._pid == os.getpid():
                self._http.close()
            self._http = None

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._http is None or self._pid != os.getpid():
                limits = httpx.Limits(max_connections=32, max_keepalive_connections=16)
                # A redirect would send the key to another address.
                self._http = httpx.Client(
                    headers={"x-api-key": self._api_key, "user-agent": "tilth-python"},
                    timeout=httpx.Timeout(self._timeout, connect=30.0),
                    limits=limits,
                    follow_redirects=False,
                )
                self._pid = os.getpid()
            return self._http

    def _send(
        self,
        method: str,
        parts: Sequence[str],
        query: Optional[Mapping[str, Any]],
        given: Mapping[str, Any],
        headers: Mapping[str, str],
    ) -> httpx.Response:
        """One attempt; raises the error in the response."""
        body: Dict[str, Any] = {}
        if given.get("form") is not None:
            body["files"] = [
                (name, (None, value) if isinstance(value, str) else (value[0], value[1], "application/octet-stream"))
                for name, value in given["form"]
            ]
        elif given.get("body") is not None:
            body["json"] = given["body"]
        elif given.get("content") is not None:
            body["content"] = content = given["content"]
            if not isinstance(content, bytes):
                content.seek(0)
            headers = {"content-type": "application/octet-stream", **headers}
        client = self._client()
        request = client.build_request(method, self.url + path_of(parts, query), headers=dict(headers), **body)
        # The client decompresses nothing: ranges and checksums refer to the bytes as stored.
        request.headers["accept-encoding"] = "identity"
        response = client.send(request, stream=True)
        if response.is_success:
            return response
        try:
            text = response.read()
        finally:
            response.close()
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        raise error_of(response.status_code, data, response.headers, self.url)

    def _attempts(self, repeatable: bool, method: str) -> Iterator[_Attempt]:
        return iter(_Attempts(self, repeatable, method))


class _Attempts:
    """The attempts of one call, as a loop; each is a context manager that swallows errors that are retried."""

    def __init__(self, session: Session, repeatable: bool, method: str) -> None:
        self.session = session
        self.repeatable = repeatable
        self.method = method
        self.failures = 0
        self.since: Optional[float] = None
        self.may_have_happened = False
        self.gone = False

    def __iter__(self) -> Iterator[_Attempt]:
        while not self.gone:
            yield _Attempt(self)

    def failed(self, error: BaseException) -> bool:
        """Returns whether the call is retried, after waiting; may raise a better error."""
        if isinstance(error, RateLimited):
            # A rate limit names its end, however late that is, and a refused call had no effect.
            self._wait(max(error.retry_after or 0.0, _PAUSES[1]), error.message)
            return True
        if isinstance(error, Unavailable) and error.status != 507:
            # Such a response from the service itself, not from a proxy, means that the call had no effect.
            is_safe = error.retry_after is not None and error.request_id is not None
            if not self.repeatable and not is_safe:
                return False
            return self._again(error.message, error.retry_after or 0.0)
        if isinstance(error, ServiceError) and error.status == 404 and self.method == "DELETE" and self.may_have_happened:
            # The lost response was that of the deletion.
            self.gone = True
            return True
        if not isinstance(error, httpx.TransportError):
            return False
        never_sent = isinstance(error, _NEVER_SENT)
        words = f"{self.session.url} cannot be reached: {_words(error)}"
        if not never_sent and not self.repeatable:
            hint = "The service may have executed the call: check before you repeat it."
            raise ConnectionLost(words, hint=hint) from error
        self.may_have_happened = self.may_have_happened or not never_sent
        if self._again(words, 0.0):
            return True
        raise ConnectionLost(words) from error

    def _again(self, why: str, least: float) -> bool:
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        pause = max(least, _PAUSES[min(self.failures, len(_PAUSES) - 1)] * random.uniform(0.8, 1.2))
        if now + pause - self.since > self.session.patience:
            return False
        self.failures += 1
        self._wait(pause, why)
        return True

    def _wait(self, seconds: float, why: str) -> None:
        if seconds >= 1:
            logger.warning("%s; trying again in %.0f s", why, seconds)
        time.sleep(seconds)


class _Attempt:
    def __init__(self, attempts: _Attempts) -> None:
        self._attempts = attempts

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> bool:
        return error is not None and self._attempts.failed(error)


def path_of(parts: Sequence[str], query: Optional[Mapping[str, Any]] = None) -> str:
    """A path of the API with its parts escaped, and its query; parameters that are None are left out."""
    given: List[Tuple[str, str]] = []
    for name, value in (query or {}).items():
        if value is not None:
            given.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    path = "/api/v1/" + "/".join(quote(part, safe="") for part in parts)
    return f"{path}?{urlencode(given)}" if given else path


def _words(error: BaseException) -> str:
    return "it did not respond in time" if isinstance(error, httpx.TimeoutException) else str(error) or type(error).__name__


def _parsed(text: bytes, url: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as problem:
        raise TilthError(f"{url} is not a Tilth service") from problem


def _events(lines: Iterable[str]) -> Iterator[Event]:
    name = "message"
    number: Optional[str] = None
    data: List[str] = []
    for line in lines:
        if line == "":
            if data:
                yield Event(name, number, json.loads("\n".join(data)))
            name, number, data = "message", None, []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "id":
            number = value
        elif field == "data":
            data.append(value)
