// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.AFn;
import clojure.lang.IFn;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocketSettings;
import io.sirocco.http.WebSockets;
import io.sirocco.net.TaskKind;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Calls a Ring handler for each request, and turns what it returns into a response. Any thread. */
public final class RingAdapter implements Handler {
    private static final LazyLogger LOG = LazyLogger.of("sirocco.ring");

    /** Subprotocols whose settings are kept; handlers name them, so there are a few. */
    private static final int SUBPROTOCOLS = 64;

    /**
     * How handlers are called and what their responses may be.
     *
     * @param async whether handlers take {@code request}, {@code respond} and {@code raise}
     * @param pool runs the handlers; null where the server does
     * @param trustsProxies whether headers of trusted proxies are read
     * @param believesForwardedFor whether anybody's {@code X-Forwarded-For} is believed
     * @param maxPending bytes that may wait in a channel
     * @param streams whether an object is a {@code StreamableResponseBody}; of Clojure
     * @param writeStream writes such a body, from body, response and stream; of Clojure
     * @param callbacks returns the {@link WebSocketCallbacks} of a listener; of Clojure
     * @param failed is called with a message and what a callback has thrown; of Clojure
     * @param views returns what programs get as a channel; of Clojure, null for the channel itself
     * @param unknown warns of keys that are none of the known ones; of Clojure
     * @param webSockets sets what all WebSockets have in common
     */
    public record Settings(
            boolean async,
            Executor pool,
            boolean trustsProxies,
            boolean believesForwardedFor,
            long maxPending,
            IFn streams,
            IFn writeStream,
            IFn callbacks,
            IFn failed,
            IFn views,
            IFn unknown,
            Consumer<WebSocketSettings> webSockets) {}

    final Settings settings;
    final TaskKind callbacks = TaskKind.of("Ring callbacks");
    private final IFn handler;
    private final RepeatedFailures failures = new RepeatedFailures(LOG, Level.ERROR);
    private final WebSockets webSockets;
    private final Map<String, WebSockets> bySubprotocol = new ConcurrentHashMap<>();

    public RingAdapter(IFn handler, Settings settings) {
        this.handler = handler;
        this.settings = settings;
        this.webSockets = WebSockets.of(this::configure);
    }

    private void configure(WebSocketSettings all) {
        all.blockingListener();
        settings.webSockets.accept(all);
    }

    @Override
    public Response handle(Request request) {
        var map = new RingRequest(new RequestValues(request, this));
        if (settings.pool != null) {
            return inPool(map);
        }
        if (settings.async) {
            return async(map);
        }
        try {
            return response(handler.invoke(map), map, false);
        } catch (Throwable e) {
            if (map.known().handlerFailed(e)) {
                return Response.empty(500); // which is dropped, since another has begun
            }
            throw e;
        }
    }

    private static Response response(Object result, RingRequest map, boolean later) {
        Response made = RingResponses.of(result, map.known(), later);
        map.known().handlerReturned();
        return made;
    }

    private Response inPool(RingRequest map) {
        var response = new CompletableFuture<Response>();
        try {
            settings.pool.execute(
                    () -> {
                        if (settings.async) {
                            call(map, response);
                        } else {
                            complete(response, map, () -> handler.invoke(map));
                        }
                    });
        } catch (RejectedExecutionException e) {
            return Response.text("Service Unavailable").status(503).header("Retry-After", "1");
        }
        return Response.async(response);
    }

    private Response async(RingRequest map) {
        var response = new CompletableFuture<Response>();
        call(map, response);
        return response.isDone() && !response.isCompletedExceptionally()
                ? response.join()
                : Response.async(response);
    }

    private void call(RingRequest map, CompletableFuture<Response> response) {
        IFn respond =
                new AFn() {
                    @Override
                    public Object invoke(Object result) {
                        if (!response.isDone()) {
                            complete(response, map, () -> result);
                        }
                        return null;
                    }
                };
        IFn raise =
                new AFn() {
                    @Override
                    public Object invoke(Object thrown) {
                        fail(response, map, failure(thrown));
                        return null;
                    }
                };
        try {
            handler.invoke(map, respond, raise);
        } catch (Throwable e) {
            if (!fail(response, map, e)) {
                failed(map.known(), "the handler threw after its response", e);
            }
        }
    }

    /** Reports what was thrown where no response can tell. */
    void failed(RequestValues request, String what, Throwable thrown) {
        String line = request.name() + " failed (request " + request.request.id() + "): " + what;
        failures.log(what, line, thrown);
        settings.failed.invoke(line, thrown);
    }

    /** Reports what a callback has thrown whose request is over. */
    void failed(String what, Throwable thrown) {
        failures.log(what, what, thrown);
        settings.failed.invoke(what, thrown);
    }

    private static Throwable failure(Object thrown) {
        return thrown instanceof Throwable failure
                ? failure
                : new IllegalArgumentException("raise was called with " + thrown);
    }

    private static void complete(
            CompletableFuture<Response> response,
            RingRequest map,
            java.util.function.Supplier<Object> result) {
        try {
            response.complete(response(result.get(), map, true));
        } catch (Throwable e) {
            fail(response, map, e);
        }
    }

    /** Has a failure reported; returns false if the response is complete. */
    private static boolean fail(
            CompletableFuture<Response> response, RingRequest map, Throwable thrown) {
        if (map.known().handlerFailed(thrown)) {
            response.complete(Response.empty(500)); // which is dropped, since another has begun
            return true;
        }
        return response.completeExceptionally(thrown);
    }

    /** Returns the settings of WebSockets with this subprotocol; null for none. */
    WebSockets webSockets(String subprotocol) {
        if (subprotocol == null) {
            return webSockets;
        }
        WebSockets known = bySubprotocol.get(subprotocol);
        if (known == null) {
            known =
                    WebSockets.of(
                            all -> {
                                configure(all);
                                all.subprotocols(subprotocol);
                            });
            if (bySubprotocol.size() < SUBPROTOCOLS) {
                bySubprotocol.putIfAbsent(subprotocol, known);
            }
        }
        return known;
    }
}
