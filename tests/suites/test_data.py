"""Where the official files are looked for, and how they are installed and fetched."""

import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import de2ls
from de2ls.suites.cec2017 import SUITE, data
from de2ls.suites.cec2017.data import (
    DATA_VARIABLE,
    DownloadError,
    OfficialDataInvalidError,
    OfficialDataMissingError,
)


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the per-user folder of a user who has nothing yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    folder = data.user_folder()
    assert folder.is_relative_to(tmp_path)
    return folder


@pytest.fixture
def official() -> Path:
    """Return the folder of the official files; only for tests marked so."""
    return data.data_folder()


def zipped(contents: dict[str, bytes], folder: str = "some/folder/") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(folder + name, content)
    return buffer.getvalue()


def files_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in data.official_sums()}


def leftovers(target: Path) -> list[Path]:
    """Return what an installation left beside the target folder."""
    return [path for path in target.parent.glob("*") if path != target]


# The list -----------------------------------------------------------------------------------------


def test_the_list_names_every_file_that_the_problems_read():
    names = {f"shift_data_{k}.txt" for k in SUITE}
    for k, facts in SUITE.items():
        names |= {f"{name}_{k}_D{dim}.txt" for name in facts.maps for dim in data.DIMENSIONS}
    sums = data.official_sums()
    assert set(sums) == names
    assert len(sums) == 72
    assert all(len(digest) == 64 and int(digest, 16) >= 0 for digest in sums.values())


@pytest.mark.official
def test_the_official_files_have_the_listed_sums(official):
    assert data.check_folder(official) == ([], [])


# The search order ---------------------------------------------------------------------------------


def write_shift(folder: Path, value: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shift_data_1.txt").write_text(" ".join([str(value)] * 100))


def test_search_order(tmp_path, target, monkeypatch):
    write_shift(target, 1.0)
    write_shift(tmp_path / "variable", 2.0)
    write_shift(tmp_path / "argument", 3.0)

    def shift(**arguments):
        return set(de2ls.cec2017(1, 10, **arguments).kernel.params)

    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    assert shift() == {1.0}
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "variable"))
    assert shift() == {2.0}
    assert shift(data=tmp_path / "argument") == {3.0}
    monkeypatch.setenv(DATA_VARIABLE, "")
    assert shift() == {1.0}


def test_a_named_folder_without_the_files_is_not_passed_over(tmp_path, target):
    write_shift(target, 1.0)
    with pytest.raises(OfficialDataMissingError, match=r"shift_data_1\.txt"):
        de2ls.cec2017(1, 10, data=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3", "holds 3 numbers instead of 10"),
        ("1 two " * 10, "not a list of numbers"),
        ("1 nan " * 10, "holds a number that is not finite"),
        ("1 \u00bd" * 10, "not a text of numbers"),
    ],
)
def test_damaged_files_are_refused(tmp_path, text, message):
    (tmp_path / "shift_data_1.txt").write_text(text, encoding="utf-8")
    with pytest.raises(OfficialDataInvalidError, match=message):
        de2ls.cec2017(1, 10, data=tmp_path)


# install ------------------------------------------------------------------------------------------


@pytest.mark.official
@pytest.mark.parametrize("form", ["folder", "zip"])
def test_install(form, official, target, tmp_path, monkeypatch):
    source = official
    if form == "zip":
        source = tmp_path / "official.zip"
        source.write_bytes(zipped(files_of(official)))
    assert data.install(source) == target
    assert files_of(target) == files_of(official)
    assert leftovers(target) == []
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    from_user = de2ls.cec2017(21, 10).kernel.params
    np.testing.assert_array_equal(from_user, de2ls.cec2017(21, 10, data=official).kernel.params)


@pytest.mark.official
def test_install_replaces_a_damaged_installation(official, target):
    write_shift(target, 1.0)
    (target / "stray.txt").write_text("")
    data.install(official)
    assert data.check_folder(target) == ([], [])
    assert not (target / "stray.txt").exists()
    assert leftovers(target) == []


