"""A Spark cluster of our own: a master and its workers, on this machine alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = "127.0.0.1"
MASTER = "org.apache.spark.deploy.master.Master"
CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
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
            cluster._stop()

    def _stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.communicate()

    def executors(self) -> int:
        """Count the executors that its workers started for anybody."""
        return len(list(self.folder.glob("worker*/app-*/*")))

    @classmethod
    @contextmanager
    def connected(cls, folder: Path) -> Iterator[Cluster]:
        """Start a server that is spoken to by Spark Connect, and stop it in the end."""
        folder.mkdir()
        cluster = cls(folder)
        settings = {
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": "0",
            "spark.driver.bindAddress": LOOPBACK,
            "spark.driver.host": LOOPBACK,
            "spark.ui.enabled": "false",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        server = ("--master", "local[2]", *given, "--class", CONNECT, "spark-internal")
        try:
            place = cluster._begun("spark-submit", *server, until="Connect server started at: ")
            cluster.address = f"sc://{place}"
            yield cluster
        finally:
            cluster._stop()

    def kill_executor(self) -> bool:
        """Kill one of the executors that run now, as a power cut would; say whether there was one.

        Executors are the children of our workers.
        """
        for worker in self.processes[1:]:
            for child in psutil.Process(worker.pid).children(recursive=True):
                with suppress(psutil.Error):
                    if EXECUTOR in child.cmdline():
                        child.kill()
                        return True
        return False

    def _start(self, program: str, *arguments: str, until: str) -> str:
        """Start a part of it; return what follows the words that say that it runs."""
        own = ("--host", LOOPBACK, "--webui-port", "0")
        return self._begun("spark-class", program, *own, *arguments, until=until)

    def _begun(self, script: str, *arguments: str, until: str) -> str:
        import pyspark

        home = Path(pyspark.__file__).parent
        settings = {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_NO_DAEMONIZE": "1", "SPARK_HOME": str(home)}
        settings |= {"PYSPARK_PYTHON": sys.executable}
        process = subprocess.Popen(
            [home / "bin" / script, *arguments],
            env=os.environ | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            if until in line:
                Thread(target=_read_on, args=(process.stderr,), daemon=True).start()
                return line.partition(until)[2].strip()
        raise AssertionError(f"{script} {arguments[0]} did not start")


def _read_on(said: IO[str]) -> None:
    """Read all that a process says: one whose pipe is full stops and waits."""
    with suppress(ValueError):  # closed
        deque(said, 0)
