"""A web server on this machine that misbehaves as a test wants it to."""

import contextlib
import http.server
import re
import threading

import pytest


class Server(http.server.ThreadingHTTPServer):
    """Serves one file, as badly as it is told to."""

    daemon_threads = True
    content, tag = b"", '"v1"'
    ranges = True  # answers Range with 206
    honours_if_range = True
    drop_after = None  # bytes of body after which each connection is cut
    with_length = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/a/file.bin"
        self.requests = []
        self.statuses = []  # answered first, one a request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        server, start = self.server, 0
        server.requests.append(dict(self.headers))
        self.close_connection = True
        if server.statuses:
            self.send_response(server.statuses.pop(0))
            self.send_header("Content-Length", "0")
            return self.end_headers()
        wanted = self.headers.get("Range")
        same = not server.honours_if_range or self.headers.get("If-Range") == server.tag
        if wanted and server.ranges and same:
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])
            if start >= len(server.content):
                self.send_response(416)
                self.send_header("Content-Length", "0")
                return self.end_headers()
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(server.content) - 1}/{len(server.content)}")
        else:
            self.send_response(200)
        if server.tag:
            self.send_header("ETag", server.tag)
        if server.with_length:
            self.send_header("Content-Length", str(len(server.content) - start))
        self.end_headers()
        body = server.content[start:]
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body if server.drop_after is None else body[: server.drop_after])


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