@pytest.mark.official
def test_the_right_one_of_two_copies_is_taken(official, target, tmp_path):
    source = tmp_path / "two.zip"
    contents = files_of(official)
    with zipfile.ZipFile(source, "w") as archive:
        for folder, end in (("old", b" "), ("new", b""), ("other", b"\n")):
            for name, content in contents.items():
                archive.writestr(f"{folder}/{name}", content + end)
    data.install(source)
    assert files_of(target) == contents


@pytest.mark.official
@pytest.mark.parametrize("damage", ["wrong", "missing"])
def test_one_bad_file_spoils_the_installation(damage, official, target, tmp_path):
    contents = files_of(official)
    if damage == "wrong":
        contents["M_21_D30.txt"] = contents["M_21_D30.txt"][:-20]
        error, message = OfficialDataInvalidError, r"M_21_D30\.txt in .*SHA-256.*nothing was"
    else:
        del contents["M_21_D30.txt"]
        error, message = OfficialDataMissingError, r"lacks M_21_D30\.txt.*nothing was installed"
    source = tmp_path / "bad.zip"
    source.write_bytes(zipped(contents))
    with pytest.raises(error, match=message):
        data.install(source)
    assert not target.exists()
    assert leftovers(target) == []


def test_wrong_contents_leave_the_old_installation(target, tmp_path):
    write_shift(target, 1.0)
    source = tmp_path / "wrong"
    source.mkdir()
    for name in data.official_sums():
        (source / name).write_text("0 0 0")
    with pytest.raises(OfficialDataInvalidError, match=r"and 69 more in .* differ"):
        data.install(source)
    assert [path.name for path in target.iterdir()] == ["shift_data_1.txt"]
    assert leftovers(target) == []


def test_install_from_nowhere(target, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder or zip .*nowhere"):
        data.install(tmp_path / "nowhere")
    (tmp_path / "text.zip").write_text("this is no zip")
    with pytest.raises(OfficialDataInvalidError, match=r"text\.zip is not a whole zip"):
        data.install(tmp_path / "text.zip")
    assert not target.exists()


# fetch --------------------------------------------------------------------------------------------


class Server:
    """A local HTTP server that answers every request with `body`."""

    def __init__(self) -> None:
        self.body = b""
        self.missing_bytes = 0  # announced but not sent
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != "/data.zip":
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(server.body) + server.missing_bytes))
                self.end_headers()
                self.wfile.write(server.body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/data.zip"

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    local = Server()
    yield local
    local.close()


@pytest.mark.official
def test_fetch(server, official, target):
    server.body = zipped(files_of(official), "CSOP/RDE26-CSOP/rde26-csop/inputData/")
    assert data.fetch(server.url) == target
    assert files_of(target) == files_of(official)
    assert leftovers(target) == []


def test_fetch_of_a_file_with_a_wrong_sum(server, target):
    server.body = zipped(dict.fromkeys(data.official_sums(), b"1 2 3"))
    with pytest.raises(OfficialDataInvalidError, match="official files") as caught:
        data.fetch(server.url)
    assert server.url in str(caught.value)
    assert not target.exists()


def test_fetch_that_breaks_off(server, target):
    whole = zipped(dict.fromkeys(data.official_sums(), b"1 2 3"))
    server.body, server.missing_bytes = whole[:500], len(whole) - 500
    with pytest.raises(DownloadError, match="could not download") as caught:
        data.fetch(server.url)
    assert server.url in str(caught.value)
    assert not target.exists()


def test_fetch_of_a_truncated_file(server, target):
    server.body = zipped(dict.fromkeys(data.official_sums(), b"1 2 3"))[:-500]
    with pytest.raises(OfficialDataInvalidError, match="is not a whole zip") as caught:
        data.fetch(server.url)
    assert server.url in str(caught.value)
    assert not target.exists()


def test_fetch_from_a_wrong_address(server, target):
    with pytest.raises(DownloadError, match="404"):
        data.fetch(server.url.replace("data", "nothing"))
    assert not target.exists()


def test_fetch_from_an_unreachable_host(target):
    with socket.socket() as unused:  # bound but not listening: connections are refused
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/data.zip"
        with pytest.raises(DownloadError, match="could not download"):
            data.fetch(url)
    assert not target.exists()


def test_fetch_takes_web_addresses_only(target):
    with pytest.raises(ValueError, match="url must"):
        data.fetch("ftp://127.0.0.1/data.zip")
