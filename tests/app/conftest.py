from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from indistinct.app.guard import Keys
from indistinct.app.project import Project
from indistinct.app.serving import application
from tests.services import chromium

HOST = "127.0.0.1:8000"


class Browser:
    """A browser that opened the printed address; it sends what browsers send."""

    def __init__(self, client, keys, folder):
        self.client, self.keys, self.folder = client, keys, folder

    def get(self, address, **options):
        return self.client.get(address, **options)

    def post(self, address, /, **fields):
        fields = {"form_token": self.keys.mark(self.state), **fields}
        return self.client.post(address, data=fields, headers={"Origin": self.keys.origin})

    def send(self, address, content):
        headers = {"Origin": self.keys.origin, "X-Form-Token": self.keys.form}
        return self.client.post(address, content=content, headers=headers)

    @property
    def state(self):
        """What the forms of a page that was loaded just now bring."""
        return Project(self.folder).state

    @property
    def plan(self):
        return (self.folder / "plan.toml").read_text("utf-8")

    def wait(self):
        """Follow the events of what runs until it ends; return the last."""
        return re.findall(r'"kind": "(\w+)"', self.get("/events").text)[-1]


@pytest.fixture
def keys():
    return Keys(HOST)


@pytest.fixture
def stranger(tmp_path, keys):
    """A browser that has no session."""
    with TestClient(
        application(tmp_path, keys), base_url=keys.origin, raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture
def browser(stranger, keys, tmp_path):
    """The browser that has the session."""
    assert stranger.get(keys.address, follow_redirects=False).status_code == 303
    return Browser(stranger, keys, tmp_path)


@pytest.fixture
def address(tmp_path):
    """A running app."""
    command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as app:
        yield app.stdout.readline().strip()
        app.terminate()
        app.stdout.read()


@pytest.fixture
def launched():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
        yield browser
        browser.close()
