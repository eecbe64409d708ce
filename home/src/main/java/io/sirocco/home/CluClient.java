// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.Challenge;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.home.protocol.CluCipher;
import io.sirocco.home.protocol.DatagramWriter;
import io.sirocco.home.protocol.Request;
import io.sirocco.home.protocol.Response;
import io.sirocco.home.protocol.ResponseParser;
import io.sirocco.net.Datagrams;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.ScheduledTask;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A client of one controller (CLU), over UDP.
 *
 * <p>A request is one datagram, and so is its response. There is no retransmission, since a script
 * could have effects twice: a future fails with a {@link TimeoutException} when there is no
 * response in time. Scripts may be under way at the same time, up to {@value #MAX_CALLS}; other
 * requests have no number, so they are sent one after the other.
 *
 * <p>Any thread. Futures complete on the event loop: their actions must not block.
 */
public final class CluClient implements AutoCloseable {
    /** The UDP port of controllers. */
    public static final int PORT = 1234;

    private static final int MAX_CALLS = 1_000;
    private static final int MAX_WAITING = 100;
    private static final int MAX_DATAGRAM =
            2_048; // the longest request that every controller reads
    private static final int RENEW_MILLIS = 60_000;
    private static final String REPORT = "clientReport:";
    private static final AtomicInteger REPORTS = new AtomicInteger(); // ids of all clients
    private static final SecureRandom RANDOM = new SecureRandom();

    private final InetSocketAddress controller;
    private final Duration timeout;
    private final Inet4Address local;
    private final Loop loop;
    private final Datagrams socket;

    // Loop-confined
    private final DatagramWriter writer = new DatagramWriter();
    private final Map<Integer, Pending<String>> calls = new HashMap<>();
    private final Queue<Pending<Response>> waiting = new ArrayDeque<>(); // the first is under way
    private final Map<Integer, Registration> registrations = new HashMap<>();
    private CluCipher cipher;
    private byte[] sealed = new byte[MAX_DATAGRAM + 16];
    private byte[] plaintext = new byte[MAX_DATAGRAM];
    private boolean closed;

    /** A request without a response. Loop-confined. */
    private static final class Pending<T> {
        final Request request;
        final CompletableFuture<T> result = new CompletableFuture<>();
        ScheduledTask timer;

        Pending(Request request) {
            this.request = request;
        }
    }

    private CluClient(
            Loops loops,
            Inet4Address local,
            InetSocketAddress controller,
            CipherKey key,
            Duration timeout)
            throws IOException {
        this.controller = controller;
        this.timeout = timeout;
        this.local = local;
        this.cipher = new CluCipher(key);
        this.socket = loops.datagrams(new InetSocketAddress(local, 0), this::received);
        this.loop = socket.loop();
    }

    /**
     * Opens a client with a timeout of 9 s.
     *
     * @param local the address of this machine that the controller can reach
     * @param key the project key, or the temporary key after a discovery
     * @throws IOException if the socket cannot be bound
     */
    public static CluClient open(
            Loops loops, Inet4Address local, InetSocketAddress controller, CipherKey key)
            throws IOException {
        return open(loops, local, controller, key, Duration.ofSeconds(9));
    }

    /** Opens a client with another timeout. */
    public static CluClient open(
            Loops loops,
            Inet4Address local,
            InetSocketAddress controller,
            CipherKey key,
            Duration timeout)
            throws IOException {
        return new CluClient(loops, local, controller, key, timeout);
    }

    /**
     * Evaluates a Lua expression.
     *
     * @return the text of its value; fails with an {@link IllegalArgumentException} if the script
     *     is longer than a datagram of 2,048 bytes
     */
    public CompletableFuture<String> execute(String script) {
        var pending = new Pending<String>(new Request.Lua(local, RANDOM.nextInt(), script));
        inLoop(pending.result, () -> call(pending));
        return pending.result;
    }

    /**
     * Returns whether the controller with a serial number is alive and not in emergency.
     *
     * @return false if it does not respond in time
     */
    public CompletableFuture<Boolean> checkAlive(int serial) {
        return execute("checkAlive()")
                .handle((value, failure) -> failure == null && isAlive(value, serial));
    }

    /** Restarts the scripts; completes when they run again. */
    public CompletableFuture<Void> reset() {
        return request(new Request.Reset(local)).thenAccept(done -> {});
    }

    /** Makes the controller start its TFTP server. */
    public CompletableFuture<Void> startTftp() {
        return request(new Request.StartTftp()).thenAccept(done -> {});
    }

    /** Makes the controller stop its TFTP server. */
    public CompletableFuture<Void> stopTftp() {
        return request(new Request.StopTftp()).thenAccept(done -> {});
    }

    /** Sets the project key; further requests of this client are under it. */
    public CompletableFuture<Void> setKey(CipherKey key) {
        Bytes challenge = Challenge.encrypt(Challenge.random(RANDOM), key);
        return request(new Request.SetKey(challenge, key)).thenAccept(done -> {});
    }

    /**
     * Has the controller report features once a second, until the subscription is cancelled. The
     * request is repeated each minute, so that it outlives a restart of the controller.
     *
     * @param features a table of Lua: {@code {{DIM1,0},{DIM2,0}}}
     * @param received receives the text of each report, {@code {0.5, 1}}, on the event loop
     */
    Registration register(String features, Consumer<String> received) {
        var registration = new Registration(REPORTS.incrementAndGet(), features, received);
        inLoop(
                new CompletableFuture<>(),
                () -> {
                    registrations.put(registration.id, registration);
                    renew(registration);
                });
        return registration;
    }

    /** A client that has registered for reports. */
    final class Registration implements AutoCloseable {
        private final int id;
        private final String features;
        private final Consumer<String> received;

        private Registration(int id, String features, Consumer<String> received) {
            this.id = id;
            this.features = features;
            this.received = received;
        }

        /** Returns the script that ends the reports, for another client. Any thread. */
        String end() {
            return text("clientDestroy", id, "");
        }

        /** Ends the reports. Any thread. */
        @Override
        public void close() {
            inLoop(
                    new CompletableFuture<>(),
                    () -> {
                        if (registrations.remove(id) != null) {
                            call(script("clientDestroy", id, ""));
                        }
                    });
        }
    }

    @Override
    public void close() {
        inLoop(
                new CompletableFuture<>(),
                () -> {
                    closed = true;
                    var error = new SocketException("the client is closed");
                    calls.values().forEach(pending -> fail(pending, error));
                    calls.clear();
                    waiting.forEach(pending -> fail(pending, error));
                    waiting.clear();
                });
        socket.close();
    }

    private static boolean isAlive(String value, int serial) {
        if (value.equalsIgnoreCase("true")) {
            return true;
        }
        try {
            return Integer.parseUnsignedInt(value, 16) == serial;
        } catch (NumberFormatException e) {
            return false; // nil, emergency
        }
    }

    private CompletableFuture<Response> request(Request request) {
        var pending = new Pending<Response>(request);
        inLoop(
                pending.result,
                () -> {
                    if (waiting.size() == MAX_WAITING) {
                        fail(pending, new IOException(MAX_WAITING + " requests wait already"));
                        return;
                    }
                    waiting.add(pending);
                    if (waiting.size() == 1) {
                        sendFirst();
                    }
                });
        return pending.result;
    }

    private void inLoop(CompletableFuture<?> result, Runnable task) {
        try {
            loop.execute(
                    () -> {
                        if (closed) {
                            result.completeExceptionally(
                                    new SocketException("the client is closed"));
                        } else {
                            task.run();
                        }
                    });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new SocketException("the event loop has ended"));
        }
    }

    // Loop-confined

    private void renew(Registration registration) {
        if (closed || registrations.get(registration.id) != registration) {
            return;
        }
        Pending<String> pending =
                script("clientRegister", registration.id, "," + registration.features);
        pending.result.thenAccept(this::reported);
        call(pending);
        loop.schedule(RENEW_MILLIS, () -> renew(registration));
    }

    private Pending<String> script(String function, int id, String rest) {
        String text = text(function, id, rest);
        return new Pending<>(new Request.Lua(local, RANDOM.nextInt(), text));
    }

    private String text(String function, int id, String rest) {
        return "SYSTEM:%s(\"%s\",%d,%d%s)"
                .formatted(function, local.getHostAddress(), socket.address().getPort(), id, rest);
    }

    /** Passes {@code clientReport:ID:{VALUES}} on. */
    private void reported(String value) {
        int colon = value.indexOf(':', REPORT.length());
        if (!value.startsWith(REPORT) || colon < 0) {
            return;
        }
        try {
            Registration registration =
                    registrations.get(Integer.parseInt(value.substring(REPORT.length(), colon)));
            if (registration != null) {
                registration.received.accept(value.substring(colon + 1));
            }
        } catch (NumberFormatException e) {
            // not one of ours
        }
    }

    private void call(Pending<String> pending) {
        int session = ((Request.Lua) pending.request).session();
        if (calls.size() == MAX_CALLS || calls.containsKey(session)) {
            fail(pending, new IOException(MAX_CALLS + " scripts are under way already"));
            return;
        }
        if (send(pending)) {
            calls.put(session, pending);
            pending.timer =
                    loop.schedule(
                            timeout.toMillis(),
                            () -> {
                                calls.remove(session);
                                fail(pending, late());
                            });
        }
    }

    private void sendFirst() {
        for (Pending<Response> first = waiting.peek(); first != null; first = waiting.peek()) {
            Pending<Response> pending = first;
            if (send(pending)) {
                pending.timer =
                        loop.schedule(timeout.toMillis(), () -> finish(pending, null, late()));
                return;
            }
            waiting.remove();
        }
    }

    /** Ends the request that is under way, and sends the next. */
    private void finish(Pending<Response> pending, Response response, Exception failure) {
        if (waiting.peek() != pending) {
            return;
        }
        waiting.remove();
        pending.timer.cancel();
        sendFirst();
        if (failure == null) {
            pending.result.complete(response);
        } else {
            pending.result.completeExceptionally(failure);
        }
    }

    private boolean send(Pending<?> pending) {
        int length = writer.write(pending.request);
        int size = CluCipher.encryptedLength(length);
        if (size > MAX_DATAGRAM) {
            fail(
                    pending,
                    new IllegalArgumentException(
                            "the script is too long: a controller reads datagrams of up to 2,048"
                                    + " bytes, and this one has "
                                    + size));
            return false;
        }
        cipher.encrypt(writer.bytes(), 0, length, sealed);
        try {
            socket.send(sealed, size, controller);
            return true;
        } catch (IOException e) {
            fail(pending, e);
            return false;
        }
    }

    private void received(Datagrams from, byte[] bytes, int length, InetSocketAddress peer) {
        if (!peer.getAddress().equals(controller.getAddress())) {
            return; // the port may differ: some controllers respond from another
        }
        if (plaintext.length < length) {
            plaintext = new byte[length];
        }
        Pending<Response> first = waiting.peek();
        if (first != null
                && first.request instanceof Request.SetKey set
                && keySet(first, set, bytes, length)) {
            return;
        }
        int size = cipher.decrypt(bytes, 0, length, plaintext);
        if (size < 0) {
            return;
        }
        Response response = ResponseParser.parse(plaintext, size);
        if (response instanceof Response.Lua lua) {
            Pending<String> call = calls.remove(lua.session());
            if (call != null) {
                call.timer.cancel();
                call.result.complete(lua.value());
            } else {
                reported(lua.value());
            }
        } else if (first != null && isResponseTo(first.request, response)) {
            boolean failed = response instanceof Response.Failed;
            finish(first, response, failed ? refused(first.request) : null);
        }
    }

    /** The response to a new key is encrypted under it. */
    private boolean keySet(
            Pending<Response> pending, Request.SetKey set, byte[] bytes, int length) {
        var next = new CluCipher(set.key());
        int size = next.decrypt(bytes, 0, length, plaintext);
        if (size < 0 || !(ResponseParser.parse(plaintext, size) instanceof Response.Ok ok)) {
            return false;
        }
        cipher = next;
        finish(pending, ok, null);
        return true;
    }

    private static boolean isResponseTo(Request request, Response response) {
        return switch (response) {
            case Response.Failed failed -> true;
            case Response.Reset reset -> request instanceof Request.Reset;
            case Response.SetIp ip -> request instanceof Request.SetIp;
            case Response.Ok ok ->
                    request instanceof Request.StartTftp || request instanceof Request.StopTftp;
            default -> false;
        };
    }

    private IOException refused(Request request) {
        return new IOException(
                "the controller at %s refuses %s"
                        .formatted(
                                controller.getAddress().getHostAddress(),
                                request.getClass().getSimpleName()));
    }

    private TimeoutException late() {
        return new TimeoutException(
                "no response from %s:%d within %s s"
                        .formatted(
                                controller.getAddress().getHostAddress(),
                                controller.getPort(),
                                BigDecimal.valueOf(timeout.toMillis(), 3)
                                        .stripTrailingZeros()
                                        .toPlainString()));
    }

    private static void fail(Pending<?> pending, Exception error) {
        if (pending.timer != null) {
            pending.timer.cancel();
        }
        pending.result.completeExceptionally(error);
    }
}
