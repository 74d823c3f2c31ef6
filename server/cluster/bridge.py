"""The entrypoint of a Ray job: a driver on one side, tasks of the cluster on the other.

    python3 bridge.py PROGRAM [ARGUMENT ...] -- PROGRAM [ARGUMENT ...]

Starts the first program, the driver, and reads its output, one JSON object per line. {"type": "run", "id", "order", "resources"}
runs an order as a task, in a process of the second program, the worker, which is kept for the next order; {"type": "cancel", "id"}
cancels a task. The bridge sends the driver {"type": "answer", "id", "answer"}, or {"type": "lost", "id", "cause", "message"} with the
cause "worker" if the process ended by itself, "killed" if something else ended it, or "node" if it was lost with its node. Every
second it also sends how many tasks the cluster can run concurrently, and whether it has room for one at all:
{"type": "slots", "slots", "hasRoom"}. The bridge does not interpret the orders.
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

# The variable in which Ray stores the configuration of the job.
GIVEN = "RAY_JOB_CONFIG_JSON_ENV_VAR"
# A stopped driver still waits for replies that are already paid for.
GRACE_S = 125.0


def keep_from_tasks(environment):
    """
    Removes the job's environment, which is meant for the driver: Ray would pass it, including secrets, to all its processes.
    Returns the part that workers need. Tasks without an environment of their own also start faster, in pooled processes.
    """
    config = json.loads(environment.get(GIVEN, "{}"))
    given = config.pop("runtime_env", {}).get("env_vars", {})
    environment[GIVEN] = json.dumps(config)
    return processes.for_workers(given)


def slots_of(nodes, resources):
    """How many tasks with these resources the live nodes can run concurrently; 0 if none has room for one."""
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
        # Ray calls this in its own thread, which must not wait for the driver.
        reference.future().add_done_callback(lambda future: self.ended.put((order_id, future)))

    def answer(self):
        """Sends the driver the outcomes of its orders as they end."""
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
        """Reports the cluster's capacity to the driver, which changes as nodes join and leave."""
        while True:
            slots = slots_of(self.ray.nodes(), self.resources)
            # At least 1: a cluster scaled to zero only grows when a task is waiting.
            self.say({"type": "slots", "slots": max(1, slots), "hasRoom": slots > 0})
            time.sleep(1)


def perform(folder, worker, given, order_id, order):
    """Runs as a task. Ray sends this function by value, so the module that holds the state is imported in the process."""
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
    """Runs work in a thread; if it fails, the job is useless and ends."""

    def run():
        try:
            work()
        except BrokenPipeError:
            # The driver no longer reads, because it is ending.
            pass
        except BaseException as error:
            print(f"bridge: {work.__name__}: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)

    threading.Thread(target=run, daemon=True).start()


def main(arguments):
    at = arguments.index("--")
    # Started first, so that it loads while this process joins the cluster. By the main thread, which ends last (see `start`).
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
    # Replaces the handler installed by Ray, which would end this process at once, and the driver with it.
    signal.signal(signal.SIGTERM, end)
    bridge = Bridge(ray, driver, arguments[at + 1 :], given)
    in_background(bridge.answer)
    in_background(bridge.watch)
    for line in driver.stdout:
        bridge.hear(json.loads(line))
    return driver.wait()


if __name__ == "__main__":
    # Do not wait for Ray to shut down.
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code if code >= 0 else 1)
