"""A Spark cluster of our own: a master and its workers, on this machine alone."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = "127.0.0.1"
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


@dataclass
class Cluster:
    """A running cluster."""

    folder: Path
    address: str = ""
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def started(cls, folder: Path, *, workers: int) -> Iterator[Cluster]:
        """Start a cluster, and stop it in the end."""
        folder.mkdir()
        cluster = cls(folder)
        try:
            cluster.address = cluster._start(
                MASTER, "--port", "0", until="Starting Spark master at "
            )
            for number in range(workers):
                place = ("-c", "1", "-m", "1g", "-d", str(folder / f"worker{number}"))
                cluster._start(WORKER, *place, cluster.address, until="registered with master ")
            yield cluster
        finally:
            for process in reversed(cluster.processes):
                process.terminate()
            for process in cluster.processes:
                process.communicate()

    def executors(self) -> int:
        """Count the executors that its workers started for anybody."""
        return len(list(self.folder.glob("worker*/app-*/*")))

    def _start(self, program: str, *arguments: str, until: str) -> str:
        """Start a part of it; return what follows the words that say that it runs."""
        import pyspark

        home = Path(pyspark.__file__).parent
        settings = {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_NO_DAEMONIZE": "1", "SPARK_HOME": str(home)}
        process = subprocess.Popen(
            [
                home / "bin" / "spark-class",
                program,
                *("--host", LOOPBACK, "--webui-port", "0"),
                *arguments,
            ],
            env=os.environ | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            if until in line:
                return line.partition(until)[2].strip()
        raise AssertionError(f"{program} did not start")
