"""The dashboard by plain requests."""

import re
import shutil
import socket

import pytest

from de2ls.campaigns import Store
from de2ls.reports.dashboard.server import is_own
from tests.campaigns.support import make_record
from tests.reports.dashboard.support import dashboard
from tests.reports.support import HOSTILE, make_store


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store") / "results.db")


@pytest.fixture(scope="module")
def served(path):
    with dashboard(path) as found:
        yield found


def test_it_listens_on_loopback_only(served):
    assert served.host == "127.0.0.1"
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    for address in addresses - {"127.0.0.1", "::1"}:
        if not address.startswith("127.") and ":" not in address:
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, served.port), timeout=5)


def test_the_page_and_what_it_asks_for_are_there(served):
    status, headers, body = served.ask("/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    named = re.findall(r'(?:src|href)="([^"#:]+)"', body.decode())
    assert set(named) >= {"page.css", "dashboard.css", "theme.js", "dom.js", "dashboard.js"}
    for name in named:
        status, headers, body = served.ask(f"/{name}")
        assert status == 200
        assert body
        assert headers["Content-Type"].startswith(
            "text/css" if name.endswith(".css") else "text/javascript"
        )


@pytest.mark.parametrize(
    "place",
    [
        "/absent",
        "/results.db",
        "/page/index.html",
        "/../server.py",
        "/..%2fserver.py",
        "/%2e%2e/%2e%2e/watch.py",
        "//etc/passwd",
        "/page.css/",
        "/events/../../server.py",
    ],
)
def test_nothing_else_is_served(served, place):
    status, headers, body = served.ask(place)
    assert status in (404, 307)  # with a slash too many Starlette points to the file itself
    assert b"import" not in body
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("place", ["/", "/events"])
def test_other_methods_are_refused(served, method, place):
    status, headers, _ = served.ask(place, method)
    assert (status, headers["Allow"]) == (405, "GET")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil", ""])
@pytest.mark.parametrize("place", ["/", "/events", "/dashboard.js"])
def test_another_host_is_refused(served, host, place):
    status, _, body = served.ask(place, Host=host)
    assert status == 400
    assert b"Host" in body


def test_this_machine_is_accepted_by_its_names(served):
    for host in ("localhost", f"LOCALHOST:{served.port}", f"127.0.0.1:{served.port}", "[::1]:1"):
        assert served.ask("/", Host=host)[0] == 200


def test_the_given_host_counts():
    assert is_own("lab.example:80", "lab.example")
    assert not is_own("lab.example", "127.0.0.1")
    assert not is_own("10.1.2.3", "127.0.0.1")
    assert is_own("10.1.2.3:8765", "0.0.0.0")
    assert is_own("[fe80::1]:8765", "::")
    assert is_own(socket.gethostname(), "0.0.0.0")
    assert not is_own("evil.example", "0.0.0.0")
    assert not is_own("[evil.example]", "::")


def test_the_browser_is_told_to_load_nothing_from_elsewhere(served):
    for path in ("/", "/dashboard.js", "/absent"):
        policy = served.ask(path)[1]["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert served.ask(path)[1]["Cache-Control"] == "no-store"
    assert served.ask("/", Origin="http://evil.example")[1]["Access-Control-Allow-Origin"] is None


def test_the_stream_tells_progress_and_then_scores(served):
    with served.events() as events:
        name, now = next(events)
        assert name == "progress"
        assert (now["kind"], now["source"], now["writer"]) == ("campaign", "results.db", None)
        assert [series["label"] for series in now["series"]] == ["de2ls", "rdex", HOSTILE]
        name, scores = next(events)
        assert name == "scores"
        assert scores["titles"]["de2ls"] == "DE-2LS"
        assert len(scores["groups"][0]["rows"]) == 3


def test_the_stream_follows_a_writer_and_the_dashboard_writes_nothing(path, tmp_path):
    copy = tmp_path / "followed.db"
    shutil.copy(path, copy)
    before = copy.read_bytes()
    with dashboard(copy) as served:
        with served.events() as events:
            done = sum(series["done"] for series in next(events)[1]["series"])
        assert copy.read_bytes() == before
        with served.events() as events:
            next(events)
            with Store.open(copy) as store:
                store.add(make_record(label="new"))
                news = (data for name, data in events if name == "progress")
                found = next(now for now in news if len(now["series"]) == 4)
                assert sum(series["done"] for series in found["series"]) == done + 1
                assert found["writer"].startswith("process ")
            assert next(now for now in news if not now["writer"])["series"] == found["series"]
    assert [file.name for file in tmp_path.iterdir()] == ["followed.db"]


def test_a_store_that_disappears_is_said(path, tmp_path):
    copy = tmp_path / "brief.db"
    shutil.copy(path, copy)
    with dashboard(copy) as served, served.events() as events:
        next(events)
        copy.unlink()
        found = next(now for name, now in events if name == "progress" and "error" in now)
    assert "there is no store" in found["error"]


def test_a_port_in_use_is_said(called, path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = called("dashboard", path, "--port", port)
    assert code == 1
    assert f"port {port}" in err


def test_what_is_no_store_is_refused(called, tmp_path):
    code, _, err = called("dashboard", tmp_path / "absent.db", "--port", 0)
    assert code == 3
    assert "absent.db" in err


def test_the_extra_is_named_where_it_is_missing(called, path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "de2ls.reports.dashboard.server")
    code, _, err = called("dashboard", path)
    assert code == 1
    assert "de2ls[dashboard]" in err
