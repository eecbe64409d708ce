// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What clients send does not fill the log. */
class LogFloodTest {

    /** The log of what {@code sends} does to a server whose handlers fail. */
    private static List<String> log(Consumer<Service> handlers, Consumer<Peer> sends) {
        PrintStream before = System.err; // the log of tests
        var log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("echo", (c, a) -> a);
            handlers.accept(service);
            sends.accept(peer);
            peer.send("429[\"echo\",2]").expects("439[2]");
        } finally {
            System.setErr(before);
        }
        return log.toString(UTF_8).lines().toList();
    }

    private static long count(List<String> lines, String text) {
        return lines.stream().filter(line -> line.contains(text)).count();
    }

    @Test
    void aHandlerThatFailsAtEachEventIsLoggedOnce() {
        List<String> lines =
                log(
                        service -> {
                            service.live.on(
                                    "bad",
                                    (c, a) -> {
                                        throw new IllegalStateException("bad " + a.asInt(0));
                                    });
                            service.live.on(
                                    "worse",
                                    (c, a) -> {
                                        throw new IllegalStateException("worse");
                                    });
                        },
                        peer -> {
                            for (int i = 0; i < 500; i++) {
                                peer.send("42[\"bad\"," + i + "]");
                            }
                            peer.send("42[\"worse\"]");
                        });
        assertEquals(1, count(lines, "a handler of bad failed"), () -> String.join("\n", lines));
        assertEquals(1, count(lines, "IllegalStateException: bad 0"));
        assertEquals(1, count(lines, "a handler of worse failed"));
    }

    @Test
    void anEventThatNobodyListensToIsLoggedOnceForEachName() {
        List<String> lines =
                log(
                        service -> {},
                        peer -> {
                            for (int i = 0; i < 20; i++) {
                                peer.send("42[\"mispelt\",1]").send("42[\"other\"]");
                            }
                            peer.send("42[\"a\\nWARNING forged\"]");
                            peer.send("42[\"" + "x".repeat(201) + "\"]");
                        });
        assertEquals(1, count(lines, "nobody listens to the event \"mispelt\""));
        assertEquals(1, count(lines, "nobody listens to the event \"other\""));
        assertEquals(1, count(lines, "\"a\\nWARNING forged\""), () -> String.join("\n", lines));
        assertEquals(0, count(lines, "xxx"));
    }

    @Test
    void whoComesAndGoesWithoutEndOverOneConnectionIsCutOff() {
        try (var service = new Service();
                Peer peer = Peer.session(service.port)) {
            service.live.onClose((c, reason) -> service.say("gone"));
            int came = 0;
            for (int i = 0; i < 1_000 && came == i; i++) {
                came += peer.send("40").next().startsWith("40{") ? 1 : 0;
                peer.send("41");
            }
            assertTrue(came >= 100 && came < 1_000, came + " times");
        } catch (CompletionException e) {
            assertTrue(e.getCause() instanceof IOException, "it is closed: " + e);
        }
    }

    @Test
    void namesWithoutNumberAreNotLoggedWithoutNumber() {
        List<String> lines =
                log(
                        service -> {},
                        peer -> {
                            for (int i = 0; i < 1_000; i++) {
                                peer.send("42[\"name " + i + "\"]");
                            }
                        });
        assertEquals(100, count(lines, "nobody listens"));
        assertTrue(count(lines, "further names are not logged") >= 1);
    }
}
