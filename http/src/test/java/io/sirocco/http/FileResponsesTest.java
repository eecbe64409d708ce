// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files, regions of files and what stands between them, as responses. */
class FileResponsesTest extends OnTheWire {
    private static final String TEXT = "0123456789".repeat(50_000);
    @TempDir static Path folder;
    private static OpenFile shared;

    @BeforeAll
    static void write() throws IOException {
        shared = OpenFile.open(Files.writeString(folder.resolve("digits.txt"), TEXT));
    }

    private static Response region(long from, long length) {
        assertTrue(shared.retain());
        return Response.file(shared, from, length);
    }

    private static Response pieces() {
        assertTrue(shared.retain() && shared.retain());
        return Response.segments(
                List.of(
                        new BodySegment.Bytes("<".getBytes()),
                        new BodySegment.Region(shared, 5, 10),
                        new BodySegment.Bytes("|".getBytes()),
                        new BodySegment.Region(shared, 250_001, 3),
                        new BodySegment.Bytes(">".getBytes())));
    }

    /** The last one is too long to be copied behind what is written. */
    private static Response slices() {
        byte[] bytes = TEXT.getBytes();
        return Response.segments(
                List.of(
                        new BodySegment.Slice(bytes, 3, 4),
                        new BodySegment.Slice(bytes, 500_000, 0),
                        new BodySegment.Slice(bytes, 9, 20_001)));
    }

    @Override
    void routes(Routes routes) {
        routes.get("/all", request -> Response.file(folder.resolve("digits.txt")));
        routes.get("/gone", request -> new Gone().response());
        routes.get("/region", request -> region(3, 5).contentType("text/plain"));
        routes.get("/large", request -> region(0, 400_001).status(206));
        routes.get("/none", request -> region(9, 0));
        routes.get("/pieces", request -> pieces());
        routes.get("/slices", request -> slices());
        routes.get("/304", request -> region(0, 10).status(304));
        routes.get(
                "/later",
                request -> Response.async(CompletableFuture.supplyAsync(() -> region(7, 4))));
    }

    /** A file that is deleted between the answer and its sending. */
    private record Gone() {
        Response response() {
            try {
                Path file = Files.writeString(Files.createTempFile(folder, "gone", ""), "x");
                Response response = Response.file(file);
                Files.delete(file);
                return response;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Answer get(String path) {
        return wireWhole("GET " + path + " HTTP/1.1\nHost: a\n\n");
    }

    @Test
    void wholeFiles() {
        get("/all").answers(200, TEXT).header("Content-Type", "text/plain; charset=utf-8").goesOn();
    }

    @Test
    void regions() {
        wire("GET /region HTTP/1.1\nHost: a\n\n").answers(200, "34567").goesOn();
        get("/large").answers(206, TEXT.substring(0, 400_001)).goesOn();
        get("/none").answers(200, "").header("Content-Length", "0").goesOn();
        get("/later").answers(200, "7890").goesOn();
    }

    @Test
    void piecesInARow() {
        wire("GET /pieces HTTP/1.1\nHost: a\n\n")
                .answers(200, "<5678901234|123>")
                .header("Content-Length", "16")
                .goesOn();
    }

    @Test
    void slicesInARow() {
        get("/slices").answers(200, TEXT.substring(3, 7) + TEXT.substring(9, 20_010)).goesOn();
    }

    @Test
    void pipelined() {
        wireWhole("GET /large HTTP/1.1\nHost: a\n\nGET /pieces HTTP/1.1\nHost: a\n\n".repeat(2))
                .bodies(
                        TEXT.substring(0, 400_001),
                        "<5678901234|123>",
                        TEXT.substring(0, 400_001),
                        "<5678901234|123>")
                .goesOn();
    }

    @Test
    void withoutABody() {
        wire("HEAD /region HTTP/1.1\nHost: a\n\n")
                .answers(
                        """
                        HTTP/1.1 200 OK
                        Content-Type: text/plain
                        Content-Length: 5
                        Date: *
                        Server: Sirocco

                        """)
                .goesOn();
        get("/304").answers(304, "").goesOn();
    }

    @Test
    void aFileThatIsGoneWhenItIsSent() {
        get("/gone").answers(500, "Internal Server Error").goesOn();
    }

    @Test
    void aKeptOneAnswersGetAndHeadInEveryOrder() throws IOException {
        for (TransportKind transport : TRANSPORTS) {
            for (Mode mode : Mode.values()) {
                for (String order : List.of("HH", "HG", "GH", "GG", "HHG", "GHGH")) {
                    keptOne(transport, mode, order, true);
                    keptOne(transport, mode, order, false);
                }
            }
        }
    }

    /** {@code open}: whether somebody else keeps the file open as well. */
    private void keptOne(TransportKind transport, Mode mode, String order, boolean open)
            throws IOException {
        OpenFile file = OpenFile.open(folder.resolve("digits.txt"));
        assertTrue(!open || file.retain());
        Response kept = Response.segments(List.of(new BodySegment.Region(file, 0, 3)));
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes -> routes.get("/kept", request -> kept));
                Client client = serving.client()) {
            boolean closed = false;
            int seen = 0;
            for (char c : order.toCharArray()) {
                String method = c == 'H' ? "HEAD" : "GET";
                client.send(method + " /kept HTTP/1.1\nHost: a\n\n");
                String how = transport + " " + mode + " " + order + " " + open;
                int from = seen;
                boolean fails = closed && c == 'G';
                String end =
                        fails ? "\r\n\r\nInternal Server Error" : c == 'G' ? "012" : "\r\n\r\n";
                client.await(how, () -> client.text().indexOf(end, from) >= 0);
                String answer = client.text().substring(from);
                assertEquals(fails ? "500" : "200", answer.substring(9, 12), how);
                seen = client.text().length();
                closed = !open;
            }
        }
        if (open) {
            file.release();
        }
        assertFalse(file.retain(), "the file is still open");
    }

