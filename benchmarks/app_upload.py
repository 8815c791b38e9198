"""A file of a million rows through the app: seconds of each page, and the memory of the server."""

from __future__ import annotations

import http.client
import subprocess
import sys
import tempfile
import time
from http.cookies import SimpleCookie
from pathlib import Path
from re import search
from urllib.parse import urlsplit

import psutil
import pyarrow.csv

from indistinct.datasets import census

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
PAGES = (
    "/open",
    "/open?page=5000",
    "/columns",
    "/hierarchies",
    "/hierarchies?column=age",
    "/goals",
)


class Client:
    """A browser that sends what browsers send."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host = parts.netloc
        answer, _ = self.ask("GET", f"{parts.path}?{parts.query}")
        cookie = SimpleCookie(answer.getheader("set-cookie"))
        self.cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in cookie.items())
        found = search(r'data-token="([^"]+)"', self.ask("GET", "/open")[1].decode())
        self.token = found[1] if found else ""

    def ask(self, method: str, path: str, body=None) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self.host)
        headers = {"Cookie": getattr(self, "cookie", ""), "Origin": f"http://{self.host}"}
        headers["X-Form-Token"] = getattr(self, "token", "")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()


def memory(process: int) -> str:
    """Return what the server holds at most, and what the processes beside it hold now."""
    server = psutil.Process(process)
    status = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    beside = sum(child.memory_info().rss for child in server.children())
    return f"server at most {most // 1000} MB, beside it {beside // 1_000_000} MB"


def main() -> None:
    """Upload the file, look at the pages, print a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        pyarrow.csv.write_csv(census(ROWS, seed=2), file)
        print(f"{ROWS:,} rows, {file.stat().st_size // 1_000_000} MB")
        command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app:
            client = Client(app.stdout.readline().strip() if app.stdout else "")
            print(f"{'begin':26} {memory(app.pid)}")
            begin = time.perf_counter()
            with file.open("rb") as body:
                client.ask("POST", "/open/file?name=people.csv", body)
            print(f"{'upload':26} {time.perf_counter() - begin:5.2f} s, {memory(app.pid)}")
            for page in PAGES:
                begin = time.perf_counter()
                answer, text = client.ask("GET", page)
                took = time.perf_counter() - begin
                said = f"{answer.status}, {len(text) // 1000} kB"
                print(f"{page:26} {took:5.2f} s, {memory(app.pid)}; {said}")
            app.terminate()


if __name__ == "__main__":
    main()
