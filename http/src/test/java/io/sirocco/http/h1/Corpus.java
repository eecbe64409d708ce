// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import java.util.List;

/** Streams that mutations start from: good ones, and the attacks of the tests. */
final class Corpus {

    static final List<String> STREAMS =
            List.of(
                    """
                    GET /plaintext HTTP/1.1
                    Host: 127.0.0.1:8080

                    """,
                    """
                    GET /a/b%20c?x=1&y=%7B%7D HTTP/1.1
                    Host: www.example.com
                    User-Agent: Mozilla/5.0 (X11; Linux x86_64)
                    Accept: text/html,*/*;q=0.8
                    Connection: keep-alive, Upgrade
                    Upgrade: websocket
                    Cookie: sid=0123; theme=dark

                    """,
                    """
                    POST /p HTTP/1.1
                    Host: a
                    Content-Length: 5

                    helloGET /2 HTTP/1.1
                    Host: b

                    """,
                    """
                    POST /p HTTP/1.1
                    host: [2001:db8::1]:443
                    transfer-encoding: chunked
                    Expect: 100-continue

                    5;a=b;c="d\\"e"
                    hello
                    10
                    0123456789abcdef
                    0
                    X-Sum: 1

                    GET / HTTP/1.1
                    Host: b
                    Connection: close

                    """,
                    """
                    PUT http://u.example:8080/x?y HTTP/1.1
                    Host: other
                    Transfer-Encoding: chunked

                    0

                    """,
                    """
                    OPTIONS * HTTP/1.1
                    Host:

                    CONNECT a.example:443 HTTP/1.1
                    Host: a.example:443

                    """,
                    """
                    GET / HTTP/1.0
                    Connection: Keep-Alive

                    HEAD / HTTP/1.0

                    """,
                    """
                    POST / HTTP/1.1
                    Host: [::ffff:1.2.3.4]
                    Content-Length: 3
                    Transfer-Encoding: chunked

                    0

                    """,
                    """
                    POST / HTTP/1.1
                    Host: a
                    Content-Length: 3
                    Content-Length: 3

                    abc""",
                    """
                    POST / HTTP/1.1
                    Host: a
                    Transfer-Encoding: gzip, chunked
                    X:\tvalue with\ttabs and \u00E9\t

                    0

                    """,
                    """

                    GET /%41 HTTP/1.9
                    Host: a.b:
                    X-Fold: 1
                     2

                    """,
                    """
                    PRI * HTTP/2.0

                    SM

                    """);

    /** Pieces that mutations put into a stream. */
    static final List<String> PIECES =
            List.of(
                    "\r\n",
                    "\n",
                    "\r",
                    "\r\n\r\n",
                    " ",
                    "\t",
                    ":",
                    "\0",
                    "\u007F",
                    "\u0080",
                    "\u00FF",
                    ",",
                    ";",
                    "=",
                    "\"",
                    "\\",
                    "%",
                    "%0",
                    "%zz",
                    "#",
                    "?",
                    "*",
                    "[",
                    "]",
                    "@",
                    "::",
                    "+",
                    "-",
                    "0",
                    "1",
                    "5",
                    "f",
                    "x",
                    "chunked",
                    "close",
                    "keep-alive",
                    "upgrade",
                    "HTTP/1.0",
                    "HTTP/1.1",
                    "HTTP/2.0",
                    "Host: a\r\n",
                    "Host:\r\n",
                    "Host: b:99999\r\n",
                    "Content-Length: 5\r\n",
                    "Content-Length: +5\r\n",
                    "Content-Length: 5, 5\r\n",
                    "Content-Length: 0\r\n",
                    "Content-Length : 5\r\n",
                    "Content-Length:5\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: xchunked\r\n",
                    "Transfer-Encoding: chunked, chunked\r\n",
                    "Transfer-Encoding:\tChunked\r\n",
                    "Connection: close\r\n",
                    "Expect: 100-continue\r\n",
                    "Expect: x\r\n",
                    "Upgrade: h2c\r\n",
                    "X: y\r\n",
                    " folded\r\n",
                    "http://a/",
                    "https://b:1",
                    "0\r\n\r\n",
                    "5\r\nhello\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                    "GET ",
                    "CONNECT ",
                    "OPTIONS * ",
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");

    /** Words that mutations put in the place of others. */
    static final List<String> SWAPS =
            List.of(
                    "HTTP/1.1 -> HTTP/1.0",
                    "HTTP/1.0 -> HTTP/1.1",
                    "HTTP/1.1 -> HTTP/1.2",
                    "Host: a -> Host: [1:2:3:4::5:6:7:8]",
                    "Host: a -> Host: [1:2:3::5:6:7:8]",
                    "Host: a -> Host: [::1:2:3:4:5:1.2.3.4]:1",
                    "Host: a -> Host: [::1:2:3:4:5:6:1.2.3.4]",
                    "Host: -> X:",
                    "5 -> 1",
                    "5 -> 0",
                    "10 -> 7d0",
                    "10 -> fffffffffffffff",
                    "0 -> 1",
                    "GET -> CONNECT",
                    "GET -> OPTIONS",
                    "/plaintext -> *",
                    "chunked -> Chunked",
                    "chunked -> chunked, chunked",
                    "100-continue -> 100",
                    "websocket -> \t",
                    "http:// -> HTTPS://",
                    "keep-alive -> close",
                    ": -> :\t",
                    "a -> A");

    private Corpus() {}
}
