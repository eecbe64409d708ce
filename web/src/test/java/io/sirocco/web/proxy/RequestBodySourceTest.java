// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodySource;
import io.sirocco.http.Server;
import io.sirocco.net.Loop;
import io.sirocco.net.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is kept of a body for a second attempt, on the loop whose memory it takes. */
@Timeout(60)
class RequestBodySourceTest {
    private final Server server = Server.start(0, routes -> {});
    private final Loop loop = server.loops().getFirst();
    private final MemoryBudget memory = loop.memory();
    private final List<CompletableFuture<byte[]>> asked = new ArrayList<>();

    @AfterEach
    void stop() {
        server.close();
    }

    private void onLoop(Runnable test) {
        CompletableFuture.runAsync(test, loop::execute).join();
    }

    private RequestBodySource body() {
        BodySource pieces =
                () -> {
                    asked.add(new CompletableFuture<>());
                    return asked.getLast();
                };
        return new RequestBodySource(pieces, true, memory);
    }

    private static CompletionStage<byte[]> next(BodySource attempt) {
        try {
            return attempt.next();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static int length(CompletionStage<byte[]> piece) {
        assertTrue(piece.toCompletableFuture().isDone());
        return piece.toCompletableFuture().join().length;
    }

    @Test
    void aPieceThatArrivesBetweenTwoAttemptsIsNotLost() {
        onLoop(
                () -> {
                    RequestBodySource body = body();
                    BodySource first = body.open();
                    next(first);
                    asked.getLast().complete(new byte[60_000]);
                    next(first);
                    BodySource second = body.open(); // the first attempt has failed
                    asked.getLast().complete(new byte[10_000]); // is more than what is kept
                    assertFalse(body.isRepeatable());
                    assertEquals(60_000, length(next(second)));
                    assertEquals(10_000, length(next(second)));
                    CompletionStage<byte[]> last = next(second);
                    asked.getLast().complete(new byte[7]);
                    assertEquals(7, length(last));
                    assertEquals(3, asked.size());
                });
    }

    @Test
    void whatIsKeptIsCountedUntilItIsForgotten() {
        onLoop(
                () -> {
                    long before = memory.used();
                    RequestBodySource body = body();
                    BodySource first = body.open();
                    next(first);
                    asked.getLast().complete(new byte[60_000]);
                    assertEquals(60_000, memory.used() - before);
                    assertTrue(body.isRepeatable());
                    body.forget();
                    body.forget();
                    assertEquals(before, memory.used());
                });
    }

    @Test
    void nothingIsKeptWhileMemoryIsShort() {
        onLoop(
                () -> {
                    long half = memory.limit() / 2;
                    memory.add(half);
                    RequestBodySource body = body();
                    BodySource first = body.open();
                    CompletionStage<byte[]> piece = next(first);
                    asked.getLast().complete(new byte[1000]);
                    assertEquals(1000, length(piece));
                    assertFalse(body.isRepeatable());
                    memory.release(half);
                });
    }
}
