"""What Spark says when it fails, as one fault: no stack trace, and no value that it read."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from indistinct.errors import DataError, Fault, IndistinctError, OutputError


class Known(NamedTuple):
    """A failure that is known by what Spark says of it."""

    signs: re.Pattern[str]
    error: type[IndistinctError]
    problem: str
    remedy: str


def _known(signs: str, error: type[IndistinctError], problem: str, remedy: str) -> Known:
    return Known(re.compile(signs, re.IGNORECASE), error, problem, remedy)


KNOWN = (
    _known(
        r"PACKAGE_NOT_INSTALLED|ModuleNotFoundError|No module named",
        DataError,
        "a Python package is missing, here or on a machine of the cluster",
        "Install indistinct and pandas in the Python that every worker runs.",
    ),
    _known(
        r"maxResultSize",
        DataError,
        "the results of the blocks are larger than this session allows",
        "Raise spark.driver.maxResultSize, or let indistinct start the session.",
    ),
    _known(
        r"OutOfMemoryError|NOT_ENOUGH_MEMORY|Java heap space",
        DataError,
        "Spark ran out of memory",
        "Raise engine.memory_limit.",
    ),
    _known(
        r"No space left on device",
        OutputError,
        "a disk that Spark uses is full",
        "Free some space, or name another folder with engine.folder.",
    ),
    _known(
        r"Permission denied|AccessControlException|AccessDenied",
        DataError,
        "you have no permission to read or write it",
        "Ask for permission, also for the user that runs Spark.",
    ),
    _known(
        r"PATH_NOT_FOUND|FILE_NOT_EXIST|FileNotFoundException|NoSuchFileException",
        DataError,
        "there is no such file or folder",
        "Check the path; every machine of the cluster must see it.",
    ),
    _known(
        r"ExecutorLost|executor lost|lost executor|SparkContext (was|has been) shut ?down|"
        r"stopped SparkContext|removed our application|masters are unresponsive|UNAVAILABLE|"
        r"Py4JNetworkError|ConnectionError|ConnectionRefusedError|Connection refused",
        DataError,
        "Spark was lost while it worked on it",
        "Nothing was published. Look at the cluster, then run it again.",
    ),
    _known(
        r"UNABLE_TO_INFER_SCHEMA|CANNOT_READ_FILE_FOOTER|MALFORMED_CSV|MALFORMED_RECORD|"
        r"FAILED_READ_FILE|not a Parquet|ParquetDecoding",
        DataError,
        "Spark cannot read it",
        "Check the files: one may be broken, or in another format.",
    ),
)


def fault_of(error: Exception, place: str) -> IndistinctError:
    """Say what is wrong, where, and what to do; the text of the error is looked at, not shown."""
    kind = _condition(error) or _kind(error)
    kinds = [kind.__name__ for kind in type(error).__mro__]
    text = " ".join([kind, *kinds, str(error)])
    for known in KNOWN:
        if known.signs.search(text):
            return known.error(Fault(place, known.problem, known.remedy))
    remedy = 'Write the table as Parquet, or run it with engine = { name = "duckdb" }.'
    return DataError(Fault(place, f"Spark cannot do this ({kind})", remedy))


def _condition(error: Any) -> str:
    """Return Spark's own name for what is wrong: `PATH_NOT_FOUND`."""
    named = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    return (named() or "") if named else ""


def _kind(error: Any) -> str:
    """Return the kind of a Java exception, or of ours."""
    thrown = getattr(error, "java_exception", None)
    if thrown is not None:
        return str(thrown.getClass().getSimpleName())
    return type(error).__name__
