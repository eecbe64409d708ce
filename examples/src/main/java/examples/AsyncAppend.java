// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A response that grows, and one that comes later.
 *
 * <p>{@code /append} writes a line after one second, after two, after three. It sleeps between
 * them: the virtual thread is parked, and the loop serves others.
 *
 * <p>{@code /later} answers with what another thread will have found. Nothing waits for it.
 *
 * <pre>
 *   curl -N http://localhost:8080/append
 * </pre>
 */
public final class AsyncAppend {

    static Server start(int port) {
        return start(port, Duration.ofSeconds(1));
    }

    static Server start(int port, Duration second) {
        Executor elsewhere =
                CompletableFuture.delayedExecutor(second.toMillis(), TimeUnit.MILLISECONDS);
        return Server.start(
                port,
                routes ->
                        routes.get("/append", request -> append(second))
                                .get(
                                        "/later",
                                        request ->
                                                Response.async(
                                                        CompletableFuture.supplyAsync(
                                                                () -> Response.text("found\n"),
                                                                elsewhere))));
    }

    private static Response append(Duration second) {
        return Response.stream(
                        out -> {
                            for (int line = 1; line <= 3; line++) {
                                pause(second);
                                out.write(("line " + line + "\n").getBytes());
                                out.flush(); // now, not when the buffer is full
                            }
                        })
                .contentType("text/plain; charset=utf-8");
    }

    /** The server interrupts a handler that it stops, or that nobody waits for any more. */
    private static void pause(Duration time) throws IOException {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("no more lines are wanted");
        }
    }

    void main() {
        start(8080);
    }
}