    @Test
    void aKeptOneIsGoodForAsLongAsItsFileIsOpen() {
        Response once = region(0, 3);
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                Mode.INLINE,
                                c -> {},
                                routes -> routes.get("/once", request -> once));
                Client client = serving.client()) {
            client.send("GET /once HTTP/1.1\nHost: a\n\n").until("012");
            client.send("GET /once HTTP/1.1\nHost: a\nConnection: close\n\n");
            List<Reply> both = Reply.all(client.untilEnd());
            assertEquals(List.of(200, 200), both.stream().map(Reply::status).toList());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void whoGoesAwayIsToldApartFromWhoGotAll(TransportKind transport) throws IOException {
        Path huge = folder.resolve("huge");
        try (var file = new java.io.RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(50 << 20);
        }
        OpenFile open = OpenFile.open(huge);
        try (var serving =
                new Serving(
                        transport,
                        Mode.INLINE,
                        c -> {},
                        routes ->
                                routes.get(
                                        "/huge",
                                        request -> {
                                            open.retain();
                                            return Response.file(open, 0, open.size());
                                        }))) {
            try (Client client = new Client(serving.server, 4096)) {
                client.send("GET /huge HTTP/1.1\nHost: a\n\n").until(1000);
            }
            serving.awaitQuiet();
            Serving.Told answered = serving.answers().getFirst();
            assertFalse(answered.complete());
            assertTrue(answered.bytesOut() < 50 << 20, () -> "" + answered);
            open.release();
            // a thread that reads the file ahead may hold it for a moment longer
            Client.await("everybody to release the file", () -> !held(open), serving);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void whatIsKnownTooLateIsReleased(TransportKind transport) throws IOException {
        OpenFile open = OpenFile.open(Files.writeString(folder.resolve("late"), "late"));
        var late = new CompletableFuture<Response>();
        try (var serving =
                new Serving(
                        transport,
                        Mode.INLINE,
                        c -> {},
                        routes -> routes.get("/late", request -> Response.async(late)))) {
            try (Client client = serving.client()) {
                client.send("GET /late HTTP/1.1\nHost: a\n\n").delivered();
                client.abort();
            }
            serving.await("its end", () -> serving.stats().net().connections() == 0);
            late.complete(Response.file(open, 0, 4)); // retained once, by whoever opened it
            serving.awaitQuiet();
            Client.await("the file to be released", () -> !held(open), serving);
        }
    }

    /** Whether somebody holds it, asked without holding on to it. */
    private static boolean held(OpenFile file) {
        boolean open = file.retain();
        if (open) {
            file.release();
        }
        return open;
    }
}
