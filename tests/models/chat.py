"""A chat server on this machine, which does with a request what a test says."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator

from salva.asking.pipeline import query
from salva.models import ModelOptions, open_model

KEY = "sk-very-secret"


def said(content, **more):
    return json.dumps({"choices": [{"message": {"content": content}}], "model": "m-1", **more})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, dict(self.headers), self.body))
        with contextlib.suppress(OSError):
            self.server.answer(self)

    def reply(self, body, status=200, **headers):
        raw = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    @property
    def text(self):
        return self.body["messages"][-1]["content"]

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def running() -> Iterator[http.server.ThreadingHTTPServer]:
    """Run a server; `answer` is what it does with a request."""
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    made.handle_error = lambda *arguments: None  # a client that has had enough
    made.requests, made.lock = [], threading.Lock()
    made.answer = lambda request: request.reply(said("pos"))
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def opened(server, **options):
    options = {"labels": ("neg", "pos"), "deadline": 300.0, **options}
    return open_model(f"openai:m@http://127.0.0.1:{server.server_port}/v1", ModelOptions(**options))


def error_of(server, answer, **options):
    server.answer = answer
    answers = query(opened(server, **options), ["x"])
    assert answers.labels == [None]
    return answers.errors[0]
