"""A real cluster of several nodes on this machine, where ray is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

NODE = {"num_cpus": 1, "memory": 700_000_000, "object_store_memory": 80_000_000}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A head and two nodes with a processor each; this process is connected to it."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from caveat.cluster.connection import imported

    ray = imported()
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    for _ in range(2):
        found.add_node(**NODE)
    found.wait_for_nodes()
    ray.init(address=found.address, log_to_driver=False, logging_level="ERROR")
    yield found
    ray.shutdown()
    found.shutdown()
