"""Who is let in: one browser, by its address, from our own pages."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from indistinct.app.folder import private_folder
from indistinct.app.serving import PAGES

ADDRESSES = ["/", "/open", "/release", "/static/app.js", "/events", "/download/plan.toml", "/none"]
CHANGING = [
    route.path for part in PAGES for route in part.ROUTES if "POST" in (route.methods or ())
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_answered_without_a_session(stranger, address):
    assert stranger.get(address).status_code == 403


def test_the_token_opens_one_session_only(stranger, keys):
    address = keys.address
    opened = stranger.get(address, follow_redirects=False)
    cookie = opened.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/open").status_code == 200
    assert stranger.get(address, follow_redirects=False).status_code == 303  # it is in already
    stranger.cookies.clear()
    assert stranger.get(address).status_code == 403


def test_forms_of_another_state_of_the_plan_change_nothing(browser, keys):
    """Two tabs of one session: the one that was loaded earlier does not overwrite the other."""
    browser.post("/open/example", example="medical")
    earlier = keys.mark(browser.state)
    assert browser.post("/columns/role", column="sex", role="drop").status_code == 200
    before = browser.plan
    for address, fields in (
        ("/columns/role", {"column": "zip", "role": "drop"}),
        ("/goals", {"k_on": "on", "k": "2"}),
        ("/plan", {"text": "", "back": "/goals"}),
        ("/release", {}),
    ):
        answer = browser.post(address, form_token=earlier, **fields)
        assert answer.status_code == 409
        assert "The plan has changed meanwhile" in answer.text
        assert browser.plan == before
    assert browser.post("/columns/role", column="zip", role="drop").status_code == 200


def test_a_wrong_token_opens_nothing(stranger):
    assert stranger.get("/?token=guess").status_code == 403
    assert stranger.get("/?token=").status_code == 403


@pytest.mark.parametrize("host", ["localhost:8000", "evil.example", "127.0.0.1", "127.0.0.1:80"])
def test_another_host_is_refused(browser, host):
    assert browser.get("/open", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_is_refused(browser, headers):
    assert browser.get("/open", headers=headers).status_code == 403


def test_a_change_without_origin_is_refused(browser, keys):
    answer = browser.client.post("/open/example", data={"form_token": keys.form})
    assert answer.status_code == 403


@pytest.mark.parametrize("address", CHANGING)
@pytest.mark.parametrize("token", [None, "guess"])
def test_nothing_changes_without_the_token_of_the_form(browser, keys, address, token):
    headers = {"Origin": keys.origin} | ({"X-Form-Token": token} if token else {})
    data = {"form_token": token} if token else {}
    assert browser.client.post(address, data=data, headers=headers).status_code == 403
    assert not (browser.folder / "plan.toml").exists()


@pytest.mark.parametrize("address", ["/open", "/none", "/static/app.css"])
def test_every_answer_limits_what_a_page_may_do(browser, address):
    headers = browser.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"


def test_the_front_end_is_small_and_calls_nobody():
    folder = Path(__file__).parents[2] / "src/indistinct/app"
    files = [path for name in ("static", "templates") for path in (folder / name).iterdir()]
    assert sum(path.stat().st_size for path in files) < 300_000
    for path in files:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        text = text.replace("postgresql://user@host/db?table=visits", "")
        assert "://" not in text, path.name
        assert " style=" not in text, path.name
        assert " onclick" not in text, path.name


def test_an_error_of_ours_shows_no_data(browser, monkeypatch):
    monkeypatch.setattr("indistinct.app.pages.opening.rendered", lambda *_, **__: 1 / 0)
    answer = browser.get("/open/preview")
    assert answer.status_code == 500
    assert answer.text == "Internal error (ZeroDivisionError). This is a bug in indistinct."


def test_the_folder_is_its_owners_and_goes(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with private_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "data").mkdir()
        with private_folder() as other:
            assert folder.exists()
            assert other != folder
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_folder_goes_however_the_app_ends(tmp_path, number, monkeypatch):
    command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as app:
        assert app.stdout.readline().startswith("http://127.0.0.1:")
        assert len(list(tmp_path.iterdir())) == 1
        app.send_signal(number)
        app.wait()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if number == signal.SIGKILL:
        with private_folder() as folder:
            assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []
