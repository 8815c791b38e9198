"""Who may ask: this browser, by this address, from these pages; and what its pages may do.

Every request passes here. The address printed at the start holds a token that opens the session
once. Whoever has no session, calls the server by another name, or comes from another page gets 403
and nothing else. What changes something needs the token of the form besides (`is_ours`).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""A report is a page of its own with its style inside; it may run nothing at all."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SAFE = frozenset({"GET", "HEAD"})
LINK_USED = (
    "This page needs the address that the command printed, and each address opens one session. "
    "Stop the app with Ctrl-C and start it again for a new one."
)


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Keys:
    """What lets a browser in.

    Attributes
    ----------
    host
        The name and port that the server is called by.
    token
        Opens the session, once; None when it is used up.
    session, form
        What the cookie holds, and what every form and upload brings along.
    """

    host: str
    token: str | None = field(default_factory=_secret)
    session: str = field(default_factory=_secret)
    form: str = field(default_factory=_secret)

    @property
    def origin(self) -> str:
        """Where our own pages come from."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers do not tell ports apart."""
        return f"indistinct-{self.host.rpartition(':')[2]}"

    def mark(self, state: str) -> str:
        """Return what a form brings: our token, and the state of the plan that it was made for."""
        return f"{self.form}.{state}"

    def state_of(self, form: str | None) -> str | None:
        """Return which state of the plan a form was made for; None if it is not one of ours."""
        ours, _, state = (form or "").partition(".")
        return state if secrets.compare_digest(ours.encode(), self.form.encode()) else None

    def spend(self, token: str) -> bool:
        """Use the token up; return whether it was right."""
        right = self.token is not None and secrets.compare_digest(
            token.encode(), self.token.encode()
        )
        if right:
            self.token = None
        return right


class Guard:
    """Lets only our own browser through, and puts its limits on every answer."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(scope)
        try:
            await (answer or self._app)(scope, receive, guarded)
        except Exception as error:  # noqa: BLE001 - whoever logs it would log data
            if not begun:
                await bug(None, error)(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """Return what is answered here; None if the request may pass."""
        headers = Headers(scope=scope)
        if headers.get("host") != self._keys.host:
            return _refused("This server is not called by that name.")
        if not self._is_from_us(headers, safe=scope["method"] in SAFE):
            return _refused("The request comes from another page.")
        sent = cookie_parser(headers.get("cookie", "")).get(self._keys.cookie, "")
        known = secrets.compare_digest(sent.encode(), self._keys.session.encode())
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and scope["method"] == "GET" and token:
            return self._opened(known=known, token=token)
        return None if known else _refused(LINK_USED)

    def _is_from_us(self, headers: Headers, *, safe: bool) -> bool:
        """Return whether a browser says that one of our pages asks, or the person itself."""
        origin = headers.get("origin")
        if origin is None and not safe:
            return False
        site = headers.get("sec-fetch-site", "same-origin")
        return origin in {None, self._keys.origin} and site in {"same-origin", "none"}

    def _opened(self, *, known: bool, token: str) -> Response:
        if not known and not self._keys.spend(token):
            return _refused(LINK_USED)
        answer = RedirectResponse("/open", 303)
        answer.set_cookie(
            self._keys.cookie, self._keys.session, httponly=True, samesite="strict", path="/"
        )
        return answer


def bug(_: object, error: Exception) -> Response:
    """Say that something went wrong that should not have, and nothing about the data."""
    words = f"Internal error ({type(error).__name__}). This is a bug in indistinct."
    return PlainTextResponse(words, 500)


def _refused(words: str) -> Response:
    return PlainTextResponse(words, 403)
