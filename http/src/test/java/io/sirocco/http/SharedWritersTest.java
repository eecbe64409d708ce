// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClient;
import io.sirocco.http.client.HttpClientException;
import io.sirocco.http.client.HttpClientException.Reason;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two threads that share the writer of a body, such as a heartbeat and a broadcaster: what each
 * hands over in one call arrives whole, and in its order.
 */
class SharedWritersTest {
    private static final int EVENTS = 2_000;
    private static final Semaphore INTERRUPTED = new Semaphore(0);
    private static final byte[] MUCH = new byte[32 << 20]; // than buffers of sockets take

    static {
        new Random(1).nextBytes(MUCH);
    }

    interface Sender {
        void send(String text) throws IOException;
    }

    /** Sends from two threads, one of which is not of the server. */
    private static void both(Sender out) throws IOException, InterruptedException {
        var other =
                new FutureTask<Void>(
                        () -> {
                            all("other", out);
                            return null;
                        });
        Thread.ofPlatform().daemon().start(other);
        all("own", out);
        try {
            other.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private static void all(String name, Sender out) throws IOException {
        for (int i = 0; i < EVENTS; i++) {
            out.send(line(name, i));
        }
    }

    private static String line(String name, int i) {
        return name + " " + i + " " + "x".repeat(i % 50 == 0 ? 20_000 : i % 300);
    }

    private static void assertWhole(String mode, String name, List<String> lines) {
        var expected = new ArrayList<String>();
        for (int i = 0; i < EVENTS; i++) {
            expected.add(line(name, i));
        }
        List<String> seen = lines.stream().filter(line -> line.startsWith(name + " ")).toList();
        assertEquals(EVENTS, seen.size(), mode + ": lines of " + name);
        assertTrue(expected.equals(seen), mode + ": lines of " + name + " differ");
    }

    private static void events(SseSink sink) throws IOException, InterruptedException {
        both(sink::send);
    }

    private static void lines(OutputStream out) throws IOException, InterruptedException {
        both(
                text -> {
                    out.write((text + "\n").getBytes(ISO_8859_1));
                    out.flush();
                });
    }

    /** A filter that is not safe for two threads, as gzip is not, and notices two. */
    private static final class Buffered extends FilterOutputStream {
        private final byte[] bytes = new byte[100];
        private int size;
        private volatile Thread inside;

        Buffered(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] from, int start, int length) throws IOException {
            enter();
            for (int i = start; i < start + length; i++) {
                if (size == bytes.length) {
                    drain();
                }
                bytes[size++] = from[i];
            }
            leave();
        }

        @Override
        public void flush() throws IOException {
            enter();
            drain();
            out.flush();
            leave();
        }

        private void drain() throws IOException {
            out.write(bytes, 0, size);
            size = 0;
        }

        private void enter() throws IOException {
            if (inside != null) {
                throw new IOException("two threads are in the filter");
            }
            inside = Thread.currentThread();
        }

        private void leave() throws IOException {
            if (inside != Thread.currentThread()) {
                throw new IOException("two threads were in the filter");
            }
            inside = null;
        }
    }

    @Test
    void whatEachSendsArrivesWholeAndInOrder() throws Exception {
        for (Mode mode : Mode.values()) {
            try (var serving =
                            new Serving(
                                    io.sirocco.net.TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes ->
                                            routes.get(
                                                            "/events",
                                                            r ->
                                                                    Response.events(
                                                                            SharedWritersTest
                                                                                    ::events))
                                                    .get(
                                                            "/filtered",
                                                            r ->
                                                                    Response.events(
                                                                                    SharedWritersTest
                                                                                            ::events)
                                                                            .transformBody(
                                                                                    Buffered::new))
                                                    .get(
                                                            "/lines",
                                                            r ->
                                                                    Response.stream(
                                                                            (BodyWriter)
                                                                                    SharedWritersTest
                                                                                            ::lines)));
                    HttpClient client = HttpClient.create()) {
                for (String path : List.of("/events", "/filtered", "/lines")) {
                    String url = "http://127.0.0.1:" + serving.server.port() + path;
                    String body = client.send(ClientRequest.get(url)).body().text();
                    List<String> lines =
                            body.lines()
                                    .filter(line -> !line.isEmpty())
                                    .map(line -> line.replaceFirst("^data: ", ""))
                                    .toList();
                    assertWhole(mode + " " + path, "own", lines);
                    assertWhole(mode + " " + path, "other", lines);
                    assertEquals(2 * EVENTS, lines.size(), mode + " " + path);
                }
            }
        }
    }

    /** The same for the body of a request. */
    @Test
    void theWriterOfARequest() throws Exception {
        try (var serving =
                        new Serving(
                                io.sirocco.net.TransportKind.AUTO,
                                c -> c.maxBodyBytes(-1),
                                routes ->
                                        routes.post(
                                                "/echo",
                                                r -> Response.bytes(r.body().bytes(16 << 20))));
                HttpClient client = HttpClient.create()) {
            String url = "http://127.0.0.1:" + serving.server.port() + "/echo";
            var request = ClientRequest.of("POST", url).body(SharedWritersTest::lines);
            List<String> lines =
                    new String(client.send(request).body().bytes(16 << 20), UTF_8).lines().toList();
            assertWhole("request", "own", lines);
            assertWhole("request", "other", lines);
        }
    }

    /** Has another thread write more than the peer takes, and interrupts it when it waits. */
    private static void interrupted(OutputStream out) throws IOException, InterruptedException {
        out.write('a');
        out.flush(); // the response has begun
        var other =
                new FutureTask<Void>(
                        () -> {
                            out.write(MUCH);
                            return null;
                        });
        Thread thread = Thread.ofPlatform().daemon().start(other);
        while (!thread.getState().name().endsWith("WAITING")) {
            LockSupport.parkNanos(200_000);
        }
        thread.interrupt();
        Throwable thrown = assertThrows(ExecutionException.class, other::get).getCause();
        assertInstanceOf(InterruptedIOException.class, thrown);
        INTERRUPTED.release();
    }

    private static void withAHole(OutputStream out) throws IOException, InterruptedException {
        interrupted(out);
        try {
            out.write("the end".getBytes(ISO_8859_1));
            out.flush();
        } catch (IOException e) {
            // as if it did not matter
        }
    }

    private static OutputStream gzip(OutputStream out) throws IOException {
        return new GZIPOutputStream(out, 4 << 10, true);
    }

    /** What is missing in the middle of a body must not look as if it were complete. */
    @Test
    void aBodyWithAHoleIsReset() throws Exception {
        for (Mode mode : Mode.values()) {
            try (var serving =
                            new Serving(
                                    io.sirocco.net.TransportKind.AUTO,
                                    mode,
                                    c -> {},
                                    routes ->
                                            routes.get(
                                                            "/cut",
                                                            r ->
                                                                    Response.stream(
                                                                            (BodyWriter)
                                                                                    SharedWritersTest
                                                                                            ::interrupted))
                                                    .get(
                                                            "/hole",
                                                            r ->
                                                                    Response.stream(
                                                                            (BodyWriter)
                                                                                    SharedWritersTest
                                                                                            ::withAHole))
                                                    .get(
                                                            "/gzip",
                                                            r ->
                                                                    Response.stream(
                                                                                    (BodyWriter)
                                                                                            SharedWritersTest
                                                                                                    ::withAHole)
                                                                            .transformBody(
                                                                                    SharedWritersTest
                                                                                            ::gzip)));
                    HttpClient client = HttpClient.create()) {
                for (String path : List.of("/cut", "/hole", "/gzip")) {
                    String url = "http://127.0.0.1:" + serving.server.port() + path;
                    ClientResponse response = client.send(ClientRequest.get(url));
                    INTERRUPTED.acquire(); // only now is the body read
                    assertEquals(200, response.status(), mode + path);
                    HttpClientException why =
                            assertThrows(
                                    HttpClientException.class,
                                    () ->
                                            response.body()
                                                    .inputStream()
                                                    .transferTo(OutputStream.nullOutputStream()),
                                    mode + path);
                    assertEquals(Reason.BODY_TRUNCATED, why.reason(), mode + path);
                }
            }
        }
    }

    @Test
    @Timeout(60)
    void aRequestWithAHoleFails() throws Exception {
        var held = new Semaphore(0);
        try (var serving =
                        new Serving(
                                io.sirocco.net.TransportKind.AUTO,
                                c -> c.maxBodyBytes(-1),
                                routes ->
                                        routes.post(
                                                "/a",
                                                r -> {
                                                    held.acquire();
                                                    return Response.text(r.body().text());
                                                }));
                HttpClient client = HttpClient.create()) {
            String url = "http://127.0.0.1:" + serving.server.port() + "/a";
            for (BodyWriter each :
                    List.<BodyWriter>of(
                            SharedWritersTest::interrupted, SharedWritersTest::withAHole)) {
                var request = ClientRequest.of("POST", url).body(each);
                var sent = new FutureTask<>(() -> client.send(request));
                Thread.ofVirtual().start(sent);
                INTERRUPTED.acquire();
                held.release(); // only now is the body read
                Throwable thrown = assertThrows(ExecutionException.class, sent::get).getCause();
                Reason why = assertInstanceOf(HttpClientException.class, thrown).reason();
                assertNotEquals(Reason.RESPONSE_TIMEOUT, why);
            }
        }
    }
}
