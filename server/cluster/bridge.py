"""The entrypoint of a Ray job: a driver on one side, tasks of the cluster on the other.

    python3 bridge.py PROGRAM [ARGUMENT ...] -- PROGRAM [ARGUMENT ...]

Starts the first program, the driver, and reads what it says, one JSON object a line: {"type": "run", "id", "order", "resources"}
has the order done by a task, in a process of the second program, the worker, which stays for the next one; {"type": "cancel", "id"}
ends a task. The driver hears {"type": "answer", "id", "answer"}, or {"type": "lost", "id", "cause", "message"}: "worker" if the process
ended by itself, "killed" if something else ended it, "node" if it went with its node; and every second how many tasks the cluster
can do at a time, and whether there is room for one at all: {"type": "slots", "slots", "hasRoom"}. It knows nothing of what is worked on.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import processes

# Where Ray puts what the job was given.
GIVEN = "RAY_JOB_CONFIG_JSON_ENV_VAR"
# A driver that was stopped waits for replies that were paid for.
GRACE_S = 125.0


def keep_from_tasks(environment):
    """
    What the job was given is for its driver: Ray would hand it to all its processes, secrets and all. Returns the part that
    workers need. Tasks without an environment of their own also start quicker, in processes that wait for them.
    """
    config = json.loads(environment.get(GIVEN, "{}"))
    given = config.pop("runtime_env", {}).get("env_vars", {})
    environment[GIVEN] = json.dumps(config)
    return processes.for_workers(given)


def slots_of(nodes, resources):
    """How many tasks with these resources the nodes that are alive can do at a time; 0 if none has room for one."""
    slots = 0
    for node in nodes:
        if not node["Alive"]:
            continue
        has = node["Resources"]
        places = [has.get("CPU", 0) // resources["cpus"]] if resources["cpus"] > 0 else []
        if resources["memoryBytes"] > 0:
            places.append(has.get("memory", 0) // resources["memoryBytes"])
        if resources["gpus"] > 0:
            places.append(has.get("GPU", 0) // resources["gpus"])
        slots += int(min(places, default=1))
    return slots


class Bridge:
    def __init__(self, ray, driver, worker, given):
        self.ray = ray
        self.driver = driver
        self.task = (os.path.dirname(os.path.abspath(__file__)), worker, given)
        self.writing = threading.Lock()
        self.under_way = {}
        self.ended = queue.SimpleQueue()
        self.resources = {"cpus": 1, "memoryBytes": 0, "gpus": 0}
        self.perform = None

    def task_with(self, resources):
        options = {"num_cpus": resources["cpus"], "num_gpus": resources["gpus"], "name": "tilth-order", "max_retries": 0}
        if resources["memoryBytes"] > 0:
            options["memory"] = resources["memoryBytes"]
        return self.ray.remote(**options)(perform)

    def say(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        with self.writing:
            self.driver.stdin.write(line + b"\n")
            self.driver.stdin.flush()

    def hear(self, message):
        if message["type"] == "run":
            self.run(message["id"], message["order"], message["resources"])
        elif message["type"] == "cancel":
            reference = self.under_way.get(message["id"])
            if reference is not None:
                self.ray.cancel(reference)

    def run(self, order_id, order, resources):
        if resources != self.resources or self.perform is None:
            self.perform = self.task_with(resources)
            self.resources = resources
        reference = self.perform.remote(*self.task, order_id, order)
        self.under_way[order_id] = reference
        # Ray calls it in a thread of its own, which must not wait for the driver.
        reference.future().add_done_callback(lambda future: self.ended.put((order_id, future)))

    def answer(self):
        """Tells the driver what became of its orders, as they end."""
        while True:
            order_id, future = self.ended.get()
            self.under_way.pop(order_id, None)
            self.say(self.outcome(order_id, future))

    def outcome(self, order_id, future):
        exceptions = self.ray.exceptions
        try:
            return future.result()
        except (exceptions.TaskCancelledError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError) as error:
            return lost(order_id, "killed", error)
        except exceptions.RayTaskError as error:
            return failed(order_id, repr(error.cause), str(error))
        except exceptions.RayError as error:
            return lost(order_id, "node", error)

    def watch(self):
        """Tells the driver how much the cluster can do, which changes as nodes come and go."""
        while True:
            slots = slots_of(self.ray.nodes(), self.resources)
            # A cluster that is scaled to nothing grows by the task that waits.
            self.say({"type": "slots", "slots": max(1, slots), "hasRoom": slots > 0})
            time.sleep(1)


def perform(folder, worker, given, order_id, order):
    """A task. Ray sends this function to its processes by value, so the module with their state is loaded there."""
    import sys

    if folder not in sys.path:
        sys.path.insert(0, folder)
    import processes

    return processes.perform(worker, given, order_id, order)


def lost(order_id, cause, error):
    return {"type": "lost", "id": order_id, "cause": cause, "message": str(error).strip().split("\n")[0]}


def failed(order_id, message, stack):
    answer = {"kind": "failed", "cause": "setup", "message": message, "stack": stack}
    return {"type": "answer", "id": order_id, "answer": answer}


def in_background(work):
    """Without this work, the job is of no use."""

    def run():
        try:
            work()
        except BrokenPipeError:
            # The driver hears nothing any more: it ends.
            pass
        except BaseException as error:
            print(f"bridge: {work.__name__}: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)

    threading.Thread(target=run, daemon=True).start()


def main(arguments):
    at = arguments.index("--")
    # At once, so that it starts while this process joins the cluster. By this thread, which is the last to end.
    driver = processes.start(arguments[:at], dict(os.environ), stderr=None)

    def end_in_time():
        try:
            driver.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            driver.kill()
        os._exit(1)

    def end(_signal, _frame):
        driver.terminate()
        in_background(end_in_time)

    signal.signal(signal.SIGTERM, end)
    given = keep_from_tasks(os.environ)
    import ray

    ray.init(log_to_driver=False)
    # Ray has put its own handler there, which ends this process at once, and with it the driver.
    signal.signal(signal.SIGTERM, end)
    bridge = Bridge(ray, driver, arguments[at + 1 :], given)
    in_background(bridge.answer)
    in_background(bridge.watch)
    for line in driver.stdout:
        bridge.hear(json.loads(line))
    return driver.wait()


if __name__ == "__main__":
    # Nothing that Ray still has to do is worth waiting for.
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code if code >= 0 else 1)
