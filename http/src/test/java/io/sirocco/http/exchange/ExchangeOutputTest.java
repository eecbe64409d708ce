// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodySegment;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.SseSink;
import io.sirocco.http.exchange.FakeServer.Asked;
import io.sirocco.http.exchange.FakeStream.Result;
import io.sirocco.net.CloseCause;
import io.sirocco.net.OpenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses on {@link FakeStream}s whose clients take nothing for a while, or disconnect. */
class ExchangeOutputTest {
    private static final String FIRST = "data: first\n\n";

    private final CompletableFuture<Throwable> thrown = new CompletableFuture<>();

    /** Sends two events, and notes the exception of a send that fails. */
    private void twoEvents(SseSink sink) throws IOException {
        try {
            sink.send("first");
            sink.send("second");
        } catch (IOException e) {
            thrown.complete(e);
            throw e;
        }
    }

    private FakeServer events() {
        return new FakeServer(
                c -> c.writeTimeout(Duration.ofSeconds(7)),
                routes -> routes.get("/", r -> Response.events(this::twoEvents)));
    }

    /** Begins an event stream whose client takes nothing; its writer waits behind one event. */
    private static Asked congested(FakeServer server) {
        Asked asked = server.new Asked();
        asked.run(s -> s.congested = true).begin(0, "GET", "/");
        FakeServer.await(
                () -> asked.count(s -> s.exchange().bytesOut) == FIRST.length(), "one event");
        return asked;
    }

    @Test
    void theSenderOfEventsWaitsForAClientThatTakesNone() {
        try (var server = events()) {
            Asked asked = congested(server);
            assertFalse(asked.isDone());
            asked.run(FakeStream::drain);
            assertEquals(FIRST + "data: second\n\n", asked.result().body());
            assertEquals("end", asked.result().end());
        }
    }

    @Test
    void theSenderOfEventsFailsWhenItsClientDisconnects() throws Exception {
        try (var server = events()) {
            Asked asked = congested(server);
            asked.run(s -> s.close(CloseCause.RESET));
            assertTrue(thrown.get().getMessage().contains("disconnected"));
            assertEquals("closed", asked.result().end());
        }
    }

    @Test
    void theSenderOfEventsFailsWhenItsClientStalls() throws Exception {
        try (var server = events()) {
            Asked asked = congested(server);
            asked.after(6_999);
            assertFalse(asked.isDone());
            asked.after(1);
            assertTrue(thrown.get().getMessage().contains("disconnected"));
            assertEquals("closed", asked.result().end());
        }
    }

    /** An interrupted send is complete: the end must not send its event once more. */
    @Test
    void aServerThatStopsEndsAnEventStreamProperlyAlsoIfItsClientStalls() {
        try (var server = events()) {
            Asked asked = congested(server);
            asked.run(
                    s -> {
                        server.context().draining = true;
                        s.exchange().drain();
                    });
            Result result = asked.result();
            assertEquals(FIRST, result.body());
            assertEquals("end", result.end());
        }
    }

    // ---- segments

