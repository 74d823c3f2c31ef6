"""`ray start` for the tests, without parts of a head that they don't need, which take most of the memory and time."""

import sys
import time

import ray._private.services as services
from ray._private.node import Node
from ray.scripts.scripts import main

start_ray_process = services.start_ray_process
get_node = services.get_node


def start_some(command, process_type, *rest, **options):
    if process_type == "dashboard":
        command = [*command, "--modules-to-load=JobHead,NodeHead"]
    return start_ray_process(command, process_type, *rest, **options)


def wait_for_node(*arguments):
    """Ray gives a node 30 seconds to come up, which a busy machine exceeds."""
    deadline = time.monotonic() + 150
    while True:
        try:
            return get_node(*arguments)
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


services.start_ray_process = start_some
services.get_node = wait_for_node
Node.start_ray_client_server = lambda node: None
Node.start_monitor = lambda node: None
sys.exit(main())
