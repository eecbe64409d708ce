// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdInputStream;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Loops;
import io.sirocco.net.RootDirectory;
import io.sirocco.web.files.Client;
import io.sirocco.web.files.Client.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(ExecutionMode.class)
@Timeout(60)
class CompressionTest {
    private static final String TEXT = "All work and no play makes Jack a dull boy. ".repeat(100);

    @Parameter ExecutionMode handling;
    @TempDir Path folder;
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CompletableFuture<Long> turnsMeanwhile = new CompletableFuture<>();
    private Server server;

    @BeforeEach
    void serve() throws IOException {
        Files.writeString(folder.resolve("a.txt"), TEXT);
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .executionMode(handling),
                        this::routes);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void routes(Routes routes) {
        RootDirectory root = RootDirectory.of(folder, RootDirectory.Links.NONE);
        routes.filter(Compression.of())
                .get("/text", r -> Response.text(TEXT))
                .get("/later", r -> Response.async(CompletableFuture.supplyAsync(this::text)))
                .get("/file", r -> Response.file(folder.resolve("a.txt")))
                .get(
                        "/open",
                        r ->
                                Response.file(root.open("a.txt"), 4, TEXT.length() - 4)
                                        .contentType("text/plain"))
                .get("/small", r -> Response.text("small"))
                .get("/photo", r -> text().contentType("image/jpeg"))
                .get("/none", r -> Response.empty(204).contentType("text/plain"))
                .get(
                        "/same",
                        r -> Response.empty(304).header("ETag", "\"x\"").contentType("text/plain"))
                .get("/part", r -> text().status(206).header("Content-Range", "bytes 0-1/2"))
                .get("/coded", r -> text().header("Content-Encoding", "gzip"))
                .get("/kept", r -> text().header("Cache-Control", "no-store, No-Transform"))
                .get("/tagged", r -> text().header("ETag", "\"x\"").header("Vary", "Cookie"))
                .get("/weak", r -> text().header("ETag", "W/\"x\"").header("Vary", "*"))
                .get("/error", r -> text().status(404))
                .get("/events", r -> Response.events(sink -> sink.send(TEXT)))
                .get("/flow", r -> Response.stream(this::flow).contentType("text/plain"))
                .get("/zeros", r -> Response.stream(this::zeros).contentType("text/plain"))
                .get(
                        "/broken",
                        r -> Response.stream(CompressionTest::breaks).contentType("text/plain"))
                .get("/never", r -> Response.stream(out -> fail()).contentType("text/plain"));
    }

    @Test
    void aBodyThatCompressesWellDoesNotKeepItsLoopUntilItEnds() throws Exception {
        Answer answer = get("/zeros", "gzip");
        try (var body = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            assertEquals(2 << 20, body.readAllBytes().length);
        }
        if (handling == ExecutionMode.LOOP && Loops.carriesVirtualThreads()) {
            assertTrue(turnsMeanwhile.join() >= 32, () -> turnsMeanwhile + " turns for 2 MiB");
        }
    }

    private Response text() {
        return Response.text(TEXT);
    }

    private void flow(java.io.OutputStream out) throws IOException, InterruptedException {
        out.write("first".getBytes(UTF_8));
        out.flush();
        goOn.await();
        out.write("last".getBytes(UTF_8));
    }

    /** It compresses to so little that the client never makes it wait. */
    private void zeros(java.io.OutputStream out) throws IOException {
        var zeros = new byte[1 << 20];
        long before = turns();
        out.write(zeros); // at once
        for (int i = 0; i < zeros.length; i += 4096) {
            out.write(zeros, 0, 4096); // and piece by piece
        }
        turnsMeanwhile.complete(turns() - before);
    }

    private long turns() {
        return server.stats().getFirst().net().turns();
    }

    private static void breaks(java.io.OutputStream out) throws IOException {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        out.write(noise);
        out.flush();
        fail();
    }

    private static void fail() throws IOException {
        throw new IllegalStateException("on purpose");
    }

    private Answer get(String path, String accept) throws IOException {
        try (var client = new Client(server.port())) {
            return client.ask("GET", path, "Accept-Encoding: " + accept);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/text, gzip",
        "/text, br",
        "/text, zstd",
        "/later, gzip",
        "/file, br",
        "/file, zstd",
        "/error, gzip",
    })
    void aBodyIsCompressedOnItsWay(String path, String coding) throws IOException {
        for (int i = 0; i < 2; i++) {
            Answer answer = get(path, coding);
            assertEquals(path.equals("/error") ? 404 : 200, answer.status());
            assertEquals(coding, answer.field("Content-Encoding"));
            assertEquals("Accept-Encoding", answer.field("Vary"));
            assertTrue(answer.body().length < 400, answer.body().length + " bytes");
            assertEquals(TEXT, plain(answer));
        }
    }

    @Test
    void aRegionOfAFileIsCompressedToo() throws IOException {
        assertEquals(TEXT.substring(4), plain(get("/open", "gzip")));
        assertEquals(TEXT.substring(4), get("/open", "identity").text());
    }

