"""The one transaction of verbs that write: draft, read back, check, secure, commit; or nothing."""

from __future__ import annotations

import pytest

from indistinct.disk.transaction import Papers, transaction
from indistinct.errors import DoesNotHoldError, Fault, OutputError
from indistinct.running.progress import Progress, Stages


class DraftTable:
    """A sink as a database would have: a draft table that is renamed at the end."""

    def __init__(self, tables, name, log, *, fails=None):
        self.place = name
        self.parts = (self,)
        self._tables, self._log, self._fails = tables, log, fails

    def _step(self, step):
        self._log.append((step, self.place))
        if step == self._fails:
            raise OSError(28, "No space left on device")

    def begin(self):
        self._step("begin")
        self._tables["draft of " + self.place] = None

    def write(self, content):
        self._step("write")
        self._tables["draft of " + self.place] = content

    def read_back(self):
        self._step("read back")
        return self._tables["draft of " + self.place]

    def secure(self):
        self._step("secure")

    def commit(self):
        self._step("commit")
        self._tables[self.place] = self._tables.pop("draft of " + self.place)

    def discard(self):
        self._step("discard")
        self._tables.pop("draft of " + self.place, None)


@pytest.fixture
def tables():
    return {"people": "old"}


def refuse(_):
    raise DoesNotHoldError(Fault("release", "it does not hold"))


def publish(tables, paper, *, check=len, fails=None):
    log = []
    sinks = [DraftTable(tables, "people", log, fails=fails), DraftTable(tables, "ills", log)]
    stages = Stages(Progress())
    with transaction(stages, sinks, Papers.of(private=(paper, None))) as drafted:
        assert drafted.publish(["new", "flu"], check) == 2
        drafted.add(str(paper), "text")
        assert not paper.exists()
        assert tables["people"] == "old"
    return log, stages


def test_every_kind_of_sink_goes_through_the_same_steps(tables, tmp_path):
    log, stages = publish(tables, tmp_path / "report.html")
    assert tables == {"people": "new", "ills": "flu"}
    assert (tmp_path / "report.html").read_text() == "text"
    assert [step for step, name in log if name == "ills"] == [
        *("begin", "write", "read back", "secure", "commit", "discard"),
    ]
    assert log.index(("secure", "ills")) < log.index(("commit", "people"))
    assert set(stages.seconds) == {"write", "verify", "compile"}


def test_what_does_not_hold_is_not_published(tables, tmp_path):
    with pytest.raises(DoesNotHoldError):
        publish(tables, tmp_path / "report.html", check=refuse)
    assert tables == {"people": "old"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["begin", "write", "read back", "secure", "commit"])
def test_a_step_that_fails_leaves_everything_as_it_was(tables, tmp_path, step):
    with pytest.raises(OutputError, match="people: it cannot be written: no space left"):
        publish(tables, tmp_path / "report.html", fails=step)
    assert tables == {"people": "old"}
    assert list(tmp_path.iterdir()) == []


def test_a_release_may_be_drafted_again_after_a_repair(tables):
    sink = DraftTable(tables, "people", [])
    with transaction(Stages(Progress()), [sink], Papers()) as drafted:
        assert drafted.publish(["broken"], lambda back: back[0] == "broken")
        assert not drafted.publish(["mended"], lambda back: back[0] == "broken")
    assert tables == {"people": "mended"}
