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
 * A response that is written over time, and one that is completed by another thread.
 *
 * <p>{@code /append} writes a line after one second, after two, after three. It sleeps in between,
 * which parks the virtual thread, so the event loop serves other requests.
 *
 * <p>{@code /later} responds when another thread completes the result. No thread waits for it.
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

    /** Sleeps; the server interrupts a handler when it stops or when the client has gone. */
    private static void pause(Duration time) throws IOException {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the client has gone, or the server stops");
        }
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/append");
    }
}
