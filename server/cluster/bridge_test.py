"""What the bridge does without Ray: `python3 -m unittest bridge_test` in this folder; `bridge.test.ts` runs it."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import unittest.mock

import bridge
import processes

ECHO = """
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "cancel" in message:
        continue
    order = message["order"]
    if order.get("die"):
        os.kill(os.getpid(), 9)
    if order.get("stop"):
        os.kill(os.getpid(), 19)
    if order.get("crash"):
        os.kill(os.getpid(), 11)
    time.sleep(order.get("sleep", 0))
    answer = {"pid": os.getpid(), "order": order, "variables": sorted(os.environ)}
    print(json.dumps({"id": message["id"], "answer": answer}), flush=True)
"""


def worker(code=ECHO):
    return [sys.executable, "-c", textwrap.dedent(code)]


def ask(arguments, order, given=None):
    return json.loads(processes.perform(arguments, given or {}, "1", order))


class Workers(unittest.TestCase):
    def tearDown(self):
        if processes.kept is not None:
            processes.kept.kill()
            processes.kept = None

    def test_one_process_does_order_after_order(self):
        first, second = ask(worker(), {"n": 1}), ask(worker(), {"n": 2, "text": "x" * 3_000_000})
        self.assertEqual([first["type"], first["id"], second["answer"]["order"]["n"]], ["answer", "1", 2])
        self.assertEqual(len(second["answer"]["order"]["text"]), 3_000_000)
        self.assertEqual(first["answer"]["pid"], second["answer"]["pid"])

    def test_it_knows_the_object_store_and_no_secret(self):
        os.environ.update({"TILTH_DATABASE_URL": "secret", "AWS_REGION": "r", "RAY_AUTH_TOKEN": "secret"})
        variables = ask(worker(), {}, {"TILTH_STORAGE_URL": "s3://b"})["answer"]["variables"]
        self.assertIn("AWS_REGION", variables)
        self.assertIn("TILTH_STORAGE_URL", variables)
        self.assertFalse({"TILTH_DATABASE_URL", "RAY_AUTH_TOKEN"} & set(variables))

    def test_a_lost_process_is_told_and_followed_by_another(self):
        before = ask(worker(), {})["answer"]["pid"]
        lost = ask(worker(), {"die": True})
        self.assertEqual(lost, {"type": "lost", "id": "1", "cause": "killed", "message": "it ended with SIGKILL"})
        self.assertNotEqual(ask(worker(), {})["answer"]["pid"], before)
        lost = ask(worker(), {"crash": True})
        self.assertEqual([lost["cause"], lost["message"]], ["worker", "it ended with SIGSEGV"])

    def test_a_process_that_something_has_stopped_is_lost_after_a_while(self):
        ask(worker(), {})
        with unittest.mock.patch.multiple(processes, STOPPED_S=1.0, LOOK_S=0.1):
            lost = ask(worker(), {"stop": True})
        self.assertEqual([lost["cause"], lost["message"]], ["killed", "it was stopped for 1 s and was ended"])
        self.assertEqual(ask(worker(), {"n": 1})["answer"]["order"]["n"], 1)

    def test_a_process_that_never_worked_is_no_fault_of_an_order(self):
        code = "import sys; print('TILTH_STORAGE_URL is not set', file=sys.stderr); sys.exit(2)"
        answer = ask(worker(code), {})["answer"]
        self.assertEqual([answer["kind"], answer["cause"]], ["failed", "setup"])
        self.assertRegex(answer["message"], "exit code 2.*TILTH_STORAGE_URL is not set")

    def test_a_cancelled_order_ends_with_its_process_if_it_must(self):
        for sleep, stays in [(0.5, True), (60, False)]:
            pid = ask(worker(), {})["answer"]["pid"]
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            since = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                ask(worker(), {"sleep": sleep, "n": "cancelled"})
            self.assertLess(time.monotonic() - since, 10)
            after = ask(worker(), {"n": "next"})["answer"]
            self.assertEqual([after["order"]["n"], after["pid"] == pid], ["next", stays])

    def test_a_process_ends_with_the_one_that_started_it(self):
        code = f"""
            import sys, time
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            import processes
            print(processes.start([sys.executable, "-c", "import time; time.sleep(600)"], {{}}, None).pid, flush=True)
            time.sleep(600)
        """
        parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE)
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        parent.stdout.close()
        deadline = time.monotonic() + 30
        while is_alive(child) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(is_alive(child))


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as status:
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Slots(unittest.TestCase):
    def slots(self, *nodes, cpus=1, memory=0, gpus=0):
        given = [{"Alive": alive, "Resources": resources} for alive, resources in nodes]
        return bridge.slots_of(given, {"cpus": cpus, "memoryBytes": memory, "gpus": gpus})

    def test_of_the_nodes_that_are_alive_what_is_scarcest_counts(self):
        node = {"CPU": 8.0, "memory": 10e9, "GPU": 2.0}
        self.assertEqual(self.slots((True, node), (False, node)), 8)
        self.assertEqual(self.slots((True, node), (True, node), cpus=2), 8)
        self.assertEqual(self.slots((True, node), memory=4e9), 2)
        self.assertEqual(self.slots((True, node), (True, {"CPU": 8.0}), gpus=1), 2)

    def test_a_cluster_that_is_scaled_to_nothing_is_asked_for_one(self):
        self.assertEqual(self.slots(), 0)


class Given(unittest.TestCase):
    def test_what_the_job_was_given_is_kept_from_its_tasks(self):
        variables = {"TILTH_DATABASE_URL": "secret", "TILTH_STORAGE_URL": "s3://b"}
        environment = {bridge.GIVEN: json.dumps({"metadata": {"a": "b"}, "runtime_env": {"env_vars": variables}})}
        self.assertEqual(bridge.keep_from_tasks(environment), {"TILTH_STORAGE_URL": "s3://b"})
        self.assertEqual(json.loads(environment[bridge.GIVEN]), {"metadata": {"a": "b"}})


if __name__ == "__main__":
    unittest.main()
