# SPDX-License-Identifier: Apache-2.0
"""A server that answers as bench/peers/README.md says: server.py HOME PORT FILES [--wrong PATH] [--dies-at PATH]

It forwards /proxy/ to UPSTREAM, and is the upstream itself without one.
"""
import http.server
import mimetypes
import os
import sys
import urllib.request

home, port, files = sys.argv[1], int(sys.argv[2]), sys.argv[3]
option, value = (sys.argv[4:6] + ["", ""])[:2]
texts = {
    "/plaintext": b"Hello, World!",
    "/virtual": b"Hello, World!",
    "/echo": b"Hello from the echo",
    "/three": b"abc",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        if option == "--dies-at" and self.path == value:
            print("it is all too much", flush=True)
            os._exit(3)
        if self.path.startswith("/files/"):
            name = os.path.basename(self.path)
            with open(os.path.join(files, name), "rb") as file:
                self.answer(file.read(), mimetypes.guess_type(name)[0])
        elif self.path.startswith("/proxy/") and "UPSTREAM" in os.environ:
            with urllib.request.urlopen(f"http://{os.environ['UPSTREAM']}{self.path}") as answer:
                self.answer(answer.read(), answer.headers["Content-Type"])
        elif self.path.startswith("/proxy/"):
            with open(os.path.join(files, "proxy-" + os.path.basename(self.path)), "rb") as file:
                self.answer(file.read(), "application/json")
        elif self.path in texts:
            wrong = option == "--wrong" and self.path == value
            self.answer(b"something else" if wrong else texts[self.path], "text/plain")
        else:
            self.send_error(404)

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


with open(os.path.join(home, "pid"), "w") as pid:
    pid.write(str(os.getpid()))
Server(("127.0.0.1", port), Handler).serve_forever()
