"""The dashboard as a real process, and plain requests to it."""

import contextlib
import http.client
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.campaigns.support import command

PATIENCE = 180  # seconds before a server counts as hung; a busy machine is slow


class Dashboard:
    """A running dashboard."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
        self.port = int(port)

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Send one request, its path as it stands, and return status, headers and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    @contextlib.contextmanager
    def events(self) -> Iterator[Iterator[tuple[str, Any]]]:
        """Open the stream; yields its events as names and data."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", "/events")
            answer = connection.getresponse()
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            yield read_events(answer)


def read_events(lines: Any) -> Iterator[tuple[str, Any]]:
    """Read a stream of events strictly by its format."""
    block: list[str] = []
    for line in lines:
        text = line.decode()
        assert text.endswith("\n")
        if text != "\n":
            block.append(text.rstrip("\n"))
            continue
        fields = dict(item.split(": ", 1) for item in block if not item.startswith(":"))
        block = []
        assert set(fields) in ({"retry"}, {"event", "data"}, set())
        if "event" in fields:
            yield fields["event"], json.loads(fields["data"])


@contextlib.contextmanager
def dashboard(path: Path, *options: str) -> Iterator[Dashboard]:
    """Run ``de2ls dashboard`` and end it as Ctrl-C does."""
    import signal

    process = subprocess.Popen(
        command("dashboard", str(path), "--port", "0", *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            line = process.stdout.readline()
            assert line.startswith(f"{path}: http://"), line + process.stderr.read()
            yield Dashboard(line.split(": ", 1)[1].split()[0])
        finally:
            process.send_signal(signal.SIGINT)
            output = process.communicate(timeout=PATIENCE)
    assert output == ("", "")
    assert process.returncode == 0
