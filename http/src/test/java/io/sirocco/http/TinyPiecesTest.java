// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A body that comes in pieces of a byte, before its handler reads: none costs an array. */
class TinyPiecesTest {
    private static final int LENGTH = 50_000;

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void areGathered(TransportKind transport) throws Exception {
        var read = new CountDownLatch(1);
        var pieces = new int[1];
        var wrong = new int[1];
        var serving =
                new Serving(
                        transport,
                        config -> {},
                        routes ->
                                routes.post(
                                        "/",
                                        request -> {
                                            read.await();
                                            int at = 0;
                                            for (byte[] piece = next(request);
                                                    piece.length > 0;
                                                    piece = next(request)) {
                                                pieces[0]++;
                                                for (byte b : piece) {
                                                    wrong[0] += b == 'a' + at++ % 26 ? 0 : 1;
                                                }
                                            }
                                            return Response.text(Integer.toString(at));
                                        }));
        try (serving;
                var socket = new Socket("127.0.0.1", serving.server.port())) {
            var text = new StringBuilder("POST / HTTP/1.1\r\nHost: a\r\n");
            text.append("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
            for (int i = 0; i < LENGTH; i++) {
                text.append("1\r\n").append((char) ('a' + i % 26)).append("\r\n");
            }
            text.append("0\r\n\r\n");
            byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
            socket.getOutputStream().write(bytes);
            long end = System.nanoTime() + 20_000_000_000L;
            while (serving.server.stats().getFirst().net().bytesIn() < bytes.length) {
                assertTrue(System.nanoTime() < end, "not all has come");
                LockSupport.parkNanos(1_000_000);
            }
            read.countDown();
            String answer = new String(socket.getInputStream().readAllBytes());
            assertTrue(answer.endsWith("\r\n\r\n" + LENGTH), answer);
            assertEquals(0, wrong[0], "bytes at another place");
            assertTrue(pieces[0] < LENGTH / 100, pieces[0] + " pieces");
        }
    }

    private static byte[] next(Request request) throws Exception {
        return request.body().next().toCompletableFuture().get();
    }
}
