// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static io.sirocco.bench.compare.Work.Shape.closing;
import static io.sirocco.bench.compare.Work.Shape.keepAlive;
import static io.sirocco.bench.compare.Work.Shape.pipelined;

import java.util.List;

/**
 * The works that a race does unless it is told otherwise: each stresses another part of a server.
 */
final class BasicWorks {
    private static final Exchange HELLO = Exchange.text("/plaintext", "Hello, World!");
    private static final Exchange VIRTUAL = Exchange.text("/virtual", "Hello, World!");
    static final Exchange ECHO = Exchange.text("/echo", "Hello from the echo");
    private static final List<Exchange> FILES =
            List.of(SiteFiles.PAGE, SiteFiles.PICTURE, SiteFiles.LIBRARY);
    private static final List<Exchange> FILES_AS_SIEGE_TAKES_THEM =
            List.of(SiteFiles.PAGE, SiteFiles.PICTURE.times(2), SiteFiles.LIBRARY.times(3));

    static final List<Work> ALL =
            List.of(
                    new Work(
                            "plaintext",
                            "keep-alive, 64 connections",
                            "GET /plaintext, 13 bytes, on connections that stay open."
                                    + " By hand: wrk -t1 -c64 URL/plaintext",
                            "plaintext",
                            List.of(HELLO),
                            keepAlive(64)),
                    new Work(
                            "plaintext-512",
                            "keep-alive, 512 connections",
                            "The same on more connections. By hand: wrk -t1 -c512 URL/plaintext",
                            "plaintext",
                            List.of(HELLO),
                            keepAlive(512)),
                    new Work(
                            "pipelined",
                            "keep-alive, 64 connections, 16 requests in one write",
                            "GET /plaintext, sixteen at a time before their answers."
                                    + " By hand: ./sirocco bench http URL/plaintext -c 64 --pipeline 16",
                            "pipelined",
                            List.of(HELLO),
                            pipelined(64, 16)),
                    new Work(
                            "churn",
                            "a connection for each request, 30 at once",
                            "GET /plaintext with Connection: close: accepting and closing is most of"
                                    + " the work. By hand: ./sirocco bench http URL/plaintext -c 30 --close",
                            "churn",
                            List.of(HELLO),
                            closing(30)),
                    new Work(
                            "churn-1000",
                            "a connection for each request, 1,000 at once",
                            "The same with more of them."
                                    + " By hand: ./sirocco bench http URL/plaintext -c 1000 --close",
                            "churn",
                            List.of(HELLO),
                            closing(1_000)),
                    new Work(
                            "virtual",
                            "a handler that may block, 64 connections",
                            "GET /virtual, 13 bytes, from a handler on a thread or virtual thread of"
                                    + " its own. By hand: wrk -t1 -c64 URL/virtual",
                            "virtual",
                            List.of(VIRTUAL),
                            keepAlive(64)),
                    new Work(
                            "echo19",
                            "keep-alive, 30 connections, 19 bytes",
                            "GET /echo on connections that stay open."
                                    + " By hand: wrk -t1 -c30 URL/echo",
                            "echo19",
                            List.of(ECHO),
                            keepAlive(30)),
                    new Work(
                            "files",
                            "three files, keep-alive, 50 connections",
                            "Files of 81, 130,768 and 284,184 bytes, one after the other, on"
                                    + " connections that stay open; as ab -k -c 50 -L urls.txt with"
                                    + " the patch for several URLs did for PokerFace.",
                            "files",
                            FILES,
                            keepAlive(50)),
                    new Work(
                            "files-close",
                            "three files, a connection for each request, 100 at once",
                            "The same files in the mix 1:2:3 that siege -i makes of three lines;"
                                    + " as siege -c 100 -i -b -f urls.txt did for PokerFace.",
                            "files",
                            FILES_AS_SIEGE_TAKES_THEM,
                            closing(100)),
                    new Work(
                            "assets",
                            "twenty small files, keep-alive, 50 connections",
                            "Ten pictures, and ten style sheets and scripts that lie there compressed,"
                                    + " of 1 to 30 KB, for clients that take gzip.",
                            "assets",
                            Assets.ALL,
                            keepAlive(50)));

    private BasicWorks() {}
}
