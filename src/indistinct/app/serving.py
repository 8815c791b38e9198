"""The server: on this machine only, for one browser, as long as the command runs."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette

from indistinct.app.folder import private_folder
from indistinct.app.guard import Guard, Keys, bug
from indistinct.app.jobs import Jobs
from indistinct.app.pages import (
    checking,
    columns,
    explore,
    goals,
    hierarchies,
    lattice,
    looks,
    opening,
    plan,
    release,
    running,
)
from indistinct.app.project import Project

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
GRACE = 1
PAGES = (
    opening,
    columns,
    hierarchies,
    goals,
    explore,
    lattice,
    looks,
    release,
    checking,
    plan,
    running,
)


def application(folder: Path, keys: Keys, stop: Callable[[], None] = lambda: None) -> ASGIApp:
    """Return the app over a private folder, guarded."""
    jobs, project = Jobs(), Project(folder)

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        yield
        await jobs.cancel()
        project.looker.end()

    routes = [route for part in PAGES for route in part.ROUTES]
    app = Starlette(routes=routes, lifespan=living, exception_handlers={500: bug})
    app.state.project = project
    app.state.jobs = jobs
    app.state.keys = keys
    app.state.stop = stop
    return Guard(app, keys)


def serve(announce: Callable[[str], None], *, port: int = 0) -> None:
    """Serve the app until it is told to end, and remove its folder.

    Parameters
    ----------
    announce
        Is given the address with the token, once the server listens.
    port
        Where to listen; a free one if 0.
    """
    import uvicorn

    with private_folder() as folder, socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen()
        keys = Keys(f"{LOOPBACK}:{listening.getsockname()[1]}")

        def stop() -> None:
            server.should_exit = True

        server = uvicorn.Server(
            uvicorn.Config(
                application(folder, keys, stop),
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        announce(keys.address)
        server.run(sockets=[listening])
