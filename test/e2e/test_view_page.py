# SPDX-License-Identifier: Apache-2.0
"""scalene view for the browser: the server, spoken to by hand, and the files it writes."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from harness import ROOT, SCALENE, execute

EXAMPLE = ROOT / "schema/examples/memory.json"
BROWSERLESS = {name: value for name, value in os.environ.items()
               if name not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
               and not name.endswith(("_API_KEY", "_ENDPOINT")) and not name.startswith("AWS_")}


class Answer:
    def __init__(self, raw: bytes):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        first, *headers = head.decode().split("\r\n")
        self.status = int(first.split()[1]) if first else 0
        self.headers = {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in headers}


class Server:
    """A running `scalene view`; `address` is what it printed."""

    def __init__(self, *arguments, env=None, cwd=None):
        self.process = subprocess.Popen([str(SCALENE), "view", *map(str, arguments)], cwd=cwd,
                                        env={**BROWSERLESS, **(env or {})}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/(\?(compare|keys|compare&keys))?", self.address)
        if not match:
            self.process.kill()
            raise AssertionError(self.address + self.process.communicate()[1])
        self.port, self.token = int(match[1]), match[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def raw(self, request: bytes) -> bytes:
        with self.connect() as connection:
            connection.sendall(request)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def ask(self, name="", method="GET", path=None, host=None, **headers) -> Answer:
        """A request for something behind the token, or for another path."""
        path = f"/{self.token}/{name}" if path is None else path
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
        return Answer(self.raw("\r\n".join([*lines, "", ""]).encode()))

    def open_page(self) -> socket.socket:
        """The stream that a page holds open, once the server has greeted it."""
        stream = self.connect()
        stream.sendall(f"GET /{self.token}/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        seen = b""
        while b"data: open" not in seen:
            piece = stream.recv(65536)
            assert piece, seen
            seen += piece
        return stream


@pytest.fixture
def profile(tmp_path):
    return pathlib.Path(shutil.copy(EXAMPLE, tmp_path / "scalene-profile.json"))


@pytest.fixture
def server(profile):
    with Server(profile) as running:
        yield running


# ---- what is served ----

def test_page_and_profile_are_served(server, profile):
    page, data = server.ask(), server.ask("profile.json")
    assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"connect-src 'self'" in page.body and b"connect-src 'none'" not in page.body
    assert data.status == 200 and data.headers["Content-Type"] == "application/json"
    assert data.body == profile.read_bytes()
    assert int(data.headers["Content-Length"]) == len(data.body)


def test_page_is_the_one_that_view_has_built(server):
    built = (ROOT / "view/dist/index.html").read_bytes()
    assert built.count(b"connect-src 'none'") == 1
    assert server.ask().body == built.replace(b"connect-src 'none'", b"connect-src 'self'")
    courier = server.ask("courier.js?to=https://api.example.com")
    assert courier.body == (ROOT / "view/dist/courier.js").read_bytes()
    assert courier.headers["Content-Security-Policy"] == "default-src 'none'; connect-src https://api.example.com"
    assert server.ask("courier.js?to=*").status == 404


def test_default_file_is_the_profile_of_the_folder(profile, tmp_path):
    with Server(cwd=tmp_path) as server:
        assert server.ask("profile.json").body == profile.read_bytes()


def test_profile_is_the_file_as_it_is_now(server, profile):
    profile.write_text('{"later": true}')
    assert server.ask("profile.json").body == b'{"later": true}'
    profile.unlink()
    assert server.ask("profile.json").status == 404
    os.mkfifo(profile)  # would keep a server that opens it without care waiting for ever
    assert server.ask("profile.json").status == 404


def test_large_profile_is_served_whole_while_others_are_served(profile):
    big = {"files": {}, "names": ["<é>" * 100] * 40000}
    profile.write_text(json.dumps(big))
    with Server(profile) as server, server.connect() as slow:
        slow.sendall(f"GET /{server.token}/profile.json HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        slow.recv(1000)  # and then does not read on
        assert json.loads(server.ask("profile.json").body) == big


@pytest.mark.sees("view compare")
def test_second_profile_is_served_for_comparison(profile, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"files": {}, "other": 1}')
    with Server("--compare", other, profile) as server:
        assert server.address.endswith("/?compare")
        assert server.ask("compare.json").body == b'{"files": {}, "other": 1}'


def test_head_is_the_head_alone(server):
    answer = server.ask("profile.json", method="HEAD")
    assert answer.status == 200 and not answer.body
    assert int(answer.headers["Content-Length"]) == EXAMPLE.stat().st_size


def test_every_answer_has_strict_headers(server):
    for answer in (server.ask(), server.ask("profile.json"), server.ask("nothing"), server.ask(host="evil.example"),
                   Answer(server.raw(b"nonsense\r\n\r\n"))):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["Connection"] == "close"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "*" not in policy
        assert "Access-Control-Allow-Origin" not in answer.headers and "Server" not in answer.headers


# ---- who is refused ----

def test_foreign_pages_are_refused(server):
    own = f"http://127.0.0.1:{server.port}"
    assert server.ask("profile.json", Origin=own, Sec_Fetch_Site="same-origin").status == 200
    assert server.ask("profile.json", host="evil.example").status == 403
    assert server.ask("profile.json", host=f"evil.example:{server.port}").status == 403
    assert server.ask("profile.json", Origin="http://evil.example").status == 403
    assert server.ask("profile.json", Origin="null").status == 403
    assert server.ask("profile.json", Sec_Fetch_Site="cross-site").status == 403


def test_without_the_token_there_is_nothing(server):
    other = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    for path in ("/", "/profile.json", f"/{other}/profile.json", f"/{server.token}", f"//{server.token}/"):
        assert server.ask(path=path).status == 404, path


@pytest.mark.parametrize("name", ["../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "./profile.json",
                                  "profile.json/../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "keys.json"])
def test_no_path_leads_out(server, name):
    answer = server.ask(name)
    assert answer.status == 404 and b"root:" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(server, method):
    answer = server.ask(method=method)
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("request_, status", [
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * 20000 + b"\r\n\r\n", 431),
    (b"GET /" + b"a" * 2000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    (b"a" * 1000000, 431),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + b"a" * 1000000, 413),
    (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 505),
    (b"\x16\x03\x01\x02\x00\x01\x00", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
], ids=["head", "target", "endless", "body", "version", "tls", "hostless"])
def test_bad_requests_get_an_answer_and_no_more(server, request_, status):
    assert Answer(server.raw(request_)).status == status
    assert server.ask().status == 200


def test_only_loopback_listens(server):
    table = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [entry for entry in listening if entry.endswith(f":{server.port:04X}")] == [f"0100007F:{server.port:04X}"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_other_users_of_the_machine_are_refused(server):
    request = f"GET /{server.token}/profile.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
    script = f"exec 3<>/dev/tcp/127.0.0.1/{server.port}; printf '{request}' >&3; head -n 1 <&3"
    other = execute(["setpriv", "--reuid=65534", "--clear-groups", "bash", "-c", script])
    assert other.stdout.startswith("HTTP/1.1 403"), other
    assert execute(["bash", "-c", script]).stdout.startswith("HTTP/1.1 200")


def test_idle_connections_keep_nobody_out(server):
    crowd = [server.connect() for _ in range(100)]
    try:
        assert server.ask().status == 200
    finally:
        for connection in crowd:
            connection.close()


# ---- keys ----

KEYS = {"OPENAI_API_KEY": "sk-\"</script>é", "AWS_REGION": "eu-north-1", "HOME_API_KEY": "not this one"}


@pytest.mark.sees("view api-keys-from-env")
def test_keys_of_the_environment_are_served_only_when_asked_for(profile):
    with Server(profile, env=KEYS) as server:
        assert server.ask("keys.json").status == 404
    with Server("--api-keys-from-env", profile, env=KEYS) as server:
        answer = server.ask("keys.json")
        assert json.loads(answer.body) == {key: KEYS[key] for key in ("OPENAI_API_KEY", "AWS_REGION")}
        assert answer.headers["Cache-Control"] == "no-store"
        assert server.ask("keys.json", host="localhost:1").status == 403
        assert server.ask("keys.json", Sec_Fetch_Site="cross-site").status == 403
        assert server.ask(path="/keys.json").status == 404
        assert b"sk-" not in server.ask().body


@pytest.mark.parametrize("option", ["--cli", "--html", "--standalone", "-oa.html"])
def test_keys_go_to_no_file_and_no_terminal(scalene, profile, tmp_path, option):
    result = scalene("view", "--api-keys-from-env", option, profile, cwd=tmp_path, env={**BROWSERLESS, **KEYS})
    assert result.status == 1 and "--api-keys-from-env" in result.stderr and result.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == [profile.name]


def test_written_page_has_no_keys(scalene, profile, tmp_path):
    assert scalene("view", "--html", profile, cwd=tmp_path, env={**BROWSERLESS, **KEYS}).status == 0
    assert "sk-" not in (tmp_path / "scalene-profile.html").read_text()


# ---- how it begins and ends ----

def test_second_server_takes_the_next_port(server, profile):
    with Server(profile) as other:
        assert other.port > server.port >= 11235
        assert other.token != server.token
        assert other.ask(path=f"/{server.token}/").status == 404


@pytest.mark.sees("view linger")
def test_server_ends_after_the_page_was_closed(profile):
    """One that is to stay for a day is still there, though its page was closed before."""
    with Server("--linger", "0.3", profile) as server, Server("--linger", "86400", profile) as patient:
        page = server.open_page()
        patient.open_page().close()
        time.sleep(1)
        assert server.process.poll() is None  # as long as it is open
        page.close()
        assert server.process.wait(60) == 0
        assert patient.process.poll() is None


def test_reload_keeps_the_server(profile):
    with Server("--linger", "5", profile) as server:
        for _ in range(3):
            server.open_page().close()
            assert server.ask().status == 200
        with server.open_page():
            time.sleep(0.2)
            assert server.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_quietly(server, number):
    server.ask()
    server.process.send_signal(number)
    assert server.process.wait(30) == 0
    assert "Ctrl-C" in server.process.stderr.read()


def browser(folder: pathlib.Path, name: str = "browser") -> pathlib.Path:
    """A browser that only writes down what it was started with."""
    script = folder / name
    script.write_text(f'#!/bin/sh\n{{ printf "%s\\n" "$@"; ps -o tty= -p $$; }} >{folder}/{name}.tmp\n'
                      f'mv {folder}/{name}.tmp {folder}/{name}.log\n')
    script.chmod(0o755)
    return script


def started_with(script: pathlib.Path) -> list:
    log = script.with_suffix(".log")
    end = time.monotonic() + 60
    while not log.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return log.read_text().split("\n")


def test_browser_is_opened_at_the_address(profile, tmp_path):
    script = browser(tmp_path)
    with Server(profile, env={"BROWSER": f"/no/such/browser:{script} --new %s --last"}) as server:
        address, words = server.address, started_with(script)
        assert words[:3] == ["--new", address, "--last"] and words[3].strip() == "?"


def test_desktop_browser_is_opened_where_there_is_a_desktop(profile, tmp_path):
    script = browser(tmp_path, "xdg-open")
    with Server(profile, env={"DISPLAY": ":9", "PATH": f"{tmp_path}:{os.environ['PATH']}"}) as server:
        assert started_with(script)[0] == server.address


@pytest.mark.parametrize("text", ["lynx", "w3m", "links", "elinks", "www-browser"])
def test_text_browsers_are_not_opened(profile, tmp_path, text):
    script = browser(tmp_path, text)
    with Server(profile, env={"BROWSER": str(script)}) as server:
        server.process.send_signal(signal.SIGINT)
        _, said = server.process.communicate(timeout=60)
    assert "no browser with a window was found" in said and not script.with_suffix(".log").exists()


@pytest.mark.sees("view no-browser")
def test_no_browser_is_opened_without_a_desktop_or_on_wish(profile, tmp_path):
    script = browser(tmp_path, "xdg-open")
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for arguments, env, said in (([], path, "no browser with a window was found"),
                                 (["--no-browser"], {**path, "DISPLAY": ":9"}, "waits for the page to be opened")):
        with Server(*arguments, profile, env=env) as server:
            assert said in server.process.stderr.readline()
            server.process.send_signal(signal.SIGINT)
            server.process.communicate(timeout=60)
    assert not script.with_suffix(".log").exists()


# ---- bad input ----

@pytest.mark.parametrize("option", [[], ["--html"], ["--standalone"]])
@pytest.mark.parametrize("content, complaint", [
    (None, "profile file 'p.json' not found."), ("", "invalid JSON in profile file"),
    ("[1]", "invalid JSON in profile file"), ('{"a": 1', "invalid JSON in profile file"),
    ('{"a": <}', "invalid JSON in profile file")])
def test_bad_profiles_are_refused_in_one_sentence(scalene, tmp_path, option, content, complaint):
    if content is not None:
        (tmp_path / "p.json").write_text(content)
    result = scalene("view", *option, "p.json", cwd=tmp_path, env=BROWSERLESS)
    assert result.status == 1 and complaint in result.stderr and result.stderr.count("\n") == 1
    assert not result.stdout and not (tmp_path / "scalene-profile.html").exists()


def test_bad_second_profile_is_refused(scalene, profile, tmp_path):
    result = scalene("view", "--compare", "none.json", profile, cwd=tmp_path, env=BROWSERLESS)
    assert result.status == 1 and "profile file 'none.json' not found." in result.stderr


# ---- files ----

def inside(page: pathlib.Path, name: str) -> str:
    parts = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page.read_text(), re.S)
    assert len(parts) == 1
    return parts[0]


@pytest.mark.sees("view html", "view standalone")
@pytest.mark.parametrize("option", ["--html", "--standalone"])
def test_html_holds_the_profile(scalene, profile, tmp_path, option):
    result = scalene("view", option, cwd=tmp_path)
    assert (result.status, result.stdout, result.stderr) == (0, "Profile saved to: scalene-profile.html\n", "")
    page = tmp_path / "scalene-profile.html"
    assert json.loads(inside(page, "profile")) == json.loads(profile.read_text())
    assert inside(page, "compare") == ""
    assert "connect-src 'none'" in page.read_text()
    assert sorted(os.listdir(tmp_path)) == ["scalene-profile.html", "scalene-profile.json"]


@pytest.mark.sees("view -o", "view outfile")
def test_html_goes_where_it_is_told(scalene, profile, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"files": {}, "other": "</script>"}')
    result = scalene("view", "--html", "-o", "a b.htm", "--compare", other, profile, cwd=tmp_path)
    assert result.status == 0 and result.stdout == "Profile saved to: a b.htm\n"
    assert scalene("view", "--outfile", "c.html", profile, cwd=tmp_path).stdout == "Profile saved to: c.html\n"
    assert json.loads(inside(tmp_path / "a b.htm", "compare")) == {"files": {}, "other": "</script>"}


HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028\u2029", "\u202e", "'\"\\", "\U0001f4a5",
           "<" * 10000, "\ud800", "&lt;", "%SCRIPT%", '<script type="application/json" id="compare">']


@pytest.mark.parametrize("is_ascii", [True, False])
def test_no_name_gets_out_of_its_place(scalene, tmp_path, is_ascii):
    names = {name if is_ascii else name.replace("\ud800", ""): name for name in HOSTILE}
    names["files"] = {}
    text = json.dumps(names, ensure_ascii=is_ascii).replace("\ud800", "" if not is_ascii else "\ud800")
    (tmp_path / "p.json").write_text(text)
    assert scalene("view", "--html", "p.json", cwd=tmp_path).status == 0
    written = inside(tmp_path / "scalene-profile.html", "profile")
    assert "<" not in written and "\u2028" not in written and "\u2029" not in written
    assert json.loads(written) == json.loads(text)


@pytest.mark.parametrize("where, complaint", [("folder", "is a directory"), ("none/x.html", "cannot write"),
                                              ("scalene-profile.json", "is the profile itself"), ("", "is empty")])
def test_html_that_cannot_be_written_changes_nothing(scalene, profile, tmp_path, where, complaint):
    (tmp_path / "folder").mkdir()
    before = sorted(os.listdir(tmp_path)), profile.read_bytes()
    result = scalene("view", "--html", "-o", where, cwd=tmp_path)
    assert result.status == 1 and complaint in result.stderr and result.stderr.count("\n") == 1
    assert (sorted(os.listdir(tmp_path)), profile.read_bytes()) == before


def test_full_disk_leaves_the_old_page(scalene, profile, tmp_path):
    page = tmp_path / "scalene-profile.html"
    page.write_text("old")
    script = f"ulimit -f 8; trap '' XFSZ; exec {SCALENE} view --html"
    result = execute(["bash", "-c", script], cwd=tmp_path)
    assert result.status == 1 and "cannot write" in result.stderr
    assert page.read_text() == "old" and len(os.listdir(tmp_path)) == 2
