"""Child processes that end with their parent, and the worker that a process of the cluster keeps between orders."""

import ctypes
import json
import os
import select
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
CANCEL_GRACE_S = 2.0
TAIL_BYTES = 2000
# A process suspended by SIGSTOP or a debugger neither works nor ends; it is killed after this time.
STOPPED_S = 60.0
LOOK_S = 2.0
# Signals with which the system or users end a process; others are caused by the process itself.
FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

# Variables for workers: locations of programs and the object store. No database, no keys of the service.
NAMES = {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "NODE_EXTRA_CA_CERTS", "NODE_COMPILE_CACHE", "SSL_CERT_FILE", "SSL_CERT_DIR"}
PREFIXES = ("AWS_", "TILTH_STORAGE_", "LC_")
PROXIES = {"http_proxy", "https_proxy", "no_proxy"}


def for_workers(environment):
    """Selects the environment variables for a worker."""
    return {
        name: value
        for name, value in environment.items()
        if name in NAMES or name.startswith(PREFIXES) or name.lower() in PROXIES
    }


def start(arguments, environment, stderr):
    """Starts a process that is killed when the calling thread ends."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def die_with_parent():
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    program, *rest = arguments
    return subprocess.Popen(
        # Another node may have it at a different path.
        [program if os.path.exists(program) else os.path.basename(program), *rest],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        preexec_fn=die_with_parent,
    )


class Worker:
    """A process that performs one order after another."""

    def __init__(self, arguments, given):
        self.arguments = arguments
        self.given = given
        errors_out, errors_in = os.pipe()
        try:
            self.process = start(arguments, {**for_workers(os.environ), **given}, errors_in)
        finally:
            os.close(errors_in)
        self.error_stream = open(errors_out, "rb", buffering=0)
        self.errors = errors_out
        self.output = self.process.stdout.fileno()
        self.tail = b""
        self.buffer = bytearray()
        self.has_answered = False
        self.was_stopped = False

    def perform(self, order_id, order):
        """Performs an order; returns the answer of the process, or a message that it was lost."""
        try:
            self.send({"id": order_id, "order": order})
            line = self.read_line(None)
        except BaseException:
            # The order was cancelled; its answer must not be mistaken for that of the next one.
            self.cancel(order_id)
            raise
        if line is None:
            return self.loss(order_id)
        self.has_answered = True
        return b'{"type": "answer", ' + line.strip()[1:]

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def read_line(self, until):
        """Returns the next line of output; None at its end, or at the deadline."""
        open_streams = [self.output, self.errors]
        stopped_since = None
        next_look = time.monotonic() + LOOK_S
        while True:
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + LOOK_S
                if not self.is_stopped():
                    stopped_since = None
                elif stopped_since is None:
                    stopped_since = time.monotonic()
                elif time.monotonic() - stopped_since >= STOPPED_S:
                    self.was_stopped = True
                    self.process.kill()
            at = self.buffer.find(b"\n")
            if at >= 0:
                line = bytes(self.buffer[: at + 1])
                del self.buffer[: at + 1]
                return line
            if until is not None and time.monotonic() >= until:
                return None
            # Short waits, because Ray interrupts this thread without a signal that would end a wait.
            for stream in select.select(open_streams, [], [], 0.2)[0]:
                piece = os.read(stream, 1 << 20)
                if stream == self.errors:
                    self.tail = (self.tail + piece)[-TAIL_BYTES:]
                    if piece == b"":
                        open_streams.remove(stream)
                elif piece == b"":
                    return None
                else:
                    self.buffer += piece

    def cancel(self, order_id):
        """Cancels the order; kills the process if it does not respond in time."""
        self.send({"cancel": order_id})
        if self.read_line(time.monotonic() + CANCEL_GRACE_S) is None:
            self.kill()

    def loss(self, order_id):
        code = self.process.wait()
        self.drain()
        said = self.tail.decode(errors="replace").strip()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if not self.has_answered and code > 0:
            # The worker never answered on this node, so no order is to blame.
            message = f"{self.arguments[0]} can't work on a node of the cluster ({how}): {said[-500:]}"
            answer = {"kind": "failed", "cause": "setup", "message": message, "stack": said}
            return json.dumps({"type": "answer", "id": order_id, "answer": answer}).encode()
        cause = "killed" if -code in FROM_OUTSIDE else "worker"
        message = f"it was stopped for {STOPPED_S:.0f} s and was ended" if self.was_stopped else f"it ended with {how}"
        return json.dumps({"type": "lost", "id": order_id, "cause": cause, "message": message}).encode()

    def drain(self):
        while select.select([self.errors], [], [], 0)[0]:
            piece = os.read(self.errors, 1 << 16)
            if piece == b"":
                return
            self.tail = (self.tail + piece)[-TAIL_BYTES:]

    def is_stopped(self):
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as file:
                return file.read().rpartition(")")[2].split()[0] in "Tt"
        except OSError:
            return False

    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.error_stream):
            try:
                stream.close()
            except BrokenPipeError:
                pass


kept = None


def perform(arguments, given, order_id, order):
    """
    Performs an order with the worker of this process, whose environment is that of the node plus `given`. A lost worker is
    replaced by a new one.
    """
    global kept
    if kept is None or (kept.arguments, kept.given) != (arguments, given) or not kept.is_alive():
        if kept is not None:
            kept.kill()
        kept = Worker(arguments, given)
    return kept.perform(order_id, order)
