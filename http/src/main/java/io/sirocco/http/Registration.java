// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.ClientResponse;
import io.sirocco.http.client.HttpClient;
import io.sirocco.http.client.HttpClientException;
import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The registration of a server with a balancer, made by {@link Server#join}: a heartbeat every two
 * seconds, until it is closed or the server stops.
 *
 * <pre>
 *   REFUSED ◀──▶ REGISTERED      each heartbeat decides; a second between attempts that fail
 *       └──────┬─────┘
 *          close, stop ─▶ DELETE ─▶ LEFT
 * </pre>
 *
 * <p>Heartbeats are sent by the server's first event loop, so a server whose loop is blocked for
 * longer than the balancer waits gets no requests. A balancer that restarts knows the server again
 * after the next heartbeat. The log reports each change, and each reason of failures once. Any
 * thread.
 */
public final class Registration implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Registration.class);
    private static final long HEARTBEAT_MILLIS = 2000;
    private static final long RETRY_MILLIS = 1000;
    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Duration LEAVE = Duration.ofSeconds(1);
    private static final int MAX_WEIGHT = 1000; // as the balancer has it
    private static final int MAX_REASON = 1000; // bytes of an error response

    private final String upstream;
    private final String token;
    private final byte[] body;
    private final String query;
    private final Loop loop;
    private final HttpClient client;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile boolean registered; // written by the loop
    private String failure = ""; // the last one; empty after a success; loop-confined, as the next
    private boolean beating;
    private boolean leaving;

    /**
     * @param upstream the URL that requests are sent to
     * @param address the address of the server as a member of a JSON object
     * @param query the same as a query
     * @param weight 1 to 1000
     */
    Registration(
            String upstream, String token, String address, String query, int weight, Loop loop) {
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException(
                    "The weight must be 1 to " + MAX_WEIGHT + ", not " + weight + ".");
        }
        this.upstream = upstream;
        this.token = token;
        String more = weight == 1 ? "" : ",\"weight\":" + weight;
        this.body = ("{" + address + more + "}").getBytes(UTF_8);
        this.query = query;
        this.loop = loop;
        this.client =
                HttpClient.onLoopOfCaller(
                        c -> c.connectTimeout(TIMEOUT).tlsTimeout(TIMEOUT).totalTimeout(TIMEOUT));
        request("PUT", ""); // or it is no URL
    }

    /**
     * Returns the origin of a URL.
     *
     * @throws IllegalArgumentException if it is none of HTTP
     */
    static String origin(String url) {
        return HttpOrigin.of(url).toString();
    }

    void begin() {
        loop.execute(this::beat);
    }

    private ClientRequest request(String method, String query) {
        return ClientRequest.of(method, upstream + query)
                .header("Authorization", "Bearer " + token)
                .timeout(TIMEOUT)
                .closeConnection();
    }

    // ---- heartbeats

    private void beat() {
        if (leaving) {
            return;
        }
        beating = true;
        long began = loop.now();
        client.sendAsync(
                        loop,
                        request("PUT", "").header("Content-Type", "application/json").body(body))
                .whenComplete((response, thrown) -> responded(response, thrown, began));
    }

    private void responded(ClientResponse response, Throwable thrown, long began) {
        if (response == null) {
            beaten(reason(thrown), began);
        } else if (response.status() < 300) {
            response.close();
            beaten("", began);
        } else {
            response.body()
                    .bytesAsync(MAX_REASON)
                    .whenComplete(
                            (bytes, _) ->
                                    beaten(
                                            response.status()
                                                    + " "
                                                    + (bytes == null ? "" : printable(bytes)),
                                            began));
        }
    }

    private static String reason(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException e ? e.getCause() : thrown;
        return cause instanceof HttpClientException e ? e.reason().toString() : cause.toString();
    }

    private static String printable(byte[] bytes) {
        return new String(bytes, UTF_8).replaceAll("\\p{Cntrl}+", " ").strip();
    }

    private void beaten(String why, long began) {
        beating = false;
        boolean news = why.isEmpty() ? !registered : !why.equals(failure);
        registered = why.isEmpty();
        failure = why;
        if (news) {
            report(why);
        }
        if (leaving) {
            deregister();
            return;
        }
        long since = loop.now() - began;
        long wait = why.isEmpty() ? HEARTBEAT_MILLIS - since : RETRY_MILLIS;
        loop.schedule(Math.max(0, wait), this::beat);
    }

    private void report(String why) {
        if (why.isEmpty()) {
            LOG.get().log(Level.INFO, "registered with {0}", upstream);
        } else {
            String text = "not registered with {0}: {1}; trying again";
            LOG.get().log(Level.WARNING, text, upstream, why);
        }
    }

    /** Returns whether the last heartbeat has succeeded. */
    public boolean isRegistered() {
        return registered;
    }

    // ---- the end

    boolean hasLeft() {
        return left.isDone();
    }

    /** Begins to leave, and returns when the balancer knows. Any thread. */
    CompletableFuture<Void> leave() {
        try {
            loop.execute(
                    () -> {
                        boolean before = leaving;
                        leaving = true;
                        if (!before && !beating) {
                            deregister();
                        } // else the response to the heartbeat continues
                    });
        } catch (RejectedExecutionException e) {
            left.complete(null); // the loop has ended
        }
        return left;
    }

    private void deregister() {
        client.sendAsync(loop, request("DELETE", query))
                .whenComplete(
                        (response, thrown) -> {
                            if (response != null) {
                                response.close();
                            }
                            registered = false;
                            left.complete(null);
                        });
    }

    /**
     * Leaves: the balancer sends no further requests, and those in progress finish. Waits up to a
     * second for the balancer, but not on an event loop. A balancer that cannot be reached drops
     * the server when heartbeats are missing. {@link Server#stop} does the same.
     */
    @Override
    public void close() {
        CompletableFuture<Void> end = leave();
        if (!Loop.isLoopThread()) {
            await(end, LEAVE);
        }
    }

    /** Waits until all have left, for at most {@code timeout} or a second. */
    static void leaveAll(Iterable<Registration> all, Duration timeout) {
        CompletableFuture<Void> end = CompletableFuture.completedFuture(null);
        for (Registration each : all) {
            end = CompletableFuture.allOf(end, each.leave());
        }
        await(end, timeout.compareTo(LEAVE) < 0 ? timeout : LEAVE);
    }

    private static void await(CompletableFuture<Void> end, Duration timeout) {
        try {
            end.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // the balancer misses the heartbeats
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return upstream + (registered ? ": registered" : ": not registered");
    }
}
