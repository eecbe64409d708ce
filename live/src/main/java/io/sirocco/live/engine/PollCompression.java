// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.Loop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses responses to polls, as Socket.IO does by its {@code httpCompression}: those of 1 KiB
 * or more, for clients that accept gzip (RFC 9110 12.5.3). One of up to 16 KiB is compressed where
 * it is sent; a longer one on a virtual thread that yields, 32 at once in this process. Beyond that
 * it is sent as it is. Any thread.
 */
final class PollCompression {
    private static final Pattern GZIP = Pattern.compile("(?i)\\s*(x-)?gzip\\s*(;.*)?");
    private static final Pattern REFUSED = Pattern.compile("(?i);\\s*q\\s*=\\s*0(\\.0*)?\\s*(;|$)");
    private static final int SHORTEST = 1 << 10;
    private static final int PIECE = 16 << 10;
    private static final int MAX_LONG = 32; // each holds 256 KiB outside of the heap
    private static final Semaphore LONG = new Semaphore(MAX_LONG);

    private PollCompression() {}

    /** Whether the client accepts gzip (RFC 9110 12.5.3): says so, and not with a weight of 0. */
    static boolean accepts(Request request) {
        for (String element : request.headerList("Accept-Encoding").orElse("").split(",")) {
            if (GZIP.matcher(element).matches() && !REFUSED.matcher(element).find()) {
                return true;
            }
        }
        return false;
    }

    /** Completes {@code answer} with this, compressed if that is worth it. */
    static void answer(CompletableFuture<Response> answer, String text, Loop loop) {
        byte[] body = text.getBytes(UTF_8);
        if (body.length < SHORTEST) {
            answer.complete(Engine.text(body));
        } else if (body.length <= PIECE) {
            compress(answer, body, () -> {});
        } else if (LONG.tryAcquire()) {
            compressLong(answer, body, loop);
        } else {
            answer.complete(Engine.text(body));
        }
    }

    private static void compressLong(CompletableFuture<Response> answer, byte[] body, Loop loop) {
        boolean started = false;
        try {
            loop.startVirtual(
                    () -> {
                        try {
                            compress(answer, body, loop::yieldIfLong);
                        } finally {
                            LONG.release();
                        }
                    });
            started = true;
        } finally {
            if (!started) {
                LONG.release();
                answer.complete(Engine.text(body));
            }
        }
    }

    /** Sends it as it is where there is no memory to compress it. */
    private static void compress(
            CompletableFuture<Response> answer, byte[] body, Runnable betweenPieces) {
        Response response = Engine.text(body);
        try {
            response = compressed(body, betweenPieces);
        } catch (OutOfMemoryError | InternalError e) {
            // zlib found none
        } finally {
            answer.complete(response);
        }
    }

    private static Response compressed(byte[] plain, Runnable betweenPieces) {
        var bytes = new ByteArrayOutputStream(plain.length / 4);
        try (var out = new Fast(bytes)) {
            for (int at = 0; at < plain.length; at += PIECE) {
                if (at > 0) {
                    betweenPieces.run();
                }
                out.write(plain, at, Math.min(PIECE, plain.length - at));
            }
        } catch (IOException e) {
            throw new AssertionError(e); // memory
        }
        return Engine.text(bytes.toByteArray()).header("Content-Encoding", "gzip");
    }

    /** Favors speed, since it may run on the loop. */
    private static final class Fast extends GZIPOutputStream {
        Fast(ByteArrayOutputStream out) throws IOException {
            super(out, PIECE);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
