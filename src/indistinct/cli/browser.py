"""`indistinct app`: the whole way from a file to a release, in the browser of this machine."""

from __future__ import annotations

import errno
from typing import Annotated

import typer

from indistinct.errors import Fault, IndistinctError, OutputError


def command(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on. 0 means any free port.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the address in the browser.")
    ] = True,
) -> None:
    """Open a file, make a plan, run it and check it, on pages in the browser.

    The pages are served to this machine and to one browser only: the one that first opens the
    printed address. Files and drafts lie in a private folder, which is removed at the end (Ctrl-C).
    """
    try:
        from indistinct.app.serving import serve
    except ModuleNotFoundError as error:
        problem = f"it needs {error.name}, which is not installed"
        remedy = "Install what the app needs, from a checkout: pip install '.[app]'."
        raise IndistinctError(Fault("app", problem, remedy)) from None

    def announce(address: str) -> None:
        typer.echo(f"{address}\nThe address works once. Ctrl-C ends the app and removes its files.")
        if browser:
            import webbrowser

            webbrowser.open(address)

    try:
        serve(announce, port=port)
    except KeyboardInterrupt:
        typer.echo("The app has ended, and its files are removed.")
    except OSError as error:
        busy = error.errno in {errno.EADDRINUSE, errno.EACCES}
        problem = "the port is in use or not allowed" if busy else "it cannot be served"
        raise OutputError(Fault(f"port {port}", problem, "Name another, or none.")) from None
