// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.Loop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses responses to polls, as Socket.IO does by its {@code httpCompression}: those of 1 KiB
 * or more, for clients that accept gzip (RFC 9110 12.5.3). One of up to 16 KiB is compressed where
 * it is sent; a longer one on a virtual thread that yields, 32 at once. Beyond that it is sent as
 * it is. Any thread.
 */
final class PollCompression {
    private static final int SHORTEST = 1 << 10;
    private static final int PIECE = 16 << 10;
    private static final int MAX_LONG = 32; // each holds 256 KiB outside of the heap
    private static final Semaphore LONG = new Semaphore(MAX_LONG);

    private PollCompression() {}

    /** Whether the client accepts gzip. */
    static boolean accepts(Request request) {
        for (String element : request.headerList("Accept-Encoding").orElse("").split(",")) {
            String[] parts = element.toLowerCase(Locale.ROOT).split(";");
            String coding = parts[0].strip();
            if (coding.equals("gzip") || coding.equals("x-gzip")) {
                return parts.length == 1 || !parts[1].strip().matches("q *= *0(\\.0*)?");
            }
        }
        return false;
    }

    /** Completes {@code answer} with this, compressed if that is worth it. */
    static void answer(CompletableFuture<Response> answer, String body, Loop loop) {
        if (body.length() < SHORTEST) {
            answer.complete(Engine.text(body));
        } else if (body.length() <= PIECE) {
            answer.complete(compressed(body, loop));
        } else if (LONG.tryAcquire()) {
            boolean started = false;
            try {
                loop.startVirtual(() -> answerLong(answer, body, loop));
                started = true;
            } finally {
                if (!started) {
                    LONG.release();
                    answer.complete(Engine.text(body));
                }
            }
        } else {
            answer.complete(Engine.text(body));
        }
    }

    private static void answerLong(CompletableFuture<Response> answer, String body, Loop loop) {
        Response response = Engine.text(body);
        try {
            response = compressed(body, loop);
        } finally {
            LONG.release();
            answer.complete(response);
        }
    }

    private static Response compressed(String body, Loop loop) {
        byte[] plain = body.getBytes(UTF_8);
        var bytes = new ByteArrayOutputStream(plain.length / 4);
        try (var out = new Fast(bytes)) {
            for (int at = 0; at < plain.length; at += PIECE) {
                if (at > 0) {
                    loop.yieldIfLong();
                }
                out.write(plain, at, Math.min(PIECE, plain.length - at));
            }
        } catch (IOException e) {
            throw new AssertionError(e); // memory
        }
        return Engine.text(bytes.toByteArray()).header("Content-Encoding", "gzip");
    }

    /** It is the loop's time. */
    private static final class Fast extends GZIPOutputStream {
        Fast(ByteArrayOutputStream out) throws IOException {
            super(out, PIECE);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