    @Test
    void theServersPreferenceAmongWhatIsLikedAlike() throws IOException {
        assertEquals("zstd", get("/text", "gzip, deflate, br, zstd").field("Content-Encoding"));
        assertEquals("br", get("/text", "gzip, br").field("Content-Encoding"));
        assertEquals("gzip", get("/text", "gzip, br;q=0.9").field("Content-Encoding"));
    }

    @Test
    void whoTakesNoneGetsNoneAndLearnsThatOthersMay() throws IOException {
        Answer answer = get("/text", "identity");
        assertEquals("", answer.field("Content-Encoding"));
        assertEquals("Accept-Encoding", answer.field("Vary"));
        assertEquals(TEXT, answer.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/small", "/photo", "/none", "/same", "/part", "/kept", "/events"})
    void whatIsLeftAlone(String path) throws IOException {
        Answer answer = get(path, "gzip, br, zstd");
        assertEquals("", answer.field("Content-Encoding"));
        assertEquals("", answer.field("Vary"));
        assertEquals(path.equals("/same") ? "\"x\"" : "", answer.field("ETag"));
    }

    @Test
    void whatHasACodingGetsNoOther() throws IOException {
        Answer answer = get("/coded", "br");
        assertEquals("gzip", answer.field("Content-Encoding"));
        assertEquals(TEXT, answer.text());
    }

    @Test
    void aStrongTagBecomesWeakAndVaryGrows() throws IOException {
        Answer answer = get("/tagged", "gzip");
        assertEquals("W/\"x\"", answer.field("ETag"));
        assertEquals("Cookie, Accept-Encoding", answer.field("Vary"));
        assertEquals("\"x\"", get("/tagged", "identity").field("ETag"));
        assertEquals("W/\"x\"", get("/weak", "gzip").field("ETag"));
        assertEquals("*", get("/weak", "gzip").field("Vary"));
    }

    @Test
    void headHasTheFieldsAndNoBody() throws IOException {
        try (var client = new Client(server.port())) {
            for (String path : new String[] {"/text", "/open"}) {
                Answer answer = client.ask("HEAD", path, "Accept-Encoding: gzip");
                assertEquals("gzip", answer.field("Content-Encoding"));
                assertEquals("", answer.field("Content-Length"));
            }
            assertEquals(200, client.ask("GET", "/text").status());
        }
    }

    /** What is flushed can be read before anything follows. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br", "zstd"})
    void aStreamIsCompressedWhileItFlows(String coding) throws IOException {
        try (var client = new Client(server.port())) {
            client.send("GET /flow HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + coding + "\r\n\r\n");
            while (!client.line().isEmpty()) {
                // the head
            }
            byte[] all = new byte[0];
            while (!holdsFirst(coding, all)) {
                all = plus(all, client.chunk());
            }
            goOn.countDown();
            for (byte[] chunk = client.chunk(); chunk.length > 0; chunk = client.chunk()) {
                all = plus(all, chunk);
            }
            try (InputStream in = decoder(coding, all)) {
                assertEquals("firstlast", new String(in.readAllBytes(), UTF_8));
            }
        }
    }

    private static byte[] plus(byte[] a, byte[] b) {
        byte[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    private static boolean holdsFirst(String coding, byte[] bytes) {
        if (coding.equals("br")) {
            return bytes.length > "first".length(); // its Java decoder wants all or nothing
        }
        byte[] some = new byte[5];
        try (InputStream in = decoder(coding, bytes)) {
            return in.readNBytes(some, 0, 5) == 5 && new String(some, UTF_8).equals("first");
        } catch (IOException e) {
            return false; // it has not all of it
        }
    }

    @Test
    void aBodyThatBreaksOffDoesNotLookWhole() throws IOException {
        for (String coding : new String[] {"gzip", "br", "zstd"}) {
            assertThrows(IOException.class, () -> get("/broken", coding), coding);
        }
        assertEquals(500, get("/never", "gzip").status());
        assertEquals("", get("/never", "gzip").field("Content-Encoding"));
    }

    private static InputStream decoder(String coding, byte[] bytes) throws IOException {
        var in = new ByteArrayInputStream(bytes);
        return switch (coding) {
            case "gzip" -> new GZIPInputStream(in);
            case "br" -> new BrotliInputStream(in);
            case "zstd" -> new ZstdInputStream(in);
            default -> in;
        };
    }

    private static String plain(Answer answer) throws IOException {
        try (InputStream in = decoder(answer.field("Content-Encoding"), answer.body())) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void theSameBytesBecomeTheSameBytes(Coding coding) throws IOException {
        byte[] text = TEXT.repeat(50).getBytes(UTF_8);
        assertTrue(coding.available());
        byte[] once = coding.compress(text);
        assertArrayEquals(once, coding.compress(text));
        try (InputStream in = decoder(coding.token(), once)) {
            assertArrayEquals(text, in.readAllBytes());
        }
        assertArrayEquals(
                new byte[0], decoder(coding.token(), coding.compress(new byte[0])).readAllBytes());
    }
}
