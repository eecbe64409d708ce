// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Headers;
import io.sirocco.http.Monitor;
import io.sirocco.http.Plans;
import io.sirocco.http.RequestError;
import io.sirocco.http.Routes;
import io.sirocco.http.exchange.FakeStream.Result;
import io.sirocco.http.message.RequestHeads;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The routes and limits of a server on one event loop, without a socket: its requests come by
 * {@link FakeStream}s, and its clock stands still until a test moves it. Any thread.
 */
public final class FakeServer implements AutoCloseable, Monitor {
    private static final long PATIENCE = 30;

    final ConcurrentLinkedQueue<RequestError> rules = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<String> answered = new ConcurrentLinkedQueue<>();
    private final ManualClock clock = new ManualClock();
    private final Loops loops;
    private final ExecutorService pool = Executors.newSingleThreadExecutor();
    private final LoopContext context;

    public FakeServer(Consumer<Config> configure, Consumer<Routes> routes) {
        ServerContext serverContext =
                Plans.context(
                        c -> {
                            c.port(0).monitor(this);
                            configure.accept(c);
                        },
                        routes,
                        pool);
        try {
            loops = Loops.start(s -> s.loops(1).transport(TransportKind.NIO).clock(clock));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        context = new LoopContext(loops.all().getFirst(), serverContext, LoopContext.failureLog());
    }

    public FakeServer(Consumer<Routes> routes) {
        this(c -> {}, routes);
    }

    @Override
    public void rejected(RejectedRequest refusal) {
        rules.add(refusal.error());
    }

    @Override
    public void completed(CompletedRequest exchange) {
        answered.add(
                exchange.method()
                        + " "
                        + exchange.target()
                        + " "
                        + exchange.route()
                        + " "
                        + exchange.status()
                        + " "
                        + exchange.bytesIn()
                        + " "
                        + exchange.bytesOut()
                        + (exchange.isComplete() ? "" : " cut"));
    }

    /** A request on a stream of its own. */
    public final class Asked {
        private final FakeStream stream = new FakeStream(context);

        /** Sends the headers; {@code bodyLength} is 0 for no body, and -1 for an unknown length. */
        Asked begin(long bodyLength, String method, String target, String... headers) {
            return run(s -> s.begin(RequestHeads.of(method, target, "a", headers), bodyLength));
        }

        Asked body(String bytes) {
            return run(s -> s.receive(bytes.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        }

        Asked endBody() {
            return run(s -> s.endBody(Headers.none()));
        }

        Asked run(Consumer<FakeStream> action) {
            read(
                    s -> {
                        action.accept(s);
                        return s;
                    });
            return this;
        }

        <T> T read(Function<FakeStream, T> look) {
            var seen = new CompletableFuture<T>();
            context.execute(
                    () -> {
                        try {
                            T value = look.apply(stream);
                            context.execute(() -> seen.complete(value)); // behind notifications
                        } catch (Throwable e) {
                            seen.completeExceptionally(e);
                        }
                    });
            return seen.orTimeout(PATIENCE, TimeUnit.SECONDS).join();
        }

        long count(ToLongFunction<FakeStream> look) {
            return read(look::applyAsLong);
        }

        boolean is(Predicate<FakeStream> look) {
            return read(look::test);
        }

        /** Moves the clock, and lets the stream look at its deadline. */
        Asked after(long millis) {
            clock.advance(millis);
            return run(FakeStream::expireIfDue);
        }

        public Result result() {
            Result result = stream.result().copy().orTimeout(PATIENCE, TimeUnit.SECONDS).join();
            read(s -> s); // behind notifications
            return result;
        }

        boolean isDone() {
            return stream.result().isDone();
        }
    }

    /** Begins a request without a body. */
    public Asked ask(String method, String target, String... headers) {
        return new Asked().begin(0, method, target, headers);
    }

    public Result get(String target, String... headers) {
        return ask("GET", target, headers).result();
    }

    /** Begins a request whose body is still to come; -1 for an unknown length. */
    Asked post(String target, long length, String... headers) {
        return new Asked().begin(length, "POST", target, headers);
    }

    LoopContext context() {
        return context;
    }

    static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not in time: " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close() {
        loops.close();
        pool.shutdownNow();
    }
}
