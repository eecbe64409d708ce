// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.Serving.Told;
import io.sirocco.net.CloseCause;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A monitor is told of what the client's system has taken: neither of what waits in our memory nor
 * that a response was complete which nobody has read.
 */
@Timeout(60)
class WhatWasTakenTest {
    private static final int LARGE = 8 << 20;
    private static final byte[] BYTES = new byte[LARGE];

    @TempDir Path folder;

    static Stream<Arguments> all() {
        var all = new ArrayList<Arguments>();
        for (TransportKind transport : OnTheWire.TRANSPORTS) {
            for (boolean secure : new boolean[] {false, true}) {
                all.add(Arguments.of(transport, secure));
            }
        }
        return all.stream();
    }

    private Serving serving(TransportKind transport, boolean secure) throws Exception {
        Path path = Files.write(folder.resolve("large"), BYTES);
        OpenFile file = OpenFile.open(path);
        return new Serving(
                transport,
                Mode.VIRTUAL,
                secure,
                c -> c.maxBodyBytes(10),
                routes -> {
                    routes.get("/large", request -> Response.bytes(BYTES));
                    routes.get("/file", request -> Response.file(path));
                    routes.get("/region", request -> Response.file(retained(file), 0, LARGE));
                    routes.get("/stream", request -> Response.stream(out -> out.write(BYTES)));
                    routes.get("/small", request -> Response.text("small"));
                    routes.post("/echo", request -> Response.bytes(request.body().bytes()));
                });
    }

    private static OpenFile retained(OpenFile file) {
        assertTrue(file.retain());
        return file;
    }

    private static Told told(Serving serving) {
        var all = new ArrayList<Told>();
        serving.await("what is told", () -> all.addAll(serving.answers()) | !all.isEmpty());
        assertEquals(1, all.size(), all::toString);
        return all.getFirst();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClientThatReadsNothing(TransportKind transport, boolean secure) throws Exception {
        try (var serving = serving(transport, secure)) {
            for (String path : List.of("/large", "/file", "/region", "/stream")) {
                Client client = serving.client();
                long sent = serving.stats().net().bytesOut() + 100_000;
                client.send("GET " + path + " HTTP/1.1\nHost: a\n\n");
                serving.await("the response", () -> serving.stats().net().bytesOut() > sent);
                long before;
                do { // until the system takes no more
                    before = serving.stats().net().bytesOut();
                    Thread.sleep(20);
                } while (before != serving.stats().net().bytesOut());
                assertEquals(List.of(), serving.answers(), path);
                client.abort();
                Told told = told(serving);
                assertEquals(200, told.status(), path);
                assertFalse(told.complete(), path);
                assertTrue(told.bytesOut() < LARGE - 10_000, path + told);
                assertTrue(told.bytesOut() > 10_000, path + told);
                serving.awaitQuiet();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClientThatReadsAll(TransportKind transport, boolean secure) throws Exception {
        try (var serving = serving(transport, secure);
                Client client = serving.client()) {
            int count = 0;
            for (String path : List.of("/large", "/file", "/region", "/stream")) {
                client.send("GET " + path + " HTTP/1.1\nHost: a\n\n");
                client.until(count += LARGE);
                Told told = told(serving);
                assertTrue(told.complete(), path);
                assertEquals(LARGE, told.bytesOut(), path);
                client.text();
                count = client.count();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void pipelinedResponsesAreToldEachWithItsHead(TransportKind transport, boolean secure)
            throws Exception {
        try (var serving = serving(transport, secure);
                Client client = serving.client()) {
            client.send(
                    ("GET /small?x HTTP/1.1\nHost: a\n\nHEAD /small HTTP/1.1\nHost: a\n\n"
                                    + "POST /small HTTP/1.1\nHost: a\nContent-Length: 0\n\n")
                            .repeat(50));
            var all = new ArrayList<Told>();
            serving.await(
                    "all",
                    () -> {
                        all.addAll(serving.answers());
                        return all.size() >= 150;
                    });
            assertEquals(150, all.size());
            for (int i = 0; i < 150; i++) {
                Told told = all.get(i);
                assertTrue(told.complete());
                assertEquals(List.of("GET", "HEAD", "POST").get(i % 3), told.method());
                assertEquals(i % 3 == 2 ? 405 : 200, told.status());
                assertEquals(i % 3 == 0 ? 5 : i % 3 == 1 ? 0 : 18, told.bytesOut());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void refusalsSendAPage(TransportKind transport, boolean secure) throws Exception {
        try (var serving = serving(transport, secure)) {
            try (Client client = serving.client()) {
                client.send("GET /none HTTP/1.1\nHost: a\n\n").until("\r\n\r\nNot Found");
                assertEquals("Not Found".length(), told(serving).bytesOut());
                client.send("POST /echo HTTP/1.1\nHost: a\nContent-Length: 11\n\n");
                client.until("Content Too Large");
                assertEquals("Content Too Large".length(), told(serving).bytesOut());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void connectionsThatComeAndGo(TransportKind transport, boolean secure) throws Exception {
        var told = new ConcurrentLinkedQueue<String>();
        Monitor notes =
                new Monitor() {
                    @Override
                    public void opened(OpenedConnection o) {
                        told.add("opened " + o.remote() + o.secure() + o.local());
                    }

                    @Override
                    public void closed(ClosedConnection c) {
                        told.add("closed " + c.remote() + c.secure() + c.cause());
                    }

                    @Override
                    public void rejected(RejectedRequest r) {
                        told.add(r.error() + " " + r.bytesOut());
                    }
                };
        try (var serving =
                new Serving(transport, Mode.VIRTUAL, secure, c -> c.monitor(notes), routes -> {})) {
            try (Client _ = serving.client()) {
                serving.await("a silent connection is seen", () -> told.size() == 1);
            }
            serving.await("its end is seen", () -> told.size() == 2);
            String opened = told.poll();
            String closed = told.poll();
            String remote = opened.substring(7, opened.indexOf(secure ? "true" : "false"));
            assertTrue(remote.startsWith("/127.0.0.1:"), opened);
            assertTrue(closed.startsWith("closed " + remote + secure), closed);
            assertTrue(secure || closed.endsWith(CloseCause.FINISHED.name()), closed);
            try (Client client = serving.client()) {
                client.send("GET / HTTP/1.1\n\n").until("\r\n\r\nBad Request");
            }
            serving.await("all is seen", () -> told.size() == 3);
            told.poll();
            assertEquals("HOST_MISSING 11", told.poll());
        }
    }
}
