// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** An origin whose responses a test decides. Any thread. */
final class TestOrigin implements Origin {
    /** All requests that it received. */
    final List<OriginRequest> requests = new CopyOnWriteArrayList<>();

    private final LinkedBlockingQueue<OriginRequest> arrivals = new LinkedBlockingQueue<>();
    private volatile Function<OriginRequest, CompletionStage<OriginResponse>> answer =
            request ->
                    CompletableFuture.failedFuture(new IllegalStateException("no answer is set"));

    /** Responds to each request from now on. */
    void answers(Function<OriginRequest, OriginResponse> responses) {
        answersLater(request -> CompletableFuture.completedFuture(responses.apply(request)));
    }

    void answers(OriginResponse once, OriginResponse... more) {
        var all = new ArrayDeque<OriginResponse>();
        all.add(once);
        all.addAll(List.of(more));
        answers(
                request -> {
                    synchronized (all) {
                        return all.removeFirst();
                    }
                });
    }

    void answersLater(Function<OriginRequest, CompletionStage<OriginResponse>> responses) {
        answer = responses;
    }

    @Override
    public CompletionStage<OriginResponse> fetch(OriginRequest request) {
        requests.add(request);
        CompletionStage<OriginResponse> response = answer.apply(request);
        arrivals.add(request);
        return response;
    }

    int count() {
        return requests.size();
    }

    OriginRequest last() {
        return requests.getLast();
    }

    /** Waits for the next request that was not awaited yet. */
    OriginRequest await() throws InterruptedException {
        OriginRequest next = arrivals.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("the origin got no request");
        }
        return next;
    }

    static OriginResponse response(int status, String body, String... headers) {
        byte[] bytes = body.getBytes(UTF_8);
        return new OriginResponse(
                status,
                Headers.of(headers),
                OptionalLong.of(bytes.length),
                bytes.length == 0 ? source() : source(bytes));
    }

    static OriginResponse ok(String body, String... headers) {
        return response(200, body, headers);
    }

    static BodySource source(byte[]... segments) {
        var rest = new ArrayDeque<>(List.of(segments));
        return () -> CompletableFuture.completedFuture(rest.isEmpty() ? new byte[0] : rest.poll());
    }

    /** A body whose segments a test sends. */
    static final class Body implements BodySource {
        private final LinkedBlockingQueue<Object> sent = new LinkedBlockingQueue<>();
        private CompletableFuture<byte[]> asked;
        final AtomicInteger pulled = new AtomicInteger();
        final CompletableFuture<Void> closed = new CompletableFuture<>();

        @Override
        public synchronized CompletionStage<byte[]> next() {
            asked = new CompletableFuture<>();
            CompletableFuture<byte[]> mine = asked;
            pulled.incrementAndGet();
            move();
            return mine;
        }

        @Override
        public void close() {
            closed.complete(null);
        }

        Body send(String text) {
            return send(text.getBytes(UTF_8));
        }

        Body send(byte[] bytes) {
            sent.add(bytes);
            move();
            return this;
        }

        void end() {
            send(new byte[0]);
        }

        void fail(Throwable thrown) {
            sent.add(thrown);
            move();
        }

        private void move() {
            CompletableFuture<byte[]> waiting;
            Object next;
            synchronized (this) {
                if (asked == null || sent.isEmpty()) {
                    return;
                }
                waiting = asked;
                asked = null;
                next = sent.poll();
            }
            if (next instanceof Throwable thrown) {
                waiting.completeExceptionally(thrown);
            } else {
                waiting.complete((byte[]) next);
            }
        }
    }

    static List<String> values(OriginRequest request, String name) {
        return new ArrayList<>(request.headers().all(name));
    }
}