    @Test
    void segmentsMayBeBytesAndRangesOfAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("a"), "0123456789");
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.segments(
                                                                List.of(
                                                                        bytes("a:"),
                                                                        region(file, 2, 3),
                                                                        bytes(" b:"),
                                                                        region(file, 9, 1)))
                                                        .status(206)))) {
            Asked asked = server.ask("GET", "/");
            assertEquals("a:234 b:9", asked.result().body());
            assertEquals(206, asked.result().status());
            assertEquals(9, asked.count(s -> s.statedLength));
            assertEquals(2, asked.count(s -> s.files.size()));
            assertFalse(asked.is(s -> s.files.stream().anyMatch(OpenFile::retain)), "closed");
            Asked head = server.ask("HEAD", "/");
            assertEquals("", head.result().body());
            assertEquals(9, head.count(s -> s.statedLength));
            assertEquals(List.of(), head.read(s -> s.files));
            assertEquals(
                    List.of("GET / / 206 0 9", "HEAD / / 206 0 0"), List.copyOf(server.answered));
        }
    }

    private static BodySegment bytes(String text) {
        return new BodySegment.Bytes(text.getBytes());
    }

    private static BodySegment region(Path file, long from, long length) throws IOException {
        return new BodySegment.Region(OpenFile.open(file), from, length);
    }

    @Test
    void longSegmentsAreCompleteWhenTheClientHasTakenMostOfThem() {
        byte[] big = new byte[600 << 10];
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.segments(
                                                        List.of(new BodySegment.Bytes(big)))))) {
            Asked taken = server.new Asked();
            taken.run(s -> s.congested = true).begin(0, "GET", "/");
            FakeServer.await(() -> taken.count(s -> s.statedLength) == big.length, "begun");
            assertFalse(taken.isDone());
            assertEquals("end", taken.run(FakeStream::drain).result().end());
            Asked lost = server.new Asked();
            lost.run(s -> s.congested = true).begin(0, "GET", "/");
            FakeServer.await(() -> lost.count(s -> s.statedLength) == big.length, "begun");
            lost.run(s -> s.close(CloseCause.RESET));
            assertEquals(
                    List.of("GET / / 200 0 614400", "GET / / 200 0 0 cut"),
                    List.copyOf(server.answered));
        }
    }

    // ---- interim responses

    @Test
    void anInterimResponseIsDroppedBehindTheHeadersAndForAClientThatTakesNothing() {
        Headers link = Headers.of("Link", "</a.css>");
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get(
                                    "/begun",
                                    r ->
                                            Response.stream(
                                                    out -> {
                                                        out.write('a');
                                                        out.flush();
                                                        r.interim(103, link);
                                                        out.write('b');
                                                    }));
                            routes.get(
                                    "/",
                                    r -> {
                                        r.interim(103, link);
                                        return Response.text("page");
                                    });
                        })) {
            Result begun = server.get("/begun");
            assertEquals("ab", begun.body());
            assertEquals(List.of(), begun.interims());
            Asked congested = server.new Asked();
            congested.run(s -> s.congested = true).begin(0, "GET", "/");
            assertEquals("page", congested.result().body());
            assertEquals(List.of(), congested.result().interims());
        }
    }

    // ---- the client

    @Test
    void aTaskThatIsAddedWhenTheClientIsGoneRunsAtOnce() throws Exception {
        var left = new CompletableFuture<Void>();
        var told = new CompletableFuture<Void>();
        var response = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r -> {
                                            left.join();
                                            r.onDisconnect(() -> told.complete(null));
                                            return Response.async(response);
                                        }))) {
            Asked asked = server.ask("GET", "/");
            asked.run(FakeStream::leave);
            assertFalse(told.isDone());
            left.complete(null);
            told.get();
            response.complete(Response.text("it only closed its side"));
            assertEquals("end", asked.result().end());
        }
    }

    @Test
    void eachEndLeavesNoRequestInProgress() {
        var never = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        c -> c.handlerTimeout(Duration.ofSeconds(3)),
                        routes -> {
                            routes.get("/", r -> Response.text("a"));
                            routes.get("/events", r -> Response.events(this::twoEvents));
                            routes.get("/never", r -> Response.async(never));
                            routes.get(
                                    "/reset",
                                    r ->
                                            Response.stream(
                                                    out -> {
                                                        out.flush();
                                                        throw new IOException("disk");
                                                    }));
                        })) {
            server.get("/");
            server.get("/missing");
            server.get("/events");
            assertEquals("reset", server.get("/reset").end());
            assertEquals(504, server.ask("GET", "/never").after(3_000).result().status());
            server.ask("GET", "/never").run(s -> s.close(CloseCause.RESET)).after(4_000);
            assertEquals(0, server.ask("GET", "/").count(s -> server.context().inProgress));
        }
    }
}
