// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the tests that are written in Clojure. What http-kit's users rely on, and where it is
 * tested; {@link KnownIssuesTest} has what they miss:
 *
 * <pre>
 * run-server, stop, status                 the-stop-function, the-status-of-a-server, a-handler-can-stop-its-server
 * a session in the REPL                    sirocco.ring.program-test, a-session-in-the-repl
 * request map, duplicate headers           the-request-map, values-of-http-kit, lines-of-the-same-header-are-joined
 * response bodies                          a-body-that-is-..., bodies-in-memory, a-body-of-rings-protocol
 * bodies are never in memory as a whole    the-heap-does-not-hold-a-body, a-request-body-is-read-while-it-is-sent
 * Content-Length                           the-length-of-..., the-stated-length-of-a-stream, statuses-without-a-body
 * chunked input                            a-chunked-body, a-chunked-body-that-arrives-byte-by-byte
 * keep-alive, 100-continue, pipelining     keep-alive-and-close, a-hundred-is-sent-once, pipelined-requests-...
 * virtual threads, none pinned             handlers-park-without-pinning-their-loop
 * limits                                   the-limit-of-a-body, the-limit-of-a-line, the-limit-of-a-message
 * channels                                 sirocco.ring.channel-test
 * workers and their queue                  the-queue-behind-workers
 * what differs from other adapters         differences-from-http-kit-and-jetty
 * on-close                                 on-close-fires-once-whatever-comes-first, why-a-websocket-was-closed
 * close before a response                  closed-before-anything-was-sent
 * unbounded write queue                    a-slow-client-holds-up-the-sender, a-slow-client-that-never-reads-is-cut-off
 * Ring WebSockets, on-error, async send    sirocco.ring.websocket-test
 * Ring async                               respond-from-another-thread and those after it
 * overload, a pool that is full            requests-in-progress-are-bounded, a-pool-that-is-full
 * stop ends a pool of the program          a-pool-of-the-program
 * Unix sockets, PROXY protocol             a-unix-socket, the-proxy-protocol
 * spoofed addresses                        the-address-of-the-client-cannot-be-claimed
 * error bodies, loggers                    an-exception-becomes-500-without-its-text, the-error-logger,
 *                                          the-event-logger, the-names-of-events
 * response splitting                       headers-that-would-forge-others
 * TLS, :ssl-client-cert                    sirocco.ring.tls-test
 * backlog                                  four-hundred-connects
 * strict parsing, timeouts                 HttpKitDefectsTest and DeadlinesTest of http, silent-connections-end
 * an Error in a handler                    an-error-of-a-handler-leaves-the-server-serving
 * file descriptors                         sirocco.ring.program-test
 * memory per idle connection               heavy.IdleTest
 * </pre>
 */
class ClojureTest {
    @TestFactory
    List<DynamicTest> conformance() {
        return ClojureTests.of("sirocco.ring.conformance");
    }

    @TestFactory
    List<DynamicTest> adapter() {
        return ClojureTests.of("sirocco.ring-test");
    }

    @TestFactory
    List<DynamicTest> channels() {
        return ClojureTests.of("sirocco.ring.channel-test");
    }

    @TestFactory
    List<DynamicTest> webSockets() {
        return ClojureTests.of("sirocco.ring.websocket-test");
    }

    @TestFactory
    List<DynamicTest> locks() {
        return ClojureTests.of("sirocco.ring.locks-test");
    }

    @Tag("peers")
    @TestFactory
    List<DynamicTest> application() {
        return ClojureTests.of("sirocco.ring.application-test");
    }

    @TestFactory
    List<DynamicTest> tls() {
        return ClojureTests.of("sirocco.ring.tls-test");
    }

    @Tag("peers")
    @TestFactory
    List<DynamicTest> programs() {
        return ClojureTests.of("sirocco.ring.program-test");
    }

    @Tag("peers")
    @TestFactory
    List<DynamicTest> documents() {
        return ClojureTests.of("sirocco.ring.documents-test");
    }
}
