"""The server of the dashboard: a few fixed files, one stream of events, nothing else.

It answers GET only, and only requests whose Host is this machine: a page of another site that
makes its own name point here (DNS rebinding) gets nothing. Whatever it sends forbids the browser
to load or run anything from elsewhere.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import AsyncIterator, Callable
from functools import cache
from importlib.resources import files
from pathlib import Path

from de2ls._extras import extra
from de2ls.reports.dashboard.watch import Watch

with extra("dashboard"):
    import uvicorn
    from starlette.applications import Starlette
    from starlette.datastructures import MutableHeaders
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response, StreamingResponse
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TICK = 0.5  # seconds between looks at the file's stamp
_SIGN_OF_LIFE = 15.0  # seconds after which a quiet stream says something
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::\d+)?")  # a name or address, and a port
_LOCAL = ("localhost", "127.0.0.1", "::1")

# Address: where the file is below reports/, and its type.
_FILES = {
    "/": ("dashboard/page/index.html", "text/html"),
    "/page.css": ("page/page.css", "text/css"),
    "/dashboard.css": ("dashboard/page/dashboard.css", "text/css"),
    "/theme.js": ("page/theme.js", "text/javascript"),
    "/dom.js": ("page/dom.js", "text/javascript"),
    "/scales.js": ("page/scales.js", "text/javascript"),
    "/run.js": ("dashboard/page/run.js", "text/javascript"),
    "/dashboard.js": ("dashboard/page/dashboard.js", "text/javascript"),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses what is not a GET from this machine's own address, and adds the headers."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":  # the start and end of the server; there are no sockets
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        app = self._app
        if not is_own(Request(scope).headers.get("host", ""), self._host):
            app = PlainTextResponse("the Host of this request is not this server\n", 400)
        elif scope["method"] != "GET":
            app = PlainTextResponse("this server answers GET only\n", 405, {"Allow": "GET"})
        await app(scope, receive, with_headers)


def is_own(header: str, host: str) -> bool:
    """Return whether a Host header names this server.

    Parameters
    ----------
    header : str
        Its name or address, perhaps with a port.
    host : str
        The address to which the server is bound. For every address (0.0.0.0 or ::) any address
        will do, and this machine's name: names of other sites still do not.
    """
    found = _HOST.fullmatch(header.lower())
    name = found[1].strip("[]") if found else ""
    if name in (*_LOCAL, host.lower()):
        return True
    return host in ("0.0.0.0", "::") and (  # noqa: S104 - compared, not bound
        name == socket.gethostname().lower() or _is_address(name)
    )


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def make_app(path: Path, host: str, stopping: Callable[[], bool] = lambda: False) -> ASGIApp:
    """Return the application that shows a file.

    Parameters
    ----------
    path : Path
        A store; it is only read.
    host : str
        The address to which the server is bound.
    stopping : callable
        Whether the server is ending: then so do the streams.
    """
    watch = Watch(path)

    async def stream() -> AsyncIterator[str]:
        yield "retry: 1000\n\n"
        sent = dict.fromkeys(watch.events, 0)
        quiet = 0.0
        while not stopping():
            await watch.refresh()
            for name, event in watch.events.items():
                if event.number != sent[name]:
                    sent[name], quiet = event.number, 0.0
                    yield f"event: {name}\ndata: {event.text}\n\n"
            if quiet >= _SIGN_OF_LIFE:
                quiet = 0.0
                yield ": nothing new\n\n"
            await asyncio.sleep(_TICK)
            quiet += _TICK

    async def events(request: Request) -> Response:
        del request
        return StreamingResponse(stream(), media_type="text/event-stream")

    async def file(request: Request) -> Response:
        place, kind = _FILES[request.url.path]
        return Response(_read(place), media_type=kind)

    routes = [Route(address, file) for address in _FILES]
    return Guard(Starlette(routes=[*routes, Route("/events", events)]), host)


@cache
def _read(place: str) -> bytes:
    return files("de2ls.reports").joinpath(*place.split("/")).read_bytes()


def serve(path: Path, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page until the process is interrupted.

    Parameters
    ----------
    path : Path
        A store; it is only read.
    host, port : str, int
        Where to listen; port 0 takes a free one.
    ready : callable
        Called with the page's address once it can be opened.

    Raises
    ------
    OSError
        If the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"host {host} and port {port} cannot be used: {reason}; choose others") from (
            error
        )
    with listener:
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{listener.getsockname()[1]}/")
        app = make_app(path, host, lambda: server.should_exit)
        config = uvicorn.Config(app, log_level="warning", server_header=False, lifespan="off")
        server = uvicorn.Server(config)
        server.run(sockets=[listener])
